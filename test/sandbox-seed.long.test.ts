/** The seed of the embedded network makes its ledgers, and stays with it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, eventually, hashAt, held, type Program, startProgram } from './sandbox-program.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-seed-'));
const running = new Set<Program>();

afterAll(async () => {
  await Promise.all([...running].map((program) => program.kill()));
  rmSync(base, { recursive: true, force: true });
});

async function start(folder: string, ...options: readonly string[]): Promise<Program> {
  const program = await startProgram(join(base, folder), ...options);
  running.add(program);
  return program;
}

describe('the seed', () => {
  const N = 80;

  /** Close time of ledger 2, and the hashes of ledgers up to N. @param at kills it and starts it again there */
  async function chain(
    folder: string,
    seed: string,
    at?: number,
  ): Promise<{ day: number; hashes: string[] }> {
    const options = ['--sandbox-days=1', `--sandbox-seed=${seed}`];
    const until = (program: Program, index: number) =>
      eventually(`ledger ${index}`, async () => ((await held(program))[1] >= index ? true : undefined));
    let program = await start(folder, ...options);
    if (at !== undefined) {
      await until(program, at);
      running.delete(program);
      await program.kill();
      program = await start(folder, ...options);
    }
    await until(program, N);
    const hashes = await Promise.all(Array.from({ length: N }, (_, i) => hashAt(program.node, i + 1)));
    const day = (await ask(program.node, 'ledger', { ledger_index: 2 })).ledger.close_time;
    running.delete(program);
    await program.kill();
    return { day, hashes };
  }

  test('the same gives the same ledgers, also when killed on the way; another gives others', async () => {
    let [one, two] = [await chain('seed-1', 'alpha'), await chain('seed-2', 'alpha', 20)];
    // A midnight in between: those of one day are compared.
    if (one.day !== two.day)
      [one, two] = [await chain('seed-3', 'alpha'), await chain('seed-4', 'alpha', 20)];
    expect(two.hashes.findIndex((hash, i) => hash !== one.hashes[i])).toBe(-1);
    const other = await chain('seed-5', 'beta');
    expect(other.hashes[0]).toBe(one.hashes[0]!);
    expect(other.hashes[N - 1]).not.toBe(one.hashes[N - 1]);
  });

  test('a network with a population keeps its seed, and says so', async () => {
    let program = await start('kept', '--sandbox-days=1', '--sandbox-seed=one');
    await eventually('ledger 20', async () => ((await held(program))[1] >= 20 ? true : undefined));
    const tenth = await hashAt(program.node, 10);
    await program.stop();
    program = await start('kept', '--sandbox-days=1', '--sandbox-seed=two');
    expect(await hashAt(program.node, 10)).toBe(tenth);
    expect(program.log.find((line) => line.level === 40)?.msg).toContain('--sandbox-reset');
    await program.stop();
  });
});
