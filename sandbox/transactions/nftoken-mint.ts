/** NFTokenMint (XLS-20), with its sell offer (XLS-52) and mutable URIs (XLS-46). Rules: rippled `NFTokenMint.cpp`. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import type { TokenOffer } from '../assets/nftoken-offers.ts';
import { createTokenOffer, tokenOfferPreclaim, tokenOfferPreflight } from '../assets/nftoken-offers.ts';
import { insertToken } from '../assets/nftoken-pages.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { nftId } from '../protocol/nft-id.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf, usesTicket } from '../protocol/sequence.ts';
import { badLength } from './bad-length.ts';

/** Half of the price, in units of 1/100000. */
export const TRANSFER_FEE_MAX = 50_000;
/** Longest URI, in bytes. */
export const TOKEN_URI_BYTES_MAX = 256;
/** The flags of the transaction that become flags of the NFT. */
const TOKEN_FLAGS = 0xffff;
const UINT32_MAX = 0xffff_ffff;

/** Whether a URI (hex) is empty or too long. */
export const badTokenUri = (uri: string | undefined): boolean => badLength(uri, TOKEN_URI_BYTES_MAX);

function mintFlags(_tx: Readonly<TransactionFields>, rules: Rules): number {
  let flags = Tf.tfBurnable | Tf.tfOnlyXRP | Tf.tfTransferable;
  // Offers in any currency could create trust lines for the issuer without its consent: this amendment forbids it.
  if (!rules.enabled('fixRemoveNFTokenAutoTrustLine')) flags |= Tf.tfTrustLine;
  if (rules.enabled('DynamicNFT')) flags |= Tf.tfMutable;
  return flags;
}

const hasOffer = (tx: Readonly<TransactionFields>): boolean =>
  tx.Amount !== undefined || tx.Destination !== undefined || tx.Expiration !== undefined;

function offerOf(tx: Readonly<TransactionFields>): TokenOffer {
  return {
    account: tx.Account,
    amount: tx.Amount!,
    destination: tx.Destination,
    expiration: tx.Expiration,
    sell: true,
    flags: (tx.Flags ?? 0) & TOKEN_FLAGS,
    transferFee: tx.TransferFee ?? 0,
    issuer: tx.Issuer ?? tx.Account,
  };
}

function preflight(tx: Readonly<TransactionFields>, rules: Rules): Result {
  if (hasOffer(tx) && !rules.enabled('NFTokenMintOffer')) return 'temDISABLED';
  const fee = tx.TransferFee ?? 0;
  if (fee > TRANSFER_FEE_MAX) return 'temBAD_NFTOKEN_TRANSFER_FEE';
  if (fee > 0 && !hasAny(tx.Flags, Tf.tfTransferable)) return 'temMALFORMED';
  if (tx.Issuer === tx.Account || badTokenUri(tx.URI)) return 'temMALFORMED';
  if (!hasOffer(tx)) return 'tesSUCCESS';
  return tx.Amount === undefined ? 'temMALFORMED' : tokenOfferPreflight(offerOf(tx));
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (tx.Issuer !== undefined) {
    const issuer = view.read(keylets.account(tx.Issuer));
    if (issuer === undefined) return 'tecNO_ISSUER';
    if (issuer.NFTokenMinter !== tx.Account) return 'tecNO_PERMISSION';
  }
  if (tx.Amount === undefined) return 'tesSUCCESS';
  return hasExpired(view, tx.Expiration) ? 'tecEXPIRED' : tokenOfferPreclaim(view, offerOf(tx));
}

/**
 * Counts the mint on the issuer's account.
 * @returns the number within the issuer for the id, undefined when the numbers are used up.
 */
function takeTokenSequence(tx: Readonly<TransactionFields>, issuer: Entry, rules: Rules): number | undefined {
  const minted = issuer.MintedNFTokens ?? 0;
  if (minted === UINT32_MAX) return undefined;
  if (!rules.enabled('fixNFTokenRemint')) {
    issuer.MintedNFTokens = minted + 1;
    return minted;
  }
  if (issuer.FirstNFTokenSequence === undefined) {
    // The account's sequence before this transaction, which has already increased it by one.
    const usedSequence = tx.Issuer === undefined && !usesTicket(tx);
    issuer.FirstNFTokenSequence = usedSequence ? issuer.Sequence! - 1 : issuer.Sequence!;
  }
  issuer.MintedNFTokens = minted + 1;
  const sequence = issuer.FirstNFTokenSequence + minted;
  return sequence >= UINT32_MAX ? undefined : sequence;
}

function apply({ view, tx, account, priorBalance }: ApplyContext): Result {
  const issuer = tx.Issuer ?? account;
  const root = view.peek(keylets.account(issuer));
  if (root === undefined) return 'tecNO_ISSUER';
  const sequence = takeTokenSequence(tx, root, view.rules);
  if (sequence === undefined) return 'tecMAX_SEQUENCE_REACHED';
  const offer = offerOf(tx);
  const id = nftId({
    flags: offer.flags,
    transferFee: offer.transferFee,
    issuer,
    taxon: tx.NFTokenTaxon ?? 0,
    sequence,
  });
  const token = tx.URI === undefined ? { NFTokenID: id } : { NFTokenID: id, URI: tx.URI };
  const inserted = insertToken(view, account, token, priorBalance);
  if (inserted !== 'tesSUCCESS' || tx.Amount === undefined) return inserted;
  return createTokenOffer(view, id, offer, sequenceOf(tx), priorBalance);
}

export const nftokenMint: Rule = {
  type: 'NFTokenMint',
  amendment: 'NonFungibleTokensV1_1',
  flags: mintFlags,
  preflight,
  preclaim,
  apply,
};
