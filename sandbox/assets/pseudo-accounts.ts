/**
 * Accounts without a key, which hold the assets of a pool, a vault or a loan broker (XLS-30, XLS-65).
 * Rules: rippled `AccountRootHelpers.cpp` (`createPseudoAccount`, `pseudoAccountAddress`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** The fields of an account that name its object. */
export type PseudoField = 'AMMID' | 'VaultID' | 'LoanBrokerID';

const PSEUDO_FIELDS: readonly PseudoField[] = ['AMMID', 'VaultID', 'LoanBrokerID'];
/** Maximum number of addresses to try; the number of the attempt is part of the address. */
const TRIES_MAX = 256;

export function isPseudoAccountEntry(
  account: Readonly<Entry>,
  fields: readonly PseudoField[] = PSEUDO_FIELDS,
): boolean {
  return account.LedgerEntryType === 'AccountRoot' && fields.some((field) => account[field] !== undefined);
}

/** Whether the account exists and has one of `fields` (default: any). */
export function isPseudoAccount(
  view: ReadView,
  account: AccountId,
  fields: readonly PseudoField[] = PSEUDO_FIELDS,
): boolean {
  const entry = view.read(keylets.account(account));
  return entry !== undefined && isPseudoAccountEntry(entry, fields);
}

/** RIPEMD-160 of SHA-256: the hash of a key that gives an account id. */
function accountIdHash(bytes: Uint8Array): AccountId {
  const inner = new Bun.CryptoHasher('sha256').update(bytes).digest();
  return hexOf(new Uint8Array(new Bun.CryptoHasher('ripemd160').update(inner).digest()));
}

/** The address that a pseudo-account for `ownerKey` would get in this ledger; undefined when all are taken. */
export function pseudoAccountAddress(view: ReadView, ownerKey: Hex): AccountId | undefined {
  const parentHash = bytesOf(view.header.parentHash);
  const owner = bytesOf(ownerKey);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const id = accountIdHash(sha512Half(Uint8Array.of(attempt >> 8, attempt & 0xff), parentHash, owner));
    if (!view.read(keylets.account(id))) return id;
  }
  return undefined;
}

/**
 * Creates the account for the object at `ownerKey`, marked by `field`.
 * @returns the account's entry (the view's own), or `tecDUPLICATE` when no address is free.
 */
export function createPseudoAccount(view: ApplyView, ownerKey: Hex, field: PseudoField): Entry | Result {
  const id = pseudoAccountAddress(view, ownerKey);
  if (id === undefined) return 'tecDUPLICATE';
  const key = keylets.account(id);
  // With a sequence of zero the account can never be mistaken for one that signs.
  const unsigned = view.rules.enabled('SingleAssetVault') || view.rules.enabled('LendingProtocol');
  view.insert({
    LedgerEntryType: 'AccountRoot',
    index: key,
    Account: id,
    Balance: Amount.drops(0n),
    Sequence: unsigned ? 0 : view.header.index,
    OwnerCount: 0,
    Flags: Lsf.lsfDisableMaster | Lsf.lsfDefaultRipple | Lsf.lsfDepositAuth,
    [field]: ownerKey,
  });
  return view.peek(key)!;
}
