import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { hashes } from 'xrpl';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { PACKED_DIRECTORY_OFFSET, PACKED_ROW_BYTES, PackedLedger } from '../../../engine/codec/packed.ts';
import { packRecorded } from '../../../engine/ledger/corpus-import.ts';
import { prepare } from '../../../engine/ledger/prepare.ts';
import { prove, transactionTreeRoot } from '../../../engine/ledger/proof.ts';
import { ledgerFiles, readLedger } from '../../../support/corpus.ts';
import { makeChain, recordedLedgers, recordedRun } from '../../ledgers.ts';
import { seeded } from './quiet.ts';

const SEED = Number(process.env.SEED ?? 20_240_601);

/** How the engine treats bytes from outside. */
function faultOf(bytes: Uint8Array): string | undefined {
  try {
    return prove(new PackedLedger(bytes));
  } catch (error) {
    return (error as Error).message;
  }
}

function flipped(packed: PackedLedger, at: number, bit: number): Uint8Array {
  const bytes = packed.bytes.slice();
  bytes[at] = bytes[at]! ^ (1 << bit);
  return bytes;
}

/** At least one position in every part of a packed ledger. */
function positionClasses(packed: PackedLedger): Record<string, [number, number]> {
  const parts: Record<string, [number, number]> = {
    magic: [0, 4],
    count: [4, 4],
    'ledger hash': [8, 32],
    'ledger index': [40, 4],
    'total coins': [44, 8],
    'parent hash': [52, 32],
    'transaction root': [84, 32],
    'account hash': [116, 32],
    'close times': [148, 8],
    'close resolution and flags': [156, 2],
    padding: [158, 2],
  };
  for (let i = 0; i < packed.count; i++) {
    parts[`directory row ${i}`] = [PACKED_DIRECTORY_OFFSET + i * PACKED_ROW_BYTES, PACKED_ROW_BYTES];
    parts[`transaction ${i}`] = [packed.txOffset(i), packed.txLength(i)];
    parts[`metadata ${i}`] = [packed.txOffset(i) + packed.txLength(i), packed.metaLength(i)];
  }
  return parts;
}

describe('proof of a made-up chain', () => {
  const chain = makeChain({ count: 5, transactions: 7 });

  test('accepts ledgers that the xrpl package hashed', () => {
    for (const ledger of chain) expect(prove(ledger)).toBeUndefined();
    expect(prove(makeChain({ count: 1, transactions: 0 })[0]!)).toBeUndefined();
    expect(prove(makeChain({ count: 1, transactions: 300 })[0]!)).toBeUndefined();
  });

  test('catches every single changed bit of a whole ledger', () => {
    const ledger = chain[0]!;
    for (let at = 0; at < ledger.bytes.length; at++)
      for (let bit = 0; bit < 8; bit++) expect(faultOf(flipped(ledger, at, bit))).toBeDefined();
  });

  test('catches bytes added, cut off or moved', () => {
    const { bytes } = chain[0]!;
    expect(faultOf(new Uint8Array([...bytes, 0]))).toBeDefined();
    for (let cut = 1; cut < bytes.length; cut += 7) expect(faultOf(bytes.slice(0, -cut))).toBeDefined();
    expect(faultOf(new Uint8Array(0))).toBeDefined();
    const twice = bytes.slice();
    twice.copyWithin(PACKED_DIRECTORY_OFFSET + 12, PACKED_DIRECTORY_OFFSET, PACKED_DIRECTORY_OFFSET + 12);
    expect(faultOf(twice)).toBeDefined();
  });

  test('is part of every preparation', () => {
    const good = prepare(chain[1]!.bytes);
    expect('changes' in good && good.changes[0]).toBe(7);
    expect(prepare(flipped(chain[1]!, 400, 3))).toHaveProperty('fault');
    expect(prepare(new Uint8Array(12))).toHaveProperty('fault');
  });
});

describe.skipIf(recordedLedgers().length === 0)('proof of recorded ledgers', () => {
  const ledgers = recordedLedgers();

  test('accepts them all', () => {
    expect(ledgers.length).toBeGreaterThan(50);
    for (const ledger of ledgers) expect(prove(ledger)).toBeUndefined();
  });

  test('finds the root and the hashes of the recording and of the xrpl package', () => {
    let compared = 0;
    for (const name of ledgerFiles()) {
      const recorded = readLedger(name);
      const packed = packRecorded({ ...recorded, network: 'mainnet' } as never);
      if ('reason' in packed) continue;
      const { root, hashes: found } = transactionTreeRoot(packed);
      expect(hexOf(root)).toBe(String(recorded.header.transaction_hash));
      for (const [i, { hash }] of recorded.transactions!.entries())
        expect(hexOf(found, i * 32, 32)).toBe(hash);
      const rows = recorded.transactions!.map(({ tx, meta }) => ({ ...tx, metaData: meta }));
      try {
        expect(hashes.hashTxTree(rows as never)).toBe(hexOf(root));
        compared++;
      } catch {
        // The reference encoder refuses some real amounts (negative XRP) and some unsigned pseudo-transactions.
      }
    }
    expect(compared).toBeGreaterThan(30);
  });

  test('links the recorded run', () => {
    const run = recordedRun();
    expect(run.length).toBe(21);
    for (let i = 1; i < run.length; i++) expect(hexOf(run[i]!.parentHash)).toBe(hexOf(run[i - 1]!.hash));
  });

  test(`catches a changed byte at every kind of place and many random ones (seed ${SEED})`, () => {
    const random = seeded(SEED);
    for (const ledger of recordedRun()) {
      for (const [from, length] of Object.values(positionClasses(ledger))) {
        const at = from + Math.floor(random() * length);
        expect(faultOf(flipped(ledger, at, Math.floor(random() * 8)))).toBeDefined();
      }
      for (let i = 0; i < 100; i++) {
        const at = Math.floor(random() * ledger.bytes.length);
        expect(faultOf(flipped(ledger, at, Math.floor(random() * 8)))).toBeDefined();
      }
    }
  });

  test('costs little more than the hashes it is made of', () => {
    const largest = ledgers.reduce((a, b) => (b.count > a.count ? b : a));
    const bare = () => createHash('sha512').update(largest.bytes).digest();
    const timed = (job: () => unknown): number => {
      const start = performance.now();
      for (let i = 0; i < 10; i++) job();
      return performance.now() - start;
    };
    for (let i = 0; i < 200; i++) prove(largest);
    const pairs = Array.from({ length: 30 }, () => [timed(() => prove(largest)), timed(bare)] as const);
    // The fastest run of each: other programs on the machine can only add time.
    const [proof, hash] = [0, 1].map((of) => Math.min(...pairs.map((pair) => pair[of]!)));
    console.log(
      `proof of ${largest.count} transactions: ${(proof! / hash!).toFixed(1)} times SHA-512 of its bytes`,
    );
    expect(proof! / hash!).toBeLessThan(15);
  });
});
