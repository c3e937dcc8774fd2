/**
 * The rows of the list of tokens: what 20,000 tokens do costs this page what the 40 on its screen do.
 *
 *   /tokens     pieces near the screen, again after every fifth ledger: the order may have changed
 *   /ws/sync    the rows on the screen, whenever a ledger changes them
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Tokens } from '../../api-types.d.ts';
import { get } from '../../net/rest.ts';
import { type Frame, useStream } from '../../net/stream.ts';
import { type Pages, PIECE, usePages, useReorder } from '../../net/use-pages.ts';
import { type Query, searchOf } from '../../router.ts';

export type TokenRow = Tokens & { readonly md5: string; readonly name: string };

/** Scrolling passes many rows: the subscription follows when it rests. */
const REST_MS = 150;

export function useTokenRows(query: Query): Pages<TokenRow> {
  const pages = usePages<TokenRow>(searchOf(query), async (offset, limit) => {
    const { value, failure } = await get('/tokens', { query: { ...query, offset, limit } });
    return value ? { value: { rows: value.tokens as TokenRow[], total: value.total } } : { failure };
  });
  useReorder(pages.reload);
  useMovingRows(pages.shown, (rows) => {
    const byId = new Map(rows.map((row) => [row.md5, row]));
    pages.replace((row) => {
      const moved = byId.get(row.md5);
      return moved ? { ...row, ...moved } : row;
    });
  });
  return pages;
}

/** One socket, whose subscription follows the rows on the screen. */
function useMovingRows(shown: readonly TokenRow[], onRows: (rows: readonly TokenRow[]) => void): void {
  const ids = shown
    .slice(0, PIECE)
    .map(({ md5 }) => md5)
    .join(' ');
  const [rested, setRested] = useState('');
  useEffect(() => {
    if (ids === '') return;
    const timer = setTimeout(() => setRested(ids), rested === '' ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [ids, rested]);
  const hello = useMemo(
    () => ({ type: 'subscribe', tokens: rested.split(' '), skip_metrics: true, snapshot: true }),
    [rested],
  );
  // The first frame is of the most traded tokens, before the subscription; the answer to it names tokens only.
  const onFrame = ({ tokens, initial }: Frame) => {
    if (Array.isArray(tokens) && !initial && typeof tokens[0] === 'object') onRows(tokens);
  };
  useStream(rested === '' ? undefined : { path: '/ws/sync', hello, onFrame });
}
