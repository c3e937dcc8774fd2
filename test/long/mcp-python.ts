/**
 * The official Python client of the tool protocol lists and calls every tool, in both eras. It is installed into an environment
 * of its own in a temporary folder; without python3, or without a registry to install from, the test is skipped.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allTools, type Served, serveTools, valuesOf } from '../api/mcp/served.ts';

const CLIENT = 'mcp==2.3.0';
const INSTALL_MS = 120_000;
const LIMIT_MS = 180_000;

interface Seen {
  readonly version: string;
  readonly tools: number;
  readonly answered: readonly string[];
  readonly refused: readonly string[];
  readonly prompts: number;
  readonly contents: number;
}

const dir = mkdtempSync(join(tmpdir(), 'mcp-python-'));
const python = join(dir, 'bin/python');
const missing = await install();
if (missing !== undefined) console.log(`skipped: ${missing}`);

/** undefined: the client is there, else why not. */
async function install(): Promise<string | undefined> {
  if (Bun.which('python3') === null) return 'there is no python3';
  const run = async (...words: readonly string[]): Promise<string | undefined> => {
    const child = Bun.spawn([...words], { stdout: 'ignore', stderr: 'pipe', timeout: INSTALL_MS });
    const error = await new Response(child.stderr).text();
    return (await child.exited) === 0 ? undefined : `${words.slice(1).join(' ')}: ${error.slice(-300)}`;
  };
  return (
    (await run('python3', '-m', 'venv', dir)) ??
    (await run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', CLIENT))
  );
}

let served: Served;
beforeAll(async () => {
  served = await serveTools();
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)(
  'the official Python client lists and calls every tool, in both eras',
  async () => {
    const words = [
      join(import.meta.dir, 'mcp-client.py'),
      served.url,
      JSON.stringify(valuesOf(served.known)),
    ];
    const child = Bun.spawn([python, ...words], { stdout: 'pipe', stderr: 'pipe', timeout: LIMIT_MS });
    const [output, error] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(await child.exited, error).toBe(0);
    const seen = JSON.parse(output) as Seen[];
    const listed = (await allTools(served.url)).length;
    for (const { version, tools, answered, refused, prompts, contents } of seen) {
      console.log(
        `${version}: ${answered.length} of ${tools} tools answered, ${refused.length} with a tool's error`,
      );
      expect([tools, answered.length + refused.length]).toEqual([listed, listed]);
      expect(answered.length).toBeGreaterThan(listed / 2);
      expect([prompts >= 10, contents]).toEqual([true, 1]);
    }
    expect(new Set(seen.map(({ version }) => version)).size).toBe(2);
  },
  LIMIT_MS,
);
