/** The days of a chart, each at its place. */

const DAY_MS = 86_400_000;

/**
 * What is known of each of so many days, the last one at the end; undefined of those of which nothing is.
 * @param rows with their dates (YYYY-MM-DD, UTC), in any order @param end Unix ms, in the last day
 */
export function byDay<Row extends { readonly date: string }>(
  rows: readonly Row[],
  end: number,
  count: number,
): readonly (Row | undefined)[] {
  const dates = new Map(rows.map((row) => [row.date, row]));
  const dateOf = (daysBefore: number) => new Date(end - daysBefore * DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, at) => dates.get(dateOf(count - 1 - at)));
}
