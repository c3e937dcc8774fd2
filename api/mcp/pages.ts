/**
 * Several reads that must fit together, as the pages of a list that a route gives by offset.
 *
 * They fit together while nothing moves: a ledger between two pages moves rows from one to the other. Dozens of them in one
 * go would hold up every other request; so there are pauses between them, and all is read again where something moved.
 *
 *     page, pause, page, pause, page ...  ->  rows
 *                    `-- the version moved: from the first page again; after TRIES_MAX times without pauses
 */
import type { JsonObject } from './json-rpc.ts';

/** Rows a page, and most rows that are read for one answer. */
export const PAGE = 100;
const ROWS_MAX = 2_000;
/** Readings that a ledger overtook, after which the next one has no pauses: ledgers may follow without end. */
const TRIES_MAX = 3;

/** What shares the thread with other requests between two reads. */
export interface Sharing {
  /** Lets others be served where the time slice is used up. */
  pause(): Promise<void> | undefined;
  /** Moves with everything that answers are made of. */
  readonly version: number;
}

/** Something moved while reads were paused. */
class Moved extends Error {}

/**
 * What a function reads, all of it at one version.
 * @param read calls `pause` between two reads; it may be run several times
 */
export async function atOneVersion<T>(
  sharing: Sharing,
  read: (pause: () => Promise<void>) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const { version } = sharing;
    const pause = async (): Promise<void> => {
      await sharing.pause();
      if (sharing.version !== version) throw new Moved();
    };
    try {
      const found = await read(pause);
      // The last read may have had to wait, too.
      if (sharing.version === version) return found;
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
    }
  }
  return read(async () => undefined);
}

export interface Rows {
  readonly rows: readonly JsonObject[];
  /** There are more. */
  readonly isCut: boolean;
}

/** The rows from an offset on: as many as the limit says, or all that are left. */
type Page = (offset: number, limit: number) => Promise<readonly JsonObject[]>;

interface Wanted {
  /** False of a row: of a sorted list, it and those after it are not looked for. */
  readonly isOne?: (row: JsonObject) => boolean;
  /** Whether no more rows are needed. */
  readonly isEnough?: (rows: readonly JsonObject[]) => boolean;
  /** Rows a page. */
  readonly size?: number;
  /** Most rows that are read. */
  readonly most?: number;
}

/** All rows of a list, as far as they are wanted. */
export const pages = (sharing: Sharing, page: Page, wanted: Wanted = {}): Promise<Rows> =>
  atOneVersion(sharing, (pause) => pagesWith(pause, page, wanted));

/** The same, where the list has to fit together with other reads. */
export async function pagesWith(
  pause: () => Promise<void>,
  page: Page,
  { isOne = () => true, isEnough = () => false, size = PAGE, most = ROWS_MAX }: Wanted = {},
): Promise<Rows> {
  const rows: JsonObject[] = [];
  while (rows.length < most && !isEnough(rows)) {
    if (rows.length > 0) await pause();
    const limit = Math.min(size, most - rows.length);
    const found = await page(rows.length, limit);
    const end = found.findIndex((row) => !isOne(row));
    rows.push(...(end < 0 ? found : found.slice(0, end)));
    if (end >= 0 || found.length < limit) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}
