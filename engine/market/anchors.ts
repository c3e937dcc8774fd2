/**
 * Anchors: tokens that stand for fiat money. The price of XRP against them is the price of XRP in that currency.
 * Which tokens these are is found by a rule, on any network; known issuers (known-anchors.ts) are only its start values.
 *
 * Threat: anyone can issue a "USD", trade it with themselves at any rate, hold it in thousands of accounts of their own,
 * and publish price oracles that agree. That costs only reserves, which come back, and it would set every figure in fiat.
 * So a claim must be backed by something that cannot be faked: XRP offered for the token, for as long as others offer
 * theirs and at the price of the others. False tokens are not detected; they are outweighed.
 *
 * The rule. Once an hour (first ledger), for each currency, every token whose code claims it (fiat-claims.ts) is reviewed:
 *   backed      XRP depth (xrp-depth.ts) of ANCHOR_DEPTH_XRP, ANCHOR_HOLDERS holders, ANCHOR_TRADERS traders in 24 hours
 *   weight      its depth, averaged over WEIGHT_HOURS (exponentially), so that short-lived depth counts next to nothing
 *   consensus   the weighted median of the prices of all backed tokens and of the median of the oracles, which weighs
 *               ORACLE_SHARE of all tokens together. A price is volume-weighted over 60 minutes
 *   agrees      its price is within ANCHOR_TOLERANCE of the consensus, and something else confirms the consensus: a known
 *               issuer, a token of another issuer, or oracles of ORACLE_OWNERS owners
 *   anchor      backed and agreeing in ANCHOR_HOURS reviews in a row; hours without a trade do not count. It stops being
 *               one after ANCHOR_MISSES reviews in a row in which it disagreed, was not backed or had not traded for a
 *               day. So one hour off its peg has no effect. Without confirmation an anchor is not reviewed and stays one
 *
 *     candidates --> prices, weights --> consensus --> agrees? --> held 0 .. ANCHOR_HOURS --> anchor
 *
 * So an attacker needs, over a month, as much depth as all other tokens of the currency together: half of it when they
 * own all oracles, twice as much when the oracles are honest. Limit: on a network where nobody else trades such a
 * currency, an attacker with ANCHOR_DEPTH_XRP and a second issuer, or oracles, is accepted after a day.
 *
 * Cost: a review looks at the tokens with a claim that traded within a day, a few hundred on the main network.
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
/** The same as for a listed token. */
export const ANCHOR_HOLDERS = 30;
export const ANCHOR_TRADERS = 10;
/** Fraction. XRP moves about this much in half an hour, the lag of a mean over 60 minutes. */
export const ANCHOR_TOLERANCE = 0.03;
export const ANCHOR_HOURS = 24;
export const ANCHOR_MISSES = 6;
export const ORACLE_OWNERS = 3;
const ORACLE_SHARE = 1 / 3;
/** Thirty days. */
const WEIGHT_HOURS = 720;
/** Weight of a known issuer while its depth has been observed for a short time only; XRP. */
const KNOWN_WEIGHT_XRP = 100_000;
/** Tokens under review at the same time. Each has ANCHOR_DEPTH_XRP of its own. */
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
  /** XRP offered for it (xrp-depth.ts). */
  depth(token: number, time: number): number;
  /** A token became an anchor, or stopped being one. */
  changed(token: number): void;
}

interface Candidate {
  readonly token: number;
  readonly issuer: number;
  /** Of a known issuer that still pays out. */
  readonly known: boolean;
  readonly backed: boolean;
  readonly price: number;
}

/** What a review found for one currency. */
interface Consensus {
  /** XRP per unit. */
  readonly price: number;
  /** Whether more than one issuer or owner supports it. */
  readonly confirmed: boolean;
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
  /** By token: 0 = not read yet, NO_CLAIM, else fiat + 1. */
  readonly #claims: Uint8Array;
  readonly #known = new Map<number, KnownAnchor>();
  readonly #rows = new Map<number, number>();

  constructor(columns: Columns, parts: AnchorParts) {
    this.#parts = parts;
    this.#claims = columns.u8();
    this.table.linkThrough(this.#tokens);
  }

  /** The currency that a token claims to stand for; undefined for XRP and most others. */
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

  /** Whether a token is of a known issuer that pays out fiat money at that time. */
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

  /** Weight of a token's price: the average depth it has had, XRP. */
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
    if (last === 0) return; // the first ledger: no hour is complete yet
    trades.dropIdle(time - DAY);
    const claimants = new Set([...this.#rows.keys(), ...trades.tokens]);
    // Sorted by id: the order of their first trades is lost at a restart.
    const sorted = [...claimants].sort((a, b) => a - b);
    for (let fiat = 0 as Fiat; fiat < FIATS.length; fiat++) {
      const candidates = sorted
        .filter((token) => this.claim(token) === fiat)
        .map((token) => this.#candidate(token, time));
      const consensus = this.#consensus(candidates, fiat, time);
      for (const candidate of candidates) this.#update(candidate, consensus, time);
    }
  }

  /** Reads a token's figures and adds its depth to the average. */
  #candidate(token: number, time: number): Candidate {
    const { holders, traders, depth, trades, tokens } = this.#parts;
    const known = this.isKnown(token, time);
    const { price } = trades.hour(token, time);
    const xrp = depth(token, time);
    const active =
      xrp >= ANCHOR_DEPTH_XRP && holders(token) >= ANCHOR_HOLDERS && traders(token) >= ANCHOR_TRADERS;
    const backed = known || active;
    let row = this.#rows.get(token);
    if (row === undefined && backed && this.#rows.size < REVIEWED_MAX - 1) {
      row = this.table.add();
      this.#tokens[row] = token;
      this.#used[row] = 1;
      this.#held[row] = known ? ANCHOR_HOURS : 0;
      this.#rows.set(token, row);
    }
    if (row !== undefined) {
      this.#weights[row]! += ((active ? xrp : 0) - this.#weights[row]!) / WEIGHT_HOURS;
      this.table.markDirty(row);
    }
    return { token, issuer: tokens.issuer(token), known, backed, price };
  }

  #consensus(candidates: readonly Candidate[], fiat: Fiat, time: number): Consensus {
    const quotes: (WeightedValue & { readonly issuer: number; readonly known: boolean })[] = [];
    for (const { token, issuer, known, backed, price } of candidates) {
      const weight = this.weight(token, time);
      if (backed && price > 0 && weight > 0) quotes.push({ value: price, weight, issuer, known });
    }
    const { rate, owners } = oracleRate(this.#parts.oracles, fiat, time);
    const all = quotes.reduce((sum, { weight }) => sum + weight, 0);
    if (owners >= ORACLE_OWNERS && all > 0)
      quotes.push({ value: rate, weight: all * ORACLE_SHARE, issuer: ORACLES, known: false });
    const price = weightedMedian(quotes);
    const agreeing = quotes.filter(({ value }) => near(value, price));
    const confirmed =
      agreeing.some(({ known }) => known) || new Set(agreeing.map(({ issuer }) => issuer)).size > 1;
    return { price, confirmed };
  }

  #update({ token, known, backed, price }: Candidate, consensus: Consensus, time: number): void {
    const row = this.#rows.get(token);
    if (row === undefined) return;
    const before = this.isAnchor(token, time);
    const comparable = price > 0 && consensus.confirmed;
    const agrees = comparable && near(price, consensus.price);
    const idle = !known && this.#parts.trades.last(token) <= time - DAY;
    // To become an anchor it must be confirmed; afterwards only a different price counts against it.
    const unconfirmed = price > 0 && !agrees && this.#held[row]! < ANCHOR_HOURS;
    if (!backed || idle || unconfirmed || (comparable && !agrees)) this.#miss(row);
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

  /** An anchor may fail some reviews; a token that is not one yet starts again from zero. */
  #miss(row: number): void {
    const missed = this.#missed[row]! + 1;
    const isReset = this.#held[row]! < ANCHOR_HOURS || missed >= ANCHOR_MISSES;
    this.#missed[row] = isReset ? 0 : missed;
    if (isReset) this.#held[row] = 0;
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
