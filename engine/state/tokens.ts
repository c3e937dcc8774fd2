/**
 * Tokens as dense ids: 0 is XRP, the rest are issued currencies (issuer, currency code) and MPT issuances. A token
 * gets its id when a trust line, offer, pool or issuance first mentions it, and keeps it: history refers
 * to it. The `of...` functions give ids and belong to the writer; readers use `find` and `by...`.
 */
import { type Decimal, rawDecimal, rawNumber, rawText, XRP_EXPONENT } from '../codec/amount.ts';
import { accountBytes } from '../codec/base58.ts';
import { bytesOf, hexOf, readU16, readU32, sameBytes } from '../codec/bytes.ts';
import { IssuanceNode, NodeAction } from '../codec/changes.ts';
import { currencyBytes, currencyName, currencyText, md5Of } from '../codec/currency.ts';
import type { RowSteps } from '../event-loop.ts';
import { TextKind } from '../store.ts';
import type { Accounts } from './accounts.ts';
import type { Currencies } from './currencies.ts';
import { hash3, hashBytes } from './hash.ts';
import { KeptTexts } from './kept-texts.ts';
import type { RowIndex } from './row-index.ts';
import type { Table } from './table.ts';
import { blobBytes, blobText, type Texts } from './texts.ts';

export const TokenKind = { xrp: 0, issued: 1, mpt: 2 } as const;
export type TokenKind = (typeof TokenKind)[keyof typeof TokenKind];
export const TOKEN_TYPES = ['trustline', 'lp', 'mpt', 'xls14', 'demurrage', 'nonstandard'] as const;
export type TokenType = (typeof TOKEN_TYPES)[number];

/** The native token. */
export const XRP = 0;

/** Whether an MPT issuance exists on the ledger. */
export const Issuance = { none: 0, exists: 1, destroyed: 2 } as const;

export class Tokens {
  readonly table: Table;
  /** See TokenKind. */
  readonly kinds: Uint8Array;
  readonly issuers: Uint32Array;
  /** Currency id (issued) or the issuance's sequence number (MPT). */
  readonly codes: Uint32Array;
  /** Close time when first seen; 0 = before the first ledger seen. */
  readonly createdTimes: Uint32Array;
  /** Pool whose LP token this is; 0 = none. */
  readonly pools: Uint32Array;
  // MPT issuances only.
  readonly outstandingHi: Uint32Array;
  readonly outstandingLo: Uint32Array;
  /** 0 = no maximum set. */
  readonly maximumHi: Uint32Array;
  readonly maximumLo: Uint32Array;
  readonly issuanceFlags: Uint32Array;
  /** Decimal places: 10^this of the smallest unit are one token. 0 until the issuance has been seen; never changes. */
  readonly assetScale: Uint8Array;
  /** 1/100000 of a transfer. */
  readonly transferFee: Uint16Array;
  /** See Issuance. */
  readonly issuanceState: Uint8Array;
  /** Close time recorded for new tokens. */
  closeTime = 0;

  readonly #md5s: Uint8Array;
  readonly #metadataHash: Uint32Array;
  readonly #index: RowIndex;
  readonly #md5Index: RowIndex;
  readonly #accounts: Accounts;
  readonly #currencies: Currencies;
  readonly #texts: Texts;
  readonly #md5Texts: KeptTexts;
  readonly #names: KeptTexts;

  constructor(table: Table, accounts: Accounts, currencies: Currencies, texts: Texts) {
    this.table = table;
    this.kinds = table.u8('kinds');
    this.issuers = table.u32('issuers');
    this.codes = table.u32('codes');
    this.createdTimes = table.u32('createdTimes');
    this.pools = table.u32('pools');
    this.outstandingHi = table.u32('outstandingHi');
    this.outstandingLo = table.u32('outstandingLo');
    this.maximumHi = table.u32('maximumHi');
    this.maximumLo = table.u32('maximumLo');
    this.issuanceFlags = table.u32('issuanceFlags');
    this.assetScale = table.u8('assetScale');
    this.transferFee = table.u16('transferFee');
    this.issuanceState = table.u8('issuanceState');
    this.#md5s = table.u8('md5s', 16);
    this.#metadataHash = table.u32('metadataHash');
    this.#accounts = accounts;
    this.#currencies = currencies;
    this.#texts = texts;
    this.#index = table.index('tokens', (row) =>
      hash3(this.kinds[row]!, this.issuers[row]!, this.codes[row]!),
    );
    this.#md5Index = table.index('md5s', (row) => hashBytes(this.#md5s, row * 16, 16));
    this.#md5Texts = new KeptTexts(table, (id) => hexOf(this.#md5s, id * 16, 16).toLowerCase());
    this.#names = new KeptTexts(table, (id) => this.#nameOf(id));
    if (!table.isAttached) this.#setMd5(XRP);
  }

  /** Ids assigned so far are 0 (XRP) .. count - 1. */
  get count(): number {
    return this.table.count;
  }

  /** Token of an Amount (8, 48 or 33 bytes at `at`); assigned an id now if new. @throws TableFullError */
  ofAmount(bytes: Uint8Array, at: number): number {
    const first = bytes[at]!;
    if (first & 0x80) return this.ofIssued(bytes, at + 8, at + 28);
    if (first & 0x20) return this.ofMptId(bytes, at + 9);
    return XRP;
  }

  /** The same without assigning an id; undefined: it has none. */
  findAmount(bytes: Uint8Array, at: number): number | undefined {
    const first = bytes[at]!;
    if ((first & 0xa0) === 0) return XRP;
    const isIssued = (first & 0x80) !== 0;
    const issuer = this.#accounts.find(bytes, isIssued ? at + 28 : at + 13);
    if (issuer === undefined) return undefined;
    if (!isIssued) return this.#find(TokenKind.mpt, issuer, readU32(bytes, at + 9)) || undefined;
    const currency = this.#currencies.find(bytes, at + 8);
    return currency === 0 ? undefined : this.findPair(issuer, currency) || undefined;
  }

  /**
   * Token of an Issue (20 bytes for XRP, 40 for issued, 44 for MPT). The length follows from the bytes: an MPT
   * has the account 0..01 where an issued currency has its issuer, and then its sequence, little-endian.
   */
  ofIssue(bytes: Uint8Array, at: number): number {
    if (isZeroes(bytes, at, 20)) return XRP;
    if (!isZeroes(bytes, at + 20, 19) || bytes[at + 39] !== 1) return this.ofIssued(bytes, at, at + 20);
    const sequence =
      (bytes[at + 40]! | (bytes[at + 41]! << 8) | (bytes[at + 42]! << 16) | (bytes[at + 43]! << 24)) >>> 0;
    return this.#intern(TokenKind.mpt, this.#accounts.intern(bytes, at), sequence);
  }

  ofIssued(bytes: Uint8Array, currencyAt: number, issuerAt: number): number {
    const issuer = this.#accounts.intern(bytes, issuerAt);
    return this.#intern(TokenKind.issued, issuer, this.#currencies.intern(bytes, currencyAt));
  }

  /** The 24 bytes of an MPT issuance id: sequence, issuer. */
  ofMptId(bytes: Uint8Array, at: number): number {
    return this.#intern(TokenKind.mpt, this.#accounts.intern(bytes, at + 4), readU32(bytes, at));
  }

  /** Token of an account's currency; assigned an id now if new. */
  ofPair(issuer: number, currency: number): number {
    return this.#intern(TokenKind.issued, issuer, currency);
  }

  /** 0 when there is none. */
  findPair(issuer: number, currency: number): number {
    return this.#find(TokenKind.issued, issuer, currency);
  }

  /**
   * By issuer r-address and currency text (3 characters, 40 hex digits, or the 48 digits of an MPT id).
   * Issuer `XRPL` or an empty one with currency `XRP` is the native token.
   */
  find(issuerText: string, code: string): number | undefined {
    if (code === 'XRP' && (issuerText === 'XRPL' || issuerText === '')) return XRP;
    if (code.length === 48) return this.byMptId(code);
    const bytes = currencyBytes(code);
    const issuer = accountBytes(issuerText);
    if (!bytes || !issuer) return undefined;
    const account = this.#accounts.find(issuer, 0);
    const currency = this.#currencies.find(bytes, 0);
    if (account === undefined || currency === 0) return undefined;
    return this.findPair(account, currency) || undefined;
  }

  /** By the 32 hex digits of md5(`<issuer>_<currency>`). */
  byMd5(hex: string): number | undefined {
    if (!/^[0-9a-fA-F]{32}$/.test(hex)) return undefined;
    const key = bytesOf(hex.toUpperCase());
    if (sameBytes(this.#md5s, 0, key, 0, 16)) return XRP;
    const index = this.#md5Index;
    for (let slot = index.first(hashBytes(key, 0, 16)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return undefined;
      if (sameBytes(this.#md5s, row * 16, key, 0, 16)) return row;
    }
  }

  /** By the 48 hex digits of an MPT issuance id. */
  byMptId(hex: string): number | undefined {
    if (!/^[0-9a-fA-F]{48}$/.test(hex)) return undefined;
    const key = bytesOf(hex.toUpperCase());
    const issuer = this.#accounts.find(key, 4);
    if (issuer === undefined) return undefined;
    return this.#find(TokenKind.mpt, issuer, readU32(key, 0)) || undefined;
  }

  /** Decimal places of the amounts of an MPT, which transactions count in its smallest unit; 0: it is not known. @param hex its issuance id */
  mptPlaces(hex: string): number {
    const id = this.byMptId(hex);
    return id === undefined ? 0 : this.assetScale[id]!;
  }

  kind(id: number): TokenKind {
    return this.kinds[id] as TokenKind;
  }

  /** Power of ten of the unit that amounts on the ledger count in: drops, an MPT's smallest unit, whole tokens. */
  unitExponent(id: number): number {
    return id === XRP ? XRP_EXPONENT : 0 - this.assetScale[id]!;
  }

  /** What a raw amount of the token is, exact: XRP (not drops), or tokens (an MPT's units by its AssetScale). */
  decimal(id: number, hi: number, lo: number): Decimal {
    return rawDecimal(this.kind(id), hi, lo, this.assetScale[id]);
  }

  /** The same as a double, for ranking and charts. */
  number(id: number, hi: number, lo: number): number {
    return rawNumber(this.kind(id), hi, lo, this.assetScale[id]);
  }

  /** The same as plain decimal text, exact. */
  text(id: number, hi: number, lo: number): string {
    return rawText(this.kind(id), hi, lo, this.assetScale[id]);
  }

  /** 0 for XRP. */
  issuer(id: number): number {
    return this.issuers[id]!;
  }

  /** r-address of the issuer; `XRPL` for XRP. */
  issuerText(id: number): string {
    return id === XRP ? 'XRPL' : this.#accounts.text(this.issuers[id]!);
  }

  /** `XRP`, three characters, 40 hex digits, or the 48 digits of an MPT issuance id. */
  currencyText(id: number): string {
    const kind = this.kinds[id];
    if (kind === TokenKind.issued) return this.#currencies.text(this.codes[id]!);
    return kind === TokenKind.mpt ? this.mptId(id) : 'XRP';
  }

  /** 48 upper-case hex digits; only for MPTs. */
  mptId(id: number): string {
    const sequence = this.codes[id]!.toString(16).toUpperCase().padStart(8, '0');
    return sequence + hexOf(this.#accounts.bytes(this.issuers[id]!));
  }

  /** Readable name of the currency code (an MPT's ticker, if any, is in its metadata). */
  name(id: number): string {
    return this.#names.of(id);
  }

  #nameOf(id: number): string {
    return this.kinds[id] === TokenKind.mpt ? this.mptId(id) : currencyName(this.currencyText(id));
  }

  /** 32 lower-case hex digits. */
  md5(id: number): string {
    return this.#md5Texts.of(id);
  }

  /** `<issuer>-<currency>`, `mpt-<48 digits>`, `xrpl-xrp`. */
  slug(id: number): string {
    if (id === XRP) return 'xrpl-xrp';
    if (this.kinds[id] === TokenKind.mpt) return `mpt-${this.mptId(id)}`;
    return `${this.issuerText(id)}-${this.currencyText(id)}`;
  }

  /**
   * Type by the first byte of the currency code: 01 demurrage, 02 XLS-14, 03 LP token; any other 40-digit code that
   * is not text is nonstandard.
   * https://xrpl.org/docs/references/protocol/data-types/currency-formats#nonstandard-currency-codes
   */
  tokenType(id: number): TokenType {
    const kind = this.kinds[id];
    if (kind === TokenKind.mpt) return 'mpt';
    if (kind === TokenKind.xrp) return 'trustline';
    if (this.pools[id] !== 0) return 'lp';
    const code = this.#currencies.bytes(this.codes[id]!);
    if (code[0] === 1) return 'demurrage';
    if (code[0] === 2) return 'xls14';
    if (code[0] === 3) return 'lp';
    const text = currencyText(code);
    return text.length === 40 && currencyName(text) === text ? 'nonstandard' : 'trustline';
  }

  /** Close time (Ripple epoch seconds) when first seen; 0 when it was there before the first ledger seen. */
  createdAt(id: number): number {
    return this.createdTimes[id]!;
  }

  /** The pool whose LP token it is. */
  poolOf(lpToken: number): number | undefined {
    return this.pools[lpToken] || undefined;
  }

  setPool(lpToken: number, pool: number): void {
    if (this.pools[lpToken] === pool) return;
    this.pools[lpToken] = pool;
    this.table.markDirty(lpToken);
  }

  /** MPTokenMetadata as text, when it is UTF-8. */
  metadata(id: number): string | undefined {
    return this.#metadataHash[id] === 0 ? undefined : this.#texts.get(TextKind.issuanceMetadata, id);
  }

  /** An MPTokenIssuance node. @returns the token, or XRP when the node carries no fields. */
  applyIssuance(bytes: Uint8Array, words: Uint32Array, at: number): number {
    const issuerAt = words[at + IssuanceNode.issuerAt]!;
    const sequenceAt = words[at + IssuanceNode.sequenceAt]!;
    if (issuerAt === 0) return XRP;
    const sequence = sequenceAt === 0 ? 0 : readU32(bytes, sequenceAt);
    const id = this.#intern(TokenKind.mpt, this.#accounts.intern(bytes, issuerAt), sequence);
    const deleted = words[at + 1] === NodeAction.deleted;
    const setUint64 = (column: number, hi: Uint32Array, lo: Uint32Array): void => {
      const offset = deleted ? 0 : words[at + column]!;
      hi[id] = offset === 0 ? 0 : readU32(bytes, offset);
      lo[id] = offset === 0 ? 0 : readU32(bytes, offset + 4);
    };
    setUint64(IssuanceNode.outstandingAt, this.outstandingHi, this.outstandingLo);
    setUint64(IssuanceNode.maximumAt, this.maximumHi, this.maximumLo);
    const flagsAt = words[at + IssuanceNode.flagsAt]!;
    this.issuanceFlags[id] = flagsAt === 0 ? 0 : readU32(bytes, flagsAt);
    const scaleAt = words[at + IssuanceNode.assetScaleAt]!;
    this.assetScale[id] = scaleAt === 0 ? 0 : bytes[scaleAt]!;
    const feeAt = words[at + IssuanceNode.transferFeeAt]!;
    this.transferFee[id] = feeAt === 0 ? 0 : readU16(bytes, feeAt);
    this.issuanceState[id] = deleted ? Issuance.destroyed : Issuance.exists;
    this.#setMetadata(id, bytes, words[at + IssuanceNode.metadataAt]!);
    this.table.markDirty(id);
    return id;
  }

  *rebuilding(): RowSteps {
    const { count } = this.table;
    for (const index of [this.#index, this.#md5Index]) yield* index.filling(count);
  }

  /** A name that does not depend on dense ids. */
  key(id: number): string {
    return id === XRP ? 'XRP' : `${this.issuerText(id)}_${this.currencyText(id)}`;
  }

  #find(kind: TokenKind, issuer: number, code: number): number {
    const index = this.#index;
    const { kinds, issuers, codes } = this;
    for (let slot = index.first(hash3(kind, issuer, code)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (codes[row] === code && issuers[row] === issuer && kinds[row] === kind) return row;
    }
  }

  #intern(kind: TokenKind, issuer: number, code: number): number {
    const found = this.#find(kind, issuer, code);
    if (found !== 0) return found;
    const id = this.table.add();
    this.kinds[id] = kind;
    this.issuers[id] = issuer;
    this.codes[id] = code;
    this.createdTimes[id] = this.closeTime;
    this.#setMd5(id);
    this.#index.add(id);
    this.#md5Index.add(id);
    return id;
  }

  #setMd5(id: number): void {
    this.#md5s.set(bytesOf(md5Of(this.issuerText(id), this.currencyText(id)).toUpperCase()), id * 16);
  }

  #setMetadata(id: number, bytes: Uint8Array, blobAt: number): void {
    const hash = blobAt === 0 ? 0 : Bun.hash.crc32(blobBytes(bytes, blobAt)) || 1;
    if (hash === this.#metadataHash[id]) return;
    this.#metadataHash[id] = hash;
    this.#texts.set(TextKind.issuanceMetadata, id, hash === 0 ? '' : (blobText(bytes, blobAt) ?? ''));
  }
}

function isZeroes(bytes: Uint8Array, at: number, length: number): boolean {
  for (let i = at; i < at + length; i++) if (bytes[i] !== 0) return false;
  return true;
}
