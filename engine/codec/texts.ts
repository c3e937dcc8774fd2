/**
 * Bounded caches of the two kinds of text that decoding makes repeatedly: addresses (two SHA-256 each) and three-letter
 * currency codes. Direct-mapped: a text that collides with another replaces it; memory is constant.
 */
import { accountText } from './base58.ts';
import { codeText } from './currency.ts';

const ACCOUNT_WORDS = 5;

export class AccountTexts {
  readonly #mask: number;
  readonly #keys: Uint32Array;
  readonly #texts: (string | undefined)[];

  /** @param slots a power of two; each costs 20 bytes and up to one address. */
  constructor(slots: number) {
    if (slots < 1 || (slots & (slots - 1)) !== 0)
      throw new RangeError(`${slots} cache slots: not a power of two`);
    this.#mask = slots - 1;
    this.#keys = new Uint32Array(slots * ACCOUNT_WORDS);
    this.#texts = new Array(slots).fill(undefined);
  }

  /** The r-address of the 20 bytes at `at`, whose bounds the caller has checked; `view` covers `bytes`. */
  text(bytes: Uint8Array, view: DataView, at: number): string {
    const a = view.getUint32(at);
    const b = view.getUint32(at + 4);
    const c = view.getUint32(at + 8);
    const d = view.getUint32(at + 12);
    const e = view.getUint32(at + 16);
    // Account ids are hashes: any combination of a few bits distributes them well.
    const slot = (a ^ (b >>> 7) ^ e) & this.#mask;
    const keys = this.#keys;
    const k = slot * ACCOUNT_WORDS;
    const known = this.#texts[slot];
    if (
      known !== undefined &&
      keys[k] === a &&
      keys[k + 1] === b &&
      keys[k + 2] === c &&
      keys[k + 3] === d &&
      keys[k + 4] === e
    )
      return known;
    const text = accountText(bytes, at);
    keys[k] = a;
    keys[k + 1] = b;
    keys[k + 2] = c;
    keys[k + 3] = d;
    keys[k + 4] = e;
    this.#texts[slot] = text;
    return text;
  }
}

const CODE_SLOTS = 1024;

export class CodeTexts {
  // All slots begin with code 0, which is XRP.
  readonly #codes = new Uint32Array(CODE_SLOTS);
  readonly #texts: (string | undefined)[] = new Array(CODE_SLOTS).fill('XRP');

  /** The text of a standard currency's 24-bit code, see `codeText`. */
  text(code: number): string | undefined {
    const slot = (code ^ (code >>> 9)) & (CODE_SLOTS - 1);
    if (this.#codes[slot] === code) return this.#texts[slot];
    const text = codeText(code);
    this.#codes[slot] = code;
    this.#texts[slot] = text;
    return text;
  }
}
