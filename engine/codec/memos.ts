/**
 * The texts of a transaction's memos. Their bytes are chosen by who signs: nothing here reads past the transaction, and what
 * is returned has no control or invisible characters and is bounded.
 *
 *     EA (Memo) 7C MemoType, 7D MemoData, 7E MemoFormat E1 ... F1         https://xrpl.org/docs/references/protocol/transactions/common-fields#memos-field
 */
import { lengthPrefixBytes, readLengthPrefix } from './bytes.ts';
import { cutText } from './cut-text.ts';
import { ARRAY_END, OBJECT_END } from './skip.ts';

const MEMO = 0xea;
const MEMO_FIELDS_FIRST = 0x7c;
const MEMO_DATA = 0x7d;
const MEMO_FIELDS_LAST = 0x7e;
/** A transaction has at most 1 KB of memos. */
const TEXT_MAX = 1024;

const decoder = new TextDecoder('utf-8');

/** Without characters that are not seen, in one line, and cut between characters. */
export function plainText(text: string): string {
  const seen = text.replace(/[\p{Cf}\p{Co}\p{Cn}]/gu, '').replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  return cutText(seen.trim(), TEXT_MAX);
}

/** The data of all memos, joined. @param at first byte inside the Memos array. @param end of the transaction */
export function memoText(bytes: Uint8Array, at: number, end: number): string {
  const texts: string[] = [];
  while (at < end) {
    const first = bytes[at++]!;
    if (first === MEMO || first === OBJECT_END) continue;
    if (first === ARRAY_END || first < MEMO_FIELDS_FIRST || first > MEMO_FIELDS_LAST) break;
    const length = readLengthPrefix(bytes, at, end);
    if (length < 0) break;
    at += lengthPrefixBytes(bytes[at]!);
    if (at + length > end) break;
    if (first === MEMO_DATA) texts.push(decoder.decode(bytes.slice(at, at + length)));
    at += length;
  }
  return plainText(texts.join(' '));
}
