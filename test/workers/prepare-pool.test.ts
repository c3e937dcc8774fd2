import { describe, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { hexOf } from '../../engine/codec/bytes.ts';
import { Changes } from '../../engine/codec/changes.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { LIMITS } from '../../engine/ledger/limits.ts';
import type { PageFault } from '../../engine/ledger/source.ts';
import { type PoolLimits, preparePool } from '../../workers/prepare-pool.ts';
import { makeChain, recordedLedgers } from '../ledgers.ts';
import { ENDS_AT } from './ending-prepare.worker.ts';

const ledgers = [...makeChain({ count: 30, transactions: 5 }), ...recordedLedgers()];

describe('prepare pool', () => {
  test('gives the same change sets inline and for any number of threads', async () => {
    const inline = preparePool(0);
    const expected = await Promise.all(ledgers.map((ledger) => inline.prepare(ledger)));
    for (const [workers, batch] of [
      [1, 1],
      [1, 8],
      [3, 4],
      [3, 1000],
    ] as const) {
      const pool = preparePool(workers, { batch });
      const found = await Promise.all(ledgers.map((ledger) => pool.prepare(ledger)));
      for (const [i, { changes, fault, packed }] of found.entries()) {
        expect(fault).toBeUndefined();
        expect(packed.ledgerIndex).toBe(ledgers[i]!.ledgerIndex);
        expect(
          Buffer.compare(
            Buffer.from(changes.slice().buffer),
            Buffer.from(expected[i]!.changes.slice().buffer),
          ),
        ).toBe(0);
        expect(new Changes(changes).transactions).toBe(ledgers[i]!.count);
      }
      await pool.close();
    }
  });

  test('hands memory over without copying it', async () => {
    const pool = preparePool(1);
    const shared = ledgers[0]!;
    expect(shared.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    const { packed, changes } = await pool.prepare(shared);
    expect(packed).toBe(shared);
    expect(changes.buffer).toBeInstanceOf(SharedArrayBuffer);
    const plain = new PackedLedger(shared.bytes.slice());
    expect((await pool.prepare(plain)).fault).toBeUndefined();
    await pool.close();
  });

  test('returns a false ledger with its fault, and continues', async () => {
    for (const pool of [preparePool(0), preparePool(1)]) {
      const bytes = ledgers[0]!.bytes.slice();
      bytes[500] = bytes[500]! ^ 1;
      const bad = await pool.prepare(new PackedLedger(bytes));
      expect(bad.fault).toContain('hash');
      expect(bad.changes.length).toBe(0);
      expect((await pool.prepare(ledgers[1]!)).fault).toBeUndefined();
      await pool.close();
    }
  });

  test('prepares a small ledger that is waited for on the calling thread, every other in the pool', async () => {
    const small = ledgers[0]!;
    const limits = { inlineTransactions: small.count, inlineBytes: small.bytes.length };
    // Only results of a pool thread are on shared memory.
    const inPool = async (change: Partial<PoolLimits>, isNewest: boolean) => {
      const pool = preparePool(1, { ...limits, ...change });
      const { changes } = await pool.prepare(small, isNewest);
      await pool.close();
      return changes.buffer instanceof SharedArrayBuffer;
    };
    expect(await inPool({}, true)).toBe(false);
    expect(await inPool({}, false)).toBe(true);
    expect(await inPool({ inlineTransactions: small.count - 1 }, true)).toBe(true);
    expect(await inPool({ inlineBytes: small.bytes.length - 1 }, true)).toBe(true);
  });

  test('proves a page of a state the same inline and in a thread, which shares what it made', async () => {
    const ledger = ledgers[0]!;
    const state = Array.from({ length: 50 }, (_, i) => ({
      index: (i + 1).toString(16).toUpperCase().padStart(64, '0'),
      data: encode({ LedgerEntryType: 'Amendments', Flags: i } as never),
    }));
    const hash = hexOf(ledger.hash);
    const result = { ledger_hash: hash, marker: state.at(-1)!.index, state };
    const task = {
      text: JSON.stringify({ id: 1, status: 'success', result }),
      header: ledger.header.slice(),
      hash: ledger.hash.slice(),
      tree: undefined,
      limits: LIMITS,
    };
    const [inline, pool] = [preparePool(0), preparePool(1)];
    const expected = await inline.provePage(task);
    const found = await pool.provePage(task);
    expect(found).toEqual(expected);
    if ('fault' in found) throw new Error('it was refused');
    expect(found.entries).toBe(50);
    expect(new Changes(found.changes).nodes).toBe(50);
    for (const { buffer } of [found.page, found.changes]) expect(buffer).toBeInstanceOf(SharedArrayBuffer);
    // The same page again does not follow itself.
    const again = { ...task, tree: found.tree };
    const fault = { code: 'malformed', message: 'state entries are not in the order of their index' };
    for (const prover of [inline, pool])
      expect(await prover.provePage(again)).toEqual({ fault } as unknown as PageFault);
    await pool.close();
  });

  test('loses nothing where a thread ends in the middle of a batch or page, and goes on in another one', async () => {
    const faults: unknown[] = [];
    const filename = new URL('./ending-prepare.worker.ts', import.meta.url).href;
    const pool = preparePool(1, { batch: 4 }, { filename, onFault: (fault) => faults.push(fault) });
    const ending = makeChain({ count: 1, transactions: ENDS_AT })[0]!;
    for (const round of [0, 1]) {
      const asked = [...ledgers.slice(0, 6), ending, ...ledgers.slice(6, 20)];
      const found = await Promise.all(asked.map((ledger) => pool.prepare(ledger)));
      expect(found.map(({ packed, fault }) => [packed, fault])).toEqual(asked.map((one) => [one, undefined]));
      for (const { packed, changes } of found) expect(new Changes(changes).transactions).toBe(packed.count);
      expect(faults.length).toBeGreaterThan(round);
      const { changes } = await pool.prepare(ledgers[0]!);
      expect(changes.buffer).toBeInstanceOf(SharedArrayBuffer);
    }
    const before = faults.length;
    const task = { text: '', header: ending.header, hash: ending.hash, tree: undefined, limits: LIMITS };
    expect(await pool.provePage(task)).toEqual(await preparePool(0).provePage(task));
    expect(faults.length).toBe(before + 1);
    await pool.close();
  });

  test('loses nothing where no thread starts, and asks for none any more', async () => {
    const faults: unknown[] = [];
    const filename = new URL('./unstarted-prepare.worker.ts', import.meta.url).href;
    const pool = preparePool(2, { batch: 2 }, { filename, onFault: (fault) => faults.push(fault) });
    const prepareAll = () => Promise.all(ledgers.slice(0, 20).map((ledger) => pool.prepare(ledger)));
    const found = await prepareAll();
    expect(found.map(({ packed, fault }) => [packed, fault])).toEqual(
      ledgers.slice(0, 20).map((one) => [one, undefined]),
    );
    const before = faults.length;
    expect(before).toBeGreaterThan(0);
    expect(await prepareAll()).toHaveLength(20);
    expect(faults).toHaveLength(before);
    await pool.close();
  });

  test('what waits when it is closed is not prepared', async () => {
    const faults: unknown[] = [];
    const pool = preparePool(1, {}, { onFault: (fault) => faults.push(fault) });
    const waiting = pool.prepare(ledgers[0]!).then(
      () => 'prepared',
      () => 'rejected',
    );
    await pool.close();
    expect([await waiting, faults]).toEqual(['rejected', []]);
    await expect(pool.prepare(ledgers[0]!)).rejects.toThrow('stopping');
  });

  test('takes a sane number of threads only', () => {
    for (const workers of [-1, 1.5, Number.NaN, 1000]) expect(() => preparePool(workers)).toThrow(RangeError);
  });
});
