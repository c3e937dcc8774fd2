/** NFTokenBurn (XLS-20). Rules: rippled `NFTokenBurn.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteTokenOffers } from '../assets/nftoken-offers.ts';
import { findToken, removeToken } from '../assets/nftoken-pages.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { NftFlag, parseNftId } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';

/** Maximum number of the NFT's offers that are deleted with it; others stay and can be cancelled by their owners. */
const DELETED_OFFERS_MAX = 500;

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const account = tx.Account;
  const owner = tx.Owner ?? account;
  const id = tx.NFTokenID!;
  if (findToken(view, owner, id) === undefined) return 'tecNO_ENTRY';
  if (owner === account) return 'tesSUCCESS';
  // Other accounts than the owner: the issuer or its minter, if the NFT is burnable.
  const { flags, issuer } = parseNftId(id);
  if ((flags & NftFlag.burnable) === 0) return 'tecNO_PERMISSION';
  if (issuer === account) return 'tesSUCCESS';
  const issuerEntry = view.read(keylets.account(issuer));
  const barred = issuerEntry !== undefined && issuerEntry.NFTokenMinter !== account;
  return barred ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

function apply({ view, tx, account }: ApplyContext): Result {
  const id = tx.NFTokenID!;
  const removed = removeToken(view, tx.Owner ?? account, id);
  if (removed !== 'tesSUCCESS') return removed;
  const issuer = view.peek(keylets.account(parseNftId(id).issuer));
  if (issuer !== undefined) issuer.BurnedNFTokens = (issuer.BurnedNFTokens ?? 0) + 1;
  // Sell offers are few: they are deleted first.
  const deleted = deleteTokenOffers(view, keylets.nftSellOffers(id), DELETED_OFFERS_MAX);
  deleteTokenOffers(view, keylets.nftBuyOffers(id), DELETED_OFFERS_MAX - deleted);
  return 'tesSUCCESS';
}

export const nftokenBurn: Rule = {
  type: 'NFTokenBurn',
  amendment: 'NonFungibleTokensV1_1',
  flags: 0,
  preclaim,
  apply,
};
