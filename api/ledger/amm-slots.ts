/** The auction slot and the votes of a pool, from its AMM entry, in the manner of rippled's amm_info. */
import { currencyName } from '../../engine/codec/currency.ts';
import type { Json, JsonObject } from '../../engine/codec/json.ts';
import { unixMs } from '../../engine/ripple-time.ts';

/** A slot is sold for a day of 20 intervals (rippled `AMMCore.h`). */
const SLOT_SECONDS = 86_400;
const INTERVALS = 20;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects inside `[{name: {...}}, ...]`. */
const inner = (list: Json | undefined, name: string): JsonObject[] =>
  (Array.isArray(list) ? list : []).map((one) => (isObject(one) ? one[name] : undefined)).filter(isObject);

/**
 * Members of /amm/info; those that the entry has not are absent. Fees in units of 1/100000, `vote_weight` too;
 * `expiration` Unix ms. @param entry an AMM entry as JSON. @param now close time, Ripple epoch seconds.
 */
export function ammSlots(entry: JsonObject, now: number) {
  const slot = entry.AuctionSlot;
  const votes = inner(entry.VoteSlots, 'VoteEntry');
  return {
    ...(isObject(slot) && typeof slot.Account === 'string' && { auction_slot: auctionSlot(slot, now) }),
    ...(votes.length > 0 && {
      vote_slots: votes.map((vote) => ({
        account: vote.Account,
        trading_fee: vote.TradingFee ?? 0,
        vote_weight: vote.VoteWeight ?? 0,
      })),
    }),
  };
}

function auctionSlot(slot: JsonObject, now: number) {
  const authorized = inner(slot.AuthAccounts, 'AuthAccount').map(({ Account }) => ({ account: Account }));
  const { Price: price, Expiration: expiration } = slot;
  const begun = typeof expiration === 'number' ? now - (expiration - SLOT_SECONDS) : undefined;
  return {
    account: slot.Account,
    ...(authorized.length > 0 && { auth_accounts: authorized }),
    discounted_fee: slot.DiscountedFee ?? 0,
    ...(typeof expiration === 'number' && { expiration: unixMs(expiration) }),
    ...(isObject(price) && { price: { ...price, name: currencyName(String(price.currency)) } }),
    ...(begun !== undefined && {
      time_interval:
        begun >= 0 && begun < SLOT_SECONDS ? Math.floor((begun * INTERVALS) / SLOT_SECONDS) : INTERVALS,
    }),
  };
}
