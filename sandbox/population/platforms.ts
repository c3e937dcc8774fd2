/** Source tags with which transactions of the population are signed, as on the public network, and how frequent each is. */
import type { RandomStream } from './random.ts';

export interface TagShare {
  /** Undefined: without a tag. */
  readonly tag: number | undefined;
  /** Of all tokens, or of all accounts; the shares of a list add up to 1. */
  readonly share: number;
}

/** SourceTag that First Ledger signs with. */
export const FIRST_LEDGER_SOURCE_TAG = 74_920_348;
export const XPMARKET_SOURCE_TAG = 20_221_212;
export const MAGNETIC_SOURCE_TAG = 10_011_010;
const HORIZON_SOURCE_TAG = 111;
const ANODOS_SOURCE_TAG = 11_782_013;
const SOLOGENIC_SOURCE_TAG = 110_100_111;

/** Platforms that launch tokens. */
export const LAUNCHPADS: readonly TagShare[] = [
  { tag: FIRST_LEDGER_SOURCE_TAG, share: 0.36 },
  { tag: XPMARKET_SOURCE_TAG, share: 0.18 },
  { tag: MAGNETIC_SOURCE_TAG, share: 0.11 },
  { tag: HORIZON_SOURCE_TAG, share: 0.05 },
  { tag: undefined, share: 0.3 },
];

/** Platforms that accounts trade with. */
export const WALLETS: readonly TagShare[] = [
  { tag: FIRST_LEDGER_SOURCE_TAG, share: 0.28 },
  { tag: XPMARKET_SOURCE_TAG, share: 0.16 },
  { tag: SOLOGENIC_SOURCE_TAG, share: 0.08 },
  { tag: MAGNETIC_SOURCE_TAG, share: 0.06 },
  { tag: ANODOS_SOURCE_TAG, share: 0.03 },
  { tag: undefined, share: 0.39 },
];

/** One of the tags, by its share. */
export function pickTag(random: RandomStream, shares: readonly TagShare[]): number | undefined {
  let left = random.next();
  for (const { tag, share } of shares) {
    left -= share;
    if (left < 0) return tag;
  }
  return undefined;
}

/** The field of a transaction that names the platform. */
export const tagged = (tag: number | undefined): { SourceTag?: number } =>
  tag === undefined ? {} : { SourceTag: tag };
