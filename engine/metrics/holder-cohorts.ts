import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY_MS } from '../ripple-time.ts';

/** A holder with what it did, XRP. */
export interface CohortHolder {
  readonly account: string;
  readonly tokens: number;
  /** Realised and unrealised; undefined: it has not traded the token. */
  readonly profit: number | undefined;
  /** Unix ms of its first purchase or sale; undefined: none is known. */
  readonly firstTrade: number | undefined;
}

export interface Cohort {
  readonly cohort: string;
  readonly holders: number;
  readonly tokens: number;
  readonly profit: number;
}

const AGES = [
  ['in the last day', 1],
  ['2 to 7 days ago', 7],
  ['8 to 30 days ago', 30],
  ['31 to 90 days ago', 90],
  ['more than 90 days ago', Number.POSITIVE_INFINITY],
] as const;

export interface Cohorts {
  /** By when they came in. */
  readonly byAge: readonly Cohort[];
  /** By whether they are ahead. */
  readonly byProfit: readonly Cohort[];
}

/**
 * Holders in groups: by the time of their first trade of the token, and by profit or loss, realised and unrealised. Who
 * never traded it was sent it, and is a group of its own in both. Groups without holders are left out.
 * @param now Unix ms
 */
export function holderCohorts(holders: readonly CohortHolder[], now: number): Cohorts {
  const ageOf = ({ firstTrade }: CohortHolder) => {
    if (firstTrade === undefined) return 'never traded';
    const days = (now - firstTrade) / DAY_MS;
    return AGES.find(([, within]) => days <= within)![0];
  };
  const profitOf = ({ profit }: CohortHolder) =>
    profit === undefined ? 'never traded' : profit > 0 ? 'ahead' : profit < 0 ? 'behind' : 'even';
  return {
    byAge: grouped(holders, ageOf, [...AGES.map(([name]) => name), 'never traded']),
    byProfit: grouped(holders, profitOf, ['ahead', 'even', 'behind', 'never traded']),
  };
}

function grouped(
  holders: readonly CohortHolder[],
  nameOf: (holder: CohortHolder) => string,
  order: readonly string[],
): Cohort[] {
  const groups = Map.groupBy(holders, nameOf);
  return order.flatMap((cohort) => {
    const ones = groups.get(cohort);
    if (!ones) return [];
    const sum = (of: (holder: CohortHolder) => number) => ones.reduce((all, one) => all + of(one), 0);
    return [
      {
        cohort,
        holders: ones.length,
        tokens: sum(({ tokens }) => tokens),
        profit: sum(({ profit }) => Math.round((profit ?? 0) * DROPS_PER_XRP)) / DROPS_PER_XRP,
      },
    ];
  });
}
