/** A start that fails in the process that goes on: what was opened before is closed, and the next start succeeds. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { amendments } from '../sandbox/protocol/keylets.ts';
import { readOptions } from '../service/options.ts';
import { networksOf, type Service, startService } from '../service/service.ts';
import { quiet } from './live-rig.ts';
import { withUsual } from './usual-flags.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-start-'));
const faults: unknown[] = [];
const AMENDMENTS_KEY = amendments();

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
  expect(faults).toEqual([]);
});

const USUAL = [
  '--source=sandbox',
  '--sandbox-port=0',
  '--sandbox-days=0',
  '--sandbox-size=small',
  '--sandbox-interval=0',
  '--workers=0',
  '--port=0',
];

function start(folder: string, ...args: readonly string[]): Promise<Service> {
  const options = readOptions([`--data=${join(base, folder)}`, ...withUsual(USUAL, args)], {});
  return startService({
    options,
    networks: networksOf(options),
    log: quiet,
    onFault: (fault) => faults.push(fault),
  });
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
  });

  test("without the network's folder makes no other one in its place", async () => {
    const first = await start('away');
    const stored = Promise.withResolvers<void>();
    first.engine.onLedger(() => stored.resolve());
    const node = first.network.source as unknown as { name: string };
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
  });

  test('for a network of another kind leaves its store free', async () => {
    const service = await start('kind');
    const node = service.network.source as unknown as { name: string };
    for (let i = 0; i < 2; i++)
      await fetch(`http://${node.name}/`, {
        method: 'POST',
        body: JSON.stringify({ method: 'ledger_accept', params: [{}] }),
      });
    await service.stop();
    for (let i = 0; i < 2; i++)
      await expect(start('kind', '--sandbox-interval=4')).rejects.toThrow(
        'created with --sandbox-interval 0',
      );
    const again = await start('kind');
    await again.stop();
  });
});

/** What the embedded network's node answers. */
async function asked(
  service: Service,
  method: string,
  params: object = {},
): Promise<Record<string, unknown>> {
  const { name } = service.network.source as unknown as { name: string };
  const body = JSON.stringify({ method, params: [params] });
  const response = await fetch(`http://${name}/`, { method: 'POST', body });
  return ((await response.json()) as { result: Record<string, unknown> }).result;
}

async function enabled(service: Service): Promise<string[]> {
  const { features } = (await asked(service, 'feature')) as {
    features: Record<string, { name: string; enabled: boolean }>;
  };
  return Object.values(features).flatMap(({ name, enabled: is }) => (is ? [name] : []));
}

describe('amendments', () => {
  test('that are chosen are those of the first ledger, and do not change', async () => {
    const path = join(base, 'amendments.cfg');
    writeFileSync(path, '[network_id]\n0\n\n[features]\nAMM # pools\nXRPFees\nLendingProtocol\n');
    const first = await start('chosen', `--sandbox-amendments=file:${path}`);
    const names = await enabled(first);
    expect(names).toContain('AMM');
    for (const absent of ['DID', 'LendingProtocol']) expect(names).not.toContain(absent);
    const { node } = await asked(first, 'ledger_entry', { index: AMENDMENTS_KEY, ledger_index: 1 });
    expect((node as { Amendments: string[] }).Amendments).toHaveLength(names.length);
    await asked(first, 'ledger_accept');
    await first.stop();

    for (let i = 0; i < 2; i++)
      await expect(start('chosen', '--sandbox-amendments=AMM,XRPFees,DID')).rejects.toThrow(
        'this network was created without DID: leave --sandbox-amendments out, or start over with --sandbox-reset',
      );
    const same = await start('chosen', '--sandbox-amendments', 'XRPFees,AMM');
    expect(await enabled(same)).toEqual(names);
    await same.stop();
    const kept = await start('chosen');
    expect(await enabled(kept)).toEqual(names);
    await kept.stop();
    const reset = await start('chosen', '--sandbox-reset', '--sandbox-amendments=AMM,XRPFees,DID');
    expect((await enabled(reset)).sort()).toEqual([...names, 'DID'].sort());
    await reset.stop();
  });

  test('that are unknown, or without one that the population needs, are refused in one line', async () => {
    const line =
      '--sandbox-amendments must be names or ids of known amendments (unknown: Amm), not "Amm,DID"';
    expect(() => readOptions(['--sandbox-amendments=Amm,DID'], {})).toThrow(line);
    expect(() => readOptions(['--sandbox-amendments=file:/no/such.cfg'], {})).toThrow(
      'there is no /no/such.cfg',
    );
    const lived = ['--sandbox-interval=4', '--sandbox-amendments=AMM'];
    for (let i = 0; i < 2; i++)
      await expect(start('people', ...lived)).rejects.toThrow('the population of this network needs');
    // Nothing was created: the folder is unchanged.
    const service = await start('people', '--sandbox-interval=4');
    expect(await enabled(service)).toContain('DID');
    await service.stop();
  });

  test('the network id can be that of a network whose transactions do not name it', async () => {
    const service = await start('unnamed', '--sandbox-network=0');
    expect((await asked(service, 'server_info')).info).toMatchObject({ network_id: 0 });
    await service.stop();
    for (let i = 0; i < 2; i++) await expect(start('unnamed')).rejects.toThrow('holds network 0');
  });
});
