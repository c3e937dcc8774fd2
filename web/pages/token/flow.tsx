/**
 * Where the creator's tokens went: creator and issuer at the left, who got tokens from them, and who got them from those.
 * Only those who got most are drawn; the table of the route has all.
 */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Figures, inUnit } from '../../parts/figures.tsx';
import { linkTo } from '../../router.ts';
import type { TokenRow } from './token-row.ts';

type Flow = Answers['GET /token/flow/{id}'];
type Node = Flow['graph']['nodes'][number];

/** Nodes drawn in each column. */
const SHOWN = 14;
const ROW = 30;
const WIDTH = 900;
const BOX = 236;
const COLUMNS: Readonly<Record<Node['type'], number>> = { creator: 0, issuer: 0, level1: 1, level2: 2 };
/** Thickest line, CSS pixels. */
const THICKEST = 10;
const FOLLOW = 15;

interface Placed {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
}

export function FlowSection({ token }: { token: TokenRow }) {
  const { value, failure } = useAnswer('/token/flow/{id}', { id: token.md5 }, { follow: FOLLOW });
  return (
    <section class="card flow">
      <div class="card-title">
        <h2>Where the creator's tokens went</h2>
        {value && (
          <Figures
            figures={[
              {
                title: 'Given away',
                of: value.summary.totalTransferred,
                text: format.amount(value.summary.totalTransferred),
              },
              {
                title: 'To',
                of: value.summary.recipientCount,
                text: `${value.summary.recipientCount} accounts`,
              },
              {
                title: 'Sold by them',
                of: value.summary.totalSoldXrp,
                text: inUnit(value.summary.totalSoldXrp),
              },
            ]}
          />
        )}
      </div>
      {failure && <p class="quiet">{failure.message}</p>}
      {value && value.graph.nodes.length > 1 && <Graph flow={value} />}
      {value && value.graph.nodes.length <= 1 && <p class="empty">None went anywhere.</p>}
    </section>
  );
}

function Graph({ flow: { graph } }: { flow: Flow }) {
  const placed = place(graph.nodes);
  const height = Math.max(...[...placed.values()].map(({ y }) => y)) + ROW;
  const edges = graph.edges.filter(({ from, to }) => placed.has(from) && placed.has(to));
  const most = Math.max(...edges.map(({ amount }) => Number(amount)), 0);
  return (
    <svg
      class="flow-graph"
      viewBox={`0 0 ${WIDTH} ${height}`}
      aria-label={`${placed.size} of ${graph.nodes.length} accounts, those that got most`}
    >
      {edges.map(({ from, to, amount }) => (
        <path
          class="flow-edge"
          d={curve(placed.get(from)!, placed.get(to)!)}
          stroke-width={Math.max(1, (Number(amount) / most) * THICKEST)}
        >
          <title>{format.amount(amount)}</title>
        </path>
      ))}
      {[...placed.values()].map((one) => (
        <NodeBox placed={one} />
      ))}
    </svg>
  );
}

/** Those that got most of each column, from top to bottom. */
function place(nodes: readonly Node[]): ReadonlyMap<string, Placed> {
  const placed = new Map<string, Placed>();
  for (const column of [0, 1, 2]) {
    const shown = nodes
      .filter(({ type }) => COLUMNS[type] === column)
      .toSorted((a, b) => Number(b.received) - Number(a.received))
      .slice(0, SHOWN);
    for (const [at, node] of shown.entries())
      placed.set(node.id, { node, x: column * ((WIDTH - BOX) / 2), y: at * ROW });
  }
  return placed;
}

function curve(from: Placed, to: Placed): string {
  const [x1, y1, x2, y2] = [from.x + BOX, from.y + ROW / 2 - 3, to.x, to.y + ROW / 2 - 3];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}

function NodeBox({ placed: { node, x, y } }: { placed: Placed }) {
  const { id, type, label, received, action } = node;
  const what = type === 'level1' || type === 'level2' ? (action ?? '') : type;
  const name = label ? format.text(label, 18) : format.shortAddress(id);
  // The link is named as it reads: who speaks to the machine says what they see.
  const words = [name, what, Number(received) > 0 && format.amount(received)].filter(Boolean).join(' · ');
  return (
    <a href={linkTo(['trader', id])} aria-label={words}>
      <rect class={`flow-node ${what}`} x={x} y={y} width={BOX} height={ROW - 6} rx="4" />
      <text x={x + 8} y={y + 16}>
        {words}
      </text>
    </a>
  );
}
