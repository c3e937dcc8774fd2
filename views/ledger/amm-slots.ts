/** The auction slot and the votes of a pool, from its AMM entry, in the form of rippled's amm_info. */
import { currencyName } from '../../engine/codec/currency.ts';
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import { DAY, unixMs } from '../../engine/ripple-time.ts';

type Issued = { readonly currency: string; readonly issuer: string; readonly value: string };

/** A slot is sold for a day of 20 intervals (rippled `AMMCore.h`). */
const SLOT_SECONDS = DAY;
const INTERVALS = 20;

/** The objects inside `[{name: {...}}, ...]`. */
const inner = (list: Json | undefined, name: string): JsonObject[] =>
  (Array.isArray(list) ? list : [])
    .map((one) => (isJsonObject(one) ? one[name] : undefined))
    .filter(isJsonObject);

/**
 * Members of /amm/info; absent if the entry does not have them. Fees and `vote_weight` in units of 1/100000;
 * `expiration` Unix ms. @param entry an AMM entry as JSON. @param now close time, Ripple epoch seconds.
 */
export function ammSlots(entry: JsonObject, now: number) {
  const slot = entry.AuctionSlot;
  const votes = inner(entry.VoteSlots, 'VoteEntry');
  return {
    ...(isJsonObject(slot) && typeof slot.Account === 'string' && { auction_slot: auctionSlot(slot, now) }),
    ...(votes.length > 0 && {
      vote_slots: votes.map((vote) => ({
        account: vote.Account as string,
        trading_fee: (vote.TradingFee ?? 0) as number,
        vote_weight: (vote.VoteWeight ?? 0) as number,
      })),
    }),
  };
}

function auctionSlot(slot: JsonObject, now: number) {
  const authorized = inner(slot.AuthAccounts, 'AuthAccount').map(({ Account }) => ({
    account: Account as string,
  }));
  const { Price: price, Expiration: expiration } = slot;
  return {
    account: slot.Account as string,
    ...(authorized.length > 0 && { auth_accounts: authorized }),
    discounted_fee: (slot.DiscountedFee ?? 0) as number,
    ...(typeof expiration === 'number' && { expiration: unixMs(expiration) }),
    ...(isJsonObject(price) && {
      price: { ...(price as Issued), name: currencyName(String(price.currency)) },
    }),
    ...(typeof expiration === 'number' && { time_interval: slotInterval(expiration, now) }),
  };
}

/** Which of its intervals a slot is in; 20: it is over. Ripple epoch seconds. */
export function slotInterval(expiration: number, now: number): number {
  const elapsed = now - (expiration - SLOT_SECONDS);
  return elapsed >= 0 && elapsed < SLOT_SECONDS
    ? Math.floor((elapsed * INTERVALS) / SLOT_SECONDS)
    : INTERVALS;
}
