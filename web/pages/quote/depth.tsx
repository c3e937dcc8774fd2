/** What other sizes would get: how the rate falls as the amount grows. */
import * as format from '../../format.ts';
import { isPassing, post, type Result } from '../../net/rest.ts';
import { type Shown, useRepeated } from '../../net/use-repeated.ts';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import type { Asked, Quote } from './quote.ts';

const FACTORS = [0.1, 1, 5, 10, 50, 100] as const;
/** Ledgers between two askings: each asks for as many quotes as there are factors. */
const FOLLOW = 15;

interface Size {
  readonly factor: number;
  readonly quote: Quote | undefined;
  /** Why the service has not looked for a way. */
  readonly refused: string | undefined;
}

export function Depth({ asked, payer }: { asked: Asked; payer: string }) {
  const { value: sizes = [], failure, loading } = useSizes(asked, payer);
  const best = sizes[0]?.quote?.execution_rate;
  const refused = failure?.message ?? sizes.find((size) => size.refused)?.refused;
  const columns: readonly Column<Size>[] = [
    { key: 'factor', title: 'Size', cell: ({ factor }) => `${factor} ×` },
    {
      key: 'spend',
      title: 'Spend',
      number: true,
      cell: ({ quote }) => format.amount(quote?.source_amount.value),
    },
    {
      key: 'receive',
      title: 'Receive',
      number: true,
      cell: ({ quote }) => format.amount(quote?.destination_amount.value),
    },
    { key: 'rate', title: 'Rate', number: true, cell: ({ quote }) => format.price(quote?.execution_rate) },
    {
      key: 'worse',
      title: 'Against the best',
      number: true,
      cell: ({ quote }) =>
        quote && best ? <Share of={quote.execution_rate / best} partial={quote.partial} /> : format.NONE,
    },
  ];
  return (
    <section class="card" aria-label="Sizes">
      <h2>Depth</h2>
      <Table
        isFlat
        label="Depth"
        columns={columns}
        rows={sizes}
        keyOf={({ factor }) => String(factor)}
        empty="No size finds a way."
        loading={loading || failure !== undefined}
      />
      {refused && (
        <p class="failure" role="status">
          {format.text(refused, 200)}
        </p>
      )}
    </section>
  );
}

/** How good a rate is, as a bar and in percent. */
function Share({ of, partial }: { of: number; partial: boolean }) {
  return (
    <span class="rate-share" style={{ '--share': `${Math.min(100, of * 100).toFixed(1)}%` }}>
      {format.percent(of * 100, 2)}
      {partial && ' of a part'}
    </span>
  );
}

/** Sizes are asked for together: they are of one ledger, or nearly so. */
function useSizes({ from, to, amount, side }: Asked, payer: string): Shown<readonly Size[]> {
  const exact = side === 'spend' ? from : to;
  const key = `${from} ${to} ${amount} ${side} ${payer}`;
  const [shown] = useRepeated(key, FOLLOW, async (signal): Promise<Result<readonly Size[]>> => {
    const ask = (factor: number) =>
      post(
        '/dex/quote',
        {
          source_account: payer,
          source_token: from,
          destination_token: to,
          [side === 'spend' ? 'source_value' : 'destination_value']: sizeOf(amount, factor, exact === 'XRP'),
        },
        { signal },
      );
    const answers = await Promise.all(FACTORS.map(ask));
    const passing = answers.find(({ failure }) => failure && isPassing(failure));
    if (passing?.failure) return { failure: passing.failure };
    return {
      value: answers.map(({ value, failure }, at) => ({
        factor: FACTORS[at]!,
        quote: value?.quote ?? undefined,
        // No way leads there: that is an answer.
        refused: failure && failure.status !== 404 ? failure.message : undefined,
      })),
    };
  });
  return shown;
}

/** XRP has six decimals, and nothing smaller than the last of them. */
function sizeOf(amount: string, factor: number, isXrp: boolean): string {
  const size = Number((Number(amount) * factor).toPrecision(12));
  return isXrp ? String(Math.max(1e-6, Number(size.toFixed(6)))) : String(size);
}
