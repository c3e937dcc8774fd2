/** Rows of holders, of a token and of XRP: what they say of the account itself, whatever it holds, and their summary. */
import { type Decimal, decimalText, divToNumber, XRP_EXPONENT } from '../engine/codec/amount.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import type { Funders } from '../engine/traders/funders.ts';
import { rounded } from './number-format.ts';
import type { HolderTrading } from './traders/holder-trading.ts';

/** The account's own part of a row. */
interface HolderAccount {
  /** XRP. */
  readonly xrpBalance: string | null;
  /** Unix ms. */
  readonly lastActive: number | null;
  readonly name: string | null;
  readonly domain: string | null;
  readonly funder: string | null;
  readonly isAMM?: true;
}

export interface HolderRow extends HolderAccount, HolderTrading {
  /** r-address. */
  readonly account: string;
  readonly balance: string;
  /** Percent of the supply. */
  readonly holding: number;
  /** 1 = largest. */
  readonly rank: number;
  readonly freeze: boolean;
  readonly frozenByIssuer?: true;
  readonly isCreator: boolean;
  /** XRP; absent without a price. */
  readonly value?: number;
  /** Where it is asked for. */
  readonly balance24h?: string;
}

/** Percent of the supply that the largest holders have. */
export type HolderShares = Readonly<Record<'top10' | 'top20' | 'top50' | 'top100', number>>;

/** @param shares undefined: not known yet. @param frozen frozen lines. */
export function holderSummary(shares: HolderShares | undefined, frozen: number) {
  if (!shares) return { frozen };
  const { top10, top20, top50, top100 } = shares;
  return { top10Hold: top10, top20Hold: top20, top50Hold: top50, top100Hold: top100, frozen };
}

/** The members are always there; null is what the ledgers read so far do not show. They show no account's name. */
export function holderAccount(
  { accounts, pools }: State,
  funders: Pick<Funders, 'of'>,
  id: number,
): HolderAccount {
  const funder = funders.of(id);
  const active = accounts.lastSent(id);
  const drops = accounts.exists(id) ? accounts.balanceDrops(id) : undefined;
  return {
    xrpBalance: drops === undefined ? null : decimalText({ m: drops, e: XRP_EXPONENT }),
    lastActive: active > 0 ? unixMs(active) : null,
    name: null,
    domain: accounts.domain(id) ?? null,
    funder: funder === 0 ? null : accounts.text(funder),
    ...(pools.byAccount(id) !== undefined && { isAMM: true as const }),
  };
}

/** `holding`: percent of the supply, six decimals; 0 where nothing is issued. */
export function holdingPercent(balance: Decimal, supply: Decimal): number {
  return supply.m > 0n ? rounded(divToNumber(balance, supply) * 100, 6) : 0;
}
