/** `mpt_holders`: the holders of an MPT, as in Clio (`MPTHolders.cpp`). The marker is the last holder. */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { ReadView } from '../../ledger/view.ts';
import * as keylets from '../../protocol/keylets.ts';
import { clioLedger, clioLimit } from './clio.ts';
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';
import { ACCOUNT_HEX, MPT_ID } from './params.ts';

/** @throws RpcError */
function hexParam(params: JsonObject, name: string, form: RegExp): Hex {
  const value = params[name];
  if (typeof value !== 'string') throw new RpcError('invalidParams', `${name}NotString`);
  if (!form.test(value)) throw new RpcError('invalidParams', `${name}Malformed`);
  return value.toUpperCase();
}

/** The holding of an account; empty when it had none in this ledger. */
function holdingJson(view: ReadView, issuance: Hex, holder: AccountId): JsonObject[] {
  const holding = view.read(keylets.mptoken(issuance, holder));
  if (holding === undefined) return [];
  const json: JsonObject = {
    account: addressOf(holder),
    flags: holding.Flags ?? 0,
    mpt_amount: String(holding.MPTAmount ?? 0n),
    mptoken_index: holding.index,
  };
  if (holding.LockedAmount !== undefined) json.locked_amount = String(holding.LockedAmount);
  return [json];
}

export const mptHolders: Command = {
  name: 'mpt_holders',
  run(params, { network }) {
    if (params.mpt_issuance_id === undefined)
      throw new RpcError('invalidParams', "Required field 'mpt_issuance_id' missing");
    const issuance = hexParam(params, 'mpt_issuance_id', MPT_ID);
    const limit = clioLimit(params);
    const after = params.marker === undefined ? undefined : hexParam(params, 'marker', ACCOUNT_HEX);
    const { index } = clioLedger(network, params);
    const view = network.ledgers.recent(index)?.view();
    if (view === undefined) throw new RpcError('lgrNotFound', 'ledgerNotFound');
    if (view.read(keylets.mptIssuance(issuance)) === undefined)
      throw new RpcError('objectNotFound', 'objectNotFound');
    const holders = network.ledgers.mptHolders(issuance, {
      limit: limit + 1,
      ...(after === undefined ? {} : { after }),
    });
    const page = holders.slice(0, limit);
    return {
      ledger_index: index,
      limit,
      mpt_issuance_id: issuance,
      mptokens: page.flatMap((holder) => holdingJson(view, issuance, holder)),
      validated: true,
      ...(holders.length > limit ? { marker: page.at(-1)! } : {}),
    };
  },
};
