/**
 * The entries of the sized network in the ledger's binary form, in the order of their keys.
 *
 *     entry number   0 | accounts | lines of holders | lines of pools | offers | pools | directories
 *     position       (number * step + offset) mod entries         the order of keys mixes all kinds, as hashes do
 *     key            position scaled to 48 bits, then random bits
 *
 * One entry of each kind is encoded by the embedded network's encoder; the others are that one with other numbers and
 * accounts written over it. Where these lie is what the engine's own walk says (`extractEntries`). Keys are not those
 * that rippled derives from an entry's content: nobody who takes an entry as proved derives them again.
 * Cost: about 1 us an entry.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { ACCOUNT_ONE, type AccountId, issued, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { AccountNode, AmmNode, CHANGES_HEAD_WORDS, LineNode, OfferNode } from '../../engine/codec/changes.ts';
import { extractEntries } from '../../engine/codec/extract.ts';
import { hash2, hash3 } from '../../engine/state/hash.ts';
import { encodeFields } from '../../sandbox/protocol/encode.ts';
import type { Fields } from '../../sandbox/protocol/fields.ts';
import { coprimeFrom, inverseOf, product } from './modular.ts';
import { FULL, type Offer, Side, type SizedNetwork, writeWord } from './network.ts';

/** Of a directory entry: how many entries it names. */
const DIRECTORY_ENTRIES = 6;
const ENTRY_HEAD_BYTES = 36;
/** Bytes that no entry reaches, with its head. */
export const LARGEST_ENTRY = 1024;
const KEY_SPACE = 2 ** 48;

/** Flags of entries. https://xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types */
export const Flag = {
  defaultRipple: 0x00800000,
  disableMaster: 0x00100000,
  depositAuth: 0x01000000,
  lowReserve: 0x00010000,
  highReserve: 0x00020000,
  ammLine: 0x01000000,
  sell: 0x00020000,
} as const;
const POOL_ACCOUNT_FLAGS = Flag.disableMaster | Flag.defaultRipple | Flag.depositAuth;

const A: AccountId = 'A1'.repeat(20);
const B: AccountId = 'B2'.repeat(20);
const CODE = 'C3'.repeat(20);
const HASH = 'D4'.repeat(32);
const amount = (issuer: AccountId): Amount => Amount.issued(issued(CODE, issuer), 1, 0);
const THREAD: Fields = { PreviousTxnLgrSeq: 90_000_000, PreviousTxnID: HASH };

interface Template {
  readonly bytes: Uint8Array;
  /** Offset of a field by its column of the node row. */
  at(column: number): number;
}

function templateOf(fields: Fields): Template {
  const entry = encodeFields(fields);
  const page = new Uint8Array(ENTRY_HEAD_BYTES + entry.length);
  page[32] = entry.length;
  page[33] = entry.length >>> 8;
  page.set(entry, ENTRY_HEAD_BYTES);
  const words = extractEntries(page);
  if (words[1] !== 1) throw new Error(`a ${fields.LedgerEntryType} entry that the engine cannot read`);
  return {
    bytes: entry.slice(),
    at(column) {
      const offset = words[CHANGES_HEAD_WORDS + column]!;
      if (offset === 0) throw new Error(`a ${fields.LedgerEntryType} entry without column ${column}`);
      return offset - ENTRY_HEAD_BYTES;
    },
  };
}

const ACCOUNT: Fields = {
  LedgerEntryType: 'AccountRoot',
  Flags: 1,
  Sequence: 1,
  OwnerCount: 1,
  Balance: Amount.drops(1),
  Account: A,
  ...THREAD,
};
const OFFER: Fields = {
  LedgerEntryType: 'Offer',
  Flags: 1,
  Sequence: 1,
  BookDirectory: HASH,
  BookNode: 0n,
  OwnerNode: 0n,
  Account: A,
  ...THREAD,
};
const AUCTION: Fields = { Account: A, Expiration: 1, DiscountedFee: 10, Price: amount(B) };
const poolFields = (first: string): Fields => ({
  LedgerEntryType: 'AMM',
  Flags: 0,
  TradingFee: 1,
  OwnerNode: 0n,
  LPTokenBalance: amount(B),
  Account: A,
  Asset: first,
  Asset2: issued(CODE, B),
  AuctionSlot: AUCTION,
  ...THREAD,
});

const TEMPLATES = {
  account: templateOf(ACCOUNT),
  poolAccount: templateOf({ ...ACCOUNT, AMMID: HASH }),
  line: templateOf({
    LedgerEntryType: 'RippleState',
    Flags: 1,
    LowNode: 0n,
    HighNode: 0n,
    Balance: amount(ACCOUNT_ONE),
    LowLimit: amount(A),
    HighLimit: amount(B),
    ...THREAD,
  }),
  ask: templateOf({ ...OFFER, TakerPays: Amount.drops(1), TakerGets: amount(A) }),
  bid: templateOf({ ...OFFER, TakerPays: amount(A), TakerGets: Amount.drops(1) }),
  xrpPool: templateOf(poolFields(XRP)),
  tokenPool: templateOf(poolFields(issued(CODE, A))),
  fees: templateOf({
    LedgerEntryType: 'FeeSettings',
    Flags: 0,
    BaseFeeDrops: Amount.drops(10),
    ReserveBaseDrops: Amount.drops(1_000_000),
    ReserveIncrementDrops: Amount.drops(200_000),
    ...THREAD,
  }),
  directory: templateOf({
    LedgerEntryType: 'DirectoryNode',
    Flags: 0,
    RootIndex: HASH,
    Owner: A,
    Indexes: Array.from({ length: DIRECTORY_ENTRIES }, () => HASH),
    ...THREAD,
  }),
} as const;

export class Entries {
  readonly network: SizedNetwork;
  /** All entries. */
  readonly count: number;
  /** Entry number of the first account, line of a holder, line of a pool, offer, pool and directory. */
  readonly from: {
    accounts: number;
    lines: number;
    reserves: number;
    offers: number;
    pools: number;
    directories: number;
  };
  /** Entry number = position * step mod count. */
  readonly #step: number;
  readonly #inverse: number;
  // The 20 bytes of each token's issuer and currency: written for every line.
  readonly #issuers: Uint8Array;
  readonly #currencies: Uint8Array;
  /** By account. */
  readonly #offersOf: Uint16Array;

  constructor(network: SizedNetwork) {
    this.network = network;
    const accounts = 1;
    const lines = accounts + network.accounts;
    const reserves = lines + network.holderLines;
    const offers = reserves + network.reserveLines;
    const pools = offers + network.offers;
    const directories = pools + network.pools;
    this.from = { accounts, lines, reserves, offers, pools, directories };
    this.count = Math.max(directories + 1, Math.round(FULL.entries * network.share));
    this.#step = coprimeFrom(Math.floor(this.count * 0.618), this.count);
    this.#inverse = inverseOf(this.#step, this.count);
    this.#issuers = new Uint8Array(network.tokens * 20);
    this.#currencies = new Uint8Array(network.tokens * 20);
    this.#offersOf = new Uint16Array(network.accounts);
    for (let offer = 0; offer < network.offers; offer++) this.#offersOf[network.offer(offer).owner]!++;
    for (let token = 0; token < network.tokens; token++) {
      network.writeAccount(network.issuer(token), this.#issuers, token * 20);
      this.#currencies.set(network.currency(token), token * 20);
    }
  }

  /** Place of an entry in the order of keys. */
  position(entry: number): number {
    return product(entry, this.#inverse, this.count);
  }

  entryAt(position: number): number {
    return product(position, this.#step, this.count);
  }

  /** Writes the 32-byte key of a position; keys ascend with positions. */
  writeKey(position: number, into: Uint8Array, at: number): void {
    const random = hash2(this.network.seed, position);
    const scaled = Math.floor(((position + (random % 1000) / 1000) / this.count) * KEY_SPACE);
    writeWord(into, at, Math.floor(scaled / 2 ** 16));
    writeWord(into, at + 4, ((scaled % 2 ** 16) * 2 ** 16 + (random & 0xffff)) >>> 0);
    for (let word = 2; word < 8; word++) writeWord(into, at + word * 4, hash3(random, position, word));
  }

  /** Upper-case hex. */
  key(entry: number): string {
    const bytes = new Uint8Array(32);
    this.writeKey(this.position(entry), bytes, 0);
    return bytes.toHex().toUpperCase();
  }

  /** The first position whose key is above a key's first 48 bits. */
  positionAfter(key: Uint8Array): number {
    const scaled =
      new DataView(key.buffer, key.byteOffset).getUint32(0) * 2 ** 16 + ((key[4]! << 8) | key[5]!);
    let position = Math.max(0, Math.floor((scaled / KEY_SPACE) * this.count) - 1);
    const own = new Uint8Array(32);
    for (; position < this.count; position++) {
      this.writeKey(position, own, 0);
      if (Buffer.compare(own, key) > 0) break;
    }
    return position;
  }

  /**
   * Pages of the state as `Engine.loadEntries` reads them (index, length, entry), in the order of keys.
   * @param only which entries: by entry number; all when absent
   */
  *pages(perPage: number, only: (entry: number) => boolean = () => true): Generator<Uint8Array> {
    const page = new Uint8Array(perPage * LARGEST_ENTRY);
    let at = 0;
    let entries = 0;
    for (let position = 0; position < this.count; position++) {
      const entry = this.entryAt(position);
      if (only(entry)) {
        at = this.writePacked(position, page, at);
        entries++;
      }
      if (entries < perPage && position + 1 < this.count) continue;
      if (entries > 0) yield page.slice(0, at);
      at = 0;
      entries = 0;
    }
  }

  /** Writes key, length and entry of a position. @returns the offset after it */
  writePacked(position: number, into: Uint8Array, at: number): number {
    this.writeKey(position, into, at);
    const length = this.write(this.entryAt(position), into, at + ENTRY_HEAD_BYTES);
    into[at + 32] = length;
    into[at + 33] = length >>> 8;
    into[at + 34] = 0;
    into[at + 35] = 0;
    return at + ENTRY_HEAD_BYTES + length;
  }

  /** Writes an entry. @returns its length */
  write(entry: number, into: Uint8Array, at: number): number {
    const { from } = this;
    if (entry < from.accounts) return copy(TEMPLATES.fees, into, at);
    if (entry < from.lines) return this.#account(entry - from.accounts, into, at);
    if (entry < from.reserves) return this.#holderLine(entry - from.lines, into, at);
    if (entry < from.offers) return this.#reserveLine(entry - from.reserves, into, at);
    if (entry < from.pools) return this.#offer(entry - from.offers, into, at);
    if (entry < from.directories) return this.#pool(entry - from.pools, into, at);
    return copy(TEMPLATES.directory, into, at);
  }

  /** Number of the line of a pool with one of its tokens: the pools' second sides first. */
  reserveEntry(pool: number, side: 1 | 2): number {
    const { network, from } = this;
    return from.reserves + (side === 2 ? pool : network.pools + pool - network.xrpPools);
  }

  #account(account: number, into: Uint8Array, at: number): number {
    const { network } = this;
    const isPool = network.poolOfAccount(account) !== undefined;
    const template = isPool ? TEMPLATES.poolAccount : TEMPLATES.account;
    const length = copy(template, into, at);
    writeWord(into, at + template.at(AccountNode.flagsAt), this.accountFlags(account));
    writeWord(into, at + template.at(AccountNode.sequenceAt), network.sequence(account));
    writeWord(into, at + template.at(AccountNode.ownerCountAt), this.ownerCount(account));
    writeDrops(into, at + template.at(AccountNode.balanceAt), network.drops(account));
    network.writeAccount(account, into, at + template.at(AccountNode.accountAt));
    return length;
  }

  accountFlags(account: number): number {
    const { network } = this;
    if (network.poolOfAccount(account) !== undefined) return POOL_ACCOUNT_FLAGS;
    return account < network.activeFrom ? Flag.defaultRipple : 0;
  }

  /** What an account owns: its offers, and not the true number of other things but a few for everybody. */
  ownerCount(account: number): number {
    return 1 + (account % 4) + this.#offersOf[account]!;
  }

  #holderLine(line: number, into: Uint8Array, at: number): number {
    const token = this.network.tokenOfLine(line);
    const { holder, units, limit } = this.network.line(token, line - this.network.linesFrom[token]!);
    return this.#line(token, holder, units, limit, 0, into, at);
  }

  #reserveLine(place: number, into: Uint8Array, at: number): number {
    const { network } = this;
    const side = place < network.pools ? 2 : 1;
    const pool = network.pool(side === 2 ? place : place - network.pools + network.xrpPools);
    const token = side === 2 ? pool.token : pool.other!;
    return this.#line(token, pool.account, side === 2 ? pool.second : pool.first, 0, Flag.ammLine, into, at);
  }

  #line(
    token: number,
    holder: number,
    units: number,
    limit: number,
    flags: number,
    into: Uint8Array,
    at: number,
  ): number {
    const template = TEMPLATES.line;
    const length = copy(template, into, at);
    const [low, high, balance] = [LineNode.lowLimitAt, LineNode.highLimitAt, LineNode.balanceAt].map(
      (column) => at + template.at(column),
    ) as [number, number, number];
    this.network.writeAccount(holder, into, low + 28);
    const isLow = this.#isBelowIssuer(into, low + 28, token);
    if (!isLow) this.network.writeAccount(holder, into, high + 28);
    into.set(this.#issuers.subarray(token * 20, token * 20 + 20), (isLow ? high : low) + 28);
    for (const amountAt of [low, high, balance])
      into.set(this.#currencies.subarray(token * 20, token * 20 + 20), amountAt + 8);
    writeUnits(into, balance, isLow ? units : -units);
    writeUnits(into, low, isLow ? limit * 1_000_000 : 0);
    writeUnits(into, high, isLow ? 0 : limit * 1_000_000);
    const reserve = isLow ? Flag.lowReserve : Flag.highReserve;
    writeWord(into, at + template.at(LineNode.flagsAt), flags | reserve);
    return length;
  }

  #isBelowIssuer(bytes: Uint8Array, at: number, token: number): boolean {
    for (let i = 0; i < 20; i++) {
      const difference = bytes[at + i]! - this.#issuers[token * 20 + i]!;
      if (difference !== 0) return difference < 0;
    }
    return false;
  }

  #offer(number: number, into: Uint8Array, at: number): number {
    const offer = this.network.offer(number);
    const isAsk = offer.side === Side.ask;
    const template = isAsk ? TEMPLATES.ask : TEMPLATES.bid;
    const length = copy(template, into, at);
    const paysAt = at + template.at(OfferNode.takerPaysAt);
    const getsAt = at + template.at(OfferNode.takerGetsAt);
    const unitsAt = isAsk ? getsAt : paysAt;
    writeWord(into, at + template.at(OfferNode.flagsAt), isAsk ? Flag.sell : 0);
    writeWord(into, at + template.at(OfferNode.sequenceAt), offer.sequence);
    this.network.writeAccount(offer.owner, into, at + template.at(OfferNode.accountAt));
    writeDrops(into, isAsk ? paysAt : getsAt, offer.drops);
    this.#issue(offer.token, into, unitsAt + 8);
    writeUnits(into, unitsAt, offer.units);
    this.writeBook(offer, into, at + template.at(OfferNode.bookDirectoryAt));
    return length;
  }

  /** The 32 bytes of an offer's book directory: random ones for the book, then the quality. */
  writeBook(
    { token, side, units, drops }: Pick<Offer, 'token' | 'side' | 'units' | 'drops'>,
    into: Uint8Array,
    at: number,
  ): void {
    for (let word = 0; word < 6; word++) writeWord(into, at + word * 4, hash3(token, side, word));
    const rate = side === Side.ask ? drops / (units / 1_000_000) : units / 1_000_000 / drops;
    let exponent = Math.floor(Math.log10(rate)) - 15;
    let mantissa = Math.round(rate / 10 ** exponent);
    if (mantissa >= 1e16) mantissa = Math.round(rate / 10 ** ++exponent);
    if (mantissa < 1e15) mantissa = Math.round(rate / 10 ** --exponent);
    const high = Math.floor(mantissa / 2 ** 32);
    writeWord(into, at + 24, ((exponent + 100) << 24) | high);
    writeWord(into, at + 28, mantissa - high * 2 ** 32);
  }

  #pool(number: number, into: Uint8Array, at: number): number {
    const pool = this.network.pool(number);
    const template = pool.other === undefined ? TEMPLATES.xrpPool : TEMPLATES.tokenPool;
    const length = copy(template, into, at);
    this.network.writeAccount(pool.account, into, at + template.at(AmmNode.accountAt));
    if (pool.other !== undefined) this.#issue(pool.other, into, at + template.at(AmmNode.assetAt));
    this.#issue(pool.token, into, at + template.at(AmmNode.asset2At));
    const sharesAt = at + template.at(AmmNode.lpBalanceAt);
    writeUnits(into, sharesAt, pool.shares);
    this.#issue(this.network.lpToken(number), into, sharesAt + 8);
    const feeAt = at + template.at(AmmNode.tradingFeeAt);
    into[feeAt] = pool.fee >>> 8;
    into[feeAt + 1] = pool.fee;
    return length;
  }

  /** Currency and issuer. */
  #issue(token: number, into: Uint8Array, at: number): void {
    into.set(this.#currencies.subarray(token * 20, token * 20 + 20), at);
    into.set(this.#issuers.subarray(token * 20, token * 20 + 20), at + 20);
  }
}

function copy({ bytes }: Template, into: Uint8Array, at: number): number {
  into.set(bytes, at);
  return bytes.length;
}

function writeDrops(into: Uint8Array, at: number, drops: number): void {
  const high = Math.floor(drops / 2 ** 32);
  writeWord(into, at, 0x40000000 | high);
  writeWord(into, at + 4, drops - high * 2 ** 32);
}

/** The first 8 bytes of an issued amount, from signed millionths (nine digits, see `shortened`). */
function writeUnits(into: Uint8Array, at: number, units: number): void {
  let mantissa = Math.abs(units);
  if (mantissa === 0) {
    writeWord(into, at, 0x80000000);
    writeWord(into, at + 4, 0);
    return;
  }
  let exponent = -6;
  while (mantissa < 1e15) {
    mantissa *= 10;
    exponent--;
  }
  const high = Math.floor(mantissa / 2 ** 32);
  writeWord(into, at, 0x80000000 | (units > 0 ? 0x40000000 : 0) | ((exponent + 97) << 22) | high);
  writeWord(into, at + 4, mantissa - high * 2 ** 32);
}
