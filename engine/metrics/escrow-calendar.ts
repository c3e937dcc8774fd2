export interface Escrow {
  readonly owner: string;
  readonly destination: string;
  readonly amount: number;
  /** Unix ms: it may be finished from then on; undefined: at once, or by a condition alone. */
  readonly finishAfter: number | undefined;
  /** Unix ms: it may be cancelled from then on. */
  readonly cancelAfter: number | undefined;
  readonly hasCondition: boolean;
}

export interface Unlocks {
  /** Year and month, UTC. */
  readonly month: string;
  readonly escrows: number;
  readonly amount: number;
}

/** Months that a calendar shows; what comes later is summed as the last one. */
const MONTHS_MAX = 24;

/** Whether the time of an escrow has come: it may be finished, and has not expired. */
export const isReady = ({ finishAfter, cancelAfter }: Escrow, now: number): boolean =>
  (finishAfter ?? 0) < now && (cancelAfter === undefined || cancelAfter >= now);

/** The next time at which something may be done with it, Unix ms: finished, or else cancelled; undefined: neither. */
export function nextTime({ finishAfter, cancelAfter }: Escrow, now: number): number | undefined {
  const coming = [finishAfter, cancelAfter].filter((time) => time !== undefined && time >= now);
  return coming.length === 0 ? undefined : Math.min(...(coming as number[]));
}

/**
 * What becomes free in which month: the amounts of escrows by the month of their FinishAfter. Those whose time has come
 * are not in it, nor those that wait for a condition alone.
 * @param now Unix ms
 */
export function unlockCalendar(escrows: readonly Escrow[], now: number): Unlocks[] {
  const months = new Map<string, { escrows: number; amount: number }>();
  for (const { finishAfter, amount } of escrows) {
    if (finishAfter === undefined || finishAfter < now) continue;
    const month = new Date(finishAfter).toISOString().slice(0, 7);
    const sum = months.get(month) ?? { escrows: 0, amount: 0 };
    months.set(month, { escrows: sum.escrows + 1, amount: sum.amount + amount });
  }
  const rows = [...months]
    .map(([month, sum]) => ({ month, ...sum }))
    .sort((a, b) => (a.month < b.month ? -1 : 1));
  if (rows.length <= MONTHS_MAX) return rows;
  const later = rows.slice(MONTHS_MAX - 1);
  return [
    ...rows.slice(0, MONTHS_MAX - 1),
    {
      month: `${later[0]!.month} and later`,
      escrows: later.reduce((sum, row) => sum + row.escrows, 0),
      amount: later.reduce((sum, row) => sum + row.amount, 0),
    },
  ];
}
