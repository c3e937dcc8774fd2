/**
 * A network of the main network's size, as pure functions of a seed: who issues what, who holds how much, what is on
 * offer, what lies in pools. Nothing is held but one number a token, so it costs the same at any size.
 *
 *     network.ts      numbers:  account 4711 -> 20 bytes;  line 17 of token 3 -> holder, balance;  offer 9 -> book, price
 *        |
 *     entries.ts      the same as ledger entries in binary, in the order of their keys, page by page
 *        |                `- store.ts      an engine's store filled with them, kept in a folder
 *     current.ts      what ledgers changed since, over the numbers
 *        |
 *     transactions.ts, ledgers.ts    ledgers on top of that state, with metadata that agrees with it, and their proof
 *
 * Goals: the same bytes for the same seed and share; any entry without making the ones before it; a full state in
 * minutes. Non-goals: entries that the engine only counts (directories stand in for them), amounts that add up over a
 * pool's LP tokens, reserves that owners must keep, paths over several books, MPTs.
 *
 * Sources of the shape. Counts: `FULL` (main network, end of 2025; engine/state/limits.ts names them too). Lines per
 * token fall as (rank + q)^-1.2 (Zipf-Mandelbrot): q follows from three of the counts (lines, tokens, the largest
 * token), which puts three quarters of the lines into a hundredth of the tokens and two to three holders at the end of
 * the list. Half of a token's holders come from a fortieth of the accounts, so that there are accounts with dozens of
 * lines and many with none. Balances and reserves are log-normal, which sums of uniform numbers stand in for. Shares of
 * transactions are named where they are used (transactions.ts).
 */
import { currencyBytes } from '../../engine/codec/currency.ts';
import { hash3, hashWord } from '../../engine/state/hash.ts';
import { ANCHORS } from './anchors.ts';
import { inverseOf, primeBelow, product } from './modular.ts';

/** What a share of 1 has. */
export const FULL = {
  lines: 8_500_000,
  accounts: 6_600_000,
  /** Issued tokens, LP tokens among them. */
  tokens: 120_000,
  offers: 250_000,
  pools: 20_000,
  /** Holders of the largest token. */
  largest: 258_000,
  /** All entries of the state: what is missing to it are directories. */
  entries: 20_000_000,
} as const;

/** Token amounts are counted in millionths: whole numbers below 2^53 add up exactly. */
export const UNITS = 1_000_000;
export const DROPS = 1_000_000;

const FALL = 1.2;
/** One line in ten is empty, as in bench/lines.ts. */
const EMPTY_ONE_IN = 10;
/** Share of the accounts that half of all lines belong to. */
const ACTIVE_SHARE = 1 / 40;
const TOKEN_POOLS_ONE_IN = 10;
/** LP tokens stand in the list of tokens from here on (share of it), one in five. */
const LP_FROM = 1 / 12;
const LP_EVERY = 5;
/** Issuers from here on issue two tokens in one case of five. */
const SECOND_TOKEN_EVERY = 5;
const FIRST_OFFER_SEQUENCE = 50_000_000;

/** Salts: what a random number is for. */
const Salt = {
  balance: 1,
  empty: 2,
  limit: 3,
  drops: 4,
  price: 5,
  depth: 6,
  offer: 7,
  place: 8,
  word: 9,
} as const;

export interface Line {
  /** Account number. */
  readonly holder: number;
  /** Millionths of a token that the holder has. */
  readonly units: number;
  /** Tokens. */
  readonly limit: number;
}

export const Side = { ask: 0, bid: 1 } as const;
export type Side = (typeof Side)[keyof typeof Side];

/** An offer of a token against XRP: an ask gives the token, a bid gives XRP. */
export interface Offer {
  readonly owner: number;
  readonly sequence: number;
  readonly token: number;
  readonly side: Side;
  /** Millionths of the token. */
  readonly units: number;
  readonly drops: number;
}

export interface Pool {
  readonly account: number;
  /** Token of the second side. */
  readonly token: number;
  /** Token of the first side; undefined: XRP. */
  readonly other: number | undefined;
  /** First side: drops, or millionths of `other`. */
  readonly first: number;
  /** Millionths of `token`. */
  readonly second: number;
  /** Millionths of the LP token. */
  readonly shares: number;
  /** 1/100000. */
  readonly fee: number;
}

export class SizedNetwork {
  readonly share: number;
  readonly seed: number;
  readonly tokens: number;
  readonly accounts: number;
  readonly pools: number;
  /** Pools of a token and XRP; those after them are of two tokens. */
  readonly xrpPools: number;
  readonly offers: number;
  /** Lines of holders; each pool has its own beside them. */
  readonly holderLines: number;
  /** Number of the first holder line of each token; one more at the end. */
  readonly linesFrom: Uint32Array;
  /** Tokens that accounts issue (not LP tokens), by rank. */
  readonly issued: Uint32Array;

  /** First account of those that hold half of everything, and how many there are (primes; see `holder`). */
  readonly activeFrom: number;
  readonly active: number;
  readonly #broadFrom: number;
  readonly #broad: number;
  readonly #firstPoolAccount: number;
  readonly #lpFrom: number;
  /** Place of each token among those issued. */
  readonly #place: Uint32Array;

  /** @param share of the main network, 0.0005 to 1 */
  constructor(share: number, seed = 1) {
    this.share = share;
    this.seed = seed;
    const count = (of: keyof typeof FULL, least: number): number =>
      Math.max(least, Math.round(FULL[of] * share));
    this.tokens = count('tokens', 60);
    this.accounts = count('accounts', 3_300);
    this.pools = count('pools', 10);
    this.xrpPools = this.pools - Math.floor(this.pools / TOKEN_POOLS_ONE_IN);
    this.offers = count('offers', 125);
    this.#lpFrom = Math.floor(this.tokens * LP_FROM);
    const reserveLines = 2 * this.pools - this.xrpPools;
    this.linesFrom = spread(this.tokens, count('lines', 4_250) - reserveLines, FULL.largest * share);
    this.holderLines = this.linesFrom[this.tokens]!;
    const ranks = Array.from({ length: this.tokens }, (_, token) => token);
    this.issued = Uint32Array.from(ranks.filter((token) => this.poolOfLp(token) === undefined));
    this.#place = new Uint32Array(this.tokens);
    for (let place = 0; place < this.issued.length; place++) this.#place[this.issued[place]!] = place;
    const issuers = issuerOfPlace(this.issued.length - 1) + 1;
    this.#firstPoolAccount = this.accounts - this.pools;
    const holders = this.#firstPoolAccount - issuers;
    this.activeFrom = issuers;
    this.active = primeBelow(Math.max(holders * ACTIVE_SHARE, this.linesOf(0) * 0.55));
    this.#broadFrom = issuers + this.active;
    this.#broad = primeBelow(holders - this.active);
  }

  /** Lines of pool accounts: one for each token in a pool. */
  get reserveLines(): number {
    return 2 * this.pools - this.xrpPools;
  }

  linesOf(token: number): number {
    return this.linesFrom[token + 1]! - this.linesFrom[token]!;
  }

  /** The token of a holder line. */
  tokenOfLine(line: number): number {
    let low = 0;
    let high = this.tokens;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.linesFrom[middle]! <= line) low = middle;
      else high = middle;
    }
    return low;
  }

  /** The pool whose LP token this is. */
  poolOfLp(token: number): number | undefined {
    const place = token - this.#lpFrom;
    if (place < 0 || place % LP_EVERY !== 0) return undefined;
    return place / LP_EVERY < this.pools ? place / LP_EVERY : undefined;
  }

  lpToken(pool: number): number {
    return this.#lpFrom + pool * LP_EVERY;
  }

  /** The pool of a token and XRP. */
  xrpPoolOf(token: number): number | undefined {
    const place = this.#place[token]!;
    return this.poolOfLp(token) === undefined && place < this.xrpPools ? place : undefined;
  }

  /** Account number. */
  issuer(token: number): number {
    const pool = this.poolOfLp(token);
    return pool === undefined ? issuerOfPlace(this.#place[token]!) : this.poolAccount(pool);
  }

  poolAccount(pool: number): number {
    return this.#firstPoolAccount + pool;
  }

  poolOfAccount(account: number): number | undefined {
    return account < this.#firstPoolAccount ? undefined : account - this.#firstPoolAccount;
  }

  /**
   * Account that has line `k` of a token. Every other one is of the active accounts; steps of a fixed width through a
   * prime number of accounts meet each of them once. `k` may be above the lines there are: lines set later.
   */
  holder(token: number, k: number): number {
    const { from, count, offset, width } = this.#group(token, (k & 1) as 0 | 1);
    const step = k >>> 1;
    if (step >= count) throw new RangeError(`token ${token} has more holders than there are accounts`);
    return from + ((offset + product(step, width, count)) % count);
  }

  /** The `k` of an account among the holders of a token: the inverse of `holder`. It may be above the lines there are. */
  placeOfHolder(token: number, account: number): number {
    const parity = account < this.#broadFrom ? 0 : 1;
    const { from, count, offset, width } = this.#group(token, parity);
    const place = (account - from - offset + count) % count;
    return product(place, inverseOf(width, count), count) * 2 + parity;
  }

  /** The accounts that even or odd lines of a token belong to, where they begin there, and the width of a step. */
  #group(token: number, parity: 0 | 1): { from: number; count: number; offset: number; width: number } {
    const word = this.#word(Salt.place, token, parity);
    const [from, count] = parity === 1 ? [this.#broadFrom, this.#broad] : [this.activeFrom, this.active];
    return { from, count, offset: word % count, width: 1 + (hashWord(word) % (count - 1)) };
  }

  /** Line `k` of a token, k below `linesOf`. */
  line(token: number, k: number): Line {
    const line = this.linesFrom[token]! + k;
    const empty = this.#word(Salt.empty, line) % EMPTY_ONE_IN === 0;
    const limit = 10 ** (6 + (this.#word(Salt.limit, line) % 5));
    return { holder: this.holder(token, k), units: empty ? 0 : this.#amount(line, 4, 14), limit };
  }

  /** XRP of an account. */
  drops(account: number): number {
    const pool = this.poolOfAccount(account);
    if (pool !== undefined) return pool < this.xrpPools ? this.pool(pool).first : 0;
    // 1.4 XRP to 20 million; active ones have at least 100.
    const isActive = account >= this.activeFrom && account < this.activeFrom + this.active;
    return Math.floor(10 ** (this.#bell(Salt.drops, account) * 7.15 + 6.15)) + (isActive ? 100 * DROPS : 0);
  }

  sequence(account: number): number {
    return this.poolOfAccount(account) === undefined
      ? 1_000_000 + (this.#word(Salt.word, account) % 40_000_000)
      : 0;
  }

  /** XRP for one token. */
  price(token: number): number {
    return ANCHORS[this.#place[token]!]?.price ?? 10 ** (this.#bell(Salt.price, token) * 4 - 3);
  }

  pool(pool: number): Pool {
    const isXrp = pool < this.xrpPools;
    const token = this.issued[isXrp ? pool : pool - this.xrpPools + ANCHORS.length]!;
    const other = isXrp ? undefined : this.issued[pool % ANCHORS.length]!;
    // 30 XRP to 3 million on each side.
    const worth = 10 ** (this.#bell(Salt.depth, pool) * 5 + 7.5);
    const first = shortened(other === undefined ? worth : worth / this.price(other));
    const second = shortened(worth / this.price(token));
    const shares = shortened(Math.sqrt(first * second));
    return {
      account: this.poolAccount(pool),
      token,
      other,
      first,
      second,
      shares,
      fee: 100 + (pool % 10) * 100,
    };
  }

  /** Offers of a token are the more, the larger it is; prices lie around its price, with nothing that crosses. */
  offer(offer: number): Offer {
    const token = this.issued[Math.floor(this.issued.length * this.#uniform(Salt.offer, offer) ** 3)]!;
    const side = offer & 1 ? Side.bid : Side.ask;
    const owner = this.holder(token, this.#word(Salt.place, offer, 7) % this.linesOf(token));
    const away = 0.002 + this.#uniform(Salt.depth, offer, 3) ** 3 * 0.6;
    const rate = this.price(token) * (side === Side.ask ? 1 + away : 1 - away);
    const units = this.#amount(offer, 6, 10, Salt.offer);
    const drops = Math.max(1, shortened(units * rate));
    return { owner, sequence: FIRST_OFFER_SEQUENCE + offer, token, side, units, drops };
  }

  /** Writes the 20 bytes of an account. */
  writeAccount(account: number, into: Uint8Array, at: number): void {
    const known = account < ANCHORS.length ? ANCHORS[account]!.account : undefined;
    if (known) {
      into.set(known, at);
      return;
    }
    // The first word is a bijection of the number: no two accounts are the same.
    writeWord(into, at, hashWord(account ^ Math.imul(this.seed, 0x9e3779b1)));
    for (let word = 1; word < 5; word++) writeWord(into, at + word * 4, this.#word(Salt.word, account, word));
  }

  accountBytes(account: number): Uint8Array {
    const bytes = new Uint8Array(20);
    this.writeAccount(account, bytes, 0);
    return bytes;
  }

  /** The 20 bytes of a token's currency. */
  currency(token: number): Uint8Array {
    const pool = this.poolOfLp(token);
    if (pool !== undefined) {
      const bytes = new Uint8Array(20);
      for (let word = 0; word < 5; word++) writeWord(bytes, word * 4, this.#word(Salt.word, pool, 20 + word));
      bytes[0] = 0x03;
      return bytes;
    }
    const place = this.#place[token]!;
    return ANCHORS[place]?.currency ?? currencyOfPlace(place);
  }

  /** A 32-bit random number for a salt and one or two numbers. */
  #word(salt: number, n: number, m = 0): number {
    return hash3(Math.imul(this.seed, 64) + salt, n, m);
  }

  #uniform(salt: number, n: number, m = 0): number {
    return this.#word(salt, n, m) / 2 ** 32;
  }

  /** Mean of three uniform numbers: near one half most of the time. */
  #bell(salt: number, n: number): number {
    return (this.#uniform(salt, n, 11) + this.#uniform(salt, n, 12) + this.#uniform(salt, n, 13)) / 3;
  }

  /** A whole number of nine digits at most, 10^from to 10^to. */
  #amount(n: number, from: number, to: number, salt: number = Salt.balance): number {
    return shortened(10 ** (from + this.#bell(salt, n) * (to - from)));
  }
}

/** The nearest whole number with nine significant digits: those have a 16-digit mantissa that a double holds. */
export function shortened(value: number): number {
  const excess = Math.floor(Math.log10(Math.max(1, value))) - 8;
  return excess <= 0 ? Math.floor(value) : Math.floor(value / 10 ** excess) * 10 ** excess;
}

/** Lines of tokens by rank, as the number of the first of each: `lines` in all, `largest` with a balance in the first. */
function spread(tokens: number, lines: number, largest: number): Uint32Array {
  const first = (largest * EMPTY_ONE_IN) / (EMPTY_ONE_IN - 1);
  const height = (rank: number, q: number): number => first * ((1 + q) / (rank + 1 + q)) ** FALL;
  const total = (q: number): number => {
    let sum = 0;
    for (let rank = 0; rank < tokens; rank++) sum += Math.max(1, Math.round(height(rank, q)));
    return sum;
  };
  let [low, high] = [0, 1];
  while (total(high) < lines) high *= 2;
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (total(middle) < lines) low = middle;
    else high = middle;
  }
  const from = new Uint32Array(tokens + 1);
  for (let rank = 0; rank < tokens; rank++)
    from[rank + 1] = from[rank]! + Math.max(1, Math.round(height(rank, low)));
  return from;
}

/** Every issuer has one token, some have the next one, too. The anchors' issuers have one each. */
function issuerOfPlace(place: number): number {
  const after = place - ANCHORS.length;
  return after < 0 ? place : place - Math.floor(after / SECOND_TOKEN_EVERY);
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVW';

/** Three letters, or a longer name in hex for two of five tokens. No X: `XRP` is not allowed. */
function currencyOfPlace(place: number): Uint8Array {
  let name = '';
  for (let rest = place, i = 0; i < 3 || rest > 0; i++) {
    name += LETTERS[rest % LETTERS.length];
    rest = Math.floor(rest / LETTERS.length);
  }
  if (name.length === 3 && place % 5 > 1) return currencyBytes(name)!;
  const bytes = new Uint8Array(20);
  bytes.set(new TextEncoder().encode(`T${name}`));
  return bytes;
}

export function writeWord(into: Uint8Array, at: number, word: number): void {
  into[at] = word >>> 24;
  into[at + 1] = word >>> 16;
  into[at + 2] = word >>> 8;
  into[at + 3] = word;
}
