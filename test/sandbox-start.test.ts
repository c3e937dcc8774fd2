/** A start that fails in the process that goes on: what was opened before is closed, and the next start succeeds. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../options.ts';
import { type Service, startService } from '../service.ts';
import { quiet } from './live-rig.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-start-'));
const faults: unknown[] = [];

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

function start(folder: string, ...args: readonly string[]): Promise<Service> {
  const options = readOptions(
    [
      `--data=${join(base, folder)}`,
      '--source=sandbox',
      '--sandbox-port=0',
      '--sandbox-days=0',
      '--sandbox-interval=0',
      '--workers=0',
      '--port=0',
      ...args,
    ],
    {},
  );
  return startService({ options, log: quiet, onFault: (fault) => faults.push(fault) });
}

describe('a start that fails', () => {
  test('for the port of the service leaves neither network nor stores open', async () => {
    const holder = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
    for (let i = 0; i < 2; i++)
      await expect(start('port', `--port=${holder.port}`)).rejects.toThrow(String(holder.port));
    await holder.stop(true);
    const service = await start('port');
    expect((await fetch(`${service.url}/health`)).status).toBeGreaterThanOrEqual(200);
    await service.stop();
  }, 30_000);

  test("without the network's folder makes no other one in its place", async () => {
    const first = await start('away');
    const stored = Promise.withResolvers<void>();
    first.engine.onLedger(() => stored.resolve());
    const node = first.engine.source as unknown as { name: string };
    const accept = { method: 'POST', body: JSON.stringify({ method: 'ledger_accept', params: [{}] }) };
    for (let i = 0; i < 2; i++) await fetch(`http://${node.name}/`, accept);
    await stored.promise;
    await first.stop();
    const folder = join(base, 'away', 'sandbox');
    renameSync(join(folder, 'network'), join(folder, 'elsewhere'));
    for (let i = 0; i < 2; i++)
      await expect(start('away')).rejects.toThrow("Put the network's folder back beside it");
    expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'engine']);
    renameSync(join(folder, 'elsewhere'), join(folder, 'network'));
    const again = await start('away');
    expect(again.engine.head).toBeDefined();
    await again.stop();
  }, 30_000);

  test('for a network of another kind leaves its store free', async () => {
    const service = await start('kind');
    const node = service.engine.source as unknown as { name: string };
    for (let i = 0; i < 2; i++)
      await fetch(`http://${node.name}/`, {
        method: 'POST',
        body: JSON.stringify({ method: 'ledger_accept', params: [{}] }),
      });
    await service.stop();
    for (let i = 0; i < 2; i++)
      await expect(start('kind', '--sandbox-interval=4')).rejects.toThrow('begun with --sandbox-interval 0');
    const again = await start('kind');
    await again.stop();
  }, 30_000);
});
