/**
 * AMMBid: LP tokens for a day in a pool's auction slot, whose holder trades at a tenth of the fee (XLS-30; rippled
 * AMMBid.cpp). An outbid holder is refunded for the remaining time; the rest of the price is burnt.
 */

import { feeFraction } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Num, Numbers } from '../../engine/codec/arithmetic/number.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { AUCTION_SLOT_SECONDS, ammLpHolds, discountedFee, setUnlessZero } from '../assets/amm.ts';
import { adjustLpTokens } from '../assets/amm-shares.ts';
import { accountSend, redeemIou } from '../assets/send.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { account as accountKey, amm as ammKey } from '../protocol/keylets.ts';
import { firstFailure, type Result } from '../protocol/results.ts';
import { checkAssetPair, checkNoMpt, checkPoolAmount } from './amm-checks.ts';

/** Maximum number of accounts that may trade at the holder's fee. */
const AUTH_ACCOUNTS_MAX = 4;
/** Intervals of a slot's day; the price falls from one to the next. */
const INTERVALS = 20;
/** The minimum price is a twenty-fifth of the fee on all LP tokens. */
const LEAST_PRICE_FRACTION = 25n;
/** The price falls with this power of the time used. */
const PRICE_POWER = 60;

function checkAuthAccounts(tx: Readonly<TransactionFields>, unique: boolean): Result {
  const accounts = (tx.AuthAccounts ?? []).map(({ AuthAccount }) => AuthAccount?.Account);
  if (accounts.length > AUTH_ACCOUNTS_MAX) return 'temMALFORMED';
  const repeated = new Set([tx.Account, ...accounts]).size !== accounts.length + 1;
  return unique && repeated ? 'temMALFORMED' : 'tesSUCCESS';
}

/** Checks that a bid is in LP tokens of this pool, which the account has, and less than all of them. */
function checkBid(bid: Amount | undefined, held: Amount, total: Amount): Result {
  if (bid === undefined) return 'tesSUCCESS';
  if (bid.asset !== held.asset) return 'temBAD_AMM_TOKENS';
  return bid.compare(held) > 0 || bid.compare(total) >= 0 ? 'tecAMM_INVALID_TOKENS' : 'tesSUCCESS';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const amm = view.read(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'terNO_AMM';
  const total = amm.LPTokenBalance!;
  if (total.isZero) return 'tecAMM_EMPTY';
  for (const { AuthAccount } of tx.AuthAccounts ?? [])
    if (view.read(accountKey(AuthAccount!.Account!)) === undefined) return 'terNO_ACCOUNT';
  const held = ammLpHolds(view, amm, tx.Account);
  if (held.isZero) return 'tecAMM_INVALID_TOKENS';
  const { BidMin: least, BidMax: most } = tx;
  return firstFailure(
    () => checkBid(least, held, total),
    () => checkBid(most, held, total),
    () => (least && most && least.compare(most) > 0 ? 'tecAMM_INVALID_TOKENS' : 'tesSUCCESS'),
  );
}

/** The interval of its day that a slot is in (0 to 19), undefined when the day is over (rippled `ammAuctionTimeSlot`). */
function intervalOf(time: number, slot: Readonly<Fields>): number | undefined {
  const since = time - ((slot.Expiration ?? 0) - AUCTION_SLOT_SECONDS);
  if ((slot.Expiration ?? 0) < AUCTION_SLOT_SECONDS || since < 0 || since >= AUCTION_SLOT_SECONDS)
    return undefined;
  return Math.floor(since / (AUCTION_SLOT_SECONDS / INTERVALS));
}

/** The price of the slot in its `interval`, for which the holder paid `paid`. */
function priceNow(numbers: Numbers, paid: Num, used: Num, interval: number, least: Num): Num {
  const raised = numbers.mul(paid, numbers.of({ mantissa: 105n, exponent: -2 }));
  if (interval === 0) return numbers.add(raised, least);
  const left = numbers.sub(numbers.of(1n), numbers.power(used, PRICE_POWER));
  return numbers.add(numbers.mul(raised, left), least);
}

/** The amount that the bidder pays: the price, raised to its minimum bid; not above its maximum. */
function bidPrice(numbers: Numbers, tx: Readonly<TransactionFields>, price: Num, held: Amount): Num | Result {
  if (tx.BidMax !== undefined && numbers.compare(price, numbers.of(tx.BidMax)) > 0) return 'tecAMM_FAILED';
  const pay = tx.BidMin === undefined ? price : numbers.max(price, numbers.of(tx.BidMin));
  return numbers.compare(pay, numbers.of(held)) > 0 ? 'tecAMM_INVALID_TOKENS' : pay;
}

/** Gives the slot to the bidder and burns what it pays beyond the refund. */
function takeSlot({ view, tx, account }: ApplyContext, amm: Entry, price: Num, burn: Num): Result {
  const { numbers } = view.rules;
  const total = amm.LPTokenBalance!;
  const slot: Fields = {
    ...amm.AuctionSlot,
    Account: account,
    Expiration: view.header.parentCloseTime + AUCTION_SLOT_SECONDS,
    Price: numbers.toAmount(total.asset, price),
    AuthAccounts: tx.AuthAccounts,
  };
  if (slot.AuthAccounts === undefined) delete slot.AuthAccounts;
  setUnlessZero(slot, 'DiscountedFee', discountedFee(amm.TradingFee ?? 0));
  amm.AuctionSlot = slot;
  const burnt = adjustLpTokens(view.rules, total, numbers.toAmount(total.asset, burn), 'withdraw');
  if (burnt.compare(total) >= 0) return 'tecINTERNAL';
  const redeemed = redeemIou(view, account, burnt, total.asset);
  if (redeemed !== 'tesSUCCESS') return redeemed;
  amm.LPTokenBalance = total.sub(burnt, numbers);
  return 'tesSUCCESS';
}

function apply(context: ApplyContext): Result {
  const { view, tx, account } = context;
  const amm = view.peek(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'tecINTERNAL';
  const slot = amm.AuctionSlot;
  if (slot === undefined && view.rules.enabled('fixInnerObjTemplate')) return 'tecINTERNAL';
  const { numbers } = view.rules;
  const total = amm.LPTokenBalance!;
  const held = ammLpHolds(view, amm, account);
  const onAll = numbers.mul(numbers.of(total), feeFraction(numbers, amm.TradingFee ?? 0));
  const least = numbers.div(onAll, numbers.of(LEAST_PRICE_FRACTION));
  const interval = slot && intervalOf(view.header.parentCloseTime, slot);
  const holder = slot?.Account;
  const owned = holder !== undefined && view.read(accountKey(holder)) !== undefined;
  // In the last interval nothing would be refunded: the slot counts as free.
  if (
    slot === undefined ||
    holder === undefined ||
    !owned ||
    interval === undefined ||
    interval === INTERVALS - 1
  ) {
    const price = bidPrice(numbers, tx, least, held);
    return typeof price === 'string' ? price : takeSlot(context, amm, price, price);
  }
  const paid = numbers.of(slot.Price!);
  const used = numbers.div(numbers.of(interval + 1), numbers.of(INTERVALS));
  const price = bidPrice(numbers, tx, priceNow(numbers, paid, used, interval, least), held);
  if (typeof price === 'string') return price;
  const refund = numbers.mul(numbers.sub(numbers.of(1n), used), paid);
  if (numbers.compare(refund, price) > 0) return 'tecINTERNAL';
  const refunded = accountSend(view, account, holder, numbers.toAmount(total.asset, refund));
  return refunded === 'tesSUCCESS' ? takeSlot(context, amm, price, numbers.sub(price, refund)) : refunded;
}

export const ammBid: Rule = {
  type: 'AMMBid',
  amendment: 'AMM',
  flags: 0,
  preflight: (tx, rules) =>
    firstFailure(
      () => checkNoMpt(tx),
      () => checkAssetPair(tx),
      () => checkPoolAmount(tx.BidMin),
      () => checkPoolAmount(tx.BidMax),
      () => checkAuthAccounts(tx, rules.enabled('fixAMMv1_3')),
    ),
  preclaim,
  apply,
};
