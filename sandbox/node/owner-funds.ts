/** What who has placed an offer has of what it sells, as commands and streams tell it beside the offer. */
import type { JsonObject } from '../../engine/codec/json.ts';
import { accountFunds } from '../assets/funds.ts';
import type { ReadView } from '../ledger/view.ts';
import { issuerOf, isXrp } from '../protocol/asset.ts';
import type { TransactionFields } from '../protocol/fields.ts';

/** `owner_funds` of an OfferCreate; nothing for other types, and for issuers, who have as much as they want. */
export function ownerFunds(
  view: ReadView,
  { TransactionType, TakerGets, Account }: Readonly<TransactionFields>,
): JsonObject {
  if (TransactionType !== 'OfferCreate' || TakerGets === undefined) return {};
  if (!isXrp(TakerGets.asset) && issuerOf(TakerGets.asset) === Account) return {};
  return { owner_funds: accountFunds(view, Account, TakerGets, 'ignore').text() };
}
