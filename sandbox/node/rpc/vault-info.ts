/** `vault_info`: a vault and the issuance of its shares (rippled `VaultInfo.cpp`). */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import * as keylets from '../../protocol/keylets.ts';
import { entryJson } from './account-choice.ts';
import type { Command } from './command.ts';
import { RpcError, type RpcToken } from './errors.ts';
import { chooseState } from './ledger-choice.ts';
import { accountIdOf, HASH, u32Of } from './params.ts';

/** @throws RpcError `malformedRequest` with the code of the problem */
function vaultKey(params: JsonObject, members: JsonObject): Hex {
  const malformed = (token: RpcToken): RpcError =>
    new RpcError(token, undefined, { ...members, error: 'malformedRequest' });
  const { vault_id: id, owner, seq } = params;
  if (id !== undefined && owner === undefined && seq === undefined) {
    if (typeof id !== 'string' || !HASH.test(id) || /^0+$/.test(id)) throw malformed('invalidParams');
    return id.toUpperCase();
  }
  if (id !== undefined || owner === undefined || seq === undefined) throw malformed('invalidParams');
  const account = accountIdOf(owner);
  if (account === undefined) throw malformed('actMalformed');
  const sequence = u32Of(seq);
  if (sequence === undefined || sequence === 0) throw malformed('invalidParams');
  return keylets.vault(account, sequence);
}

export const vaultInfo: Command = {
  name: 'vault_info',
  run(params, { network }) {
    const { view, members } = chooseState(network, params);
    const vault = view.read(vaultKey(params, members));
    const shares =
      vault?.LedgerEntryType === 'Vault' ? view.read(keylets.mptIssuance(vault.ShareMPTID!)) : undefined;
    if (vault === undefined || shares === undefined) throw new RpcError('entryNotFound', undefined, members);
    return { ...members, vault: { ...entryJson(vault), shares: entryJson(shares) } };
  },
};
