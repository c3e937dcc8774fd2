/** Information about the node for admins and for other clients, with ledgers closed by hand as in rippled's stand-alone mode. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestAccount } from '../rig.ts';
import { FOREIGN, ListenerRig, type Reply } from './listener-rig.ts';
import { GENESIS } from './network-rig.ts';

let rig: ListenerRig;
let ben: TestAccount;

beforeAll(() => {
  rig = new ListenerRig();
  [ben] = rig.fund(['ben']) as [TestAccount];
});

afterAll(() => rig.end());

test('shows admins what rippled shows them of a node without validators', async () => {
  const load = { job_types: [], threads: 1 };
  const { info } = (await rig.rpc('server_info')) as { info: Reply };
  expect(info).toMatchObject({
    last_close: { converge_time_s: 0.1, proposers: 0 },
    load,
    pubkey_validator: 'none',
    validator_list: { count: 0, expiration: 'unknown', status: 'unknown' },
  });
  const { state } = (await rig.rpc('server_state')) as { state: Reply };
  expect(state).toMatchObject({ last_close: { converge_time: 100 }, load, validator_list_expires: 0 });
  expect(state.ports).toEqual(info.ports);
  for (const [name, members] of [
    ['server_info', ['load', 'pubkey_validator', 'validator_list']],
    ['server_state', ['load', 'pubkey_validator', 'validator_list_expires']],
  ] as const) {
    const shown = Object.values(await rig.rpc(name, {}, FOREIGN))[0] as Reply;
    for (const member of members) expect(shown[member]).toBeUndefined();
  }
});

test('has the version of the newest amendment it supports', async () => {
  const { info } = (await rig.rpc('server_info')) as { info: { build_version: string } };
  const { features } = (await rig.rpc('feature')) as { features: Record<string, Reply> };
  const versions = Object.values(features)
    .filter(({ supported }) => supported)
    .flatMap(({ name }) => /^fixCleanup(\d+)_(\d+)_(\d+)$/.exec(String(name))?.slice(1).join('.') ?? []);
  expect(versions.sort().at(-1)).toBe(info.build_version);
});

test('finds paths in the open ledger, where ledgers close by hand', async () => {
  const asked = {
    source_account: GENESIS.address,
    destination_account: ben.address,
    destination_amount: '100',
  };
  const members = { ledger_current_index: rig.network.open.index, validated: false };
  const client = await rig.client();
  const { result } = await client.request({ command: 'ripple_path_find', ...asked } as never);
  expect(result).toMatchObject(members);
  expect((result as unknown as Reply).status).toBeUndefined();
  expect(await rig.rpc('ripple_path_find', asked)).toMatchObject(members);
});
