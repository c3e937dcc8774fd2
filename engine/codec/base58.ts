/**
 * Account addresses: base58 with the alphabet of the XRP Ledger over version byte 0, the 20 bytes of the account
 * and 4 bytes of checksum (double SHA-256). https://xrpl.org/docs/references/protocol/data-types/base58-encodings
 */

export const ALPHABET = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';
const ACCOUNT_BYTES = 20;
const PAYLOAD_BYTES = 25; // version, account, checksum
const CHECKSUM_AT = 21;
/** 25 bytes as limbs of base 58^4: 58^36 > 2^200. Two bytes at a time keep every product far below 2^53. */
const LIMBS = 9;
const LIMB_DIGITS = 4;
const LIMB_BASE = 58 ** LIMB_DIGITS;
const DIGITS = LIMBS * LIMB_DIGITS;
const TEXT_LENGTH_MAX = 35;

const LETTERS = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const DIGIT = new Uint8Array(128).fill(255);
for (let i = 0; i < ALPHABET.length; i++) DIGIT[ALPHABET.charCodeAt(i)] = i;

/** SHA-256 of SHA-256 of version and account. */
function checksum(payload: Uint8Array): Uint8Array {
  const sum = new Uint8Array(32);
  Bun.SHA256.hash(payload.subarray(0, CHECKSUM_AT), sum);
  Bun.SHA256.hash(sum, sum);
  return sum;
}

/**
 * The r-address of the 20 account bytes at `at`.
 * @throws RangeError when the bytes end before.
 */
export function accountText(bytes: Uint8Array, at = 0): string {
  if (at < 0 || at + ACCOUNT_BYTES > bytes.length) throw new RangeError(`account at ${at} is out of bounds`);
  const payload = new Uint8Array(PAYLOAD_BYTES);
  for (let i = 0; i < ACCOUNT_BYTES; i++) payload[i + 1] = bytes[at + i]!;
  const sum = checksum(payload);
  for (let i = 0; i < 4; i++) payload[CHECKSUM_AT + i] = sum[i]!;

  const limbs = new Float64Array(LIMBS); // least significant first; the version byte adds nothing
  for (let i = 1; i < PAYLOAD_BYTES; i += 2) {
    let carry = (payload[i]! << 8) | payload[i + 1]!;
    for (let k = 0; k < LIMBS; k++) {
      const value = limbs[k]! * 65536 + carry;
      carry = Math.floor(value / LIMB_BASE);
      limbs[k] = value - carry * LIMB_BASE;
    }
  }
  const letters = new Uint8Array(DIGITS);
  let place = DIGITS;
  for (let k = 0; k < LIMBS; k++) {
    let limb = limbs[k]! | 0;
    for (let d = 0; d < LIMB_DIGITS; d++) {
      const rest = (limb / 58) | 0;
      letters[--place] = LETTERS[limb - rest * 58]!;
      limb = rest;
    }
  }
  // Each leading zero byte is written as one zero digit; other leading zero digits are omitted.
  let zeroBytes = 0;
  while (payload[zeroBytes] === 0) zeroBytes++;
  let start = 0;
  while (letters[start] === LETTERS[0]) start++;
  return Buffer.from(letters.buffer).toString('latin1', start - zeroBytes, DIGITS);
}

/** The 20 bytes of an r-address; undefined when the text is not a valid address (alphabet, length, version, checksum). */
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
  for (let i = 0; i < 4; i++) if (payload[CHECKSUM_AT + i] !== sum[i]) return undefined;
  return payload.slice(1, 1 + ACCOUNT_BYTES);
}
