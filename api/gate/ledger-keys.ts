/** What the ledger says of the keys of an account, as far as the ledgers stored here show it. */
import { accountBytes } from '../../engine/codec/base58.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import { readable } from '../../views/ledger/transaction-json.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';

export interface LedgerKeys {
  /** The master key signs no transactions any more. */
  isMasterDisabled(): boolean;
  /** r-address that the regular key belongs to; undefined: there is none, or it is not known here. */
  regularKey(): string | undefined;
  /** The key of the account's last transaction, hex; undefined: the last one that changed it was another account's. */
  lastUsed(): string | undefined;
}

export function keysOnLedger(wallet: string, engine: Engine): LedgerKeys {
  const { accounts } = engine.state;
  const account = accounts.findText(wallet);
  let read: Readonly<Record<string, unknown>> | undefined;
  const entry = () => {
    read ??= account === undefined || !accountBytes(wallet) ? {} : entryOf(wallet, engine);
    return read;
  };
  return {
    isMasterDisabled: () =>
      account !== undefined && (accounts.flags[account]! & AccountFlag.disableMaster) !== 0,
    regularKey: () => textOf(entry().RegularKey),
    lastUsed: () => {
      const hash = textOf(entry().PreviousTxnID);
      const at = hash === undefined ? undefined : engine.findTransaction(bytesOf(hash));
      const ledger = at && engine.ledgerBytes(at.ledger);
      if (!ledger) return undefined;
      const tx = readable(ledger.tx(at.tx), engine.reader);
      return tx.Account === wallet ? textOf(tx.SigningPubKey)?.toUpperCase() : undefined;
    },
  };
}

function entryOf(wallet: string, engine: Engine): Readonly<Record<string, unknown>> {
  const found = findEntryJson(engine, entryIndexBy.account_root!(wallet));
  return typeof found === 'object' ? found.node : {};
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
