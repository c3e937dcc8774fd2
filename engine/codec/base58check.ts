/**
 * Keys as text: base58 with the alphabet of the XRP Ledger over a version byte, a payload and 4 bytes of checksum
 * (double SHA-256). For addresses use base58.ts, which is faster.
 * https://xrpl.org/docs/references/protocol/data-types/base58-encodings
 */
import { ALPHABET } from './base58.ts';

const CHECKSUM_BYTES = 4;
/** The longest possible text of a key; longer texts are refused unread. */
const TEXT_LENGTH_MAX = 64;

/** Version byte of an account's public key (texts that begin with "a"). */
export const ACCOUNT_PUBLIC_KEY = 35;

function checksum(bytes: Uint8Array): Uint8Array {
  const sum = new Uint8Array(32);
  Bun.SHA256.hash(bytes, sum);
  Bun.SHA256.hash(sum, sum);
  return sum.subarray(0, CHECKSUM_BYTES);
}

/** The text of a payload. */
export function base58CheckText(version: number, payload: Uint8Array): string {
  const body = Uint8Array.of(version, ...payload);
  const bytes = [...body, ...checksum(body)];
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)]! + text;
  for (let i = 0; i < bytes.length && bytes[i] === 0; i++) text = ALPHABET[0]! + text;
  return text;
}

/** The payload of a text; undefined when version, length or checksum are not right. */
export function base58CheckBytes(text: string, version: number, length: number): Uint8Array | undefined {
  if (text.length > TEXT_LENGTH_MAX) return undefined;
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const bytes = new Uint8Array(1 + length + CHECKSUM_BYTES);
  for (let i = bytes.length - 1; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 0xffn);
  const body = bytes.subarray(0, 1 + length);
  if (value !== 0n || body[0] !== version) return undefined;
  const sum = checksum(body);
  for (let i = 0; i < CHECKSUM_BYTES; i++) if (bytes[1 + length + i] !== sum[i]) return undefined;
  return body.slice(1);
}
