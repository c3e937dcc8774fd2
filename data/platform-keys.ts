/**
 * Key layouts of the platform's store (platform/store.ts). As in keys.ts: byte order is the order of a walk.
 *
 *     family     key                                                   value, each followed by its checksum (checksum.ts)
 *     rows       | collection | 0 | key |                              version 2, msgpack
 *     indexes    | collection | 0 | index | 0 | index key | key |      the row's key; in a unique index the key of the
 *                                                                      index row ends with the index key
 *     positions  | cause | 0 | ledger 4 | tx 2 | entry 2 |             empty
 *
 *     meta       'schema', 'network'                                   as in every store
 *                'commits'              number 8                       groups of transactions committed
 *                'collection:' name     msgpack                        see CollectionRecord
 *                'settled:' cause       ledger 4
 *
 *     a key's part:  number | 1 | 7 bytes |     text | 2 | UTF-8 | 0 |
 *
 * Each part shows its own end, so a key is a prefix of another one only where its parts are.
 */
import type { Position } from '../engine/store.ts';
import { type Key, PlatformError } from '../platform/store.ts';
import { positionKey } from './keys.ts';

export const PlatformFamily = { rows: 0, indexes: 1, positions: 2 } as const;

export type PlatformFamilyId = (typeof PlatformFamily)[keyof typeof PlatformFamily];

/** Database names, by family id. */
export const PLATFORM_FAMILY_NAMES = Object.keys(PlatformFamily) as readonly (keyof typeof PlatformFamily)[];

/** Folder of the platform's store in that of the engine's. */
export const PLATFORM_FOLDER = 'platform';

/** Longest key in bytes. LMDB allows 1,978: the key of an index row has two keys and two names. */
export const PLATFORM_KEY_BYTES_MAX = 400;
/** Longest name of a collection, an index or a cause. */
const NAME_LENGTH_MAX = 64;

const PartTag = { number: 1, text: 2 } as const;
const NUMBER_BYTES = 7;
/** Above every tag: a prefix followed by it is an upper bound of all keys with that prefix. */
const ABOVE = Buffer.from([0xff]);

export const COMMITS_KEY = Buffer.from('commits');
export const collectionKey = (name: string): Buffer => Buffer.from(`collection:${name}`);
export const settledKey = (cause: string): Buffer => Buffer.from(`settled:${cause}`);

/** @throws PlatformError bad-key */
export function checkName(name: string): void {
  if (name.length <= NAME_LENGTH_MAX && /^[a-z][a-z0-9-]*$/.test(name)) return;
  throw new PlatformError(
    'bad-key',
    `'${name.slice(0, NAME_LENGTH_MAX)}' is no name: up to ${NAME_LENGTH_MAX} lower-case letters, digits, hyphens`,
  );
}

/** The common prefix of all keys of a collection, an index or a cause. */
export function space(...names: readonly string[]): Buffer {
  return Buffer.from(`${names.join('\0')}\0`);
}

/** @throws PlatformError bad-key */
export function encodeKey(key: Key): Buffer {
  const parts = key.map((part) => (typeof part === 'number' ? encodeNumber(part) : encodeText(part)));
  const bytes = Buffer.concat(parts);
  if (bytes.length > PLATFORM_KEY_BYTES_MAX)
    throw new PlatformError(
      'bad-key',
      `a key of ${bytes.length} bytes; at most ${PLATFORM_KEY_BYTES_MAX} fit`,
    );
  return bytes;
}

function encodeNumber(part: number): Buffer {
  if (!Number.isSafeInteger(part) || part < 0)
    throw new PlatformError('bad-key', `${part} in a key is no whole number from 0 to 2^53 - 1`);
  const bytes = Buffer.alloc(1 + NUMBER_BYTES);
  bytes[0] = PartTag.number;
  bytes.writeUIntBE(Math.floor(part / 2 ** 32), 1, 3);
  bytes.writeUInt32BE(part % 2 ** 32, 4);
  return bytes;
}

function encodeText(part: string): Buffer {
  // All lone surrogates have the same bytes in UTF-8.
  if (part.includes('\0') || !part.isWellFormed())
    throw new PlatformError('bad-key', 'a text in a key holds a zero character or half a character');
  return Buffer.concat([Buffer.from([PartTag.text]), Buffer.from(part), Buffer.alloc(1)]);
}

export function decodeKey(bytes: Uint8Array): Key {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const key: (string | number)[] = [];
  for (let at = 0; at < buffer.length; ) {
    if (buffer[at] === PartTag.number) {
      key.push(buffer.readUIntBE(at + 1, 3) * 2 ** 32 + buffer.readUInt32BE(at + 4));
      at += 1 + NUMBER_BYTES;
    } else {
      const end = buffer.indexOf(0, at);
      key.push(buffer.toString('utf8', at + 1, end));
      at = end + 1;
    }
  }
  return key;
}

/** Upper bound of all keys that begin with `prefix`. */
export function endOf(prefix: Uint8Array): Buffer {
  return Buffer.concat([prefix, ABOVE]);
}

/** @throws PlatformError bad-key */
export function appliedKey(cause: string, position: Position): Buffer {
  const { ledger, tx, entry } = position;
  if (!isUint(ledger, 32) || !isUint(tx, 16) || !isUint(entry, 16))
    throw new PlatformError('bad-key', `${ledger}.${tx}.${entry} is no ledger position`);
  return positionKey(space(cause), position, false);
}

/** The last possible position of a ledger. @throws PlatformError bad-key */
export function lastOfLedger(cause: string, ledger: number): Buffer {
  if (!isUint(ledger, 32)) throw new PlatformError('bad-key', `${ledger} is no ledger index`);
  return positionKey(space(cause), { ledger, tx: 0xffff, entry: 0xffff }, false);
}

function isUint(value: number, bits: 16 | 32): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** bits;
}
