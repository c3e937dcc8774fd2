/**
 * A list of any length, of which only the pieces near the screen are known: a piece is asked for when it comes near, and
 * those on the screen again when `reload` says that the order may have changed; others then, when they are seen again.
 * Until an answer comes, what was shown before stays shown, also that of another sort or filter.
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
  /** Until the first answer to this sort and filter; a failure is none. */
  readonly loading: boolean;
  /** The rows that are drawn, as far as they are known. */
  readonly shown: readonly Row[];
  /** Puts others in the place of rows on the screen; those that `change` returns as they are cost nothing. */
  replace(change: (row: Row) => Row): void;
  /** Asks for the pieces on the screen again. */
  reload(): void;
}

interface Piece<Row> {
  readonly rows: readonly Row[];
  /** In which it was asked for. */
  readonly round: number;
}

interface Known<Row> {
  total: number;
  failure?: Failure | undefined;
  readonly pieces: Map<number, Piece<Row>>;
  readonly asking: Set<number>;
  asked: boolean;
  isAnswered: boolean;
  /** Counts the reloads: pieces of an earlier round are shown, and asked for again. */
  round: number;
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
    () => ({ total: 0, pieces: new Map(), asking: new Set(), asked: false, isAnswered: false, round: 0 }),
    [key],
  );
  const answered = useRef(known);
  if (known.asked) answered.current = known;
  const asker = useRef(ask);
  asker.current = ask;
  const range = useRef({ first: 0, last: PIECE - 1 });
  const [, setVersion] = useState(0);
  const drawAgain = useCallback(() => setVersion((version) => version + 1), []);

  const load = useCallback(
    async (piece: number): Promise<void> => {
      if (known.asking.has(piece)) return;
      known.asking.add(piece);
      const { round } = known;
      const { value, failure } = await asker.current(piece * PIECE, PIECE);
      known.asking.delete(piece);
      known.asked = true;
      known.failure = failure;
      if (value) {
        known.isAnswered = true;
        known.total = value.total;
        known.pieces.set(piece, { rows: value.rows, round });
      }
      drawAgain();
      // Its order was asked for again meanwhile.
      if (round !== known.round && [...piecesIn(range.current)].includes(piece)) await load(piece);
    },
    [known, drawAgain],
  );
  const loadShown = useCallback(() => {
    for (const piece of piecesIn(range.current))
      if (known.pieces.get(piece)?.round !== known.round) void load(piece);
  }, [known, load]);
  useEffect(() => {
    range.current = { first: 0, last: PIECE - 1 };
    loadShown();
  }, [loadShown]);
  const show = useCallback(
    (first: number, last: number) => {
      // An empty list is asked for from its beginning: it may have rows by then.
      range.current = { first, last: Math.max(first, last) };
      loadShown();
      drawAgain();
    },
    [loadShown, drawAgain],
  );
  const reload = useCallback(() => {
    known.round++;
    loadShown();
  }, [known, loadShown]);
  const shownOf = answered.current;
  const rowAt = (index: number) => shownOf.pieces.get(Math.floor(index / PIECE))?.rows[index % PIECE];
  const replace = (change: (row: Row) => Row) => {
    for (const at of piecesIn(range.current)) {
      const piece = shownOf.pieces.get(at);
      if (piece) shownOf.pieces.set(at, { ...piece, rows: piece.rows.map(change) });
    }
    drawAgain();
  };
  const shown: Row[] = [];
  for (let index = range.current.first; index <= range.current.last; index++) {
    const row = rowAt(index);
    if (row) shown.push(row);
  }
  const { failure, isAnswered } = known;
  return { total: shownOf.total, rowAt, show, failure, loading: !isAnswered, shown, replace, reload };
}

function* piecesIn({ first, last }: { first: number; last: number }): Generator<number> {
  for (let piece = Math.floor(first / PIECE); piece <= Math.floor(last / PIECE); piece++) yield piece;
}

/** Ledgers between two askings for an order that moves. */
const REORDER_EVERY = 5;

/** Reloads after every fifth ledger, and at once when a hidden tab is seen again after so many. */
export function useReorder(reload: () => void): void {
  useEffect(() => {
    let since = newestLedger.peek()?.ledger_index;
    const reorder = () => {
      const index = newestLedger.peek()?.ledger_index;
      if (index === undefined) return;
      // The first ledger that is known is about the one that the first answer is of.
      since ??= index;
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
