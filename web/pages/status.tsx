/** The state of this service: its source, how far behind it is, proofs, streams, memory, stalls, disk, budgets. */
import type { ComponentChildren } from 'preact';
import * as format from '../format.ts';
import { useMetrics } from '../net/metrics.ts';
import type { Metrics } from '../net/metrics-text.ts';
import type { Answer } from '../net/rest.ts';
import { useAnswer } from '../net/use-answer.ts';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import { Budgets } from './status/budgets.tsx';
import { cards, type Figure } from './status/figures.ts';
import { Streams } from './status/streams.tsx';

type Health = Answer<'/health'>;

export default function StatusPage() {
  const health = useAnswer('/health');
  const measured = useMetrics();
  const { value: metrics } = measured;
  return (
    <section class="status">
      <h1>Status of this service</h1>
      {health.value ? (
        <Facts facts={factsOf(health.value)} />
      ) : (
        <Unanswered shown={health} what="The state of the service" />
      )}
      {metrics ? <Measured metrics={metrics} /> : <Unanswered shown={measured} what="What it measures" />}
    </section>
  );
}

function Measured({ metrics }: { readonly metrics: Metrics }) {
  return (
    <>
      <div class="cards">
        {cards.map(({ title, figures }) => (
          <Card key={title} title={title}>
            <Figures label={title} rows={figures(metrics)} />
          </Card>
        ))}
        <Card title="Streams">
          <Streams metrics={metrics} />
        </Card>
      </div>
      <Budgets />
    </>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Figures({ label, rows }: { readonly label: string; readonly rows: readonly Figure[] }) {
  return (
    <table aria-label={label}>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function factsOf({ status, services, ledger, disk, version, uptime }: Health): readonly Fact[] {
  const facts: (Fact | false | null)[] = [
    ['State', <Mark key="state" isGood={status === 'healthy'} text={status} />],
    ['Source', <Mark key="source" isGood={services.rippled.status === 'up'} text={sourceText(services)} />],
    ledger && ['Newest ledger', format.whole(ledger.index)],
    ledger && ['Behind the source by', ledgers(ledger.behind)],
    ledger && ['Held', `${format.whole(held(ledger.ranges))} ledgers, state ${ledger.state}`],
    ['Running for', format.duration(uptime)],
    ['Version of the contract', version],
    disk?.fullAt !== undefined && ['Disk full', format.time(disk.fullAt)],
  ];
  return facts.filter((fact) => fact !== false && fact !== null && fact !== undefined) as Fact[];
}

const sourceText = ({ rippled }: Health['services']) =>
  rippled.status === 'up' ? 'sends ledgers' : 'does not answer';
const ledgers = (count: number) => (count === 1 ? '1 ledger' : `${format.whole(count)} ledgers`);
const held = (ranges: readonly (readonly number[])[]) =>
  ranges.reduce((sum, [first = 0, last = 0]) => sum + last - first + 1, 0);

function Mark({ isGood, text }: { readonly isGood: boolean; readonly text: string }) {
  return (
    <>
      <span class={`state-mark ${isGood ? 'good' : ''}`} aria-hidden="true" />
      {text}
    </>
  );
}
