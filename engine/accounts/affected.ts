/**
 * The accounts that a transaction affects, as rippled counts them (`TxMeta::getAffectedAccounts`): every account that the final or
 * new fields of an affected entry name, and the issuers of limits, of what offers give and want, and of MPTs. One walk over the
 * bytes of the metadata, without objects; malformed bytes end it.
 */
import { readLengthPrefix } from '../codec/bytes.ts';
import { SHIPPED_LAYOUT } from '../codec/layout.ts';
import { ARRAY_END, headerBytes, headerCode, isZeroRange, OBJECT_END, skipValue } from '../codec/skip.ts';

const AFFECTED_NODES = 0xf8;
const CREATED_NODE = 0xe3;
const MODIFIED_NODE = 0xe5;
const FINAL_FIELDS = 0xe7;
const NEW_FIELDS = 0xe8;

const ACCOUNT_TYPE = 8;
const ACCOUNT_BYTES = 20;
/** `(type << 8) | nth` */
const TAKER_PAYS = 0x0604;
const HIGH_LIMIT = 0x0607;
const MPT_ISSUANCE_ID = 0x1501;
/** Where in an amount its issuer is: issued, after value and currency; MPT, after kind, value and sequence. */
const ISSUER_IN_ISSUED = 28;
const ISSUER_IN_MPT = 13;
const ISSUER_IN_MPT_ID = 4;

export class AffectedAccounts {
  readonly #widths = SHIPPED_LAYOUT.width;
  #bytes: Uint8Array = new Uint8Array(0);
  #end = 0;
  #found: (at: number) => void = () => undefined;

  /**
   * Calls `found` with the offset of the 20 bytes of each account; the same account may come more than once.
   * @param at, end of the metadata
   */
  walk(bytes: Uint8Array, at: number, end: number, found: (at: number) => void): void {
    this.#bytes = bytes;
    this.#end = end;
    this.#found = found;
    while (at >= 0 && at < end) {
      if (bytes[at] === AFFECTED_NODES) {
        this.#nodes(at + 1);
        return;
      }
      at = this.#skip(at);
    }
  }

  /** @returns offset after the field, -1 when it is malformed */
  #skip(at: number): number {
    const code = headerCode(this.#bytes, at, this.#end);
    if (code < 0) return -1;
    return skipValue(this.#widths, this.#bytes, at + headerBytes(this.#bytes[at]!), this.#end, code >>> 8);
  }

  #nodes(at: number): void {
    while (at >= 0 && at < this.#end) {
      const first = this.#bytes[at]!;
      if (first === ARRAY_END || first < CREATED_NODE || first > MODIFIED_NODE) return;
      at = this.#node(at + 1);
    }
  }

  #node(at: number): number {
    while (at >= 0 && at < this.#end) {
      const first = this.#bytes[at]!;
      if (first === OBJECT_END) return at + 1;
      at = first === FINAL_FIELDS || first === NEW_FIELDS ? this.#fields(at + 1) : this.#skip(at);
    }
    return -1;
  }

  #fields(at: number): number {
    const bytes = this.#bytes;
    while (at >= 0 && at < this.#end) {
      if (bytes[at] === OBJECT_END) return at + 1;
      const code = headerCode(bytes, at, this.#end);
      if (code < 0) return -1;
      const value = at + headerBytes(bytes[at]!);
      at = skipValue(this.#widths, bytes, value, this.#end, code >>> 8);
      if (at >= 0) this.#value(code, value);
    }
    return -1;
  }

  #value(code: number, at: number): void {
    const bytes = this.#bytes;
    if (code >>> 8 === ACCOUNT_TYPE) {
      if (readLengthPrefix(bytes, at, this.#end) === ACCOUNT_BYTES) this.#account(at + 1);
    } else if (code >= TAKER_PAYS && code <= HIGH_LIMIT) {
      // TakerPays, TakerGets, LowLimit and HighLimit are the fields 4 to 7 of amounts.
      const first = bytes[at]!;
      if (first & 0x80) this.#account(at + ISSUER_IN_ISSUED);
      else if (first & 0x20) this.#account(at + ISSUER_IN_MPT);
    } else if (code === MPT_ISSUANCE_ID) this.#account(at + ISSUER_IN_MPT_ID);
  }

  #account(at: number): void {
    if (!isZeroRange(this.#bytes, at, at + ACCOUNT_BYTES)) this.#found(at);
  }
}
