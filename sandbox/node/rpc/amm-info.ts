/** `amm_info`: a pool by its assets or its account (rippled `AMMInfo.cpp`). */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, isXrp } from '../../../engine/codec/arithmetic/asset.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { AUCTION_SLOT_SECONDS, ammHolds, ammLpHolds, type PoolHoldings } from '../../assets/amm.ts';
import { isFrozen } from '../../assets/freeze.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry, Fields } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';
import { isoTime } from './header-json.ts';
import { chooseState } from './ledger-choice.ts';
import { accountIdOf, assetOf } from './params.ts';

/** Intervals of a day, which decide the price of an auction slot. */
const SLOT_INTERVALS = 20;

interface Wanted {
  readonly amm: Readonly<Entry>;
  readonly asset: Asset;
  readonly asset2: Asset;
  readonly account: AccountId | undefined;
}

const POOL_COUNTING = { freeze: 'ignore', auth: 'ignore' } as const;

/** The account of a parameter, which must exist in the ledger. @throws RpcError actMalformed */
function rootParam(view: ReadView, value: Json, members: JsonObject): Readonly<Entry> {
  const id = accountIdOf(value);
  const root = id === undefined ? undefined : view.read(keylets.account(id));
  if (root === undefined) throw new RpcError('actMalformed', undefined, members);
  return root;
}

/** @throws RpcError issueMalformed */
function assetParam(value: Json | undefined, members: JsonObject): Asset {
  const asset = assetOf(value);
  if (asset === undefined) throw new RpcError('issueMalformed', undefined, members);
  return asset;
}

function wantedPool(view: ReadView, params: JsonObject, members: JsonObject): Wanted {
  const byAssets = params.asset !== undefined;
  if (byAssets !== (params.asset2 !== undefined) || byAssets === (params.amm_account !== undefined))
    throw new RpcError('invalidParams', undefined, members);
  const assets = byAssets
    ? [assetParam(params.asset, members), assetParam(params.asset2, members)]
    : undefined;
  const key = assets
    ? keylets.amm(assets[0]!, assets[1]!)
    : rootParam(view, params.amm_account!, members).AMMID;
  const account =
    params.account === undefined ? undefined : rootParam(view, params.account, members).Account!;
  const amm = key === undefined ? undefined : view.read(key);
  if (amm === undefined) throw new RpcError('actNotFound', undefined, members);
  return { amm, account, asset: assets?.[0] ?? amm.Asset!, asset2: assets?.[1] ?? amm.Asset2! };
}

/** Which of its parts a slot is in; the last, when its day is over. */
function intervalOf(slot: Fields, time: number): number {
  const since = time - ((slot.Expiration ?? 0) - AUCTION_SLOT_SECONDS);
  if (since < 0 || since >= AUCTION_SLOT_SECONDS) return SLOT_INTERVALS;
  return Math.floor(since / (AUCTION_SLOT_SECONDS / SLOT_INTERVALS));
}

function slotJson(slot: Fields, time: number): JsonObject {
  const json: JsonObject = {
    account: addressOf(slot.Account!),
    discounted_fee: slot.DiscountedFee ?? 0,
    expiration: isoTime(slot.Expiration ?? 0).replace('Z', '+0000'),
    price: slot.Price!.json() as Json,
    time_interval: intervalOf(slot, time),
  };
  if (slot.AuthAccounts !== undefined)
    json.auth_accounts = slot.AuthAccounts.map(({ AuthAccount }) => ({
      account: addressOf(AuthAccount!.Account!),
    }));
  return json;
}

function poolJson(view: ReadView, { amm, account, asset, asset2 }: Wanted): JsonObject {
  const pool = amm.Account!;
  const holds = ammHolds(view, amm, asset, asset2, POOL_COUNTING) as PoolHoldings;
  const tokens = account === undefined ? amm.LPTokenBalance! : ammLpHolds(view, amm, account);
  const json: JsonObject = {
    account: addressOf(pool),
    amount: holds.amount.json() as Json,
    amount2: holds.amount2.json() as Json,
    lp_token: tokens.json() as Json,
    trading_fee: amm.TradingFee ?? 0,
  };
  const votes = (amm.VoteSlots ?? []).map(({ VoteEntry }) => ({
    account: addressOf(VoteEntry!.Account!),
    trading_fee: VoteEntry!.TradingFee ?? 0,
    vote_weight: VoteEntry!.VoteWeight ?? 0,
  }));
  if (votes.length > 0) json.vote_slots = votes;
  if (amm.AuctionSlot?.Account !== undefined)
    json.auction_slot = slotJson(amm.AuctionSlot, view.header.parentCloseTime);
  if (!isXrp(asset)) json.asset_frozen = isFrozen(view, pool, asset);
  if (!isXrp(asset2)) json.asset2_frozen = isFrozen(view, pool, asset2);
  return json;
}

export const ammInfo: Command = {
  name: 'amm_info',
  run(params, { network }) {
    const { view, members } = chooseState(network, params);
    return { amm: poolJson(view, wantedPool(view, params, members)), ...members };
  },
};
