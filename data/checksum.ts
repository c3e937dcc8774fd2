/**
 * A checksum after each stored value: CRC-32 of family, key and value. It includes the key, so that a row that damage moved
 * to another key is detected. A value with its checksum is called sealed.
 *
 *     stored value = | value | checksum 4 LE |
 *
 * CRC-32 detects every change within 32 neighbouring bits, and all but one in 4,000 million of other changes. It costs 4
 * bytes a row, 0.3 us for a block of 2.4 KB and 0.1 us for a short row; it is written on the writer thread.
 *
 * Version 0.2.0 wrote none. Its rows of fixed length are recognised by that length, its ledgers by the highest bit of their
 * raw length, and stay as they are; all others got their checksum when the store was migrated (migrations.ts).
 */
import { FAMILIES, type FamilyDescriptor, type FamilyId } from '../engine/families.ts';
import { corrupt, type StoreError } from './errors.ts';
import { FAMILY_NAMES, Family } from './keys.ts';

export const CHECKSUM_BYTES = 4;

/** In the raw length of a ledger: a checksum follows. */
export const LEDGER_SEALED = 0x80000000;

/** Lengths of values that may have no checksum, by family id. */
const UNSEALED_BYTES: readonly (number | undefined)[] = FAMILY_NAMES.map(
  (name) => (FAMILIES[name] as FamilyDescriptor).bare,
);

/** Whether a family may still have rows without checksum. */
export function mayBeUnsealed(family: FamilyId): boolean {
  return family === Family.ledgers || UNSEALED_BYTES[family] !== undefined;
}

function checksumOf(space: number, key: Uint8Array, value: Uint8Array): number {
  return Bun.hash.crc32(value, Bun.hash.crc32(key, space));
}

/**
 * Writes the checksum into the last bytes of a stored value, which are reserved for it.
 * @param space distinguishes rows with the same key: the family's id
 */
export function seal(space: number, key: Uint8Array, stored: Uint8Array): void {
  const end = stored.length - CHECKSUM_BYTES;
  const sum = checksumOf(space, key, stored.subarray(0, end));
  for (let i = 0; i < CHECKSUM_BYTES; i++) stored[end + i] = sum >>> (8 * i);
}

/** A value followed by its checksum. */
export function sealed(space: number, key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const stored = Buffer.concat([...parts, Buffer.alloc(CHECKSUM_BYTES)]);
  seal(space, key, stored);
  return stored;
}

/** The value without its checksum; undefined when it is not what was stored under this key. */
export function opened(space: number, key: Uint8Array, stored: Uint8Array): Uint8Array | undefined {
  const end = stored.length - CHECKSUM_BYTES;
  if (end < 0) return undefined;
  const value = stored.subarray(0, end);
  return storedSum(stored, end) === checksumOf(space, key, value) ? value : undefined;
}

/** Whether a value is what was stored under its key, of bytes in which the stored value, which ends at `to`, follows the key. */
export function isSealed(space: number, bytes: Uint8Array, from: number, to: number): boolean {
  const end = to - CHECKSUM_BYTES;
  return end >= from && storedSum(bytes, end) === Bun.hash.crc32(bytes.subarray(from, end), space);
}

/** A checksum as it is stored. */
function storedSum(bytes: Uint8Array, at: number): number {
  let sum = 0;
  for (let i = CHECKSUM_BYTES - 1; i >= 0; i--) sum = sum * 256 + bytes[at + i]!;
  return sum;
}

/**
 * The value of a family's row.
 * @param dir for the error message
 * @throws StoreError corrupt when it is not what was stored under this key
 */
export function unseal(family: FamilyId, key: Uint8Array, stored: Uint8Array, dir: string): Uint8Array {
  if (stored.length === UNSEALED_BYTES[family]) return stored;
  if (family === Family.ledgers && stored.length > 0 && stored[0]! < 0x80) return stored;
  const value = opened(family, key, stored);
  if (value === undefined) throw damagedRow(family, key, dir);
  return value;
}

function damagedRow(family: FamilyId, key: Uint8Array, dir: string): StoreError {
  const row = Buffer.from(key).toString('hex');
  return corrupt(dir, `table '${FAMILY_NAMES[family]}': row ${row} is not what was written`);
}
