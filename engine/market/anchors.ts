/**
 * Anchors: tokens that stand for fiat money, so that what XRP is traded at against them says what XRP is worth in it.
 * Which tokens these are is found by rule, on any network; known issuers (known-anchors.ts) are only where it begins.
 *
 * Threat: anybody can issue a "USD", trade it with themselves at any rate, hold it in thousands of accounts of their own,
 * and publish price oracles that agree. None of that costs more than reserves, which come back, and it would set every
 * figure in fiat. So a claim must be backed by what cannot be made up: XRP that stands ready for the token, for as long
 * as that of others does, at the price that others have. False tokens are outweighed, not detected.
 *
 * The rule. Once an hour (first ledger), by money, every token whose code claims it (fiat-claims.ts) is judged:
 *   backed      XRP depth (xrp-depth.ts) of ANCHOR_DEPTH_XRP, ANCHOR_HOLDERS holders, ANCHOR_TRADERS traders in 24 hours
 *   weight      its depth, averaged over WEIGHT_HOURS (exponentially): depth that comes and goes weighs nothing
 *   consensus   the weighted median of the prices of all that are backed, and of the median of the oracles, which weighs
 *               ORACLE_SHARE of all tokens together. A price is volume-weighted over 60 minutes
 *   agrees      its price lies within ANCHOR_TOLERANCE of the consensus, and the consensus is not its own word alone: a
 *               known issuer, a token of another issuer, or oracles of ORACLE_OWNERS owners agree, too
 *   anchor      backed and agreed in ANCHOR_HOURS reviews in a row, hours without a trade left out. It stops being one
 *               after ANCHOR_MISSES in a row in which it disagreed, was not backed or had not traded for a day. An hour
 *               off its peg is forgiven; without corroboration an anchor is not judged, and nothing changes
 *
 *     candidates --> prices, weights --> consensus --> agrees? --> held 0 .. ANCHOR_HOURS --> anchor
 *
 * So an attacker needs as much depth, over a month, as all others of the money together: half of it when they own all
 * oracles, twice of it when these are honest. Limit: on a network where nobody else trades such a money, an attacker with
 * ANCHOR_DEPTH_XRP and a second issuer, or oracles, is believed after a day.
 *
 * Cost: a review looks at the tokens with a claim that traded within a day, some hundred on the main network.
 */

import { type WeightedValue, weightedMedian } from '../metrics/weighted-median.ts';
import { DAY, HOUR } from '../ripple-time.ts';
import { Table } from '../state/table.ts';
import { TableId } from '../table-ids.ts';
import type { AnchorTrades } from './anchor-trades.ts';
import type { Columns } from './columns.ts';
import { claimedFiat } from './fiat-claims.ts';
import { FIATS, type Fiat } from './figures.ts';
import { KNOWN_ANCHORS, type KnownAnchor } from './known-anchors.ts';
import { type Meta, Scalar } from './meta.ts';
import { type OracleSource, oracleRate } from './oracle-prices.ts';

export const ANCHOR_DEPTH_XRP = 1000;
/** As many as a listed token has. */
export const ANCHOR_HOLDERS = 30;
export const ANCHOR_TRADERS = 10;
/** Fraction. XRP moves about as much in half an hour, by which a mean of 60 minutes lags. */
export const ANCHOR_TOLERANCE = 0.03;
export const ANCHOR_HOURS = 24;
export const ANCHOR_MISSES = 6;
export const ORACLE_OWNERS = 3;
const ORACLE_SHARE = 1 / 3;
/** Thirty days. */
const WEIGHT_HOURS = 720;
/** Weight of a known issuer before its depth has been seen for long; XRP. */
const KNOWN_WEIGHT_XRP = 100_000;
/** Tokens in review at a time. Each has ANCHOR_DEPTH_XRP of its own. */
const REVIEWED_MAX = 1024;
const NO_CLAIM = 255;
const ORACLES = -1;

export interface AnchorParts {
  readonly tokens: {
    issuer(token: number): number;
    issuerText(token: number): string;
    currencyText(token: number): string;
  };
  readonly oracles: OracleSource;
  readonly trades: AnchorTrades;
  readonly meta: Meta;
  holders(token: number): number;
  /** Accounts that traded it in 24 hours. */
  traders(token: number): number;
  /** XRP that stands ready for it (xrp-depth.ts). */
  depth(token: number, time: number): number;
  /** A token became an anchor, or stopped being one. */
  changed(token: number): void;
}

interface Candidate {
  readonly token: number;
  readonly issuer: number;
  /** A known issuer that still pays out. */
  readonly known: boolean;
  readonly backed: boolean;
  readonly price: number;
}

/** What a review found for one money. */
interface Consensus {
  /** XRP per unit. */
  readonly price: number;
  /** Whether it is more than one's own word. */
  readonly corroborated: boolean;
}

export class Anchors {
  readonly table = new Table(TableId.anchors, 'anchors', REVIEWED_MAX);
  readonly #tokens = this.table.u32('token');
  readonly #weights = this.table.f64('weight');
  readonly #held = this.table.u8('held');
  readonly #missed = this.table.u8('missed');
  /** 1 = the row is one of a token. */
  readonly #used = this.table.u8('used');
  readonly #parts: AnchorParts;
  /** By token: 0 not looked at, NO_CLAIM, else fiat + 1. */
  readonly #claims: Uint8Array;
  readonly #known = new Map<number, KnownAnchor>();
  readonly #rows = new Map<number, number>();

  constructor(columns: Columns, parts: AnchorParts) {
    this.#parts = parts;
    this.#claims = columns.u8();
    this.table.linkThrough(this.#tokens);
  }

  /** The money a token claims to stand for; undefined for XRP and most others. */
  claim(token: number): Fiat | undefined {
    let claim = this.#claims[token]!;
    if (claim === 0) {
      claim = this.#readClaim(token) + 1 || NO_CLAIM;
      this.#claims[token] = claim;
    }
    return claim === NO_CLAIM ? undefined : ((claim - 1) as Fiat);
  }

  #readClaim(token: number): number {
    const { tokens } = this.#parts;
    const currency = tokens.currencyText(token);
    const fiat = claimedFiat(currency);
    if (fiat === undefined) return -1;
    const issuer = tokens.issuerText(token);
    const known = KNOWN_ANCHORS.find((one) => one.issuer === issuer && one.currency === currency);
    if (known) this.#known.set(token, known);
    return fiat;
  }

  /** Whether a token is that of a known issuer that still pays out at that time. */
  isKnown(token: number, time: number): boolean {
    if (this.claim(token) === undefined) return false;
    const known = this.#known.get(token);
    return known !== undefined && (known.until === undefined || time < known.until);
  }

  /** Whether a token is an anchor at that time (Ripple epoch seconds). */
  isAnchor(token: number, time: number): boolean {
    if (this.claim(token) === undefined) return false;
    const row = this.#rows.get(token);
    if (row === undefined) return this.isKnown(token, time);
    const known = this.#known.get(token);
    return this.#held[row] === ANCHOR_HOURS && (known?.until === undefined || time < known.until);
  }

  /** Depth that a token has had, XRP: what its word weighs. */
  weight(token: number, time: number): number {
    const row = this.#rows.get(token);
    const own = row === undefined ? 0 : this.#weights[row]!;
    return this.isKnown(token, time) ? Math.max(own, KNOWN_WEIGHT_XRP) : own;
  }

  /** Anchors that traded within a day or so, in order of their ids. */
  tokens(time: number): number[] {
    return [...this.#parts.trades.tokens].filter((token) => this.isAnchor(token, time)).sort((a, b) => a - b);
  }

  /** After the trades of a ledger: the review, if it is the first ledger of its hour. */
  review(time: number): void {
    const { meta, trades } = this.#parts;
    const hour = Math.floor(time / HOUR);
    const last = meta.get(Scalar.anchorHour);
    if (hour === last) return;
    meta.set(Scalar.anchorHour, hour);
    if (last === 0) return; // the first ledger: no hour has been seen
    trades.forget(time - DAY);
    const claimants = new Set([...this.#rows.keys(), ...trades.tokens]);
    // Not in the order of their first trades, which a restart does not know.
    const sorted = [...claimants].sort((a, b) => a - b);
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const candidates = sorted
        .filter((token) => this.claim(token) === fiat)
        .map((token) => this.#candidate(token, time));
      const consensus = this.#consensus(candidates, fiat, time);
      for (const candidate of candidates) this.#judge(candidate, consensus, time);
    }
  }

  /** Looks at a token, and weighs its depth in. */
  #candidate(token: number, time: number): Candidate {
    const { holders, traders, depth, trades, tokens } = this.#parts;
    const known = this.isKnown(token, time);
    const { price } = trades.hour(token, time);
    const xrp = depth(token, time);
    const alive =
      xrp >= ANCHOR_DEPTH_XRP && holders(token) >= ANCHOR_HOLDERS && traders(token) >= ANCHOR_TRADERS;
    const backed = known || alive;
    let row = this.#rows.get(token);
    if (row === undefined && backed && this.#rows.size < REVIEWED_MAX - 1) {
      row = this.table.add();
      this.#tokens[row] = token;
      this.#used[row] = 1;
      this.#held[row] = known ? ANCHOR_HOURS : 0;
      this.#rows.set(token, row);
    }
    if (row !== undefined) {
      this.#weights[row]! += ((alive ? xrp : 0) - this.#weights[row]!) / WEIGHT_HOURS;
      this.table.markDirty(row);
    }
    return { token, issuer: tokens.issuer(token), known, backed, price };
  }

  #consensus(candidates: readonly Candidate[], fiat: Fiat, time: number): Consensus {
    const voices: (WeightedValue & { readonly issuer: number; readonly known: boolean })[] = [];
    for (const { token, issuer, known, backed, price } of candidates) {
      const weight = this.weight(token, time);
      if (backed && price > 0 && weight > 0) voices.push({ value: price, weight, issuer, known });
    }
    const { rate, owners } = oracleRate(this.#parts.oracles, fiat, time);
    const all = voices.reduce((sum, { weight }) => sum + weight, 0);
    if (owners >= ORACLE_OWNERS && all > 0)
      voices.push({ value: rate, weight: all * ORACLE_SHARE, issuer: ORACLES, known: false });
    const price = weightedMedian(voices);
    const agreeing = voices.filter(({ value }) => near(value, price));
    const corroborated =
      agreeing.some(({ known }) => known) || new Set(agreeing.map(({ issuer }) => issuer)).size > 1;
    return { price, corroborated };
  }

  #judge({ token, known, backed, price }: Candidate, consensus: Consensus, time: number): void {
    const row = this.#rows.get(token);
    if (row === undefined) return;
    const before = this.isAnchor(token, time);
    const judged = price > 0 && consensus.corroborated;
    const agrees = judged && near(price, consensus.price);
    const idle = !known && this.#parts.trades.last(token) <= time - DAY;
    // Before it is an anchor it must be corroborated; afterwards only a contradiction counts.
    const alone = price > 0 && !agrees && this.#held[row]! < ANCHOR_HOURS;
    if (!backed || idle || alone || (judged && !agrees)) this.#miss(row);
    else if (agrees) {
      this.#held[row] = Math.min(ANCHOR_HOURS, this.#held[row]! + 1);
      this.#missed[row] = 0;
    }
    this.table.markDirty(row);
    if (this.#held[row] === 0 && !backed) {
      this.#rows.delete(token);
      this.table.remove(row);
    }
    if (before !== this.isAnchor(token, time)) this.#parts.changed(token);
  }

  /** An anchor may miss some reviews; who is not one yet begins anew. */
  #miss(row: number): void {
    const missed = this.#missed[row]! + 1;
    const falls = this.#held[row]! < ANCHOR_HOURS || missed >= ANCHOR_MISSES;
    this.#missed[row] = falls ? 0 : missed;
    if (falls) this.#held[row] = 0;
  }

  /** Derives what is not in the table. */
  rebuild(): void {
    this.#rows.clear();
    for (let row = 1; row < this.table.count; row++)
      if (this.#used[row] === 1) this.#rows.set(this.#tokens[row]!, row);
  }
}

/** Whether two prices agree. */
export function near(price: number, other: number): boolean {
  return other > 0 && Math.abs(price / other - 1) <= ANCHOR_TOLERANCE;
}
