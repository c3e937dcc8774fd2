/** Price of XRP in a fiat currency by the price oracles of the ledger (XLS-47): the median over their owners. */
import { weightedMedian } from '../metrics/weighted-median.ts';
import { RIPPLE_EPOCH } from '../ripple-time.ts';
import type { Fiat } from './figures.ts';

/** A price oracle older than this (seconds) is not used. XLS-47 oracles update every few minutes. */
export const ORACLE_MAX_AGE = 3600;

/** Price of 1 XRP in a quote currency by one oracle. */
interface OraclePrice {
  readonly owner: number;
  readonly price: number;
  /** Unix seconds. */
  readonly lastUpdate: number;
}

export interface OracleSource {
  latest(quote: string): readonly OraclePrice[];
}

/** Quote currencies of each fiat; CNH is offshore CNY. */
const QUOTES: readonly (readonly string[])[] = [['USD'], ['EUR'], ['JPY'], ['CNY', 'CNH']];

export interface OracleRate {
  /** XRP per unit of the currency; 0 when there is none. */
  readonly rate: number;
  /** Number of accounts whose prices are in the median. */
  readonly owners: number;
}

const NO_RATE: OracleRate = { rate: 0, owners: 0 };

/**
 * Each owner counts once, with the newest of their oracles: otherwise the account with the most oracles would decide the median.
 * @param time close time, Ripple epoch seconds
 */
export function oracleRate(oracles: OracleSource, fiat: Fiat, time: number): OracleRate {
  const oldest = time + RIPPLE_EPOCH - ORACLE_MAX_AGE;
  const byOwner = new Map<number, OraclePrice>();
  for (const quote of QUOTES[fiat]!)
    for (const one of oracles.latest(quote)) {
      if (one.lastUpdate < oldest || !(one.price > 0) || !Number.isFinite(one.price)) continue;
      const known = byOwner.get(one.owner);
      if (known === undefined || one.lastUpdate > known.lastUpdate) byOwner.set(one.owner, one);
    }
  if (byOwner.size === 0) return NO_RATE;
  const prices = Array.from(byOwner.values(), ({ price }) => ({ value: price, weight: 1 }));
  return { rate: 1 / weightedMedian(prices), owners: prices.length };
}
