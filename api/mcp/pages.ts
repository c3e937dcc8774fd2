/** All rows of a list that a route gives page by page, as far as a tool reads them. */
import type { JsonObject } from './json-rpc.ts';

/** Rows a page, and most pages that are read for one answer. */
export const PAGE = 100;
const PAGES_MAX = 20;

export interface Rows {
  readonly rows: readonly JsonObject[];
  /** There are more. */
  readonly isCut: boolean;
}

/**
 * @param page the rows from an offset on, as many as a page has
 * @param isOne false of a row: of a sorted list, it and those after it are not looked for
 */
export async function pages(
  page: (offset: number) => Promise<JsonObject[]>,
  isOne: (row: JsonObject) => boolean = () => true,
): Promise<Rows> {
  const rows: JsonObject[] = [];
  for (let at = 0; at < PAGES_MAX; at++) {
    const found = await page(at * PAGE);
    const end = found.findIndex((row) => !isOne(row));
    rows.push(...(end < 0 ? found : found.slice(0, end)));
    if (end >= 0 || found.length < PAGE) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}
