/**
 * Key layouts of the embedded network's store. As in keys.ts: one named database per family, numbers unsigned and
 * big-endian, so that byte order is the order of the ledger.
 *
 *     family        key                                            value
 *     state         | entry index 32 |                             the serialised entry, as of the head
 *     ledgers       | ledger 4 |                                   u32 raw length, zstd of the packed ledger
 *     hashes        | ledger hash 32 |                             ledger 4
 *     closeTimes    | close time 4 | ledger 4 |                    empty
 *     transactions  | transaction hash 32 |                        ledger 4, position 2
 *     accounts      | account 20 | ledger 4 | position 2 |         empty
 *     nfts          | NFT id 32 | ledger 4 | position 2 |          empty
 *     issuers       | issuer 20 | taxon 4 | NFT id 32 |            empty
 *     holders       | MPT issuance 24 | account 20 |               empty
 *
 *     meta          'head'      index 4, hash 32                   written in the transaction of every batch
 *                   'schema'    version 4
 *                   'network'   UTF-8
 *                   'note:' name   UTF-8                       a named text stored with the ledgers
 */

import type { Hex } from '../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf, readU32 } from '../engine/codec/bytes.ts';
import type { Location } from '../sandbox/ledger/store.ts';

export const SandboxFamily = {
  state: 0,
  ledgers: 1,
  hashes: 2,
  closeTimes: 3,
  transactions: 4,
  accounts: 5,
  nfts: 6,
  issuers: 7,
  holders: 8,
} as const;

/** Database names, by family id. */
export const SANDBOX_FAMILY_NAMES = Object.keys(SandboxFamily) as readonly (keyof typeof SandboxFamily)[];

export const HEAD_KEY = Buffer.from('head');
/** Key of a named text. */
export const textKey = (name: string): Buffer => Buffer.from(`note:${name}`);
export const EMPTY = Buffer.alloc(0);
const LOCATION_BYTES = 6;

export function ledgerKey(index: number): Buffer {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(index);
  return key;
}

export function closeTimeKey(closeTime: number, index: number): Buffer {
  const key = Buffer.allocUnsafe(8);
  key.writeUInt32BE(closeTime, 0);
  key.writeUInt32BE(index, 4);
  return key;
}

/** A location after a prefix (which may be empty). */
export function locationKey(prefix: Uint8Array, ledger: number, position: number): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + LOCATION_BYTES);
  key.set(prefix);
  key.writeUInt32BE(ledger, prefix.length);
  key.writeUInt16BE(position, prefix.length + 4);
  return key;
}

/** The location at the end of a key or value. */
export function readLocation(bytes: Uint8Array): Location {
  const at = bytes.length - LOCATION_BYTES;
  return { ledger: readU32(bytes, at), position: (bytes[at + 4]! << 8) | bytes[at + 5]! };
}

export function writeHead(index: number, hash: Uint8Array): Buffer {
  return Buffer.concat([ledgerKey(index), hash]);
}

export function readHead(bytes: Uint8Array): { index: number; hash: Hex } {
  return { index: readU32(bytes, 0), hash: hexOf(bytes, 4, 32) };
}

/** `prefix` followed by `width` bytes of the same value: the first or last key with this prefix. */
export function bound(prefix: Hex, width: number, fill: 0 | 0xff): Buffer {
  const key = Buffer.alloc(prefix.length / 2 + width, fill);
  key.set(bytesOf(prefix));
  return key;
}
