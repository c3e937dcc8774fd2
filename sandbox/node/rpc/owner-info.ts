/** `owner_info`: offers and trust lines of an account in the closed and in the open ledger (rippled `OwnerInfo.cpp`). */

import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { ReadView } from '../../ledger/view.ts';
import { entryJson } from './account-choice.ts';
import type { Command } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { ownedEntries } from './owned.ts';
import { accountIdOf } from './params.ts';

function ownerJson(view: ReadView, id: AccountId): JsonObject {
  const offers: JsonObject[] = [];
  const lines: JsonObject[] = [];
  for (const entry of ownedEntries(view, id)) {
    if (entry.LedgerEntryType === 'Offer') offers.push(entryJson(entry));
    if (entry.LedgerEntryType === 'RippleState') lines.push(entryJson(entry));
  }
  return {
    ...(offers.length > 0 ? { offers } : {}),
    ...(lines.length > 0 ? { ripple_lines: lines } : {}),
  };
}

export const ownerInfo: Command = {
  name: 'owner_info',
  run(params, { network }) {
    const text = params.account ?? params.ident;
    if (text === undefined) throw missingField('account');
    const id = accountIdOf(text);
    if (id === undefined) {
      // Not an error of the command: each of its parts contains it.
      const malformed = new RpcError('actMalformed').json() as JsonObject;
      return { accepted: malformed, current: malformed };
    }
    return { accepted: ownerJson(network.validated.view(), id), current: ownerJson(network.open.view, id) };
  },
};
