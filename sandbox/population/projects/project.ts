/** A project: a token with an issuer, a creator, holders and markets of its own; a function of seed and number alone. */

import { type Asset, type Hex, issued } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import type { Agent, Agents } from '../agents.ts';
import { LAUNCHPADS, pickTag } from '../platforms.ts';
import { exponential, RandomStream, Walk, type Waves } from '../random.ts';
import type { EXTENTS } from '../size.ts';
import { currencyCode } from '../tokens.ts';
import type { ProjectName } from './names.ts';

/** What the issuer's domain serves as its xrp-ledger.toml: its token; nothing; the token of another issuer. */
export type TomlState = 'own' | 'none' | 'other';

/** A week's time in which the projects that are not early are launched. */
const LATE_BEGIN = 5 * HOUR;
const LATE_END = 5.4 * DAY;
const MPT_SHARE = 0.08;
/** Of the tokens: one in so many has a book and no pool, ... */
const BOOK_ONLY_SHARE = 0.06;
/** ... both, ... */
const BOOK_SHARE = 0.45;
/** ... and becomes quiet for good some time after its launch. */
const QUIET_SHARE = 0.2;
/** The most popular ones never do. */
const ALWAYS_TRADED = 8;
/** By how much a token loses its worth until it is quiet, as a logarithm. */
const QUIET_LOSS = 0.8;
const LEVELS_MAX = 5;
/** The popularity of project n is that of the first, divided by this power of n + 1. */
const POPULARITY_POWER = 0.8;

/** Waves of a worth, relative to its mean, of an amplitude of 1. */
const WAVES: Waves = [
  [5 * DAY, 0.9],
  [DAY, 0.5],
  [6 * HOUR, 0.2],
  [HOUR, 0.06],
];

export interface ProjectBook {
  /** Offers on each side. */
  readonly levels: number;
  /** Half the spread, as a fraction of the price. */
  readonly spread: number;
  /** Size of the best offer, in XRP. */
  readonly lot: number;
}

export class Project {
  readonly n: number;
  readonly name: ProjectName;
  readonly kind: 'token' | 'mpt';
  readonly currency: Hex;
  /** Seconds since the epoch. */
  readonly launchAt: number;
  /** From here on nobody trades it; seconds since the epoch. */
  readonly quietAt: number;
  /** SourceTag of the platform that launched it. */
  readonly platform: number | undefined;
  /** Each side of the pool at its launch, in XRP; 0: it has none. */
  readonly poolXrp: number;
  /** Trading fee, in 1/100,000. */
  readonly poolFee: number;
  readonly supply: number;
  /** Fraction of the supply in the pool. */
  readonly share: number;
  /** How often it is traded, relative to the others. */
  readonly weight: number;
  /** Holders beside the investors, when all have come. */
  readonly holders: number;
  readonly book: ProjectBook | undefined;
  readonly domain: string | undefined;
  readonly toml: TomlState;
  /** The issuer gives up its keys, and with them the LP tokens of the pool where `lpBurned` is set. */
  readonly blackholed: boolean;
  readonly lpBurned: boolean;
  /** The issuer gives up the right to freeze. */
  readonly noFreeze: boolean;
  /** Transfer fee of the issuer, in 1/1000 percent; 0: none. */
  readonly transferFee: number;
  /** Digits of an MPT's unit after the decimal point. */
  readonly assetScale: number;
  readonly #agents: Agents;
  readonly #walk: Walk;
  readonly #amplitude: number;
  readonly #launchPrice: number;

  constructor(
    n: number,
    {
      agents,
      seed,
      name,
      extent,
    }: {
      agents: Agents;
      seed: string;
      name: ProjectName;
      extent: (typeof EXTENTS)['default'];
    },
  ) {
    const random = new RandomStream(`${seed}/project/${n}`);
    this.n = n;
    this.name = name;
    this.currency = currencyCode(name.ticker);
    this.#agents = agents;
    this.kind = random.chance(MPT_SHARE) ? 'mpt' : 'token';
    this.launchAt = Math.round(
      random.chance(extent.early)
        ? HOUR / 4 + random.next() * extent.earlyHours * HOUR
        : random.between(LATE_BEGIN, LATE_END),
    );
    const quiets = random.chance(QUIET_SHARE) && n >= ALWAYS_TRADED;
    const traded = DAY * random.between(0.1, 1.6);
    this.quietAt = quiets ? this.launchAt + Math.round(traded) : Infinity;
    this.platform = pickTag(random, LAUNCHPADS);
    const bookOnly = this.platform === undefined && random.chance(BOOK_ONLY_SHARE / 0.3);
    const size = Math.round(2_600 * random.skewed(9));
    this.poolXrp = bookOnly || this.kind === 'mpt' ? 0 : size;
    this.poolFee = random.pick([200, 300, 500, 600, 1_000, 1_000]);
    this.supply = random.pick([1_000_000, 21_000_000, 100_000_000, 589_000_000, 1_000_000_000]);
    this.share = random.between(0.4, 0.75);
    this.weight = (n + 1) ** -POPULARITY_POWER;
    this.holders = 3 + Math.round(90 * random.next() ** 2 * (4 / (4 + n)) + 14 * random.next());
    const deep = random.next();
    const hasBook = this.kind === 'token' && (bookOnly || random.chance(BOOK_SHARE));
    this.book = hasBook
      ? {
          levels: 1 + Math.floor(deep * LEVELS_MAX),
          spread: random.between(0.004, 0.03),
          lot: size * (0.003 + 0.017 * deep),
        }
      : undefined;
    this.blackholed = this.kind === 'token' && random.chance(0.5);
    this.lpBurned = this.blackholed && this.poolXrp > 0 && random.chance(0.6);
    this.noFreeze = random.chance(0.3);
    this.transferFee = !this.blackholed && random.chance(0.12) ? random.pick([100, 500, 1_000]) : 0;
    this.assetScale = random.pick([0, 2, 6]);
    const domain = random.chance(0.8) ? `${name.name.toLowerCase().replaceAll(' ', '-')}.example` : undefined;
    this.domain = domain;
    this.toml = domain === undefined || random.chance(0.12) ? 'none' : random.chance(0.05) ? 'other' : 'own';
    this.#amplitude = random.between(0.08, 0.6);
    this.#walk = new Walk(`${seed}/worth/project/${n}`, WAVES);
    this.#launchPrice = size / (this.supply * this.share);
  }

  get issuer(): Agent {
    return this.#agents.get(`project:${this.n}/issuer`);
  }

  get creator(): Agent {
    return this.#agents.get(`project:${this.n}/creator`);
  }

  get maker(): Agent {
    return this.#agents.get(`project:${this.n}/maker`);
  }

  holder(k: number): Agent {
    return this.#agents.get(`project:${this.n}/holder:${k}`);
  }

  /** Not of an MPT, whose id depends on a sequence number. */
  get asset(): Asset {
    return issued(this.currency, this.issuer.account);
  }

  /** Fair price of one token, in XRP. @param offset seconds since the epoch, from its launch on */
  worth(offset: number): number {
    const moved = this.#amplitude * (this.#walk.at(offset) - this.#walk.at(this.launchAt));
    const age = Math.max(0, offset - this.launchAt) / (this.quietAt - this.launchAt);
    return this.#launchPrice * exponential(moved - QUIET_LOSS * Math.min(1, age));
  }

  /** Whether anybody trades it. @param offset seconds since the epoch */
  isTraded(offset: number): boolean {
    return offset >= this.launchAt && offset < this.quietAt;
  }
}
