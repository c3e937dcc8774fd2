/** OfferCancel: deletes one of the account's own offers. Rules: rippled CancelOffer.cpp. */
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { offerDelete } from '../assets/offers.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

type Tx = Readonly<TransactionFields>;

function preflight(tx: Tx): Result {
  return tx.OfferSequence ? 'tesSUCCESS' : 'temBAD_SEQUENCE';
}

/** The sequence of an offer is below that of the account's next transaction. */
function preclaim(view: ReadView, tx: Tx): Result {
  const account = view.read(keylets.account(tx.Account));
  if (!account) return 'terNO_ACCOUNT';
  return account.Sequence! <= tx.OfferSequence! ? 'temBAD_SEQUENCE' : 'tesSUCCESS';
}

/** A missing offer is not an error. */
function apply({ view, tx, account }: ApplyContext): Result {
  if (!view.read(keylets.account(account))) return 'tefINTERNAL';
  return offerDelete(view, view.peek(keylets.offer(account, tx.OfferSequence!)));
}

export const offerCancel: Rule = { type: 'OfferCancel', flags: 0, preflight, preclaim, apply };
