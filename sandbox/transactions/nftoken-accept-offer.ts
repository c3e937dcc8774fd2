/**
 * NFTokenAcceptOffer (XLS-20): accepts one offer, or a broker matches an offer to buy with one to sell.
 *
 * The buyer's amount is paid in this order: the broker's fee, the NFT issuer's share of the rest (unless the issuer buys
 * or sells), the seller the remainder. Transfer fees of issued currencies are added, paid by the buyer.
 * Rules: rippled `NFTokenAcceptOffer.cpp`; amendments fixNonFungibleTokensV1_2, fixNFTokenReserve,
 * fixEnforceNFTokenTrustline(V2), DeepFreeze, fixCleanup3_1_3.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import { accountFunds, accountHolds } from '../assets/funds.ts';
import { checkLineAuthorized, checkLineDeepFrozen } from '../assets/nftoken-lines.ts';
import { deleteTokenOffer, isSellOffer } from '../assets/nftoken-offers.ts';
import { findToken, insertToken, removeToken } from '../assets/nftoken-pages.ts';
import { royaltyOf } from '../assets/nftoken-royalty.ts';
import { accountSend } from '../assets/send.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { NftFlag, parseNftId } from '../protocol/nft-id.ts';
import { firstFailure, type Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;
type Offer = Readonly<Entry>;

function preflight(tx: Tx): Result {
  const buy = tx.NFTokenBuyOffer !== undefined;
  const sell = tx.NFTokenSellOffer !== undefined;
  if (!buy && !sell) return 'temMALFORMED';
  const fee = tx.NFTokenBrokerFee;
  if (fee === undefined) return 'tesSUCCESS';
  return buy && sell && fee.signum > 0 ? 'tesSUCCESS' : 'temMALFORMED';
}

/** The offers that the transaction names. */
function offersOf(
  view: ReadView,
  tx: Tx,
): { readonly buy: Offer | undefined; readonly sell: Offer | undefined } {
  const read = (id: Hex | undefined) => (id === undefined ? undefined : view.read(id));
  return { buy: read(tx.NFTokenBuyOffer), sell: read(tx.NFTokenSellOffer) };
}

function checkOffer(view: ReadView, id: Hex | undefined): Result {
  if (id === undefined) return 'tesSUCCESS';
  const offer = view.read(id);
  if (offer?.LedgerEntryType !== 'NFTokenOffer') return 'tecOBJECT_NOT_FOUND';
  // With fixCleanup3_1_3 an expired offer gets as far as `apply`, which deletes it.
  const refuseExpired = !view.rules.enabled('fixCleanup3_1_3');
  if (refuseExpired && hasExpired(view, offer.Expiration)) return 'tecEXPIRED';
  return offer.Amount!.signum < 0 ? 'temBAD_OFFER' : 'tesSUCCESS';
}

/** Offers with a destination can be brokered by that account only; before fixNonFungibleTokensV1_2 also matched with it. */
function checkBrokered(view: ReadView, tx: Tx, offer: Offer, other: Offer): Result {
  const destination = offer.Destination;
  if (destination === undefined || destination === tx.Account) return 'tesSUCCESS';
  if (view.rules.enabled('fixNonFungibleTokensV1_2')) return 'tecNO_PERMISSION';
  return destination === other.Owner ? 'tesSUCCESS' : 'tecNFTOKEN_BUY_SELL_MISMATCH';
}

/** Checks that the broker's fee leaves the seller what it asks for, and that the broker may receive the currency. */
function checkBrokerFee(view: ReadView, tx: Tx, buy: Offer, sell: Offer): Result {
  const fee = tx.NFTokenBrokerFee;
  if (fee === undefined) return 'tesSUCCESS';
  const offered = buy.Amount!;
  if (fee.asset !== offered.asset) return 'tecNFTOKEN_BUY_SELL_MISMATCH';
  if (fee.compare(offered) >= 0) return 'tecINSUFFICIENT_PAYMENT';
  if (sell.Amount!.compare(offered.sub(fee, view.rules.numbers)) > 0) return 'tecINSUFFICIENT_PAYMENT';
  if (fee.isNative || !view.rules.enabled('fixEnforceNFTokenTrustlineV2')) return 'tesSUCCESS';
  return firstFailure(
    () => checkLineAuthorized(view, tx.Account, fee.asset),
    () => checkLineDeepFrozen(view, tx.Account, fee.asset),
  );
}

function checkPair(view: ReadView, tx: Tx, buy: Offer, sell: Offer): Result {
  const asked = sell.Amount!;
  const offered = buy.Amount!;
  if (buy.NFTokenID !== sell.NFTokenID || offered.asset !== asked.asset) {
    return 'tecNFTOKEN_BUY_SELL_MISMATCH';
  }
  // An owner cannot buy its own NFT.
  if (buy.Owner === sell.Owner && view.rules.enabled('fixNonFungibleTokensV1_2')) {
    return 'tecCANT_ACCEPT_OWN_NFTOKEN_OFFER';
  }
  if (asked.compare(offered) > 0) return 'tecINSUFFICIENT_PAYMENT';
  return firstFailure(
    () => checkBrokered(view, tx, buy, sell),
    () => checkBrokered(view, tx, sell, buy),
    () => checkBrokerFee(view, tx, buy, sell),
  );
}

/** Whether `account` can spend `needed`; an issuer has any amount of its own currency (fixNonFungibleTokensV1_2). */
function canPay(view: ReadView, account: AccountId, needed: Amount): boolean {
  const held = view.rules.enabled('fixNonFungibleTokensV1_2')
    ? accountFunds(view, account, needed, 'zero')
    : accountHolds(view, account, needed.asset, { freeze: 'zero' });
  return held.compare(needed) >= 0;
}

function checkBuy(view: ReadView, tx: Tx, buy: Offer, brokered: boolean): Result {
  if (isSellOffer(buy)) return 'tecNFTOKEN_OFFER_TYPE_MISMATCH';
  const buyer = buy.Owner!;
  if (buyer === tx.Account) return 'tecCANT_ACCEPT_OWN_NFTOKEN_OFFER';
  if (!brokered) {
    if (findToken(view, tx.Account, buy.NFTokenID!) === undefined) return 'tecNO_PERMISSION';
    if (buy.Destination !== undefined && buy.Destination !== tx.Account) return 'tecNO_PERMISSION';
  }
  const needed = buy.Amount!;
  if (!canPay(view, buyer, needed)) return 'tecINSUFFICIENT_FUNDS';
  if (needed.isNative || !view.rules.enabled('fixEnforceNFTokenTrustlineV2')) return 'tesSUCCESS';
  const authorized = checkLineAuthorized(view, buyer, needed.asset);
  if (authorized !== 'tesSUCCESS' || brokered) return authorized;
  return firstFailure(
    () => checkLineAuthorized(view, tx.Account, needed.asset),
    () => checkLineDeepFrozen(view, tx.Account, needed.asset),
  );
}

/** Checks that the buyer of a sell offer can pay. Before fixNonFungibleTokensV1_2 the broker was checked as well. */
function checkBuyerOfSell(view: ReadView, tx: Tx, needed: Amount, brokered: boolean): Result {
  if (brokered && view.rules.enabled('fixNonFungibleTokensV1_2')) return 'tesSUCCESS';
  return canPay(view, tx.Account, needed) ? 'tesSUCCESS' : 'tecINSUFFICIENT_FUNDS';
}

function checkSell(view: ReadView, tx: Tx, sell: Offer, brokered: boolean): Result {
  if (!isSellOffer(sell)) return 'tecNFTOKEN_OFFER_TYPE_MISMATCH';
  const seller = sell.Owner!;
  if (seller === tx.Account) return 'tecCANT_ACCEPT_OWN_NFTOKEN_OFFER';
  if (findToken(view, seller, sell.NFTokenID!) === undefined) return 'tecNO_PERMISSION';
  const addressed = sell.Destination !== undefined && sell.Destination !== tx.Account;
  if (!brokered && addressed) return 'tecNO_PERMISSION';
  const needed = sell.Amount!;
  const funded = checkBuyerOfSell(view, tx, needed, brokered);
  if (funded !== 'tesSUCCESS' || needed.isNative) return funded;
  return firstFailure(
    () => checkLineAuthorized(view, seller, needed.asset),
    () => (brokered ? 'tesSUCCESS' : checkLineAuthorized(view, tx.Account, needed.asset)),
    () => checkLineDeepFrozen(view, seller, needed.asset),
  );
}

/** An issuer with a transfer fee is paid only in a currency that it has a line for: no line is created for it. */
function checkRoyalty(view: ReadView, offer: Offer): Result {
  const { issuer, flags, transferFee } = parseNftId(offer.NFTokenID!);
  const amount = offer.Amount!;
  if (transferFee === 0 || amount.isNative) return 'tesSUCCESS';
  const currencyIssuer = issuerOf(amount.asset);
  const needsLine =
    view.rules.enabled('fixEnforceNFTokenTrustline') &&
    (flags & NftFlag.createTrustLines) === 0 &&
    issuer !== currencyIssuer;
  if (needsLine && view.read(keylets.line(issuer, currencyIssuer, currencyOf(amount.asset)!)) === undefined) {
    return 'tecNO_LINE';
  }
  if (!view.rules.enabled('fixEnforceNFTokenTrustlineV2')) return 'tesSUCCESS';
  return firstFailure(
    () => checkLineAuthorized(view, issuer, amount.asset),
    () => checkLineDeepFrozen(view, issuer, amount.asset),
  );
}

function preclaim(view: ReadView, tx: Tx): Result {
  const found = firstFailure(
    () => checkOffer(view, tx.NFTokenBuyOffer),
    () => checkOffer(view, tx.NFTokenSellOffer),
  );
  if (found !== 'tesSUCCESS') return found;
  const { buy, sell } = offersOf(view, tx);
  return firstFailure(
    () => (buy && sell ? checkPair(view, tx, buy, sell) : 'tesSUCCESS'),
    () => (buy ? checkBuy(view, tx, buy, sell !== undefined) : 'tesSUCCESS'),
    () => (sell ? checkSell(view, tx, sell, buy !== undefined) : 'tesSUCCESS'),
    () => checkRoyalty(view, (buy ?? sell)!),
  );
}

/** Pays, and checks that no balance becomes negative (transfer fees could cause it). */
function pay(view: ApplyView, from: AccountId, to: AccountId, amount: Amount): Result {
  if (amount.signum < 0) return 'tecINTERNAL';
  const result = accountSend(view, from, to, amount);
  if (result !== 'tesSUCCESS' || !view.rules.enabled('fixNonFungibleTokensV1_2')) return result;
  const isBelowZero = (account: AccountId) => accountFunds(view, account, amount, 'zero').signum < 0;
  return isBelowZero(from) || isBelowZero(to) ? 'tecINSUFFICIENT_FUNDS' : 'tesSUCCESS';
}

interface Sale {
  readonly buyer: AccountId;
  readonly seller: AccountId;
  readonly tokenId: Hex;
  /** The total that the buyer pays. */
  readonly price: Amount;
  readonly broker?: { readonly account: AccountId; readonly fee: Amount } | undefined;
}

/** Pays broker, issuer and seller, in this order: the issuer's share is of what the broker leaves. */
function payAll(view: ApplyView, { buyer, seller, tokenId, price, broker }: Sale): Result {
  let rest = price;
  if (broker !== undefined) {
    const paid = pay(view, buyer, broker.account, broker.fee);
    if (paid !== 'tesSUCCESS') return paid;
    rest = rest.sub(broker.fee, view.rules.numbers);
  }
  const { issuer, transferFee } = parseNftId(tokenId);
  if (!rest.isZero && transferFee !== 0 && seller !== issuer && buyer !== issuer) {
    const share = royaltyOf(rest, transferFee, view.rules);
    const paid = share.isZero ? 'tesSUCCESS' : pay(view, buyer, issuer, share);
    if (paid !== 'tesSUCCESS') return paid;
    rest = rest.sub(share, view.rules.numbers);
  }
  return rest.signum > 0 ? pay(view, buyer, seller, rest) : 'tesSUCCESS';
}

/** Moves the NFT; the buyer's remaining XRP must cover a page that it adds (fixNFTokenReserve). */
function transfer(view: ApplyView, { buyer, seller, tokenId }: Sale): Result {
  const token = findToken(view, seller, tokenId);
  if (token === undefined) return 'tecINTERNAL';
  const removed = removeToken(view, seller, tokenId);
  if (removed !== 'tesSUCCESS') return removed;
  const balance = view.read(keylets.account(buyer))?.Balance?.drops;
  if (balance === undefined) return 'tecINTERNAL';
  return insertToken(view, buyer, token, view.rules.enabled('fixNFTokenReserve') ? balance : undefined);
}

function saleOf(tx: Tx, buy: Offer | undefined, sell: Offer | undefined): Sale {
  const offer = (buy ?? sell)!;
  const fee = tx.NFTokenBrokerFee;
  return {
    buyer: buy ? buy.Owner! : tx.Account,
    seller: sell ? sell.Owner! : tx.Account,
    tokenId: offer.NFTokenID!,
    price: offer.Amount!,
    broker: buy && sell && fee !== undefined ? { account: tx.Account, fee } : undefined,
  };
}

/** Deletes the expired offers. @returns `tecEXPIRED` when there is one. */
function clearExpired(view: ApplyView, offers: readonly Offer[]): Result {
  if (!view.rules.enabled('fixCleanup3_1_3')) return 'tesSUCCESS';
  const expired = offers.filter((offer) => hasExpired(view, offer.Expiration));
  if (!expired.every((offer) => deleteTokenOffer(view, offer))) return 'tecINTERNAL';
  return expired.length > 0 ? 'tecEXPIRED' : 'tesSUCCESS';
}

function apply({ view, tx }: ApplyContext): Result {
  const { buy, sell } = offersOf(view, tx);
  const offers = [buy, sell].filter((offer) => offer !== undefined);
  if (offers.length === 0) return 'tecINTERNAL';
  const cleared = clearExpired(view, offers);
  if (cleared !== 'tesSUCCESS') return cleared;
  if (!offers.every((offer) => deleteTokenOffer(view, offer))) return 'tecINTERNAL';
  const sale = saleOf(tx, buy, sell);
  const paid = payAll(view, sale);
  return paid === 'tesSUCCESS' ? transfer(view, sale) : paid;
}

export const nftokenAcceptOffer: Rule = {
  type: 'NFTokenAcceptOffer',
  amendment: 'NonFungibleTokensV1_1',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
