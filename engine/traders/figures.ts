/**
 * The figures of traders that are not columns, each defined here once. Profit is in the same unit as what it is made of.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';

export interface PositionWorth {
  /** Tokens bought and not sold, and the drops they cost. */
  readonly held: number;
  readonly cost: number;
}

/**
 * Unrealised profit in XRP: what the tokens with a known cost that the account still has are worth, less their cost.
 *
 *     held    tokens bought and not sold, of known cost
 *     left    the smaller of held and the balance: some may have been paid away or be in a pool
 *     profit  left * price - cost of held * left / held        0 where there is no price, or nothing left
 *
 * @param balance tokens it has: fewer than were bought, where some were paid away or are in a pool
 * @param price XRP per token; undefined: not known, then the profit is 0
 */
export function unrealisedOf(
  { held, cost }: PositionWorth,
  balance: number,
  price: number | undefined,
): number {
  const left = Math.min(held, balance);
  if (price === undefined || !(left > 0)) return 0;
  return left * price - (cost / 1e6) * (left / held);
}

/** Percent; undefined where the whole is not above 0. */
export function percentOf(part: number, whole: number): number | undefined {
  return whole > 0 ? (part / whole) * 100 : undefined;
}

/**
 * Return on what was sold: realised profit in percent of its cost, which is all that was spent less the cost of what is still
 * held. Over several tokens it is that of their sums, so that a small trade weighs little. Absent where nothing of known
 * cost was sold.
 */
export function roiOf(realised: number, costOfSold: number): number | undefined {
  return percentOf(realised, costOfSold);
}

/**
 * Return on what was spent: realised and unrealised profit, in percent of all that was ever spent on purchases. Lists of holders
 * and movers of a token name it `roi`, beside `pnl`, which is the sum of both profits.
 * @param total XRP. @param spent drops: from whole drops, so that every answer rounds alike
 */
export function totalRoiOf(total: number, spent: number): number | undefined {
  return percentOf(Math.round(total * DROPS_PER_XRP), spent);
}

/**
 * Win rate: of a trader's trades that realised a profit or a loss, the percent that realised a profit; of a token, the same of
 * its traders by what they realised of it in all. What has no known cost, or neither gains nor loses, does not count.
 * undefined: there were none.
 */
export function winRateOf(winning: number, losing: number): number | undefined {
  return percentOf(winning, winning + losing);
}
/** Where the tokens of a position came from, percent of all that came. */
export interface Acquisition {
  readonly dexPct: number;
  readonly ammPct: number;
  readonly lpPct: number;
  readonly transferPct: number;
}

/** Received apart from trades counts from this share of all on: less is what rounding and transfer fees leave. */
const TRANSFER_LEAST = 1e-6;

/**
 * Where an account's tokens came from: bought on books, bought from pools, taken out of a pool as its provider (more than
 * was put in), or transferred. Transfers are what the balance has beyond the others, net of what was paid away: so they
 * count from the first ledger read on, and what the account had before counts as transferred.
 * @returns undefined: it got none
 */
export function acquisitionOf(
  of: {
    readonly bought: number;
    readonly sold: number;
    readonly fromPools: number;
    readonly liquidity: number;
  },
  balance: number,
): Acquisition | undefined {
  const withdrawn = Math.max(0, of.liquidity);
  const apart = balance - of.bought + of.sold - of.liquidity;
  const known = of.bought + withdrawn;
  const transferred = apart > TRANSFER_LEAST * (known + Math.max(0, apart)) ? apart : 0;
  const all = known + transferred;
  if (!(all > 0)) return undefined;
  const fromPools = Math.min(of.fromPools, of.bought);
  return {
    dexPct: ((of.bought - fromPools) / all) * 100,
    ammPct: (fromPools / all) * 100,
    lpPct: (withdrawn / all) * 100,
    transferPct: (transferred / all) * 100,
  };
}

/** From this share on, an account's tokens were traded (transferred); between, it is mixed. */
const MOSTLY = 90;

export function sourceOf({
  dexPct,
  ammPct,
  transferPct,
  lpPct,
}: Acquisition): 'traded' | 'transfer' | 'lp' | 'mixed' {
  if (dexPct + ammPct >= MOSTLY) return 'traded';
  if (transferPct >= MOSTLY) return 'transfer';
  return lpPct >= MOSTLY ? 'lp' : 'mixed';
}
