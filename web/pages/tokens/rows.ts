/**
 * The rows of the list of tokens: as many as there are, of which only those near the screen are known.
 *
 *   /tokens       a piece of 100 rows when it comes near the screen, and the pieces on the screen again when the order
 *                 may have changed: after every fifth ledger in which one of their rows moved
 *   /ws/sync      the rows on the screen, whenever a ledger changes them
 *
 * So what 20,000 tokens do costs this page what some 40 of them do.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Tokens } from '../../api-types.d.ts';
import { newestLedger } from '../../net/ledger.ts';
import { type Failure, get } from '../../net/rest.ts';
import { type Frame, useStream } from '../../net/stream.ts';
import { type Query, searchOf } from '../../router.ts';

export type TokenRow = Tokens & { readonly md5: string; readonly name: string };

/** The largest page that the route answers. */
const PIECE = 100;
const REORDER_EVERY = 5;
/** Scrolling passes many rows: the subscription follows when it rests. */
const REST_MS = 150;

export interface TokenRows {
  readonly total: number;
  rowAt(index: number): TokenRow | undefined;
  /** Called with the rows that are drawn. */
  show(first: number, last: number): void;
  readonly failure: Failure | undefined;
  readonly loading: boolean;
  /** The rows that are drawn, as far as they are known. */
  readonly shown: readonly TokenRow[];
}

/** What is known of one choice of sort and filters. */
interface Known {
  readonly query: Query;
  total: number;
  failure?: Failure | undefined;
  /** Rows of each piece, by its place. */
  readonly pieces: Map<number, TokenRow[]>;
  readonly asking: Set<number>;
  asked: boolean;
}

export function useTokenRows(query: Query): TokenRows {
  const key = searchOf(query);
  const known = useMemo<Known>(
    () => ({ query, total: 0, pieces: new Map(), asking: new Set(), asked: false }),
    [key],
  );
  const range = useRef({ first: 0, last: PIECE - 1 });
  const [, setVersion] = useState(0);
  const drawAgain = useCallback(() => setVersion((version) => version + 1), []);
  const moved = useRef(false);

  const load = useCallback(
    async (piece: number) => {
      if (known.asking.has(piece)) return;
      known.asking.add(piece);
      const { value, failure } = await get('/tokens', {
        query: { ...known.query, offset: piece * PIECE, limit: PIECE },
      });
      known.asking.delete(piece);
      known.asked = true;
      known.failure = failure;
      if (value) {
        known.total = value.total;
        known.pieces.set(piece, value.tokens as TokenRow[]);
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
  useReorder(moved, loadShown);

  const rowAt = useCallback(
    (index: number) => known.pieces.get(Math.floor(index / PIECE))?.[index % PIECE],
    [known],
  );
  const show = useCallback(
    (first: number, last: number) => {
      range.current = { first, last };
      loadShown(false);
      drawAgain();
    },
    [loadShown, drawAgain],
  );
  const shown: TokenRow[] = [];
  for (let index = range.current.first; index <= range.current.last; index++) {
    const row = rowAt(index);
    if (row) shown.push(row);
  }
  useMovingRows(shown, (rows) => {
    moved.current = true;
    replaceRows(known, rows);
    drawAgain();
  });
  return { total: known.total, rowAt, show, failure: known.failure, loading: !known.asked, shown };
}

/** Asks for the order again after some ledgers, if rows moved in them; at once when the tab is seen again. */
function useReorder(moved: { current: boolean }, loadShown: (anew: boolean) => void): void {
  useEffect(() => {
    let since = newestLedger.peek()?.ledger_index ?? 0;
    const reorder = () => {
      const index = newestLedger.peek()?.ledger_index ?? 0;
      if (
        document.hidden ||
        index < since + REORDER_EVERY ||
        !(moved.current || index > since + 2 * REORDER_EVERY)
      )
        return;
      since = index;
      moved.current = false;
      loadShown(true);
    };
    const unsubscribe = newestLedger.subscribe(reorder);
    document.addEventListener('visibilitychange', reorder);
    return () => {
      unsubscribe();
      document.removeEventListener('visibilitychange', reorder);
    };
  }, [moved, loadShown]);
}

/** One socket, whose subscription follows the rows on the screen. */
function useMovingRows(shown: readonly TokenRow[], onRows: (rows: readonly TokenRow[]) => void): void {
  const tokens = shown.map(({ md5 }) => md5).slice(0, PIECE);
  const ids = tokens.join(' ');
  const [rested, setRested] = useState('');
  useEffect(() => {
    if (ids === '') return;
    const timer = setTimeout(() => setRested(ids), rested === '' ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [ids, rested]);
  const subscription = useMemo(
    () => ({ type: 'subscribe', tokens: rested.split(' '), skip_metrics: true, snapshot: true }),
    [rested],
  );
  useStream(
    rested === ''
      ? undefined
      : {
          path: '/ws/sync',
          hello: subscription,
          onFrame: ({ tokens, initial }: Frame) => {
            // The first frame is of the most traded tokens, before the subscription.
            if (Array.isArray(tokens) && !initial && typeof tokens[0] === 'object') onRows(tokens);
          },
        },
  );
}

function replaceRows(known: Known, rows: readonly TokenRow[]): void {
  const byId = new Map(rows.map((row) => [row.md5, row]));
  for (const [piece, old] of known.pieces) {
    if (!old.some(({ md5 }) => byId.has(md5))) continue;
    known.pieces.set(
      piece,
      old.map((row) => (byId.has(row.md5) ? { ...row, ...byId.get(row.md5)! } : row)),
    );
  }
}
