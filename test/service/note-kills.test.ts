/** Notes of callers of the tools outlive kill -9: what was answered as written is there after the restart, with its text. */
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ArchiveWriter } from '../../engine/ledger/archive-writer.ts';
import { relaidChain } from '../../support/chain.ts';
import { call } from '../api/mcp/served.ts';
import { casesOf } from '../cases.ts';
import { startCommand } from '../deploy/program.ts';
import { until } from '../live-rig.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const PROGRAM = resolve(import.meta.dir, '../../service/main.ts');

interface Program {
  readonly url: string;
  /** Once or several times. */
  kill(): Promise<unknown>;
}

/** The service over a few recorded ledgers. @throws Error where it ends before it listens */
async function start(dir: string): Promise<Program> {
  const archive = join(dir, 'ledgers.mlr');
  if (!existsSync(archive)) {
    const writer = ArchiveWriter.open(archive);
    for (const ledger of relaidChain({ ledgers: 3, transactionsPerLedger: 5 })) writer.append(ledger);
    writer.close();
  }
  const options = [`--data=${join(dir, 'data')}`, `--source=file:${archive}`, '--workers=0', '--port=0'];
  const argv = [process.execPath, PROGRAM, ...options, '--rate-feed=none'];
  const { url, stop } = await startCommand({ argv, cwd: dir, env: {} });
  let ended: Promise<unknown> | undefined;
  const kill = () => {
    ended ??= stop('SIGKILL');
    return ended;
  };
  const program = { url, kill };
  // It listens before it has opened the store of notes.
  await until(async () => !(await callOf(program, 'get_notes', {})).isError, 'the notes');
  return program;
}

const callOf = async ({ url }: Program, name: string, sent: object) =>
  (await call(`${url}/mcp`, 'tools/call', { name, arguments: sent })).body.result;

const seed = seedOf('notes');
const ROUNDS = casesOf(2, 8);
/** Fewer than there are writes, so that notes are written over. */
const NAMES = 12;
const WRITERS = 3;
/** Answers before the kill of a round, at most. */
const ANSWERS_MAX = 40;

/** By name: the text that was answered last as written, and those sent since. */
type Expected = Map<string, { written: string | undefined; sent: string[] }>;

const answerOf = async (program: Program, name: string, sent: object) => {
  const { isError, content, structuredContent } = await callOf(program, name, sent);
  if (isError) throw new Error(content[0].text);
  return structuredContent;
};

/** Writes one note after another until the program is gone. Each writer has names of its own. */
async function write(program: Program, writer: number, expected: Expected, onWritten: () => void) {
  for (let n = 0; ; n++) {
    const name = `note ${writer} ${n % NAMES}`;
    const text = `${n} of ${crypto.randomUUID()}`;
    const one = expected.get(name) ?? { written: undefined, sent: [] };
    expected.set(name, { ...one, sent: [...one.sent, text] });
    try {
      await answerOf(program, 'write_note', { name, text });
    } catch (error) {
      // Anything but a connection that broke is a refusal, which ends the test.
      if (typeof (error as { code?: unknown }).code === 'string') return;
      throw error;
    }
    expected.set(name, { written: text, sent: [] });
    onWritten();
  }
}

async function check(program: Program, expected: Expected): Promise<void> {
  const { total, notes } = await answerOf(program, 'get_notes', { limit: 100 });
  expect(total).toBe(notes.length);
  const found = new Map<string, string>(
    notes.map(({ name, text }: { name: string; text: string }) => [name, text]),
  );
  for (const [name, { written, sent }] of expected) {
    const text = found.get(name);
    const allowed: (string | undefined)[] = [written, ...sent];
    expect(allowed, name).toContain(text);
    expected.set(name, { written: text, sent: [] });
  }
  expect([...found.keys()].filter((name) => !expected.has(name))).toEqual([]);
}

test(`notes that were answered as written are there after ${ROUNDS} kills (seed ${seed})`, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-notes-'));
  const expected: Expected = new Map();
  const draws = drawsOf(seed);
  try {
    for (let round = 0; ; round++) {
      const program = await start(dir);
      try {
        await check(program, expected);
        if (round === ROUNDS) break;
        let left = 1 + draws(ANSWERS_MAX);
        const { promise: enough, resolve } = Promise.withResolvers<void>();
        const writing = Promise.all(
          Array.from({ length: WRITERS }, (_, writer) =>
            write(program, writer, expected, () => {
              if (--left === 0) resolve();
            }),
          ),
        );
        await Promise.race([enough, writing]);
        await program.kill();
        await writing;
      } finally {
        await program.kill();
      }
    }
    expect([...expected.values()].filter(({ written }) => written !== undefined).length).toBeGreaterThan(0);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
