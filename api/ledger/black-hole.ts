/**
 * Whether nobody can sign for an account any more: its master key is disabled, its regular key is an address without
 * a key, and it has no list of signers (https://xrpl.org/docs/concepts/accounts/addresses#special-addresses).
 */
import type { Engine } from '../../engine/engine.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { BLACK_HOLES } from '../../engine/views/black-holes.ts';
import { storedEntry } from './entry.ts';
import { entryIndexBy, signerListIndex } from './entry-index.ts';

/** undefined: the ledgers stored here do not tell. @param address r-address. */
export function isBlackholed(engine: Engine, address: string): boolean | undefined {
  const { accounts } = engine.state;
  const account = accounts.findText(address);
  if (account === undefined || !accounts.exists(account)) return undefined;
  if ((accounts.flags[account]! & AccountFlag.disableMaster) === 0) return false;
  const root = storedEntry(engine, entryIndexBy.account_root!(address));
  if (!root) return undefined;
  if (typeof root.RegularKey !== 'string' || !BLACK_HOLES.includes(root.RegularKey)) return false;
  return storedEntry(engine, signerListIndex(address)) === undefined;
}
