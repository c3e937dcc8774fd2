/** The funds that the owner of an offer has of the asset it sells, as commands and streams show them with the offer. */

import { issuerOf, isXrp } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { accountFunds } from '../assets/funds.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';

/** `owner_funds` of an OfferCreate; undefined for other types, and for issuers, whose funds are unlimited. */
export function ownerFunds(
  view: ReadView,
  { TransactionType, TakerGets, Account }: Readonly<TransactionFields>,
): JsonObject {
  if (TransactionType !== 'OfferCreate' || TakerGets === undefined) return {};
  if (!isXrp(TakerGets.asset) && issuerOf(TakerGets.asset) === Account) return {};
  return { owner_funds: accountFunds(view, Account, TakerGets, 'ignore').text() };
}
