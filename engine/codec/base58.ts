/**
 * Account addresses: base58 with the ledger's own alphabet over version byte 0, the 20 bytes of the account
 * and 4 bytes of checksum (double SHA-256). https://xrpl.org/docs/references/protocol/data-types/base58-encodings
 */
import { createHash } from 'node:crypto';

const ALPHABET = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';
const ACCOUNT_BYTES = 20;
const PAYLOAD_BYTES = 25; // version, account, checksum
/** 25 bytes as base 58^5 limbs: 58^35 > 2^200. Five digits a limb keep every product below 2^53. */
const LIMBS = 7;
const LIMB_DIGITS = 5;
const LIMB_BASE = 58 ** LIMB_DIGITS;
const TEXT_LENGTH_MAX = LIMBS * LIMB_DIGITS;

const DIGIT = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) DIGIT[ALPHABET.charCodeAt(i)] = i;

function checksum(payload: Uint8Array): Uint8Array {
  const once = createHash('sha256')
    .update(payload.subarray(0, PAYLOAD_BYTES - 4))
    .digest();
  return createHash('sha256').update(once).digest();
}

/**
 * The r-address of the 20 account bytes at `at`.
 * @throws RangeError when they leave the bytes.
 */
export function accountText(bytes: Uint8Array, at = 0): string {
  if (at < 0 || at + ACCOUNT_BYTES > bytes.length) throw new RangeError(`account at ${at} leaves the bytes`);
  const payload = new Uint8Array(PAYLOAD_BYTES);
  for (let i = 0; i < ACCOUNT_BYTES; i++) payload[i + 1] = bytes[at + i]!;
  payload.set(checksum(payload).subarray(0, 4), PAYLOAD_BYTES - 4);

  const limbs = new Float64Array(LIMBS); // least significant first
  for (let i = 0; i < PAYLOAD_BYTES; i += 1) {
    let carry = payload[i]!;
    for (let k = 0; k < LIMBS; k++) {
      const value = limbs[k]! * 256 + carry;
      carry = Math.floor(value / LIMB_BASE);
      limbs[k] = value - carry * LIMB_BASE;
    }
  }
  let text = '';
  for (let k = 0; k < LIMBS; k++) {
    let limb = limbs[k]!;
    for (let d = 0; d < LIMB_DIGITS; d++) {
      text = ALPHABET[limb % 58]! + text;
      limb = Math.floor(limb / 58);
    }
  }
  // Each leading zero byte is written as one zero digit; further zero digits are not written.
  let zeroBytes = 0;
  while (zeroBytes < PAYLOAD_BYTES && payload[zeroBytes] === 0) zeroBytes++;
  let zeroDigits = 0;
  while (zeroDigits < text.length && text[zeroDigits] === ALPHABET[0]) zeroDigits++;
  return ALPHABET[0]!.repeat(zeroBytes) + text.slice(zeroDigits);
}

/** The 20 bytes of an r-address; undefined when the text is none (alphabet, length, version, checksum). */
export function accountBytes(text: string): Uint8Array | undefined {
  if (text.length < PAYLOAD_BYTES || text.length > TEXT_LENGTH_MAX) return undefined;
  const payload = new Uint8Array(PAYLOAD_BYTES);
  let zeroDigits = 0;
  while (zeroDigits < text.length && text[zeroDigits] === ALPHABET[0]) zeroDigits++;
  for (let i = 0; i < text.length; i++) {
    let carry = DIGIT[text.charCodeAt(i)] ?? 255;
    if (carry > 57) return undefined;
    for (let k = PAYLOAD_BYTES - 1; k >= 0; k--) {
      const value = payload[k]! * 58 + carry;
      payload[k] = value & 0xff;
      carry = value >>> 8;
    }
    if (carry !== 0) return undefined;
  }
  let zeroBytes = 0;
  while (zeroBytes < PAYLOAD_BYTES && payload[zeroBytes] === 0) zeroBytes++;
  if (zeroBytes !== zeroDigits || payload[0] !== 0) return undefined;
  const sum = checksum(payload);
  for (let i = 0; i < 4; i++) if (payload[PAYLOAD_BYTES - 4 + i] !== sum[i]) return undefined;
  return payload.slice(1, 1 + ACCOUNT_BYTES);
}
