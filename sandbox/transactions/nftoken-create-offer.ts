/** NFTokenCreateOffer (XLS-20). Rules: rippled `NFTokenCreateOffer.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import type { TokenOffer } from '../assets/nftoken-offers.ts';
import { createTokenOffer, tokenOfferPreclaim, tokenOfferPreflight } from '../assets/nftoken-offers.ts';
import { findToken } from '../assets/nftoken-pages.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { hasAny, Tf } from '../protocol/flags.ts';
import { parseNftId } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';

function offerOf(tx: Readonly<TransactionFields>): TokenOffer {
  const { flags, transferFee, issuer } = parseNftId(tx.NFTokenID!);
  return {
    account: tx.Account,
    amount: tx.Amount!,
    destination: tx.Destination,
    expiration: tx.Expiration,
    owner: tx.Owner,
    sell: hasAny(tx.Flags, Tf.tfSellNFToken),
    flags,
    transferFee,
    issuer,
  };
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (hasExpired(view, tx.Expiration)) return 'tecEXPIRED';
  const offer = offerOf(tx);
  const owner = offer.sell ? tx.Account : tx.Owner!;
  if (findToken(view, owner, tx.NFTokenID!) === undefined) return 'tecNO_ENTRY';
  return tokenOfferPreclaim(view, offer);
}

function apply({ view, tx, priorBalance }: ApplyContext): Result {
  return createTokenOffer(view, tx.NFTokenID!, offerOf(tx), sequenceOf(tx), priorBalance);
}

export const nftokenCreateOffer: Rule = {
  type: 'NFTokenCreateOffer',
  amendment: 'NonFungibleTokensV1_1',
  flags: Tf.tfSellNFToken,
  preflight: (tx) => tokenOfferPreflight(offerOf(tx)),
  preclaim,
  apply,
};
