/** Directories against a plain model of their pages, and against page numbers recorded by the network. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  describeOwnerDir,
  dirAppend,
  dirEntries,
  dirInsert,
  dirIsEmpty,
  dirPages,
  dirRemove,
  emptyDirDelete,
} from '../../../sandbox/ledger/directory.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { corpusDir, ledgerFiles, readLedger } from '../../../support/corpus.ts';
import { MapView } from '../map-view.ts';

const OWNER = 'B5F762798A53D543A014CAF8B297CFF8F2F937E8';
const ROOT = keylets.ownerDirectory(OWNER);
const HEADER = { index: 3, parentHash: '0'.repeat(64), parentCloseTime: 0, closeTime: 0, totalDrops: 0n };
const view = (entries: Iterable<Entry> = []) =>
  new EntryTable(
    new MapView(HEADER, SANDBOX_RULES, { base: 10n, reserve: 1n, increment: 1n }, false, entries),
  );
const key = (number: number): string => number.toString(16).toUpperCase().padStart(64, '0');

/** Pages as a list in ring order, each with its number: a model of the network's rules. */
class Model {
  pages: { number: bigint; keys: string[] }[] = [];

  add(entry: string, sorted: boolean): bigint {
    const last = this.pages.at(-1);
    if (last === undefined || last.keys.length === 32) {
      const number = last === undefined ? 0n : last.number + 1n;
      this.pages.push({ number, keys: [entry] });
      return number;
    }
    last.keys.push(entry);
    if (sorted) last.keys.sort();
    return last.number;
  }

  remove(page: bigint, entry: string, keepRoot: boolean): void {
    const at = this.pages.findIndex(({ number }) => number === page);
    const found = this.pages[at]!;
    found.keys = found.keys.filter((other) => other !== entry);
    if (found.keys.length > 0) return;
    if (page !== 0n) this.pages.splice(at, 1);
    const [only] = this.pages;
    if (this.pages.length === 1 && only!.keys.length === 0 && !keepRoot) this.pages = [];
  }
}

describe('directories', () => {
  test('behave as a ring of pages of 32 keys', () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    const step = fc.record({ add: fc.boolean(), pick: fc.nat(), keepRoot: fc.boolean() });
    fc.assert(
      fc.property(fc.boolean(), fc.array(step, { minLength: 50, maxLength: 400 }), (sorted, steps) => {
        const state = view();
        const model = new Model();
        const listed: { entry: string; page: bigint }[] = [];
        let counter = 1;
        for (const { add, pick, keepRoot } of steps) {
          if (add || listed.length === 0) {
            counter = (counter * 48_271) % 2_147_483_647;
            const entry = key(counter);
            const insert = sorted ? dirInsert : dirAppend;
            const page = insert(state, ROOT, entry, describeOwnerDir(OWNER));
            expect(page).toBe(model.add(entry, sorted));
            listed.push({ entry, page: page! });
          } else {
            const [{ entry, page }] = listed.splice(pick % listed.length, 1) as [
              { entry: string; page: bigint },
            ];
            expect(dirRemove(state, ROOT, page, entry, keepRoot)).toBe(true);
            model.remove(page, entry, keepRoot);
          }
          expect([...dirEntries(state, ROOT)]).toEqual(model.pages.flatMap(({ keys }) => keys));
        }
        const numbers = [...dirPages(state, ROOT)].map((page) => page.index);
        expect(numbers).toEqual(model.pages.map(({ number }) => keylets.directoryPage(ROOT, number)));
      }),
      { seed, numRuns: 60 },
    );
    console.log(`directories: seed ${seed}`);
  });

  test('link pages as the network does', () => {
    const state = view();
    for (let i = 0; i < 70; i += 1) dirInsert(state, ROOT, key(i + 1), describeOwnerDir(OWNER));
    const links = [...dirPages(state, ROOT)].map(({ IndexNext, IndexPrevious }) => [
      IndexPrevious,
      IndexNext,
    ]);
    // The first page after the root has no link back: a zero that was never set is left out.
    expect(links).toEqual([
      [2n, 1n],
      [undefined, 2n],
      [1n, undefined],
    ]);
    for (let i = 32; i < 70; i += 1) dirRemove(state, ROOT, i < 64 ? 1n : 2n, key(i + 1), false);
    const [root] = dirPages(state, ROOT);
    // A link that was set is reset to zero and stays.
    expect([root!.IndexPrevious, root!.IndexNext]).toEqual([0n, 0n]);
  });

  test('refuse a duplicate key, report a key that is not listed', () => {
    const state = view();
    dirInsert(state, ROOT, key(1), describeOwnerDir(OWNER));
    expect(() => dirInsert(state, ROOT, key(1), describeOwnerDir(OWNER))).toThrow();
    expect(dirRemove(state, ROOT, 0n, key(2), false)).toBe(false);
    expect(dirRemove(state, ROOT, 5n, key(1), false)).toBe(false);
    expect(dirIsEmpty(state, ROOT)).toBe(false);
    expect(emptyDirDelete(state, ROOT)).toBe(false);
  });

  test('drop an empty last page left by an older server', () => {
    const state = view();
    for (let i = 0; i < 33; i += 1) dirInsert(state, ROOT, key(i + 1), describeOwnerDir(OWNER));
    state.peek(keylets.directoryPage(ROOT, 1n))!.Indexes = [];
    for (let i = 0; i < 32; i += 1) dirRemove(state, ROOT, 0n, key(i + 1), false);
    expect([...state.changes()]).toEqual([]);
  });
});

interface RecordedEntry {
  readonly index: string;
  readonly LedgerEntryType: string;
  readonly [name: string]: unknown;
}

describe.skipIf(!corpusDir)('directories of recorded ledgers', () => {
  /** Page fields of entries and the directory that they refer to. */
  const listings = (entry: RecordedEntry): [string, string][] => {
    const low = entry.LowLimit as { issuer: string } | undefined;
    const high = entry.HighLimit as { issuer: string } | undefined;
    if (entry.LedgerEntryType === 'RippleState') {
      return [
        [low!.issuer, String(entry.LowNode ?? '0')],
        [high!.issuer, String(entry.HighNode ?? '0')],
      ];
    }
    return entry.OwnerNode === undefined ? [] : [[String(entry.Account), String(entry.OwnerNode)]];
  };

  test('every entry is listed on the page that it names', async () => {
    const { accountOf } = await import('../../../engine/codec/arithmetic/amount.ts');
    let checked = 0;
    for (const name of ledgerFiles()) {
      const { accountState, verified } = readLedger(name);
      if (!accountState || !verified.account_hash_ok) continue;
      const entries = new Map((accountState as RecordedEntry[]).map((entry) => [entry.index, entry]));
      for (const entry of entries.values()) {
        for (const [address, page] of listings(entry)) {
          const root = keylets.ownerDirectory(accountOf(address)!);
          const directory = entries.get(keylets.directoryPage(root, BigInt(`0x${page}`)));
          // Lines of the first years are not listed by the side that never changed them.
          if (directory === undefined) continue;
          checked += (directory.Indexes as string[]).includes(entry.index) ? 1 : 0;
        }
      }
    }
    console.log(`recorded directories: ${checked} entries on the page they name`);
    expect(checked).toBeGreaterThan(100);
  });
});
