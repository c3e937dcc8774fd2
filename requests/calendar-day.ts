/** Days as people send them. */

/**
 * Unix ms at which a day begins, UTC.
 * @param date `2026-11-28`
 * @returns undefined: the calendar has no such day (`2026-02-31`, which `Date` would take for one of March)
 */
export function dayStart(date: string): number | undefined {
  const start = new Date(Date.parse(`${date}T00:00:00Z`));
  return !Number.isNaN(start.getTime()) && start.getUTCDate() === Number(date.slice(8, 10))
    ? start.getTime()
    : undefined;
}
