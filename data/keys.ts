/**
 * Key layouts. One named LMDB database a family: its keys need no prefix byte, its size is one call away, and
 * its tree is only as deep as the family is large. All numbers are unsigned, big-endian and of fixed width, so
 * that byte order is the order of the ledger and a range is one walk. The list of families: engine/families.ts.
 *
 *     family         key                                            value, each followed by its checksum (checksum.ts)
 *     ledgers        | ledger 4 |                                   u32 raw length, zstd of the packed ledger
 *     closeTimes     | close time 4 | ledger 4 |                    empty
 *     transactions   | transaction hash 32 |                        ledger 4, transaction 2
 *     entries        | ledger entry index 32 |                      ledger 4, transaction 2: its latest change
 *     trades         | ledger 4 | tx 2 | entry 2 |                  trade record
 *     tokenTrades    | token 4 | ledger 4 | tx 2 | entry 2 |        empty: the record is in trades
 *     accountTrades  | account 4 | ledger 4 | tx 2 | entry 2 |      empty: the record is in trades
 *     candles        | level 1 | token 4 | bucket 4 |               candle record
 *     holders        | token 4 | time 4 |                           holders record
 *     rates          | fiat 1 | bucket 4 |                          float64: XRP per unit
 *     blocks         | table 2 | block 4 |                          a block (engine/state/layout.ts)
 *     texts          | kind 1 | id 4 |                              UTF-8
 *     values         | name, UTF-8, 1 .. 255 bytes |                msgpack
 *     log            | kind 1 | batch 4 | part 2 |                 a part of the record of a batch (row-log.ts)
 *     accountEvents  | account 4 | ledger 4 | tx 2 | number 2 |     event record (engine/flows/event-record.ts)
 *     accountTransactions  | account 4 | ledger 4 | tx 2 |            type 2, role 1, 0: an index (engine/accounts/account-index.ts)
 *     nftLedgerEvents  | ledger 4 | number 2 |                       some event records, from that number in the ledger on
 *                                                                    (engine/nfts/event-record.ts, pending-events.ts)
 *     nftUris        | number / 16 4 |                              the URIs of 16 NFTs (engine/nfts/uris.ts)
 *     nftEvents, nftTokenEvents, nftAccountEvents, nftCollectionEvents   of schema version 6: engine/nfts/older-events.ts
 *     runs           | family 1 | run 4 | hash 16 |                 locations by hash (hash-runs.ts)
 *
 *     meta           'cursor'   index 4, close time 4, hash 32      written in the transaction of every batch
 *                    'ranges'   (first 4, last 4) ...               stored ledgers, ascending
 *                    'schema'   version 9
 *                    'step'     where a migration of several transactions continues
 *                    'network'  UTF-8
 *                    'log'      how far the log is (row-log.ts)
 *                    'runs'     the list of runs (hash-runs.ts)
 *
 * Times are Ripple epoch seconds. A position is | ledger 4 | tx 2 | entry 2 |: the protocol closes ledgers of a
 * few hundred transactions and a transaction changes at most some thousand entries; 65,535 is enough for both.
 */
import { readU16, readU32 } from '../engine/codec/bytes.ts';
import { FAMILIES, type FamilyDescriptor, type FamilyName } from '../engine/families.ts';
import type { Cursor, Position, Walk } from '../engine/store.ts';

/** Ids of the families by name. */
export const Family = Object.fromEntries(Object.entries(FAMILIES).map(([name, { id }]) => [name, id])) as {
  readonly [K in FamilyName]: (typeof FAMILIES)[K]['id'];
};

/** Database names, by family id. */
export const FAMILY_NAMES = (Object.keys(FAMILIES) as FamilyName[]).sort((a, b) => Family[a] - Family[b]);

/** The schema version that a family came with; older stores lack it until they are migrated. */
export function familySince(name: string): number {
  return (FAMILIES as Readonly<Record<string, FamilyDescriptor>>)[name]?.since ?? 1;
}

export const POSITION_BYTES = 8;
/** What is kept of a hash (hash-runs.ts). */
export const HASH_KEY_BYTES = 16;
/** Ledger and transaction: a position without its entry number. */
export const LOCATION_BYTES = 6;
export const CURSOR_BYTES = 40;
/** Longest name of a value. */
export const NAME_BYTES_MAX = 255;

export const MetaKey = {
  cursor: Buffer.from('cursor'),
  ranges: Buffer.from('ranges'),
  schema: Buffer.from('schema'),
  step: Buffer.from('step'),
  network: Buffer.from('network'),
  log: Buffer.from('log'),
  runs: Buffer.from('runs'),
} as const;

/** A key of up to 4 numbers: `widths` in bytes (1, 2 or 4). */
export function key(widths: readonly number[], numbers: readonly number[]): Buffer {
  let size = 0;
  for (const width of widths) size += width;
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (let i = 0; i < widths.length; i++) at = bytes.writeUIntBE(numbers[i]!, at, widths[i]!);
  return bytes;
}

/** First and last key of a range: `prefix`, then the bounds of the next number, then any. */
export function recordBounds(
  widths: readonly number[],
  prefix: readonly number[],
  { from, to }: Walk<number>,
): [Buffer, Buffer] {
  const rest = widths.slice(prefix.length);
  const bound = (next: number | undefined, fill: (width: number) => number) =>
    key(widths, [...prefix, ...rest.map((width, i) => (i === 0 && next !== undefined ? next : fill(width)))]);
  return [bound(from, () => 0), bound(to, (width) => 2 ** (8 * width) - 1)];
}

/** `prefix` followed by a position; without one, by the first or last possible position. */
export function positionKey(prefix: Buffer, position: Position | undefined, last: boolean): Buffer {
  const bytes = Buffer.alloc(prefix.length + POSITION_BYTES, last ? 0xff : 0);
  prefix.copy(bytes);
  if (position) {
    bytes.writeUInt32BE(position.ledger, prefix.length);
    bytes.writeUInt16BE(position.tx, prefix.length + 4);
    bytes.writeUInt16BE(position.entry, prefix.length + 6);
  }
  return bytes;
}

export function readPosition(bytes: Uint8Array, at: number): Position {
  return { ledger: readU32(bytes, at), tx: readU16(bytes, at + 4), entry: readU16(bytes, at + 6) };
}

/** Location of a transaction: a position without an entry number. */
export function readLocation(bytes: Uint8Array): Position {
  return { ledger: readU32(bytes, 0), tx: readU16(bytes, 4), entry: 0 };
}

export function writeCursor(cursor: Cursor): Buffer {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.writeUInt32BE(cursor.index, 0);
  bytes.writeUInt32BE(cursor.closeTime, 4);
  bytes.set(cursor.hash, 8);
  return bytes;
}

export function readCursor(bytes: Uint8Array): Cursor {
  return {
    index: readU32(bytes, 0),
    closeTime: readU32(bytes, 4),
    hash: Uint8Array.from(bytes.subarray(8, 40)),
  };
}
