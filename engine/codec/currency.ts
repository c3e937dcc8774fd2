/**
 * Currency codes: 20 bytes on the ledger, three characters or 40 hex digits in JSON, and a readable name.
 * https://xrpl.org/docs/references/protocol/data-types/currency-formats
 */
import { createHash } from 'node:crypto';
import { bytesOf, hexOf } from './bytes.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

const CURRENCY_BYTES = 20;
const CODE_AT = 12; // a standard code has its three characters at bytes 12 to 14, all others zero

/** Characters of three-letter codes, as ripple-binary-codec accepts them. */
const CODE_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789?!@#$%^&*(){}[]|';
const IS_CODE = new Uint8Array(256);
for (const character of CODE_CHARACTERS) IS_CODE[character.charCodeAt(0)] = 1;

/**
 * The currency at `at` in its JSON form: `XRP` for 20 zero bytes, three characters for a standard code,
 * else 40 upper-case hex digits (also for a standard code that reads "XRP", which is not XRP).
 * @throws RangeError when the 20 bytes are out of bounds.
 */
export function currencyText(bytes: Uint8Array, at = 0): string {
  if (at < 0 || at + CURRENCY_BYTES > bytes.length)
    throw new RangeError(`currency at ${at} is out of bounds`);
  for (let i = 0; i < CURRENCY_BYTES; i++)
    if (bytes[at + i] !== 0 && (i < CODE_AT || i > CODE_AT + 2)) return hexOf(bytes, at, CURRENCY_BYTES);
  const code = (bytes[at + CODE_AT]! << 16) | (bytes[at + CODE_AT + 1]! << 8) | bytes[at + CODE_AT + 2]!;
  return codeText(code) ?? hexOf(bytes, at, CURRENCY_BYTES);
}

/**
 * Text of a standard currency whose three characters are the 24 bits of `code`: `XRP` for zero; undefined when
 * it is shown in hex (characters outside the set, or the letters XRP, which are not XRP).
 */
export function codeText(code: number): string | undefined {
  if (code === 0) return 'XRP';
  const a = code >>> 16;
  const b = (code >>> 8) & 0xff;
  const c = code & 0xff;
  if ((IS_CODE[a]! & IS_CODE[b]! & IS_CODE[c]!) === 0) return undefined;
  const text = String.fromCharCode(a, b, c);
  return text === 'XRP' ? undefined : text;
}

/** The 20 bytes of a currency text (three characters or 40 hex digits); undefined when it is neither. */
export function currencyBytes(text: string): Uint8Array | undefined {
  if (text.length === 40) return /^[0-9A-Fa-f]{40}$/.test(text) ? bytesOf(text) : undefined;
  if (text.length !== 3) return undefined;
  const bytes = new Uint8Array(CURRENCY_BYTES);
  if (text === 'XRP') return bytes;
  for (let i = 0; i < 3; i++) {
    const code = text.charCodeAt(i);
    if (code > 255 || IS_CODE[code] === 0) return undefined;
    bytes[CODE_AT + i] = code;
  }
  return bytes;
}

/**
 * Readable name of a currency text: the code itself, or what its hex decodes to. A code of another issuer that reads
 * "xrp" is named `FakeXRP`, an interest-bearing code (first byte 01) `CODE (x% pa)`. Control and invisible
 * formatting characters are removed, since issuers choose these names and are not trusted. Codes that decode to no
 * readable text (for example LP tokens, first byte 03) keep their hex.
 */
export function currencyName(text: string): string {
  if (text === 'XRP') return 'XRP';
  const bytes = text.length === 40 ? currencyBytes(text) : undefined;
  const name = bytes ? decodedName(bytes) : readable(text);
  if (name === '') return text;
  return name.toLowerCase() === 'xrp' ? 'FakeXRP' : name;
}

/** Strips C0, C1, zero-width, direction-changing and other format characters, and leading and trailing blanks. */
function readable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '').trim();
}

function decodedName(bytes: Uint8Array): string {
  if (bytes[0] === 0x01) return demurrageName(bytes);
  if (bytes[0] === 0x03) return '';
  // XLS-15: type byte 02, seven bytes (taxon and others), then the name.
  const payload = bytes[0] === 0x02 ? bytes.subarray(8) : bytes;
  try {
    return readable(decoder.decode(payload));
  } catch {
    return ''; // not UTF-8
  }
}

const YEAR_SECONDS = 31_536_000; // by convention of the format, never a leap year

/** Bytes: 01, three characters, u32 start, double e-folding time in seconds, eight more. */
function demurrageName(bytes: Uint8Array): string {
  const code = readable(String.fromCharCode(bytes[1]!, bytes[2]!, bytes[3]!));
  const period = new DataView(bytes.buffer, bytes.byteOffset, CURRENCY_BYTES).getFloat64(8);
  const percent = Math.expm1(YEAR_SECONDS / period) * 100;
  if (code === '' || !Number.isFinite(percent)) return '';
  // Twelve digits after the point hide the rounding error of the double (-0.5, not -0.49999999999999).
  return `${code} (${Number(percent.toFixed(12))}% pa)`;
}

/** Lower-case md5 of `issuer_currency`: the id of a token in the API. Native XRP is `XRPL_XRP`. */
export function md5Of(issuerText: string, currencyText: string): string {
  return createHash('md5').update(`${issuerText}_${currencyText}`).digest('hex');
}
