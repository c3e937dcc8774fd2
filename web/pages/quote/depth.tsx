/** What other sizes would get: how the rate falls as the amount grows. Asked for when the question changes. */
import { useEffect, useState } from 'preact/hooks';
import * as format from '../../format.ts';
import { post } from '../../net/rest.ts';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import type { Asked, Quote } from './quote.ts';

const FACTORS = [0.1, 1, 5, 10, 50, 100] as const;

interface Size {
  readonly factor: number;
  readonly quote: Quote | undefined;
  /** Why the service has not looked for a way. */
  readonly refused: string | undefined;
}

export function Depth({ asked, payer }: { asked: Asked; payer: string }) {
  const { sizes, loading } = useSizes(asked, payer);
  const best = sizes[0]?.quote?.execution_rate;
  const refused = sizes.find((size) => size.refused)?.refused;
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
        loading={loading}
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

function useSizes(asked: Asked, payer: string): { sizes: readonly Size[]; loading: boolean } {
  const [found, setFound] = useState<{ key: string; sizes: readonly Size[] }>();
  const { from, to, amount, side } = asked;
  const key = `${from} ${to} ${amount} ${side} ${payer}`;
  useEffect(() => {
    const abort = new AbortController();
    const ask = async (factor: number): Promise<Size> => {
      const size = String(Number((Number(amount) * factor).toPrecision(12)));
      const { value, failure } = await post(
        '/dex/quote',
        {
          source_account: payer,
          source_token: from,
          destination_token: to,
          [side === 'spend' ? 'source_value' : 'destination_value']: size,
        },
        { signal: abort.signal },
      );
      return {
        factor,
        quote: value?.quote ?? undefined,
        // No way leads there: that is an answer.
        refused: failure && failure.status !== 404 ? failure.message : undefined,
      };
    };
    void Promise.all(FACTORS.map(ask)).then((sizes) => {
      if (!abort.signal.aborted) setFound({ key, sizes });
    });
    return () => abort.abort();
  }, [key]);
  return found?.key === key ? { sizes: found.sizes, loading: false } : { sizes: [], loading: true };
}
