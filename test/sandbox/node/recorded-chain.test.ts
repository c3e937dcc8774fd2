/**
 * A recorded chain, built again from nothing: the first ledgers of a real stand-alone node of 2015. The genesis ledger
 * and the recorded transactions (in any order) give the same ledger 3, byte for byte: order, metadata,
 * state, skip list, header. Ledger 4 sets trust lines, whose flags followed another rule in that year.
 */
import { describe, expect, test } from 'bun:test';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { applySet } from '../../../sandbox/apply/canonical.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import { NextLedger } from '../../../sandbox/ledger/close.ts';
import { genesisLedger } from '../../../sandbox/ledger/genesis.ts';
import { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { corpusDir, readLedger } from '../../../support/corpus.ts';

describe.skipIf(!corpusDir)('the recorded chain', () => {
  test('is rebuilt with equal hashes', () => {
    const { header, transactions } = readLedger('standalone-3.json.gz');
    const genesis = genesisLedger({ amendments: [], fees: undefined, closeResolution: 30 });
    // Ledgers of that year could have their parent's close time, and ledger 2 had no skip list.
    const closeTime = Number(header.close_time);
    const second = new ClosedLedger(
      { ...genesis.header, index: 2, parentHash: bytesOf(genesis.hash), closeTime },
      genesis.state,
      [],
      genesis.rules,
    );
    expect(second.hash).toBe(String(header.parent_hash));
    const next = new NextLedger(second, closeTime);
    const set = transactions!.map(({ tx_blob }) => transactionOfBlob(bytesOf(tx_blob!)));
    expect(applySet(next, set.toReversed(), { networkId: 0 })).toEqual({ failed: [], retry: [] });
    const third = next.close();
    expect(third.transactions).toHaveLength(7);
    for (const [i, { hash, meta_blob }] of transactions!.entries()) {
      expect(third.transactions[i]!.hashText).toBe(hash);
      expect(hexOf(third.transactions[i]!.meta)).toBe(meta_blob!);
    }
    expect(hexOf(third.header.transactionHash)).toBe(String(header.transaction_hash));
    expect(hexOf(third.header.accountHash)).toBe(String(header.account_hash));
    const { hash } = new ClosedLedger(
      { ...third.header, closeTime },
      third.state,
      third.transactions,
      third.rules,
    );
    expect(hash).toBe(String(header.ledger_hash));
  });
});
