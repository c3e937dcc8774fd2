/**
 * A list of any length, of which only the pieces near the screen are known: a piece is asked for when it comes near, and
 * those on the screen again when `reload` says that the order may have changed. Old pieces stay shown meanwhile.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { newestLedger } from './ledger.ts';
import type { Failure, Result } from './rest.ts';

/** The largest page that the routes of lists answer. */
export const PIECE = 100;

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export interface Pages<Row> {
  readonly total: number;
  rowAt(index: number): Row | undefined;
  /** Called with the rows that are drawn. */
  show(first: number, last: number): void;
  readonly failure: Failure | undefined;
  /** Until the first answer. */
  readonly loading: boolean;
  /** The rows that are drawn, as far as they are known. */
  readonly shown: readonly Row[];
  /** Puts others in the place of rows that are known. */
  replace(change: (row: Row) => Row): void;
  /** Asks for the pieces on the screen again. */
  reload(): void;
}

interface Known<Row> {
  total: number;
  failure?: Failure | undefined;
  readonly pieces: Map<number, readonly Row[]>;
  readonly asking: Set<number>;
  asked: boolean;
}

/**
 * @param key names what is asked for: sort and filters
 * @param ask one piece of it
 */
export function usePages<Row>(
  key: string,
  ask: (offset: number, limit: number) => Promise<Result<Page<Row>>>,
): Pages<Row> {
  // The key stands for what is asked.
  const known = useMemo<Known<Row>>(
    () => ({ total: 0, pieces: new Map(), asking: new Set(), asked: false }),
    [key],
  );
  const asker = useRef(ask);
  asker.current = ask;
  const range = useRef({ first: 0, last: PIECE - 1 });
  const [, setVersion] = useState(0);
  const drawAgain = useCallback(() => setVersion((version) => version + 1), []);

  const load = useCallback(
    async (piece: number) => {
      if (known.asking.has(piece)) return;
      known.asking.add(piece);
      const { value, failure } = await asker.current(piece * PIECE, PIECE);
      known.asking.delete(piece);
      known.asked = true;
      known.failure = failure;
      if (value) {
        known.total = value.total;
        known.pieces.set(piece, value.rows);
      }
      drawAgain();
    },
    [known, drawAgain],
  );
  const loadShown = useCallback(
    (anew: boolean) => {
      const { first, last } = range.current;
      for (let piece = Math.floor(first / PIECE); piece <= Math.floor(last / PIECE); piece++)
        if (anew || !known.pieces.has(piece)) void load(piece);
    },
    [known, load],
  );
  useEffect(() => {
    range.current = { first: 0, last: PIECE - 1 };
    loadShown(true);
  }, [loadShown]);
  const rowAt = (index: number) => known.pieces.get(Math.floor(index / PIECE))?.[index % PIECE];
  const show = useCallback(
    (first: number, last: number) => {
      range.current = { first, last };
      loadShown(false);
      drawAgain();
    },
    [loadShown, drawAgain],
  );
  const replace = (change: (row: Row) => Row) => {
    for (const [piece, rows] of known.pieces) known.pieces.set(piece, rows.map(change));
    drawAgain();
  };
  const reload = useCallback(() => loadShown(true), [loadShown]);
  const shown: Row[] = [];
  for (let index = range.current.first; index <= range.current.last; index++) {
    const row = rowAt(index);
    if (row) shown.push(row);
  }
  const { total, failure, asked } = known;
  return { total, rowAt, show, failure, loading: !asked, shown, replace, reload };
}

/** Ledgers between two askings for an order that moves. */
const REORDER_EVERY = 5;

/** Reloads after every fifth ledger, and at once when a hidden tab is seen again after so many. */
export function useReorder(reload: () => void): void {
  useEffect(() => {
    let since = newestLedger.peek()?.ledger_index ?? 0;
    const reorder = () => {
      const index = newestLedger.peek()?.ledger_index ?? 0;
      if (document.hidden || index < since + REORDER_EVERY) return;
      since = index;
      reload();
    };
    const unsubscribe = newestLedger.subscribe(reorder);
    document.addEventListener('visibilitychange', reorder);
    return () => {
      unsubscribe();
      document.removeEventListener('visibilitychange', reorder);
    };
  }, [reload]);
}
