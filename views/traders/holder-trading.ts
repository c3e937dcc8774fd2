/** What a holder's row says of how its tokens came and what they gained. XRP, tokens, percent, Unix ms. */
import type { Engine } from '../../engine/engine.ts';
import { type Acquisition, acquisitionOf, sourceOf, totalRoiOf } from '../../engine/traders/figures.ts';
import { percent, rounded } from '../number-format.ts';
import { type TraderRows, timeOf } from './trader-rows.ts';

const SHARE_DECIMALS = 2;

export interface HolderTrading {
  readonly tradedPct?: number;
  readonly tradeCount?: number;
  readonly source?: string;
  readonly acquisition?: Acquisition;
  readonly pnl?: number;
  readonly roi?: number;
  readonly unrealized?: number;
  readonly bought?: number;
  readonly sold?: number;
  readonly lastTrade?: number;
}

const NOTHING = { bought: 0, sold: 0, fromPools: 0, liquidity: 0 };

/** @param balance tokens. Figures of trades are absent for an account that never traded the token. */
export function holderTrading(
  engine: Engine,
  rows: TraderRows,
  token: number,
  account: number,
  balance: number,
): HolderTrading {
  const { positions } = engine.traders;
  const row = positions.find(account, token);
  const columns = {
    bought: positions.bought[row]!,
    sold: positions.sold[row]!,
    fromPools: positions.fromPools[row]!,
    liquidity: positions.liquidity[row]!,
  };
  const acquired = acquisitionOf(row === 0 ? NOTHING : columns, balance);
  const ways = acquired && {
    tradedPct: rounded(acquired.dexPct + acquired.ammPct, SHARE_DECIMALS),
    source: sourceOf(acquired),
    acquisition: roundedShares(acquired),
  };
  if (row === 0 || positions.trades[row] === 0) return { ...ways };
  const { unrealised, total } = rows.value(row, rows.price(token));
  const roi = percent(totalRoiOf(total, positions.spent[row]!));
  return {
    ...ways,
    tradeCount: positions.trades[row]!,
    pnl: total,
    ...(roi !== undefined && { roi }),
    unrealized: unrealised,
    bought: columns.bought,
    sold: columns.sold,
    lastTrade: timeOf(positions.last[row]!)!,
  };
}

function roundedShares(of: Acquisition): Acquisition {
  const share = (name: keyof Acquisition) => rounded(of[name], SHARE_DECIMALS);
  return {
    dexPct: share('dexPct'),
    ammPct: share('ammPct'),
    lpPct: share('lpPct'),
    transferPct: share('transferPct'),
  };
}
