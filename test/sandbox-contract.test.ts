/**
 * A running service on the embedded network, measured from outside: by its own OpenAPI document, answer by answer, and by
 * the check of the contract where that exists beside this checkout. First while its history is made, then when it is complete.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CLIENT_CALLS, type ClientCall, filledIn, missingNames } from './api/client-names.ts';
import { asks, Document, type Known } from './api/document.ts';
import { casesOf } from './cases.ts';
import { type Answer, eventually, type Program, page, startProgram } from './sandbox-program.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-contract-'));
const CHECK = resolve(import.meta.dir, '../../shared/check/contract.mjs');
/** Sections whose built routes are measured. */
const SECTIONS = '4.1,4.2,4.3,4.4,4.5,4.10';

/** Of the questions to an operation, the first and each of so many. */
const QUESTIONS_EVERY = casesOf(90, 1);

type Phase = 'while history is made' | 'with its history';
/** How often the first question to each operation is asked, and each of the others. */
const TIMES: Readonly<Record<Phase, readonly [number, number]>> = {
  'while history is made': [1, 0],
  'with its history': [2, 1],
};

let program: Program;
/** The same in both phases: compiling its schemas takes longer than asking. */
let document: Document | undefined;

beforeAll(async () => {
  program = await startProgram(base, '--sandbox-days=1');
  await eventually('a market', async () => (await listed()).length >= 5 || undefined);
});

afterAll(async () => {
  expect(await program.stop()).toBe(0);
  rmSync(base, { recursive: true, force: true });
});

const listed = async (): Promise<Answer[]> => (await page(program, '/v1/tokens?limit=20'))?.tokens ?? [];

async function knownOf(): Promise<Known> {
  const token = (await listed()).find(({ tokenType }) => tokenType === 'trustline')!;
  const trades = await eventually('a trade', () => page(program, `/v1/history?md5=${token.md5}&type=all`));
  const ledger = await page(program, '/v1/ledger/validated');
  return {
    md5: token.md5,
    account: token.issuer,
    index: String(ledger!.ledger_index),
    hash: trades.data[0]?.hash ?? ledger!.transactions[0] ?? '0'.repeat(64),
  };
}

/**
 * Every operation, every parameter, values of every sort: what is wrong with the answers.
 * @param phase at first each operation is asked once; then its first question twice (made, and kept), and all the others
 */
async function deviations(phase: Phase): Promise<string[]> {
  document ??= new Document((await page(program, '/openapi.json'))!);
  const known = await knownOf();
  const faults: string[] = [];
  for (const operation of document.operations)
    for (const [i, { method, path, body }] of [...asks(operation, known)].entries()) {
      if (i % QUESTIONS_EVERY > 0) continue;
      for (let time = 0; time < TIMES[phase][i === 0 ? 0 : 1]; time++) {
        const init = { method, redirect: 'manual' as const, ...(body !== undefined && { body }) };
        const response = await fetch(`${program.url}/v1${path}`, init);
        const found = await document.faults(operation, response, path.includes('fields='));
        faults.push(...found.map((fault) => `${method} ${path} ${body ?? ''}: ${fault}`));
      }
    }
  return faults;
}

/** Runs the check of the contract. @returns what it printed from its first deviation on; empty when there is none */
async function checked(): Promise<string> {
  const args = [CHECK, program.url, '--section', SECTIONS, '--probe', '--json'];
  const child = Bun.spawn([process.execPath, ...args], { stdout: 'pipe', stderr: 'inherit' });
  const report = JSON.parse(await new Response(child.stdout).text()) as Answer;
  expect(report.probed.probed).toBeGreaterThan(20);
  return report.deviations
    .map((one: Answer) => `${one.method} ${one.path} ${one.what} ${one.request ?? ''}`)
    .join('\n');
}

/** The network's history is complete, and the service, which may be slower, shows its newest ledger. */
const isWhole = async (): Promise<true | undefined> => {
  // The network says so itself: the service may have caught up with one that still makes its history.
  if (!program.log.some(({ msg }) => /network's history is complete/.test(msg))) return undefined;
  const health = (await (await fetch(`${program.url}/health`)).json()) as Answer;
  return health.ledger?.behind <= 1 || undefined;
};

/** What is waited for before each phase. */
const PHASES: [Phase, () => Promise<unknown>][] = [
  ['while history is made', async () => {}],
  ['with its history', () => eventually('the history', isWhole, { ms: 300_000 })],
];

describe.each(PHASES)('%s', (phase, wait) => {
  test('every answer is what the document says', async () => {
    await wait();
    expect(await deviations(phase)).toEqual([]);
  }, 400_000);

  test('nothing was logged as a fault', () => {
    expect(program.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});

/** Tokens that a call is asked about until every name of it was seen. */
const TOKENS_ASKED = 12;

async function answerOf({ path, body }: ClientCall, known: Record<string, string>): Promise<Answer> {
  const url = `${program.url}/v1${filledIn(path, known)}`;
  const init = body && { method: 'POST', body: filledIn(JSON.stringify(body), known) };
  return (await (await fetch(url, init)).json()) as Answer;
}

describe('what existing clients read', () => {
  let tokens: Answer[] = [];
  let account = '';
  beforeAll(async () => {
    await eventually('the history', isWhole, { ms: 300_000 });
    tokens = (await page(program, `/v1/tokens?limit=${TOKENS_ASKED}&sort=tvl`))!.tokens;
    account = (await page(program, '/v1/token/analytics/traders?limit=1'))!.data[0].address;
  }, 400_000);

  test.each(CLIENT_CALLS.map((call) => [call.path, call] as const))('%s', async (_, call) => {
    const answers: Answer[] = [];
    let missing: string[] = [];
    for (const { md5, issuer, currency, name } of tokens) {
      answers.push(await answerOf(call, { md5, issuer, currency, name, account }));
      missing = missingNames(call.reads, answers);
      if (missing.length === 0) return;
    }
    expect(missing).toEqual([]);
  });
});

describe.skipIf(!existsSync(CHECK))('the check of the contract', () => {
  test.each(['cold', 'warm'].slice(0, casesOf(1, 2)))(
    'finds no deviation, %s',
    async () => {
      await eventually('the history', isWhole, { ms: 300_000 });
      expect(await checked()).toBe('');
    },
    400_000,
  );
});
