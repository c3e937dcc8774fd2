/**
 * What admission follows, as one value: sections 5 and 8 of the contract as the defaults, the configuration file over them.
 * Where the contract shows no figure, the comment beside the number says why it is what it is.
 */
import type { Tier } from './tiers.ts';

/** What clients of one tier may do. undefined: without that limit. */
export interface TierSettings {
  /** Requests within one second at most. */
  readonly burst?: number | undefined;
  /** Requests within ten seconds at most: the sustained rate. */
  readonly perTenSeconds?: number | undefined;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  readonly creditsPerMonth?: number | undefined;
  /** Times the base limit of an endpoint (`endpoints`). */
  readonly multiplier?: number | undefined;
  readonly submitPerSecond?: number | undefined;
  /** All clients of one address share the limits; else each key has its own. */
  readonly isPerAddress: boolean;
  /** Active keys that one wallet may have. */
  readonly keys: number;
  /** Answers show whose data it is (`attribution`). */
  readonly showsAttribution: boolean;
  /** Price of a term of 30 days, USD; undefined: it is not sold. */
  readonly usdPerMonth?: number | undefined;
  /** Price of a term of 365 days, USD. */
  readonly usdPerYear?: number | undefined;
}

/** The window of an endpoint, in requests per 60 s. */
export interface EndpointSettings {
  /** Times the multiplier of a tier, rounded down, but at least 1. */
  readonly base: number;
  /** Limits of tiers that do not follow from `base`. */
  readonly pinned?: Readonly<Partial<Record<Tier, number>>>;
  /** Clients of one address share it whatever their tier is, and it is `base` for all of them. */
  readonly isPerAddress?: true;
}

export interface CreditPackage {
  readonly credits: number;
  readonly usd: number;
}

export interface AdmissionSettings {
  /**
   * open: every client is answered, without limits and costs; what belongs to a wallet still needs its signature.
   * keys: by key and tier.
   */
  readonly mode: 'open' | 'keys';
  readonly tiers: Readonly<Record<Tier, TierSettings>>;
  /** By path prefix, as `bucket` of the route table has it. */
  readonly endpoints: Readonly<Record<string, EndpointSettings>>;
  /** Of all endpoints that are not named. */
  readonly otherEndpoints: EndpointSettings;
  /** Path prefixes that are never limited. */
  readonly unlimited: readonly string[];
  /** Requests of one address, whoever sends them. */
  readonly addressBurst: { readonly limit: number; readonly windowMs: number };
  /** Addresses or networks (10.0.0.0/8) whose X-Forwarded-For is believed. */
  readonly proxies: readonly string[];
  /** r-addresses whose signatures are those of the admin. */
  readonly adminWallets: ReadonlySet<string>;
  /** By name; clients know starter, standard, bulk and mega. */
  readonly packages: Readonly<Record<string, CreditPackage>>;
}

/** Ten seconds of a rate that is stated for one second. */
const sustained = (perSecond: number) => perSecond * 10;

export const DEFAULT_TIERS: AdmissionSettings['tiers'] = {
  anonymous: {
    burst: 2,
    perTenSeconds: 5, // 30 a minute, sustained
    perMinute: 30,
    perDay: 333,
    multiplier: 0.25,
    isPerAddress: true,
    keys: 0,
    showsAttribution: true,
  },
  free: {
    burst: 20,
    perTenSeconds: sustained(10),
    perMinute: 600,
    perDay: 33_000,
    creditsPerMonth: 1_000_000,
    multiplier: 1,
    submitPerSecond: 1,
    isPerAddress: true,
    keys: 1,
    showsAttribution: true,
  },
  developer: {
    burst: 100,
    perTenSeconds: sustained(50),
    perDay: 400_000,
    creditsPerMonth: 10_000_000,
    multiplier: 3,
    submitPerSecond: 5,
    isPerAddress: false,
    keys: 5,
    showsAttribution: false,
    usdPerMonth: 49,
    usdPerYear: 12 * 49,
  },
  partner: {
    burst: 200,
    perTenSeconds: sustained(100),
    perDay: 1_000_000,
    creditsPerMonth: 20_000_000,
    multiplier: 5,
    submitPerSecond: 10,
    isPerAddress: false,
    keys: 5,
    showsAttribution: true,
  },
  business: {
    burst: 300,
    perTenSeconds: sustained(200),
    perDay: 4_000_000,
    creditsPerMonth: 100_000_000,
    multiplier: 10,
    submitPerSecond: 50,
    isPerAddress: false,
    keys: 5,
    showsAttribution: false,
    usdPerMonth: 499,
    usdPerYear: 12 * 499,
  },
  professional: {
    burst: 750,
    perTenSeconds: sustained(500),
    perDay: 8_000_000,
    creditsPerMonth: 200_000_000,
    multiplier: 15,
    submitPerSecond: 100,
    isPerAddress: false,
    keys: 5,
    showsAttribution: false,
    usdPerMonth: 999,
    usdPerYear: 12 * 999,
  },
  enterprise: { isPerAddress: false, keys: 5, showsAttribution: false },
};

/** The figures of section 8.1; bases are what its examples give through the tiers' multipliers. */
const ENDPOINTS: AdmissionSettings['endpoints'] = {
  '/tokens': { base: 20 },
  '/search': { base: 30 },
  '/amm': { base: 30 },
  '/account/tx': { base: 20 },
  '/account/path-find': { base: 5, isPerAddress: true },
  '/dex/quote': { base: 9, pinned: { anonymous: 1, free: 3 } },
  '/mentions/x-search': { base: 2 },
  '/web-search': { base: 3 },
  '/tx-explain': { base: 3 },
  '/account-tx-explain': { base: 2 },
};

/** On loopback: open. */
export const DEFAULT_ADMISSION: AdmissionSettings = {
  mode: 'open',
  tiers: DEFAULT_TIERS,
  endpoints: ENDPOINTS,
  // The contract shows no figure. 30 a minute for the anonymous tier, which is all it may ask anyway.
  otherEndpoints: { base: 120 },
  unlimited: ['/scams', '/nft/scam'],
  addressBurst: { limit: 100, windowMs: 2000 },
  proxies: [],
  adminWallets: new Set(),
  packages: {
    starter: { credits: 1_000_000, usd: 5 },
    standard: { credits: 5_000_000, usd: 20 },
    bulk: { credits: 25_000_000, usd: 75 },
    mega: { credits: 100_000_000, usd: 250 },
  },
};

/** Requests per 60 s that a tier may send to an endpoint; undefined: any number. */
export function endpointLimit(
  { tiers, endpoints, otherEndpoints }: Pick<AdmissionSettings, 'tiers' | 'endpoints' | 'otherEndpoints'>,
  tier: Tier,
  bucket: string,
): number | undefined {
  const endpoint = endpoints[bucket] ?? otherEndpoints;
  if (endpoint.isPerAddress) return endpoint.base;
  const { multiplier } = tiers[tier];
  if (multiplier === undefined) return undefined;
  return endpoint.pinned?.[tier] ?? Math.max(1, Math.floor(endpoint.base * multiplier));
}
