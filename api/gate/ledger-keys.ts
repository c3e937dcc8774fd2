/** What the ledger says of the keys of an account, as far as the ledgers stored here show it. */
import { AccountRole } from '../../engine/accounts/account-index.ts';
import { accountBytes } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import { readable } from '../../views/ledger/transaction-json.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';

export interface LedgerKeys {
  /** The master key signs no transactions any more. */
  isMasterDisabled(): boolean;
  /** r-address that the regular key belongs to; undefined: there is none; 'unknown': no stored ledger shows it. */
  regularKey(): string | undefined;
  /** The key of the last transaction that the account signed itself, hex; undefined: there is none among its newest. */
  lastUsed(): string | undefined;
}

/** Transactions of an account that are looked through, whoever sent them, and of its own that are read: a ledger each. */
const LOOKED_THROUGH_MAX = 1024;
const READ_MAX = 8;
/** In place of an entry that the stored ledgers do not show. */
const UNKNOWN: Readonly<Record<string, unknown>> = {};

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
    regularKey: () => (entry() === UNKNOWN ? 'unknown' : textOf(entry().RegularKey)),
    lastUsed: () => (account === undefined ? undefined : lastKeyOf(account, engine)),
  };
}

function lastKeyOf(account: number, engine: Engine): string | undefined {
  const { accountIndex, reader } = engine;
  const walk = { from: accountIndex.from ?? 0, to: 0xffffffff, newestFirst: true };
  let looked = 0;
  let read = 0;
  for (const { ledger, tx, role } of accountIndex.of(account, walk)) {
    if (++looked > LOOKED_THROUGH_MAX || read === READ_MAX) return undefined;
    if (role !== AccountRole.sender) continue;
    read++;
    const packed = engine.ledgerBytes(ledger);
    if (!packed) return undefined;
    const { SigningPubKey, Delegate } = readable(packed.tx(tx), reader);
    // Others sign for it, too: several together (the key is empty), or one that it has allowed to.
    const key = Delegate === undefined ? textOf(SigningPubKey) : undefined;
    if (key !== undefined) return key.toUpperCase();
  }
  return undefined;
}

function entryOf(wallet: string, engine: Engine): Readonly<Record<string, unknown>> {
  const found = findEntryJson(engine, entryIndexBy.account_root!(wallet));
  return typeof found === 'object' ? found.node : UNKNOWN;
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
