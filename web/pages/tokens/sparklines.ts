/** The sparklines of the rows on the screen: asked for together when rows come, and again after 75 ledgers (five minutes). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { newestLedger } from '../../net/ledger.ts';
import { get } from '../../net/rest.ts';

type Prices = readonly (string | number)[];

const POINTS = 32;
const AGAIN_AFTER = 75;
/** The route's limit. */
const AT_ONCE = 100;
const REST_MS = 120;

export function useSparklines(ids: readonly string[]): ReadonlyMap<string, Prices> {
  const known = useRef(new Map<string, { prices: Prices; at: number }>());
  const [prices, setPrices] = useState<ReadonlyMap<string, Prices>>(new Map());
  const key = ids.join(' ');
  const newest = newestLedger.value?.ledger_index ?? 0;
  const round = Math.floor(newest / AGAIN_AFTER);
  const hasFailed = useRef(false);
  const retry = hasFailed.current ? newest : undefined;
  // Key and round stand for what must be asked; what was not answered is asked again after the next ledger.
  useEffect(() => {
    const timer = setTimeout(async () => {
      const missing = ids.filter((id) => known.current.get(id)?.at !== round).slice(0, AT_ONCE);
      if (missing.length === 0) return;
      const { value } = await get('/sparkline/batch', {
        query: { md5s: missing.join(','), period: '7d', maxPoints: POINTS },
      });
      hasFailed.current = value === undefined;
      if (!value) return;
      const found = value.sparklines as Record<string, Prices | undefined>;
      for (const id of missing) known.current.set(id, { prices: found[id] ?? [], at: round });
      setPrices(new Map([...known.current].map(([id, one]) => [id, one.prices])));
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [key, round, retry]);
  return prices;
}
