/** MPTs: issuances and holdings created and deleted only by the permitted types; outstanding units equal the units held. */

import { type AccountId, issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import type { Change } from '../../ledger/tables.ts';
import type { Entry } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { type Checker, entryAfter, outstanding, type TransactionEffect } from './checker.ts';
import { may } from './privileges.ts';

interface Counts {
  readonly created: number;
  readonly deleted: number;
}

const counts = (changes: readonly Change[]): Counts => ({
  created: changes.filter(({ action }) => action === 'insert').length,
  deleted: changes.filter(({ action }) => action === 'erase').length,
});

function authorizes({ tx, table }: TransactionEffect, issuances: Counts, tokens: Counts): boolean {
  const type = tx.TransactionType;
  const changed = tokens.created + tokens.deleted;
  if (issuances.created > 0 || issuances.deleted > 0) return false;
  if (table.rules.enabled('LendingProtocol') && changed > 1) return false;
  // An issuer authorizes holders; only holders create their holdings.
  if (tx.Holder !== undefined) return changed === 0;
  return !may(type, 'mustAuthorizeMpt') || changed === 1;
}

const validIssuance: Checker = {
  name: 'ValidMPTIssuance',
  holds(done) {
    const { changes, tx, result, table } = done;
    const issuances = counts(changes.of('MPTokenIssuance'));
    const holdings = changes.of('MPToken');
    const tokens = counts(holdings);
    const type = tx.TransactionType;
    const none = [issuances, tokens].every(({ created, deleted }) => created === 0 && deleted === 0);
    if (none && !may(type, 'createIssuance', 'destroyIssuance', 'mustAuthorizeMpt')) return true;
    if (result !== 'tesSUCCESS') return none;
    const ofIssuer = holdings.some(
      ({ action, after }) =>
        action === 'insert' && issuerOf(after.MPTokenIssuanceID as string) === after.Account,
    );
    if (ofIssuer && table.rules.enabled('SingleAssetVault')) return false;
    if (may(type, 'createIssuance')) return issuances.created === 1 && issuances.deleted === 0;
    if (may(type, 'destroyIssuance')) return issuances.created === 0 && issuances.deleted === 1;
    if (may(type, 'mustAuthorizeMpt', 'mayAuthorizeMpt') || type === 'EscrowFinish') {
      return authorizes(done, issuances, tokens);
    }
    const onlyDeleted = tokens.deleted === 1 && tokens.created === 0;
    if (may(type, 'mayDeleteMpt') && onlyDeleted && issuances.created + issuances.deleted === 0) return true;
    return none;
  },
};

/** The accounts of a holding: of an MPToken its holder, of a trust line both sides. */
const holdersOf = (entry: Readonly<Entry>): readonly (AccountId | undefined)[] =>
  entry.LedgerEntryType === 'RippleState'
    ? [entry.LowLimit, entry.HighLimit].map((limit) => limit && issuerOf(limit.asset))
    : [entry.Account];

/**
 * A share refers to the vault's holding of its asset from the start, and the holding exists as long as the vault.
 * (fixCleanup3_2_0)
 */
const referenceHolding: Checker = {
  name: 'ValidMPTIssuance',
  holds({ changes, tx, table }) {
    if (!table.rules.enabled('fixCleanup3_2_0')) return true;
    const type = tx.TransactionType;
    const kept = changes.of('MPTokenIssuance').every(({ action, before, after }) => {
      if (action === 'insert') return after.ReferenceHolding === undefined || type === 'VaultCreate';
      return action === 'erase' || before?.ReferenceHolding === after.ReferenceHolding;
    });
    if (!kept || type === 'VaultDelete') return kept;
    const ofVault = (account: AccountId | undefined): boolean =>
      account !== undefined && table.read(keylets.account(account))?.VaultID !== undefined;
    return ![...changes.of('MPToken'), ...changes.of('RippleState')].some(
      ({ action, after }) => action === 'erase' && holdersOf(after).some(ofVault),
    );
  },
};

const held = (entry: Readonly<Entry> | undefined): bigint =>
  (entry?.MPTAmount ?? 0n) + (entry?.LockedAmount ?? 0n);

/** rippled only logs a violation before MPTokensV2; here it always fails, because no implemented type may cause one. */
const outstandingIsHeld: Checker = {
  name: 'ValidMPTPayment',
  holds({ changes, result }) {
    if (result !== 'tesSUCCESS') return true;
    const differences = new Map<string, bigint>();
    const add = (key: string, difference: bigint): void => {
      differences.set(key, (differences.get(key) ?? 0n) + difference);
    };
    for (const change of changes.of('MPToken')) {
      const key = keylets.mptIssuance(change.after.MPTokenIssuanceID as string);
      add(key, held(entryAfter(change)) - held(change.before));
    }
    for (const change of changes.of('MPTokenIssuance')) {
      add(change.key, outstanding(change.before) - outstanding(entryAfter(change)));
    }
    return [...differences.values()].every((difference) => difference === 0n);
  },
};

export const MPT_CHECKERS: readonly Checker[] = [referenceHolding, validIssuance, outstandingIsHeld];
