/** NFTokenCancelOffer (XLS-20). Rules: rippled `NFTokenCancelOffer.cpp`. */

import { type AccountId, HASH_ZERO, type Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { hasExpired } from '../assets/expiry.ts';
import { deleteTokenOffer } from '../assets/nftoken-offers.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import type { Result } from '../protocol/results.ts';

/** Maximum number of offers that one transaction may cancel. */
const CANCELLED_OFFERS_MAX = 500;

function preflight(tx: Readonly<TransactionFields>, rules: Rules): Result {
  const ids = tx.NFTokenOffers ?? [];
  if (ids.length === 0 || ids.length > CANCELLED_OFFERS_MAX) return 'temMALFORMED';
  if (rules.enabled('fixCleanup3_2_0') && ids.includes(HASH_ZERO)) return 'temMALFORMED';
  return new Set(ids).size === ids.length ? 'tesSUCCESS' : 'temMALFORMED';
}

/** A missing offer is not an error; any account may delete an expired one. */
function mayCancel(view: ReadView, account: AccountId, id: Hex): boolean {
  const offer = view.read(id);
  if (offer === undefined) return true;
  if (offer.LedgerEntryType !== 'NFTokenOffer') return false;
  return hasExpired(view, offer.Expiration) || offer.Owner === account || offer.Destination === account;
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  return tx.NFTokenOffers!.every((id) => mayCancel(view, tx.Account, id)) ? 'tesSUCCESS' : 'tecNO_PERMISSION';
}

function apply({ view, tx }: ApplyContext): Result {
  for (const id of tx.NFTokenOffers!) {
    const offer = view.read(id);
    if (offer !== undefined && !deleteTokenOffer(view, offer)) return 'tefBAD_LEDGER';
  }
  return 'tesSUCCESS';
}

export const nftokenCancelOffer: Rule = {
  type: 'NFTokenCancelOffer',
  amendment: 'NonFungibleTokensV1_1',
  flags: 0,
  preflight,
  preclaim,
  apply,
};
