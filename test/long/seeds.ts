/**
 * Every test file that draws from a seed, again with another seed and all of its cases (test/cases.ts), and every file that
 * `npm test` leaves out for its length. The files are found by what they read (SEED, casesOf, sampled) and by their names (test-queue.mjs), so
 * a new one joins by itself. A failure prints the command that brings it back.
 */
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Drawn anew in every run, so that runs add up. */
const SEEDS_PER_FILE = 1;
const LIMIT_MS = 10 * 60_000;
const root = resolve(import.meta.dir, '../..');
const { LONG_END }: { readonly LONG_END: string } = await import(join(root, 'test-queue.mjs'));

function filesToRun(): string[] {
  const isSeeded = (name: string): boolean =>
    /process\.env\.SEED|\bseedOf\(|\bcasesOf\(|\bsampled\(/.test(
      readFileSync(join(root, 'test', name), 'utf8'),
    );
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && (name.endsWith(LONG_END) || isSeeded(name)))
    .sort();
}

function runOnce(file: string, seed: number): { readonly passed: boolean; readonly output: string } {
  const child = Bun.spawnSync([process.execPath, 'test', '--timeout', String(LIMIT_MS), `./test/${file}`], {
    cwd: root,
    env: { ...process.env, THOROUGH: '1', SEED: String(seed) },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  return { passed: child.exitCode === 0, output: `${child.stdout}${child.stderr}` };
}

for (const file of filesToRun()) {
  test(
    `${file} with further seeds: ${SEEDS_PER_FILE}`,
    () => {
      for (let i = 0; i < SEEDS_PER_FILE; i++) {
        const seed = Math.floor(Math.random() * 2 ** 31);
        const { passed, output } = runOnce(file, seed);
        if (!passed) console.log(`${output}\nTHOROUGH=1 SEED=${seed} npm test -- ./test/${file}`);
        expect(passed).toBe(true);
      }
    },
    LIMIT_MS,
  );
}
