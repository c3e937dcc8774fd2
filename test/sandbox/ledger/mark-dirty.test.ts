/** An entry that was written to and stayed equal is shown in full if an entry before it is threaded to it. */
import { expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { writeMetadata } from '../../../sandbox/ledger/metadata.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import type { Entry, Fields } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { Rig, type TestAccount } from '../rig.ts';

const HASH = 'AB'.repeat(32);

/** The account's node after its offer at `index` is deleted, with the account marked as written to or not. */
function nodeAfter(index: string, mark: boolean): Fields | undefined {
  const rig = new Rig();
  const [ann] = rig.fund('ann') as [TestAccount];
  const Account = ann.id;
  const offer = { LedgerEntryType: 'Offer', index, Account, Sequence: 1, PreviousTxnID: '12'.repeat(32) };
  rig.ledger.insert(offer as Entry);
  rig.close();
  const table = new EntryTable(rig.ledger);
  const trial = new EntryTable(table);
  trial.erase(index);
  const root = trial.peek(keylets.account(Account)) as Entry;
  root.Balance = Amount.drops((root.Balance as Amount).drops + 1n);
  root.Balance = Amount.drops((root.Balance as Amount).drops - 1n);
  if (mark) trial.markDirty(root.index);
  trial.applyTo(table);
  const metadata = writeMetadata(table, { hash: HASH, ledgerIndex: 9, index: 0, resultCode: 0 });
  const nodes = metadata.AffectedNodes as unknown as { ModifiedNode?: Fields }[];
  return nodes.find(({ ModifiedNode }) => ModifiedNode?.LedgerIndex === root.index)?.ModifiedNode;
}

test('marked, and threaded to by an entry before it', () => {
  const node = nodeAfter(`${'0'.repeat(63)}1`, true) as Record<string, unknown>;
  expect(Object.keys((node.FinalFields as Fields) ?? {})).toContain('Balance');
  expect(node.PreviousFields).toBeUndefined();
});

test('marked, and threaded to by an entry after it; or not marked', () => {
  expect(nodeAfter('F'.repeat(64), true)?.FinalFields).toBeUndefined();
  const untouched = nodeAfter(`${'0'.repeat(63)}1`, false);
  expect(untouched).toBeDefined();
  expect(untouched?.FinalFields).toBeUndefined();
});
