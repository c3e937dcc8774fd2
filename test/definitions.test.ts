/** A service on a network ahead of the shipped definitions reads its new fields in full. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../service/options.ts';
import { networksOf, startService } from '../service/service.ts';
import { FakeNode } from '../support/fake-node.ts';
import { makeChain } from './ledgers.ts';
import { quiet, until } from './live-rig.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-definitions-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const shiny = { nth: 254, isVLEncoded: false, isSerialized: true, isSigningField: true, type: 'UInt32' };

async function learnt(definitions: Record<string, unknown> | undefined, name: string): Promise<boolean> {
  const node = new FakeNode({ ledgers: makeChain({ count: 3 }), ...(definitions ? { definitions } : {}) });
  const args = [
    '--source',
    node.url,
    '--port',
    '0',
    '--data',
    join(dir, name),
    '--snapshot',
    'no',
    '--workers',
    '0',
  ];
  const options = readOptions(args, {});
  const service = await startService({
    options,
    networks: networksOf(options),
    log: quiet,
    onFault: (fault) => {
      throw fault;
    },
  });
  await until(
    () => service.network.ready && node.requests.server_definitions! > 0,
    'readiness and definitions',
  );
  await Bun.sleep(50);
  const { reader, head } = service.engine;
  await service.stop();
  await node.stop();
  expect(head?.index).toBe(1002);
  return reader.definitions.code('Shiny') !== undefined;
}

test('adds what the node defines beyond the shipped definitions', async () => {
  expect(await learnt({ FIELDS: [['Shiny', shiny]] }, 'ahead')).toBe(true);
});

test('a node without definitions, or with invalid ones, changes nothing', async () => {
  expect(await learnt(undefined, 'none')).toBe(false);
  expect(await learnt({ FIELDS: 'Shiny', TYPES: [7] }, 'nonsense')).toBe(false);
});
