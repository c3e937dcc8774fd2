import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { decodeAccountID } from 'xrpl';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { sha512Half } from '../../../engine/codec/hash.ts';
import { prove } from '../../../engine/ledger/proof.ts';
import { TreeHasher } from '../../../engine/ledger/tree.ts';
import { NextLedger } from '../../../sandbox/ledger/close.ts';
import { effectiveCloseTime, nextResolution, roundCloseTime } from '../../../sandbox/ledger/close-time.ts';
import { genesisLedger, NETWORK_FEES, secondLedger, TOTAL_DROPS } from '../../../sandbox/ledger/genesis.ts';
import { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import { hashInSkipLists, updateSkipLists } from '../../../sandbox/ledger/skip-list.ts';
import { EntryRing, LedgerState, StateItem } from '../../../sandbox/ledger/state.ts';
import { Network } from '../../../sandbox/node/network.ts';
import { encodeEntry, toJson } from '../../../sandbox/protocol/encode.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { GENESIS_ACCOUNT } from '../../../sandbox/protocol/well-known.ts';
import { corpusDir, ledgerFiles, readLedger } from '../../../support/corpus.ts';

const AMENDMENTS = ['AA', '0B'].map((start) => start.repeat(32));
const genesis = (): ClosedLedger => genesisLedger({ amendments: AMENDMENTS, fees: NETWORK_FEES });

/** The state's root by the reference encoder and the engine's one-pass hasher. */
function rootOf(state: LedgerState): string {
  const tree = new TreeHasher();
  for (const { key, entry } of state.tree.items()) {
    const json = toJson(entry) as Record<string, unknown>;
    delete json.index;
    const leaf = sha512Half(Buffer.from('MLN\0'), bytesOf(encode(json)), bytesOf(key));
    expect(tree.add(bytesOf(key), 0, leaf, 0)).toBe(true);
  }
  const root = new Uint8Array(32);
  tree.root(root);
  return hexOf(root);
}

describe('close times', () => {
  test('round to the nearest multiple, and increase by at least one second', () => {
    expect([roundCloseTime(0, 10), roundCloseTime(14, 10), roundCloseTime(15, 10)]).toEqual([0, 10, 20]);
    expect(roundCloseTime(45, 30)).toBe(60);
    expect(effectiveCloseTime(104, 10, 100)).toBe(101);
    expect(effectiveCloseTime(106, 10, 100)).toBe(110);
    expect(effectiveCloseTime(0, 10, 100)).toBe(0);
  });

  test('get a coarser resolution with every disagreement and a finer one every eighth ledger', () => {
    expect([10, 20, 30, 60, 90, 120].map((at) => nextResolution(at, false, 7))).toEqual([
      20, 30, 60, 90, 120, 120,
    ]);
    expect([10, 20, 30, 60, 90, 120].map((at) => nextResolution(at, true, 8))).toEqual([
      10, 10, 20, 30, 60, 90,
    ]);
    expect(nextResolution(30, true, 9)).toBe(30);
  });
});

describe('the first ledgers', () => {
  test('hold all XRP at the account of "masterpassphrase", the fees and the amendments', () => {
    const ledger = genesis();
    expect(GENESIS_ACCOUNT).toBe(hexOf(decodeAccountID('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh')));
    expect(ledger.state.tree.size).toBe(3);
    expect(ledger.view().read(keylets.account(GENESIS_ACCOUNT))?.Balance?.drops).toBe(TOTAL_DROPS);
    expect(ledger.view().fees).toEqual(NETWORK_FEES);
    expect(hexOf(ledger.header.accountHash)).toBe(rootOf(ledger.state));
    expect(genesis().hash).toBe(ledger.hash);
    expect(prove(ledger.packed())).toBeUndefined();
  });

  test('are followed by an empty second one that refers to the first', () => {
    const first = genesis();
    const second = secondLedger(first, 814_000_003);
    expect(second.closeTime).toBe(814_000_000);
    expect(hexOf(second.header.parentHash)).toBe(first.hash);
    expect(second.view().read(keylets.skipList())?.Hashes).toEqual([first.hash]);
    expect(hexOf(second.header.accountHash)).toBe(rootOf(second.state));
    expect(prove(second.packed())).toBeUndefined();
  });

  test.skipIf(!corpusDir)('are those of a real node: recorded ledger 3 contains their hash', () => {
    const { header } = readLedger('standalone-3.json.gz');
    // That version had neither fees nor amendments in ledger 1, a resolution of 30 s, and no skip list in ledger 2.
    const first = genesisLedger({ amendments: [], fees: undefined, closeResolution: 30 });
    const second = new ClosedLedger(
      {
        ...first.header,
        index: 2,
        parentHash: bytesOf(first.hash),
        closeTime: Number(header.parent_close_time),
      },
      first.state,
      [],
      first.rules,
    );
    expect(second.hash).toBe(String(header.parent_hash));
  });
});

describe('skip lists', () => {
  test('hold 256 hashes and every 256th, and answer for both', () => {
    const state = new LedgerState();
    const hash = (index: number): string => index.toString(16).toUpperCase().padStart(64, '0');
    const last = 1200;
    for (let index = 2; index <= last; index++) updateSkipLists(state, index, hash(index - 1));
    expect(state.read(keylets.skipList())?.Hashes).toHaveLength(256);
    expect(state.read(keylets.skipList(256))?.Hashes).toEqual([256, 512, 768, 1024].map(hash));
    for (let wanted = -1; wanted <= last + 1; wanted++) {
      const known = wanted >= 1 && wanted < last && (wanted >= last - 256 || wanted % 256 === 0);
      expect(hashInSkipLists(state, last, wanted)).toBe(known ? hash(wanted) : (undefined as never));
    }
  });

  for (const name of ['mainnet-38129', 'mainnet-40000', 'standalone-7'])
    test.skipIf(!corpusDir)(`of ${name} follow from the ones before by the rule`, () => {
      const { accountState, header } = readLedger(`${name}.json.gz`);
      const state = new LedgerState();
      for (const entry of accountState!) {
        const { index, ...fields } = entry;
        state.tree.set(StateItem.ofBytes(String(index), bytesOf(encode(fields))));
      }
      const key = keylets.skipList();
      const recorded = state.read(key)!;
      expect(recorded.Hashes!.at(-1)).toBe(String(header.parent_hash));
      // Without the newest hash, and for a full list with one before the oldest, as the parent had it.
      const full = recorded.Hashes!.length === 256;
      state.put({
        ...recorded,
        Hashes: [...(full ? ['AB'.repeat(32)] : []), ...recorded.Hashes!.slice(0, -1)],
        LastLedgerSequence: recorded.LastLedgerSequence! - 1,
      });
      expect(hexOf(state.tree.hash())).not.toBe(String(header.account_hash));
      updateSkipLists(state, Number(header.ledger_index), String(header.parent_hash));
      expect(hexOf(state.tree.hash())).toBe(String(header.account_hash));
    });
});

describe('recorded headers', () => {
  test.skipIf(!corpusDir)('have close times on the schedule', () => {
    let checked = 0;
    const before = new Map<number, Record<string, number>>();
    for (const name of ledgerFiles().filter((name) => name.startsWith('mainnet-111196'))) {
      const { header } = readLedger(name);
      const now = header as Record<string, number>;
      const parent = before.get(now.ledger_index! - 1);
      before.set(now.ledger_index!, now);
      if (parent === undefined) continue;
      const agreed = (parent.close_flags ?? 0) === 0;
      expect(nextResolution(parent.close_time_resolution!, agreed, now.ledger_index!)).toBe(
        now.close_time_resolution!,
      );
      // Ledgers of that year could have their parent's close time; the minimum step of a second came later.
      expect(roundCloseTime(now.close_time!, now.close_time_resolution!)).toBe(now.close_time!);
      checked++;
    }
    expect(checked).toBe(20);
  });
});

describe('the next ledger', () => {
  test('has the changes of its view, an unchanged parent, and the XRP destroyed subtracted', () => {
    const parent = secondLedger(genesis(), 814_000_000);
    const before = rootOf(parent.state);
    const next = new NextLedger(parent, 814_000_011);
    const rich = next.view.peek(keylets.account(GENESIS_ACCOUNT))!;
    rich.Balance = Amount.drops(rich.Balance!.drops - 1010n);
    const account = 'C0FFEE'.padEnd(40, '0');
    next.view.insert({
      LedgerEntryType: 'AccountRoot',
      index: keylets.account(account),
      Flags: 0,
      Account: account,
      Sequence: 3,
      Balance: Amount.drops(1000n),
      OwnerCount: 0,
      PreviousTxnID: '0'.repeat(64),
      PreviousTxnLgrSeq: 0,
    });
    next.view.erase(keylets.fees());
    next.view.destroy(10n);
    const ledger = next.close();
    expect(ledger.header).toMatchObject({ index: 3, closeTime: 814_000_010, totalDrops: TOTAL_DROPS - 10n });
    expect(hexOf(ledger.header.accountHash)).toBe(rootOf(ledger.state));
    expect(ledger.view().read(keylets.account(account))?.Balance?.drops).toBe(1000n);
    expect(ledger.view().read(keylets.fees())).toBeUndefined();
    expect(rootOf(parent.state)).toBe(before);
    expect(prove(ledger.packed())).toBeUndefined();
    expect(ledger.closeTimeAgreed).toBe(true);
  });

  test('closed without an agreed time has the flag and makes the resolution coarser', () => {
    const parent = secondLedger(genesis(), 814_000_000);
    const ledger = new NextLedger(parent, 0).close();
    expect(ledger.header).toMatchObject({ closeTime: 814_000_001, closeFlags: 1, closeResolution: 10 });
    expect(new NextLedger(ledger, 814_000_020).close().header).toMatchObject({
      closeFlags: 0,
      closeResolution: 20,
    });
  });
});

describe('entries in memory', () => {
  test('hold fields up to the capacity of the ring, those in use longest', () => {
    const keys = Array.from({ length: 50 }, (_, i) => i.toString(16).toUpperCase().padStart(64, '0'));
    const entryOf = (i: number): Entry => ({
      LedgerEntryType: 'LedgerHashes',
      index: keys[i]!,
      Flags: 0,
      Hashes: [],
      LastLedgerSequence: i,
    });
    const ring = new EntryRing(10.5 * encodeEntry(entryOf(1)).length);
    const state = new LedgerState(undefined, ring);
    for (const i of keys.keys()) state.put(entryOf(i));
    const decoded = (): number => {
      const items = [...state.tree.items()].filter((item) => item.decoded);
      expect(ring.size).toBe(items.length);
      expect(ring.bytes).toBe(items.reduce((sum, { bytes }) => sum + bytes.length, 0));
      return items.length;
    };
    expect(decoded()).toBe(10);
    const hot = keys[3]!;
    for (const [i, key] of keys.entries()) {
      expect(state.read(hot)?.LastLedgerSequence).toBe(3);
      expect(state.read(key)?.LastLedgerSequence).toBe(i);
      expect(decoded()).toBe(10);
    }
    expect(state.tree.get(hot)!.decoded).toBe(true);
    const before = state.tree.get(hot)!;
    state.put({ ...entryOf(3), LastLedgerSequence: 99 });
    expect({ before: before.decoded, now: state.tree.get(hot)!.decoded }).toEqual({
      before: false,
      now: true,
    });
    state.erase(hot);
    expect(decoded()).toBe(9);
  });

  test('are those of the newest state, after any number of empty ledgers', () => {
    const network = new Network({ store: new MemoryStore(), now: () => 0, verify: () => true });
    const first = network.closed.closeTime;
    const held = { size: 0, bytes: 0 };
    // More than the 256 hashes of the recent list, and the ledgers whose states are kept.
    for (let i = 1; i <= 1_500; i++) {
      const { ring, tree } = network.close(first + 10 * i).state;
      held.size = Math.max(held.size, ring.size);
      held.bytes = Math.max(
        held.bytes,
        ring.bytes - [...tree.items()].reduce((sum, { bytes }) => sum + bytes.length, 0),
      );
    }
    expect(held.size).toBeLessThanOrEqual(network.closed.state.tree.size);
    expect(held.bytes).toBeLessThanOrEqual(0);
    const states = Array.from({ length: network.closed.index }, (_, i) => network.ledgers.recent(i + 1));
    expect(states.filter(Boolean)).toHaveLength(256);
  });
});
