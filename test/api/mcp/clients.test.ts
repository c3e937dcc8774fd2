/** Public programs against the endpoint: the official client, and the conformance suite of the protocol. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toolRows } from '../../../api/mcp/tools/index.ts';
import { type Served, serveTools, valuesOf } from './served.ts';

let served: Served;
beforeAll(async () => {
  served = await serveTools();
});
afterAll(() => served.stop());

describe('the official client', () => {
  // It checks each answer against the tool's outputSchema by itself, and throws where it does not fit.
  test.each(['legacy', 'auto'] as const)('lists and calls every tool, %s', async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
    try {
      const values = valuesOf(served.known);
      const tools = [];
      for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
        const page = await client.listTools(cursor === undefined ? {} : { cursor });
        tools.push(...page.tools);
        cursor = page.nextCursor;
      }
      expect(new Set(tools.map(({ name }) => name)).size).toBe(toolRows.length);
      let answered = 0;
      for (const { name, inputSchema } of tools) {
        const required = (inputSchema.required ?? []) as string[];
        const sent = Object.fromEntries(required.map((one) => [one, values[one] ?? 'x']));
        const { isError, structuredContent } = await client.callTool({ name, arguments: sent });
        if (!isError) answered++;
        expect(isError === true).toBe(structuredContent === undefined);
      }
      expect(answered).toBeGreaterThan(tools.length / 2);
      expect((await client.listPrompts()).prompts.length).toBeGreaterThanOrEqual(10);
      const { resources } = await client.listResources();
      const { contents } = await client.readResource({ uri: resources[0]!.uri });
      expect(contents).toHaveLength(1);
    } finally {
      await client.close();
    }
  });
});

/** Scenarios that need no tools, prompts or resources made for them. Each is a process: most run in the long run alone. */
const QUICK: readonly (readonly [scenario: string, version: string])[] = [
  ['server-initialize', '2025-11-25'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['server-stateless', '2026-07-28'],
  ['caching', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
];
const FURTHER: typeof QUICK = [
  ['server-initialize', '2025-06-18'],
  ['ping', '2025-06-18'],
  ['tools-list', '2025-06-18'],
  ['prompts-list', '2025-06-18'],
  ['resources-list', '2025-06-18'],
  ['server-session-lifecycle', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['prompts-list', '2025-11-25'],
  ['resources-list', '2025-11-25'],
  ['dns-rebinding-protection', '2026-07-28'],
  ['tools-list', '2026-07-28'],
  ['prompts-list', '2026-07-28'],
  ['resources-list', '2026-07-28'],
  ['sep-2164-resource-not-found', '2026-07-28'],
  ['server-sse-multiple-streams', '2026-07-28'],
  ['input-required-result-unsupported-methods', '2026-07-28'],
];
const SCENARIOS = process.env.THOROUGH ? [...QUICK, ...FURTHER] : QUICK;

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
  readonly details?: { readonly untestable?: boolean };
}

describe('the conformance suite', () => {
  const entry = Bun.resolveSync('@modelcontextprotocol/conformance/package.json', import.meta.dir);
  const program = join(entry, '..', 'dist/index.js');

  test.each(SCENARIOS)('%s, %s', async (scenario, version) => {
    const dir = mkdtempSync(join(tmpdir(), 'conformance-'));
    const args = [
      'server',
      '--url',
      served.url,
      '--scenario',
      scenario,
      '--spec-version',
      version,
      '-o',
      dir,
    ];
    const run = Bun.spawn([process.execPath, program, ...args], { stdout: 'pipe', stderr: 'pipe' });
    const output = await new Response(run.stdout).text();
    await run.exited;
    const found = readdirSync(dir, { recursive: true }).filter((name) =>
      String(name).endsWith('checks.json'),
    );
    const checks = found.flatMap(
      (name) => JSON.parse(readFileSync(join(dir, String(name)), 'utf8')) as Check[],
    );
    rmSync(dir, { recursive: true, force: true });
    expect(checks.length, output).toBeGreaterThan(0);
    // What is untestable needs tools that exist for the suite alone.
    const failed = checks.filter(({ status, details }) => status === 'FAILURE' && !details?.untestable);
    expect(failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)).toEqual([]);
  });
});
