/**
 * `/testnet`: the embedded network beside another main network, and the main network itself where that is the embedded one.
 * The oracle of its answers is the node of the test network.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions } from '../../service/options.ts';
import { networksOf, type Service, startService } from '../../service/service.ts';
import { quiet, until } from '../live-rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Answer = Record<string, any>;

const base = mkdtempSync(join(tmpdir(), 'millrace-testnet-'));
const services: Service[] = [];
const NEW = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';

async function start(folder: string, ...args: readonly string[]): Promise<Service> {
  const all = [
    `--data=${join(base, folder)}`,
    '--sandbox-port=0',
    '--sandbox-size=small',
    '--sandbox-days=0',
    '--sandbox-interval=1',
    '--workers=1',
    '--port=0',
    ...args,
  ];
  const options = readOptions(all, {});
  const onFault = (fault: unknown) => {
    throw fault;
  };
  const service = await startService({ options, networks: networksOf(options), log: quiet, onFault });
  services.push(service);
  return service;
}

async function ask(service: Service, path: string, body?: object): Promise<{ status: number; body: Answer }> {
  const init = body && { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${service.url}/v1${path}`, init);
  return { status: response.status, body: (await response.json()) as Answer };
}

/** What the node of the test network says. */
const node = async (service: Service, method: string, params: object = {}): Promise<Answer> =>
  (await ask(service, '/testnet/rpc', { method, params })).body.result;

let beside: Service;
let alone: Service;

beforeAll(async () => {
  // The main network is another embedded one: a service that follows this node, and has a test network of its own.
  alone = await start('main', '--source=sandbox');
  const { name } = alone.network.source as unknown as { name: string };
  const args = [`--source=ws://${name}`, '--snapshot=no', '--network=52168', '--testnet=sandbox'];
  beside = await start('beside', ...args, '--sandbox-seed=other', '--sandbox-network=52169');
  const isMoving = ({ networks }: Service) =>
    networks.every(({ open }) => open.network.ready && open.network.ledgerIndex > 4);
  await until(() => isMoving(alone) && isMoving(beside), 'three networks that move');
});

afterAll(async () => {
  for (const service of services.reverse()) await service.stop();
  rmSync(base, { recursive: true, force: true });
});

describe('with --testnet sandbox beside another network', () => {
  test('shows the second network, not the first', async () => {
    expect(beside.networks).toHaveLength(2);
    const { body } = await ask(beside, '/testnet/health');
    expect(body).toMatchObject({ ok: true, node: { state: 'full', networkId: 52_169 } });
    const fixtures = (await ask(beside, '/testnet/fixtures')).body;
    expect(fixtures.network_id).toBe(52_169);
    const busy = fixtures.accounts.busy[0] as string;
    expect((await ask(beside, `/testnet/${busy}`)).body.activated).toBe(true);
    expect((await ask(beside, `/account/balance/${busy}`)).status).toBe(404);
  });

  test('has every address of that network at its own prefix', async () => {
    const { body } = await ask(beside, '/testnet/tokens?limit=5&sort=holders');
    const under = await ask(beside, '/test-network/tokens?limit=5&sort=holders');
    expect(body.tokens.length).toBeGreaterThan(0);
    expect(body.tokens.map(({ _id }: Answer) => _id)).toEqual(
      under.body.tokens.map(({ md5 }: Answer) => md5),
    );
  });

  test('answers as its node does', async () => {
    const { accounts } = (await ask(beside, '/testnet/fixtures')).body;
    for (const account of [accounts.issuer, accounts.trader, ...accounts.busy]) {
      // A ledger may close between the two.
      for (let tries = 0; ; tries++) {
        const { body } = await ask(beside, `/testnet/${account}`);
        const params = { account, ledger_index: body.ledgerIndex };
        const { account_data } = await node(beside, 'account_info', params);
        if (!account_data && tries < 20) continue;
        expect(body).toMatchObject({
          activated: true,
          balance: account_data.Balance,
          sequence: account_data.Sequence,
          flags: account_data.Flags,
          reserve: { ownerCount: account_data.OwnerCount },
        });
        break;
      }
    }
  });

  test('pays from its faucet, once a day, and shows the payment', async () => {
    const before = (await ask(beside, `/testnet/${NEW}`)).body;
    expect(before).toMatchObject({ activated: false, balance: '0', sequence: null });
    const { status, body } = await ask(beside, '/faucet', { destination: NEW });
    expect([status, body.destination, body.amount, body.cooldownHours]).toEqual([200, NEW, 200, 24]);
    const again = await ask(beside, '/faucet', { destination: NEW });
    expect([again.status, again.body.error]).toEqual([429, 'cooldown active']);
    expect(again.body.retryAfterSeconds).toBeGreaterThan(86_000);
    let shown: Answer = {};
    await until(async () => {
      shown = (await ask(beside, `/testnet/${NEW}`)).body;
      return shown.activated === true;
    }, 'the payment');
    expect([shown.balance, shown.balanceXRP]).toEqual(['200000000', 200]);
    const { body: paid } = await ask(beside, `/testnet/tx/${body.hash}`);
    expect([paid.validated, paid.result, paid.transaction.Destination]).toEqual([true, 'tesSUCCESS', NEW]);
    expect((await ask(beside, `/testnet/tx/${'AB'.repeat(32)}`)).status).toBe(404);
    expect((await ask(beside, '/faucet', { destination: 'nobody' })).status).toBe(400);
  });
});

describe('where the main network is the embedded one', () => {
  test('/testnet shows it, and no second one is made', async () => {
    expect(alone.networks).toHaveLength(1);
    expect((await ask(alone, '/testnet/health')).body.node.networkId).toBe(52_168);
    const { body } = await ask(alone, '/testnet/tokens?limit=3');
    const main = await ask(alone, '/tokens?limit=3');
    expect(body.tokens.map(({ _id }: Answer) => _id)).toEqual(main.body.tokens.map(({ md5 }: Answer) => md5));
  });
});

test('without a test network its addresses say how to get one', async () => {
  const { name } = alone.network.source as unknown as { name: string };
  const service = await start('none', `--source=ws://${name}`, '--snapshot=no', '--network=52168');
  const { status, body } = await ask(service, '/testnet/tokens');
  expect([status, body.error]).toEqual([503, expect.stringContaining('--testnet sandbox')]);
});
