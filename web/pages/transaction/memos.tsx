/** Memos: whatever the sender wrote, of any length and in any script. */

import { type Fields, hexText } from '../../../explain/json.ts';
import * as format from '../../format.ts';

/** Longest part of a memo that is drawn; the raw JSON has the rest. */
const LONGEST = 400;

export function Memos({ memos }: { readonly memos: unknown }) {
  if (!Array.isArray(memos)) return null;
  return (
    <section aria-labelledby="memos">
      <h2 id="memos">Memos</h2>
      <ul class="memos">
        {memos.map((wrapped: Fields) => (
          <li>
            <Memo memo={wrapped?.Memo ?? {}} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Memo({ memo }: { readonly memo: Fields }) {
  return (
    <>
      {memo.MemoType && <bdi class="quiet">{`${format.text(hexText(memo.MemoType))}: `}</bdi>}
      <bdi>{format.text(hexText(memo.MemoData), LONGEST)}</bdi>
    </>
  );
}
