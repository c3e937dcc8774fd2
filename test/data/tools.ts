/** Small things the storage tests share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cursor } from '../../engine/store.ts';

export function temporaryDir(): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-store-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** A 32-byte hash that is a function of `seed` and spreads over the whole key space. */
export function hashOf(seed: number): Uint8Array {
  return new Uint8Array(new Bun.CryptoHasher('sha256').update(`hash ${seed}`).digest());
}

export function cursorOf(index: number): Cursor {
  return { index, hash: hashOf(index), closeTime: index * 4 };
}
