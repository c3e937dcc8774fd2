/**
 * Offers to buy or sell one NFT: checks of a new one, creation, deletion.
 *
 * An offer is listed in its owner's directory and in the NFT's directory of buy or of sell offers; it counts once in
 * the owner's reserve. NFTokenCreateOffer creates both kinds, NFTokenMint a sell offer for the minted NFT.
 * Rules: rippled `NFTokenHelpers.cpp`, XLS-20, XLS-52 (NFTokenMintOffer).
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { currencyOf, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import { dirInsert, dirPages, dirRemove, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { NftFlag } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';
import { isFrozen } from './freeze.ts';
import { accountFunds, accountHolds } from './funds.ts';
import { checkLineAuthorized } from './nftoken-lines.ts';
import { insertOwned } from './owned.ts';
import { adjustOwnerCountOf, reserveOf } from './reserve.ts';

/** A new offer. */
export interface TokenOffer {
  /** The account that creates it. */
  readonly account: AccountId;
  readonly amount: Amount;
  readonly destination?: AccountId | undefined;
  /** Ripple epoch seconds. */
  readonly expiration?: number | undefined;
  /** The owner of the NFT, for an offer to buy. */
  readonly owner?: AccountId | undefined;
  readonly sell: boolean;
  /** From the NFT's id: flags (low 16 bits of the mint's), transfer fee, issuer. */
  readonly flags: number;
  readonly transferFee: number;
  readonly issuer: AccountId;
}

/** Checks of the transaction alone. */
export function tokenOfferPreflight(offer: Omit<TokenOffer, 'issuer' | 'transferFee'>): Result {
  const { account, amount, owner, sell } = offer;
  if (amount.signum < 0 || amount.isMpt) return 'temBAD_AMOUNT';
  if (!amount.isNative && ((offer.flags & NftFlag.onlyXrp) !== 0 || amount.isZero)) return 'temBAD_AMOUNT';
  // A seller may ask for zero; a buyer must offer something.
  if (!sell && amount.isZero) return 'temBAD_AMOUNT';
  if (offer.expiration === 0) return 'temBAD_EXPIRATION';
  if ((owner !== undefined) === sell) return 'temMALFORMED';
  return owner === account || offer.destination === account ? 'temMALFORMED' : 'tesSUCCESS';
}

/** Checks that the issuer can receive its transfer fee: it has a trust line of the currency (or issues it), not frozen. */
function checkRoyalty(view: ReadView, { issuer, amount, flags, transferFee }: TokenOffer): Result {
  if (amount.isNative || transferFee === 0 || (flags & NftFlag.createTrustLines) !== 0) return 'tesSUCCESS';
  if (view.read(keylets.account(issuer)) === undefined) return 'tecNO_ISSUER';
  const { asset } = amount;
  const isOwnCurrency = issuer === issuerOf(asset) && view.rules.enabled('NFTokenMintOffer');
  if (!isOwnCurrency && view.read(keylets.line(issuer, issuerOf(asset), currencyOf(asset)!)) === undefined) {
    return 'tecNO_LINE';
  }
  return isFrozen(view, issuer, asset) ? 'tecFROZEN' : 'tesSUCCESS';
}

/** An offer to buy must be funded when it is created, though nothing is locked. */
function isFunded(view: ReadView, { account, amount }: TokenOffer): boolean {
  if (view.rules.enabled('fixNonFungibleTokensV1_2')) {
    return accountFunds(view, account, amount, 'zero').signum > 0;
  }
  return accountHolds(view, account, amount.asset, { freeze: 'zero' }).signum > 0;
}

/** Checks the destination of a new offer or the owner it asks: it exists and accepts NFT offers. */
function checkAddressed(view: ReadView, account: AccountId | undefined, missing: Result): Result {
  if (account === undefined) return 'tesSUCCESS';
  const entry = view.read(keylets.account(account));
  if (entry === undefined) return missing;
  const closed = hasAny(entry.Flags, Lsf.lsfDisallowIncomingNFTokenOffer);
  return closed ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

/** Checks that read the ledger; the caller checks that the NFT exists. */
export function tokenOfferPreclaim(view: ReadView, offer: TokenOffer): Result {
  const { account, amount, issuer } = offer;
  const royalty = checkRoyalty(view, offer);
  if (royalty !== 'tesSUCCESS') return royalty;
  if (issuer !== account && (offer.flags & NftFlag.transferable) === 0) {
    const minter = view.read(keylets.account(issuer))?.NFTokenMinter;
    if (minter !== account) return 'tefNFTOKEN_IS_NOT_TRANSFERABLE';
  }
  if (isFrozen(view, account, amount.asset)) return 'tecFROZEN';
  if (!offer.sell && !isFunded(view, offer)) return 'tecUNFUNDED_OFFER';
  const destination = checkAddressed(view, offer.destination, 'tecNO_DST');
  if (destination !== 'tesSUCCESS') return destination;
  const owner = checkAddressed(view, offer.owner, 'tecNO_TARGET');
  if (owner !== 'tesSUCCESS') return owner;
  return amount.isNative ? 'tesSUCCESS' : checkLineAuthorized(view, account, amount.asset);
}

/**
 * Adds the offer to the ledger.
 * @param sequence the transaction's sequence or ticket.
 * @param priorBalance XRP of the account before the fee, in drops: must cover the reserve.
 */
export function createTokenOffer(
  view: ApplyView,
  tokenId: Hex,
  offer: TokenOffer,
  sequence: number,
  priorBalance: bigint,
): Result {
  const { account, sell } = offer;
  const root = view.peek(keylets.account(account));
  if (root === undefined) return 'tecINTERNAL';
  if (priorBalance < reserveOf(view, root, 1)) return 'tecINSUFFICIENT_RESERVE';
  const index = keylets.nftOffer(account, sequence);
  const listing = sell ? keylets.nftSellOffers(tokenId) : keylets.nftBuyOffers(tokenId);
  const offerNode = dirInsert(view, listing, index, (page) => {
    page.Flags = sell ? Lsf.lsfNFTokenSellOffers : Lsf.lsfNFTokenBuyOffers;
    page.NFTokenID = tokenId;
  });
  if (offerNode === undefined) return 'tecDIR_FULL';
  const entry: Entry = {
    LedgerEntryType: 'NFTokenOffer',
    index,
    Flags: sell ? Lsf.lsfSellNFToken : 0,
    Owner: account,
    NFTokenID: tokenId,
    Amount: offer.amount,
    NFTokenOfferNode: offerNode,
  };
  if (offer.expiration !== undefined) entry.Expiration = offer.expiration;
  if (offer.destination !== undefined) entry.Destination = offer.destination;
  return insertOwned(view, root, entry);
}

/** Whether an offer is one to sell. */
export const isSellOffer = (offer: Readonly<Entry>): boolean => hasAny(offer.Flags, Lsf.lsfSellNFToken);

/** Deletes an offer. @returns false when it is not an offer or not listed where its fields say. */
export function deleteTokenOffer(view: ApplyView, offer: Readonly<Entry>): boolean {
  if (offer.LedgerEntryType !== 'NFTokenOffer') return false;
  const { index } = offer;
  const owner = offer.Owner!;
  const id = offer.NFTokenID!;
  if (!unlistOwned(view, owner, offer.OwnerNode, index)) return false;
  const listing = isSellOffer(offer) ? keylets.nftSellOffers(id) : keylets.nftBuyOffers(id);
  if (!dirRemove(view, listing, offer.NFTokenOfferNode ?? 0n, index, false)) return false;
  adjustOwnerCountOf(view, owner, -1);
  view.erase(index);
  return true;
}

/**
 * Deletes at most `limit` offers of a directory, each page from its end.
 * @returns the number deleted. @throws Error when one cannot be deleted.
 */
export function deleteTokenOffers(view: ApplyView, directory: Hex, limit: number): number {
  // The pages are read before anything is deleted: deletion removes empty pages.
  const listed: Hex[] = [];
  for (const page of dirPages(view, directory)) {
    if (listed.length >= limit) break;
    listed.push(...(page.Indexes ?? []).toReversed());
  }
  let deleted = 0;
  for (const index of listed) {
    if (deleted === limit) break;
    const offer = view.read(index);
    if (offer === undefined) continue;
    if (!deleteTokenOffer(view, offer)) throw new Error(`NFT offer ${index} cannot be deleted`);
    deleted += 1;
  }
  return deleted;
}
