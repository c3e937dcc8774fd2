/** Makes one batch durable: what the writer thread does with each message. */

import { readU32 } from '../engine/codec/bytes.ts';
import { CHECKSUM_BYTES, LEDGER_SEALED, seal } from './checksum.ts';
import type { Environment } from './environment.ts';
import { StoreError, storeError } from './errors.ts';
import { CURSOR_BYTES, FAMILY_NAMES, Family, MetaKey } from './keys.ts';
import { readMeta, writeMeta } from './meta.ts';
import { addToRanges, readRanges, writeRanges } from './ranges.ts';
import { type FamilyRows, type Rows, sortRows } from './sort.ts';

/** Level 1: a packed ledger shrinks to about half, at several hundred MB/s. */
const ZSTD = { level: 1 } as const;

/** What one batch cost the writer. */
export interface WriteCost {
  readonly rows: number;
  /** Milliseconds spent on sorting, on compressing, and on the transaction with its sync. */
  readonly sortMs: number;
  readonly compressMs: number;
  readonly transactionMs: number;
}

/**
 * Writes the rows and the cursor in one synchronous transaction.
 * @param cursor its 40 bytes
 * @param expected the 40 bytes this writer stored last; undefined: nothing yet
 * @throws StoreError; nothing of the batch is stored then
 */
export function writeBatch(
  environment: Environment,
  chunks: Rows,
  cursor: Uint8Array,
  expected: Uint8Array | undefined,
): WriteCost {
  const { root, families, dir } = environment;
  const start = performance.now();
  const sorted = sortRows(chunks, FAMILY_NAMES.length);
  const sortedAt = performance.now();
  const ledgers = compressLedgers(sorted[Family.ledgers]);
  const compressedAt = performance.now();
  let rows = 0;
  try {
    root.transactionSync(() => {
      checkCursor(readMeta(environment, MetaKey.cursor), expected, dir);
      if (ledgers.length > 0) {
        const ranges = readRanges(readMeta(environment, MetaKey.ranges));
        for (const { key, value } of ledgers) {
          families[Family.ledgers]!.putSync(key, value);
          addToRanges(ranges, readU32(key, 0));
        }
        writeMeta(environment, MetaKey.ranges, writeRanges(ranges));
        rows += ledgers.length;
      }
      for (let family = 0; family < families.length; family++) {
        if (family === Family.ledgers) continue;
        const table = families[family]!;
        sorted[family]?.forEach((key, value) => {
          seal(family, key, value);
          table.putSync(key, value);
          rows++;
        });
      }
      writeMeta(environment, MetaKey.cursor, cursor);
    });
  } catch (error) {
    throw storeError(error, dir);
  }
  return {
    rows,
    sortMs: sortedAt - start,
    compressMs: compressedAt - sortedAt,
    transactionMs: performance.now() - compressedAt,
  };
}

/** The value of a ledger row: its raw length, which bounds what reading it back may unpack, the frame, its checksum. */
function compressLedgers(rows: FamilyRows | undefined): { key: Uint8Array; value: Uint8Array }[] {
  const ledgers: { key: Uint8Array; value: Uint8Array }[] = [];
  rows?.forEach((key, packed) => {
    const frame = Bun.zstdCompressSync(packed, ZSTD);
    const value = Buffer.allocUnsafe(4 + frame.length + CHECKSUM_BYTES);
    value.writeUInt32BE((packed.length | LEDGER_SEALED) >>> 0, 0);
    value.set(frame, 4);
    const at = key.slice();
    seal(Family.ledgers, at, value);
    ledgers.push({ key: at, value });
  });
  return ledgers;
}

/** Another process that wrote to the store in between would make history and state of two programs one mixture. */
function checkCursor(found: Uint8Array | undefined, expected: Uint8Array | undefined, dir: string): void {
  if (found === undefined && expected === undefined) return;
  if (found && expected && Buffer.compare(found.subarray(0, CURSOR_BYTES), expected) === 0) return;
  throw new StoreError(
    'locked',
    `${dir}: another process has written to this store. Let one process only write to a directory, then start again`,
  );
}
