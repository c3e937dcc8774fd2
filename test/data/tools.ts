/** Small things the storage tests share. */
import { expect } from 'bun:test';
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

/** History is merged every few small batches, and its runs soon after. */
export const SMALL_HISTORY = {
  generationBytes: 6_000,
  generationBatches: 5,
  loggedBytes: 1_500,
  runsPerLevel: 3,
};

export function cursorOf(index: number): Cursor {
  return { index, hash: hashOf(index), closeTime: index * 4 };
}

/**
 * Runs a script of this folder in a process of its own and kills it (SIGKILL) some time after its first line.
 * @returns the whole lines it printed
 */
export function linesUntilKilled(
  script: string,
  args: readonly string[],
  afterMs: number,
): Promise<string[]> {
  return killed(script, args, (text, kill) => {
    if (text === '') setTimeout(kill, afterMs);
  });
}

/** The same, as soon as it has printed so many lines. */
export function linesUntilKilledAt(
  script: string,
  args: readonly string[],
  lines: number,
): Promise<string[]> {
  return killed(script, args, (_, kill, text) => {
    if (text.split('\n').length > lines) kill();
  });
}

async function killed(
  script: string,
  args: readonly string[],
  onOutput: (before: string, kill: () => void, text: string) => void,
): Promise<string[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let text = '';
  for await (const part of child.stdout) {
    const before = text;
    text += Buffer.from(part).toString();
    onOutput(before, () => child.kill('SIGKILL'), text);
  }
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  return text.slice(0, text.lastIndexOf('\n')).split('\n');
}
