/**
 * The tokens, their worth (fair price), and their markets.
 *
 * Worth is a function of the time alone (`Walk`): agents trade around it, arbitrage moves the pools back to it, and it
 * reverts to its mean, so that no agent runs out of funds in the long run.
 */

import { currencyOfJson } from '../../engine/codec/arithmetic/amount.ts';
import { type Asset, type Hex, issued, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE, WEEK } from '../../engine/ripple-time.ts';
import type { Agent, Agents } from './agents.ts';
import { FIRST_LEDGER_SOURCE_TAG } from './platforms.ts';
import { exponential, RandomStream, Walk, type Waves } from './random.ts';
import { weekAt } from './week.ts';

export type TokenRole = 'stablecoin' | 'deep' | 'volatile' | 'crowd' | 'common';

export interface Token {
  readonly name: string;
  readonly role: TokenRole;
  readonly currency: Hex;
  readonly asset: Asset;
  readonly issuer: Agent;
  /** Account that holds the units not yet distributed. */
  readonly reserve: Agent;
  /** Units issued in total. */
  readonly supply: number;
  /** Transfer fee of the issuer, in 1/1000 percent; 0: none. */
  readonly transferFee: number;
  /** SourceTag of the platform that opened its XRP pool. */
  readonly launchpad: number | undefined;
}

export interface Market {
  readonly name: string;
  readonly base: Token;
  /** Undefined: XRP. */
  readonly quote: Token | undefined;
  /** The market maker of the book. */
  readonly maker: Agent;
  /** Half the spread, as a fraction of the price. */
  readonly spread: number;
  /** Size of the best offer of each side, in XRP. */
  readonly lot: number;
  /** Size of a usual trade, in XRP. */
  readonly trade: number;
  /** How often it is traded, relative to the other markets. */
  readonly weight: number;
  /** Size of each side of the pool, in XRP; 0: no pool. */
  readonly pool: number;
  /** Trading fee, in 1/100,000. */
  readonly poolFee: number;
}

interface TokenRow {
  readonly name: string;
  readonly role: TokenRole;
  /** Mean price of one unit, in XRP; in USD where `inUsd` is set: for the tokens of fiat currencies. */
  readonly worth: number;
  readonly inUsd?: true;
  readonly supply: number;
  readonly transferFee?: number;
  readonly launchpad?: number;
  readonly waves: Waves;
}

/** Fiat currencies beside the dollar; each has a token of the same name, and a price in every oracle. */
export const FIAT_TOKENS = ['EUR', 'JPY', 'CNY'] as const;

const CALM: Waves = [
  [DAY, 0.0006],
  [HOUR, 0.0004],
];

const waves = (scale: number): Waves => [
  [4 * DAY, 0.05 * scale],
  [DAY, 0.03 * scale],
  [4 * HOUR, 0.012 * scale],
  [HOUR, 0.005 * scale],
  [12 * MINUTE, 0.0012 * scale],
];

/** Price of XRP in USD: its mean and its waves. */
const XRP_USD = 2.3;
const XRP_WAVES: Waves = [
  [5 * DAY, 0.06],
  [DAY, 0.025],
  [4 * HOUR, 0.008],
  [HOUR, 0.0025],
];

const TOKENS: readonly TokenRow[] = [
  { name: 'USDM', role: 'stablecoin', worth: 1, inUsd: true, supply: 20_000_000, waves: CALM },
  { name: 'COR', role: 'deep', worth: 0.8, supply: 10_000_000, waves: waves(0.8) },
  {
    name: 'VLT',
    role: 'volatile',
    worth: 0.05,
    supply: 30_000_000,
    waves: waves(4.5),
    launchpad: FIRST_LEDGER_SOURCE_TAG,
  },
  {
    name: 'CROWD',
    role: 'crowd',
    worth: 0.002,
    supply: 200_000_000,
    waves: waves(2),
    launchpad: FIRST_LEDGER_SOURCE_TAG,
  },
  {
    name: 'EUR',
    role: 'common',
    worth: 1.17,
    inUsd: true,
    supply: 3_000_000,
    transferFee: 100,
    waves: waves(0.1),
  },
  { name: 'GLD', role: 'common', worth: 1_740, supply: 1_500, transferFee: 200, waves: waves(0.25) },
  { name: 'NOVA', role: 'common', worth: 12, supply: 200_000, waves: waves(2.5) },
  { name: 'LUX', role: 'common', worth: 3.1, supply: 200_000, waves: waves(1.6) },
  { name: 'ARC', role: 'common', worth: 0.0007, supply: 500_000_000, waves: waves(3) },
  { name: 'JPY', role: 'common', worth: 0.0066, inUsd: true, supply: 500_000_000, waves: waves(0.1) },
  { name: 'CNY', role: 'common', worth: 0.139, inUsd: true, supply: 25_000_000, waves: waves(0.05) },
];

type MarketRow = Omit<Market, 'name' | 'base' | 'quote' | 'maker'> & {
  readonly base: string;
  readonly quote?: string;
};

const MARKETS: readonly MarketRow[] = [
  { base: 'USDM', spread: 0.0012, lot: 9_000, trade: 900, weight: 9, pool: 900_000, poolFee: 80 },
  { base: 'COR', spread: 0.0025, lot: 8_000, trade: 1_100, weight: 9, pool: 800_000, poolFee: 150 },
  { base: 'VLT', spread: 0.008, lot: 900, trade: 160, weight: 7, pool: 60_000, poolFee: 500 },
  { base: 'CROWD', spread: 0.006, lot: 500, trade: 90, weight: 7, pool: 45_000, poolFee: 500 },
  { base: 'EUR', spread: 0.003, lot: 2_500, trade: 300, weight: 2, pool: 0, poolFee: 0 },
  { base: 'GLD', spread: 0.004, lot: 6_000, trade: 700, weight: 2, pool: 150_000, poolFee: 250 },
  { base: 'NOVA', spread: 0.006, lot: 1_200, trade: 180, weight: 2, pool: 50_000, poolFee: 500 },
  { base: 'LUX', spread: 0.01, lot: 600, trade: 90, weight: 1, pool: 20_000, poolFee: 600 },
  { base: 'ARC', spread: 0.015, lot: 200, trade: 30, weight: 1, pool: 9_000, poolFee: 1_000 },
  {
    base: 'COR',
    quote: 'USDM',
    spread: 0.003,
    lot: 4_000,
    trade: 500,
    weight: 2,
    pool: 200_000,
    poolFee: 200,
  },
  {
    base: 'EUR',
    quote: 'USDM',
    spread: 0.0015,
    lot: 4_000,
    trade: 500,
    weight: 2,
    pool: 200_000,
    poolFee: 50,
  },
  { base: 'JPY', spread: 0.003, lot: 2_500, trade: 300, weight: 2, pool: 80_000, poolFee: 80 },
  { base: 'CNY', spread: 0.003, lot: 2_500, trade: 300, weight: 2, pool: 80_000, poolFee: 80 },
];

/** The hour in which the stablecoin loses its peg, seconds since the week began, and by which fraction it falls. */
export interface Depeg {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

const DEPEG_FIRST: Depeg = { from: 4 * DAY + 10 * HOUR, to: 4 * DAY + 11 * HOUR, depth: 0.035 };

/** Worth of the stablecoin in USD: falls for a third of the hour, stays, and recovers in the last third. */
function pegAt(time: number, { from, to, depth }: Depeg): number {
  const away = Math.min(time - from, to - time) / ((to - from) / 3);
  return 1 - depth * Math.min(1, Math.max(0, away));
}

/** Currency code of a name: standard for three letters, else its bytes. @throws Error when it is too long */
export function currencyCode(name: string): Hex {
  if (name.length === 3) return currencyOfJson(name)!;
  if (name.length > 20) throw new Error(`no currency code for ${name}`);
  return Buffer.from(name, 'latin1').toString('hex').toUpperCase().padEnd(40, '0');
}

/** The domain of a token's issuer, which its node serves (toml.ts). */
export const tokenDomain = ({ name }: Pick<Token, 'name'>): string => `${name.toLowerCase()}.example`;

export class Economy {
  readonly tokens: readonly Token[];
  readonly markets: readonly Market[];
  readonly #worths = new Map<string, { row: TokenRow; walk: Walk }>();
  readonly #xrp: Walk;
  readonly #epoch: number;
  readonly #seed: string;
  #depeg: { readonly week: number; readonly depeg: Depeg } = { week: 0, depeg: DEPEG_FIRST };

  /** @param epoch start of the simulation, Ripple epoch seconds */
  constructor(agents: Agents, seed: string, epoch: number) {
    this.#epoch = epoch;
    this.#seed = seed;
    this.#xrp = new Walk(`${seed}/worth/XRP`, XRP_WAVES);
    this.tokens = TOKENS.map((row) => {
      const issuer = agents.get(`issuer:${row.name}`);
      const currency = currencyCode(row.name);
      this.#worths.set(row.name, { row, walk: new Walk(`${seed}/worth/${row.name}`, row.waves) });
      return {
        name: row.name,
        role: row.role,
        currency,
        issuer,
        asset: issued(currency, issuer.account),
        reserve: agents.get(`reserve:${row.name}`),
        supply: row.supply,
        transferFee: row.transferFee ?? 0,
        launchpad: row.launchpad,
      };
    });
    this.markets = MARKETS.map((row) => {
      const name = `${row.base}/${row.quote ?? 'XRP'}`;
      const quote = row.quote === undefined ? undefined : this.token(row.quote);
      return { ...row, name, base: this.token(row.base), quote, maker: agents.get(`maker:${name}`) };
    });
  }

  /** @throws Error when no token has this name */
  token(name: string): Token {
    const token = this.tokens.find((one) => one.name === name);
    if (token === undefined) throw new Error(`no token ${name}`);
    return token;
  }

  /** USD for one XRP. @param time Ripple epoch seconds, here and below */
  xrpUsd(time: number): number {
    return XRP_USD * exponential(this.#xrp.at(time - this.#epoch));
  }

  /** XRP for one token; undefined is XRP. */
  worth(token: Token | undefined, time: number): number {
    if (token === undefined) return 1;
    const { row, walk } = this.#worths.get(token.name)!;
    const worth = row.worth * exponential(walk.at(time - this.#epoch));
    if (!row.inUsd) return worth;
    return ((row.role === 'stablecoin' ? this.#peg(time - this.#epoch) : 1) * worth) / this.xrpUsd(time);
  }

  /** When and how far the stablecoin loses its peg in a week: never on its first or last day, by 1 to 5 percent. */
  depeg(week: number): Depeg {
    if (week === 0) return DEPEG_FIRST;
    if (this.#depeg.week !== week) {
      const random = new RandomStream(`${this.#seed}/depeg/${week}`);
      const from = DAY + random.below(5 * 24) * HOUR;
      this.#depeg = { week, depeg: { from, to: from + HOUR, depth: random.between(0.01, 0.05) } };
    }
    return this.#depeg.depeg;
  }

  #peg(offset: number): number {
    const week = weekAt(offset);
    return pegAt(offset - week * WEEK, this.depeg(week));
  }

  /** Fair price of one unit of the base, in the quote. */
  price({ base, quote }: Market, time: number): number {
    return this.worth(base, time) / this.worth(quote, time);
  }
}

export const quoteAsset = ({ quote }: Market): Asset => quote?.asset ?? XRP;
