/** Hostile requests get an answer in rippled's form, never a crash, a fault or a blocked thread. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { affectedNfts } from '../../../sandbox/ledger/indexing.ts';
import type { ClosedTransaction } from '../../../sandbox/ledger/transactions.ts';
import { COMMANDS } from '../../../sandbox/node/rpc/registry.ts';
import { casesOf } from '../../cases.ts';
import type { TestAccount } from '../rig.ts';
import { drawsOf, seedOf } from '../seed.ts';
import { ListenerRig, type Reply } from './listener-rig.ts';
import { altered, requests } from './requests.ts';

const seed = seedOf('hostile requests');
/** Requests of each command. */
const ROUNDS = casesOf(50, 150);

let rig: ListenerRig;
let ann: TestAccount;
let ben: TestAccount;
let mint: ClosedTransaction;

beforeAll(() => {
  ({ rig, ann, ben } = ListenerRig.withOffer());
  rig.submit(ann, { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: 8 });
  mint = rig.close().transactions.find(({ fields }) => fields.TransactionType === 'NFTokenMint')!;
});

afterAll(() => rig.stop());

/** A socket that exchanges plain text. */
async function socket(): Promise<{
  ask(text: string): Promise<Reply>;
  send(text: string): void;
  ws: WebSocket;
}> {
  const ws = new WebSocket(rig.url);
  await new Promise((resolve, reject) => {
    ws.onopen = resolve;
    ws.onerror = reject;
  });
  const waiting: ((reply: Reply) => void)[] = [];
  ws.onmessage = ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    if (reply.type === 'response' || reply.type === 'error') waiting.shift()?.(reply);
  };
  const send = (text: string) => ws.send(text);
  const ask = (text: string) =>
    new Promise<Reply>((resolve) => {
      waiting.push(resolve);
      send(text);
    });
  return { ask, send, ws };
}

/** Names of parameters of all commands, and some unknown ones. */
const PARAMETERS = (
  'account accounts accounts_proposed amm_account amount asset asset2 base_asset bid binary both books channel_id ' +
  'check closed credential ctid currency date delegate deposit_preauth destination_account destination_amount did ' +
  'direct directory domain escrow expand fail_hard feature forward full hash hotwallet id ignore_default index ' +
  'issuer key_type ledger ledger_hash ledger_index ledger_index_max ledger_index_min limit marker max_ledger min_ledger ' +
  'mpt_issuance mpt_issuance_id mptoken nft_id nft_page nft_taxon nftoken_id offer offline oracle oracles ' +
  'oracle_document_id owner owner_funds passphrase paths payment_channel peer permissioned_domain public_key queue ' +
  'quote_asset ripple_state role secret seed seed_hex send_max signature signer_lists snapshot source_account ' +
  'source_currencies start streams strict subcommand taker taker_gets taker_pays ticket time_threshold transaction ' +
  'transactions trim tx_blob tx_hash tx_json tx_type type url urlgravatar validated vault vault_id vetoed'
).split(' ');

class Fuzz {
  readonly below: (count: number) => number;

  constructor(from: number) {
    this.below = drawsOf(from);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  hex(digits: number): string {
    return Array.from({ length: digits }, () => '0123456789ABCDEF'[this.below(16)]).join('');
  }

  text(): string {
    const { network } = rig;
    return this.pick([
      '',
      'XRP',
      'USD',
      'validated',
      'closed',
      'current',
      'create',
      'close',
      'nft_offer',
      'state',
      'AMM',
      '-1',
      '1e9',
      '99999999999999999999',
      ann.address,
      ben.address,
      'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
      network.validated.hash,
      network.validated.transactions[0]?.hashText ?? '',
      `C${this.hex(15)}`,
      this.hex(40),
      this.hex(48),
      this.hex(64),
      this.hex(2 * this.below(200)),
      `${this.hex(64)},${this.below(9)}`,
      '__proto__',
      'constructor',
      'toString',
      '\u0000\ud800é',
      'x'.repeat(this.below(3000)),
      '2026-11-21T00:00:00Z',
      'snoPBrXtMeMyMHUVTgbuqAfg1SUTb',
    ]);
  }

  value(depth = 0): unknown {
    const kind = this.below(depth > 3 ? 8 : 12);
    if (kind < 3) return this.text();
    if (kind === 3) return this.below(2) === 0;
    if (kind === 4)
      return this.pick([0, 1, -1, 2, 3, 255, 256, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, 0.5, -0.1, 1e-300]);
    if (kind === 5) return this.below(500);
    if (kind === 6) return null;
    if (kind === 7) return rig.network.validated.index - this.below(5);
    if (kind < 10) return this.object(depth + 1);
    return Array.from({ length: this.below(5) }, () => this.value(depth + 1));
  }

  object(depth: number): Reply {
    const names = [
      ...PARAMETERS,
      'TransactionType',
      'Account',
      'Amount',
      'Fee',
      'Sequence',
      'Signers',
      'Signer',
    ];
    const out: Reply = {};
    for (let i = this.below(5); i > 0; i--)
      out[this.pick([...names, 'currency', 'issuer'])] = this.value(depth);
    return out;
  }

  /** An almost valid transaction. */
  transaction(): Reply {
    const usd = {
      currency: 'USD',
      issuer: ben.address,
      value: this.pick(['1', '0', '-1', '1e80', '1e-90', 'x']),
    };
    const whole: Reply = {
      TransactionType: this.pick([
        'Payment',
        'OfferCreate',
        'TrustSet',
        'AccountSet',
        'AMMCreate',
        'Batch',
        'Nothing',
      ]),
      Account: ann.address,
      Destination: ben.address,
      Amount: this.pick(['1', usd, '99999999999999999999']),
      TakerGets: usd,
      TakerPays: '5',
      LimitAmount: usd,
      Fee: this.pick(['10', '-1', 'x', usd]),
      Sequence: this.below(2) ? rig.network.nextSequence(ann.id) : this.value(),
      SigningPubKey: this.pick(['', ann.publicKey, 'ED']),
    };
    for (const name of Object.keys(whole)) {
      const fate = this.below(10);
      if (fate < 2) delete whole[name];
      else if (fate === 2) whole[name] = this.value();
    }
    return whole;
  }

  request(command: string): Reply {
    const request: Reply = {};
    for (let i = this.below(7); i > 0; i--) request[this.pick(PARAMETERS)] = this.value();
    if (this.below(3) === 0) request.ledger_index = this.pick(['validated', 'current', 'closed']);
    if (this.below(3) === 0) request.account = ann.address;
    if (this.below(4) === 0) request.tx_json = this.transaction();
    if (this.below(4) === 0) {
      request.taker_gets = { currency: 'XRP' };
      request.taker_pays = this.pick<unknown>([{ currency: 'USD', issuer: ben.address }, this.value()]);
    }
    return { ...request, command, api_version: this.pick([1, 2]) };
  }
}

describe('hostile input', () => {
  test(`of every type for every parameter of every command is answered (seed ${seed})`, async () => {
    const fuzz = new Fuzz(seed);
    const { ask, ws } = await socket();
    const seen = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of COMMANDS.keys()) {
        const request = fuzz.request(name);
        const reply = await ask(JSON.stringify(request));
        const about = () =>
          `seed ${seed}: ${JSON.stringify(request).slice(0, 2000)} ${JSON.stringify(reply).slice(0, 300)}`;
        if (reply.error === 'internal' || (reply.status !== 'success' && typeof reply.error !== 'string'))
          throw new Error(`${about()} ${String(rig.faults.at(-1))} ${(rig.faults.at(-1) as Error)?.stack}`);
        seen.set(String(reply.error ?? 'success'), (seen.get(String(reply.error ?? 'success')) ?? 0) + 1);
      }
    }
    ws.close();
    expect(rig.faults).toEqual([]);
    // The requests must get past the first check, which has three errors.
    expect(seen.size).toBeGreaterThan(10);
    expect(seen.get('success')).toBeGreaterThan(100);
    rig.close();
  });

  test('in the place of each parameter of a request that is well-formed is answered', async () => {
    const { network } = rig;
    const subjects = {
      ann: ann.address,
      ben: ben.address,
      hash: mint.hashText,
      index: network.ledgers.transaction(mint.hashText)!.ledger.index,
      nft: affectedNfts(mint.fields, mint.metaFields)[0]!,
      mpt: '00'.repeat(24),
    };
    const { ask, ws } = await socket();
    const whole = requests(subjects);
    expect([...COMMANDS.keys()].filter((name) => whole[name] === undefined)).toEqual([]);
    const values = [null, true, -1, 0.5, 2 ** 33, 1e300, '', 'x', 'AB', '-1', [], {}, [[]], [{}], { x: {} }];
    let count = 0;
    for (const [command, params] of Object.entries(whole)) {
      const first = await ask(JSON.stringify({ command, ...params }));
      if (first.error === 'internal') throw new Error(`${command} ${String(rig.faults.at(-1))}`);
      for (const api_version of [1, 2])
        for (const request of altered(params, values)) {
          count++;
          const reply = await ask(JSON.stringify({ command, api_version, ...request }));
          if (reply.error === 'internal' || (reply.status !== 'success' && typeof reply.error !== 'string'))
            throw new Error(
              `${JSON.stringify(request)} ${JSON.stringify(reply)} ${(rig.faults.at(-1) as Error)?.stack}`,
            );
        }
    }
    ws.close();
    expect(count).toBeGreaterThan(3000);
    expect(rig.faults).toEqual([]);
  });

  test('that is not a request gets an error', async () => {
    const { ask, ws } = await socket();
    for (const text of ['', '{', 'null', '5', '"x"', '[]', '{"a":', '\u0000', '{"command":5}x'])
      expect(await ask(text)).toMatchObject({ type: 'error', error: 'jsonInvalid' });
    expect(await ask('{}')).toMatchObject({ error: 'commandMissing' });
    expect(await ask('{"command":7}')).toMatchObject({ error: 'commandMissing' });
    expect(await ask('{"command":"nothing","id":"a"}')).toMatchObject({ error: 'unknownCmd', id: 'a' });
    expect(await ask('{"command":"__proto__"}')).toMatchObject({ error: 'unknownCmd' });
    expect(await ask('{"command":"ping","api_version":9}')).toMatchObject({ error: 'invalid_API_version' });
    expect(await ask('{"command":"sign","secret":"hidden"}')).toMatchObject({
      request: { secret: '<masked>' },
    });
    ws.close();
  });

  test('that is deep or long does not block the thread', async () => {
    const { ask, ws } = await socket();
    const deep = `{"command":"ledger","x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`;
    const objects = `{"command":"tx_history","x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;
    const broad = JSON.stringify({ command: 'ping', x: Array(200_000).fill([]) });
    const names = JSON.stringify({
      command: 'subscribe',
      streams: Array(100_000).fill('ledger'),
    });
    for (const text of [deep, objects, broad, names]) {
      const began = performance.now();
      await ask(text);
      // Tens of milliseconds; with quadratic cost it would be minutes on any machine.
      expect(performance.now() - began).toBeLessThan(5_000);
    }
    expect(await ask(deep)).toMatchObject({ error: 'jsonInvalid' });
    expect(await ask('{"command":"ping","x":"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}')).toMatchObject({
      status: 'success',
    });
    ws.close();
  });

  test('over HTTP gets an error', async () => {
    const url = `http://${rig.host}/`;
    const post = (body: string) => fetch(url, { method: 'POST', body });
    for (const body of ['', '{', '[]', 'null', '5']) expect((await post(body)).status).toBe(400);
    for (const [call, why] of [
      [{}, 'Null method'],
      [{ method: null }, 'Null method'],
      [{ method: 5 }, 'method is not string'],
      [{ method: '' }, 'method is empty'],
      [{ method: 'ping', params: 'x' }, 'params unparseable'],
      [{ method: 'ping', params: ['x'] }, 'params unparseable'],
      [{ method: 'ping', params: [{}, {}] }, 'params unparseable'],
      [{ method: 'ping', params: [{ api_version: 9 }] }, 'invalid_API_version'],
    ] as const) {
      const answer = await post(JSON.stringify(call));
      expect([answer.status, (await answer.text()).trim()]).toEqual([400, why]);
    }
    for (const params of [undefined, null, [], [null], [{}]])
      expect(await (await post(JSON.stringify({ method: 'ping', params }))).json()).toMatchObject({
        result: { status: 'success' },
      });
    for (const method of ['GET', 'PUT', 'DELETE']) expect((await fetch(url, { method })).status).toBe(405);
    expect((await post('x'.repeat(3 << 20))).status).toBe(413);
    const batch = {
      method: 'batch',
      params: [{ method: 'ping', params: [{}] }, { method: 'no', params: [{}] }, 5],
    };
    const answers = (await (await post(JSON.stringify(batch))).json()) as Reply[];
    expect(answers).toHaveLength(3);
    const calls = { method: 'batch', params: Array(101).fill({ method: 'ping' }) };
    expect((await post(JSON.stringify(calls))).status).toBe(400);
  });

  test('at the faucet gets an error', async () => {
    const ask = async (body: string, method = 'POST') =>
      (await fetch(`http://${rig.host}/accounts`, { method, ...(method === 'POST' ? { body } : {}) })).status;
    expect(await ask('', 'GET')).toBe(405);
    for (const body of ['{', '[]', '{"destination":5}', '{"destination":"r1"}', '{"destination":null}'])
      expect(await ask(body)).toBe(400);
    for (const xrpAmount of [0, -1, 1e9, 'x', [5], true, {}])
      expect(await ask(JSON.stringify({ xrpAmount }))).toBe(400);
    expect(await ask('')).toBe(200);
  });
});

describe('a flood', () => {
  test('of sockets is served up to a limit', async () => {
    const open: WebSocket[] = [];
    const results = await Promise.all(
      Array.from(
        { length: 600 },
        () =>
          new Promise<boolean>((resolve) => {
            const ws = new WebSocket(rig.url);
            ws.onopen = () => {
              open.push(ws);
              resolve(true);
            };
            ws.onerror = () => resolve(false);
          }),
      ),
    );
    expect(results.filter(Boolean)).toHaveLength(512);
    expect(await rig.rpc('ping')).toMatchObject({ status: 'success' });
    for (const ws of open) ws.close();
    await Bun.sleep(100);
    const { ask, ws } = await socket();
    expect(await ask('{"command":"ping"}')).toMatchObject({ status: 'success' });
    ws.close();
  });

  test('of requests on one socket closes it', async () => {
    // The first request waits forever, and so do those after it.
    const held = Promise.withResolvers<undefined>();
    const { pathFinder } = rig.network;
    const find = pathFinder.find.bind(pathFinder);
    pathFinder.find = () => held.promise;
    const closedBy = async (count: number, text: string): Promise<number> => {
      const { send, ws } = await socket();
      const closed = new Promise<number>((resolve) => {
        ws.onclose = ({ code }) => resolve(code);
      });
      send(
        JSON.stringify({
          command: 'ripple_path_find',
          source_account: ann.address,
          destination_account: ben.address,
          destination_amount: { currency: 'USD', issuer: ben.address, value: '1' },
        }),
      );
      for (let i = 0; i < count; i++) send(text);
      return closed;
    };
    expect(await closedBy(6_000, '{"command":"ping"}')).toBe(1008);
    expect(await closedBy(20, JSON.stringify({ command: 'ping', x: 'x'.repeat(1_000_000) }))).toBe(1008);
    held.resolve(undefined);
    pathFinder.find = find;
  });

  test('of bodies that never end is refused up to a limit, and dropped with its sockets', async () => {
    const started = await Promise.all(
      Array.from({ length: 70 }, async () => {
        const caller = connect(rig.listener.port, '127.0.0.1');
        await new Promise((resolve) => caller.once('connect', resolve));
        caller.on('error', () => {});
        caller.write(`POST / HTTP/1.1\r\nHost: ${rig.host}\r\nContent-Length: ${1 << 20}\r\n\r\n{`);
        return caller;
      }),
    );
    const status = async () =>
      (await fetch(`http://${rig.host}/`, { method: 'POST', body: '{"method":"ping"}' })).status;
    const becomes = async (wanted: number) => {
      for (let i = 0; i < 400 && (await status()) !== wanted; i++) await Bun.sleep(10);
      return status();
    };
    expect(await becomes(503)).toBe(503);
    // Sockets have limits of their own.
    const { ask, ws } = await socket();
    expect(await ask('{"command":"ping"}')).toMatchObject({ status: 'success' });
    ws.close();
    for (const caller of started) caller.destroy();
    expect(await becomes(200)).toBe(200);
    expect(rig.faults).toEqual([]);
  });

  test('of answers to one batch ends at a limit', async () => {
    const body = JSON.stringify({
      method: 'batch',
      params: Array(100).fill({ method: 'server_definitions' }),
    });
    const text = await (await fetch(`http://${rig.host}/`, { method: 'POST', body })).text();
    const answers = (JSON.parse(text) as { result: Reply }[]).map(({ result }) => result.error ?? 'whole');
    expect(answers).toHaveLength(100);
    expect([answers[0], answers.at(-1)]).toEqual(['whole', 'slowDown']);
    expect(text.length).toBeLessThan(5 << 20);
  });

  test('of concurrent requests on a socket is answered in order', async () => {
    const { ask, ws } = await socket();
    const answers = await Promise.all(
      Array.from({ length: 2000 }, (_, id) => ask(JSON.stringify({ id, command: 'ping' }))),
    );
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, i) => i));
    ws.close();
  });

  test('with a client that does not read closes only that client', async () => {
    const lazy = connect(rig.listener.port, '127.0.0.1');
    await new Promise((resolve) => lazy.once('connect', resolve));
    let ended = false;
    lazy.on('close', () => {
      ended = true;
    });
    lazy.on('error', () => {});
    lazy.write(
      `GET / HTTP/1.1\r\nHost: ${rig.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    await new Promise((resolve) => lazy.once('data', resolve));
    lazy.pause();
    // One request per frame, masked with zeros; each answer echoes 900 kB, and none is read.
    const text = Buffer.from(JSON.stringify({ command: 'nothing', x: 'x'.repeat(900_000) }));
    const head = Buffer.alloc(14);
    head[0] = 0x81;
    head[1] = 0xff;
    head.writeBigUInt64BE(BigInt(text.length), 2);
    for (let i = 0; i < 60 && !ended; i++) {
      lazy.write(Buffer.concat([head, text]));
      await Bun.sleep(5);
    }
    const { ask, ws } = await socket();
    expect(await ask('{"command":"ping"}')).toMatchObject({ status: 'success' });
    ws.close();
    lazy.resume();
    for (let i = 0; i < 200 && !ended; i++) await Bun.sleep(20);
    expect(ended).toBe(true);
    expect(rig.faults).toEqual([]);
  });
});
