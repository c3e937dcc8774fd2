/** `ripple_path_find` and `path_find` on a node's port, used by the public `xrpl` package and over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client, Payment, RipplePathFindResponse } from 'xrpl';
import { Wallet } from 'xrpl';
import { runToEnd } from '../../../engine/event-loop.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { ListenerRig, type Reply } from '../node/listener-rig.ts';
import type { TestAccount } from '../rig.ts';
import { booksOf } from './finding.ts';

type Json = Record<string, unknown>;

let rig: ListenerRig;
let client: Client;
let gate: TestAccount;
let maker: TestAccount;
let ann: TestAccount;
let ben: TestAccount;

const usd = (value: string, issuer = gate) => ({ currency: 'USD', issuer: issuer.address, value });
const eur = (value: string) => ({ currency: 'EUR', issuer: gate.address, value });
const offer = (account: TestAccount, TakerPays: unknown, TakerGets: unknown) =>
  rig.submit(account, { TransactionType: 'OfferCreate', TakerPays, TakerGets });

beforeAll(async () => {
  rig = new ListenerRig({}, { manual: false });
  [gate, maker, ann, ben] = rig.fund(['gate', 'maker', 'ann', 'ben']) as [
    TestAccount,
    TestAccount,
    TestAccount,
    TestAccount,
  ];
  rig.submit(gate, { TransactionType: 'AccountSet', SetFlag: 8 });
  rig.close();
  for (const account of [maker, ann, ben])
    for (const limit of [usd('100000'), eur('100000')])
      rig.submit(account, { TransactionType: 'TrustSet', LimitAmount: limit });
  rig.close();
  for (const Amount of [usd('5000'), eur('5000')])
    rig.submit(gate, { TransactionType: 'Payment', Destination: maker.address, Amount });
  rig.submit(gate, { TransactionType: 'Payment', Destination: ann.address, Amount: usd('100') });
  rig.close();
  offer(maker, '100000000', usd('50'));
  offer(maker, usd('20'), eur('10'));
  offer(maker, usd('60'), '60000000');
  offer(maker, '30000000', eur('30'));
  rig.close();
  client = await rig.client();
});

afterAll(() => rig.end());

const ask = (more: Json = {}): Json => ({
  source_account: ann.address,
  destination_account: ben.address,
  destination_amount: eur('5'),
  ...more,
});

/** Names of members at every level, lists by the members of any of their elements. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf).at(0) ?? 'nothing';
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, shapeOf(member)])
      .sort(),
  );
}

describe('ripple_path_find', () => {
  test('finds paths by book and through XRP, one alternative for each currency held', async () => {
    const { result } = await client.request({ command: 'ripple_path_find', ...ask() } as never as {
      command: 'ripple_path_find';
      source_account: string;
      destination_account: string;
      destination_amount: { currency: string; issuer: string; value: string };
    });
    const found = result as RipplePathFindResponse['result'] & Json;
    expect(found).toMatchObject({
      full_reply: true,
      source_account: ann.address,
      destination_account: ben.address,
      destination_amount: eur('5'),
    });
    expect([...found.destination_currencies].sort()).toEqual(['EUR', 'USD', 'XRP']);
    const [byXrp, byUsd] = found.alternatives;
    // 30 EUR for 30 XRP: 5 EUR cost 5 XRP; 60 USD buy 60 XRP, which is better than 20 USD for 10 EUR.
    expect(byXrp!.source_amount).toBe('5000000');
    expect(byUsd!.source_amount).toEqual(usd('5', ann));
    expect(byUsd!.paths_computed).toContainEqual([
      { account: gate.address, type: 1 },
      { currency: 'XRP', type: 16 },
      { currency: 'EUR', issuer: gate.address, type: 48 },
    ] as never);
  });

  test('its paths pay, when the client signs and submits them', async () => {
    rig.live();
    const { result } = await client.request({ command: 'ripple_path_find', ...ask() } as never);
    const found = (result as RipplePathFindResponse['result']).alternatives;
    expect(found.length).toBe(2);
    const wallet = new Wallet(ann.publicKey, ann.privateKey);
    for (const { source_amount, paths_computed } of found) {
      const payment: Payment = {
        TransactionType: 'Payment',
        Account: ann.address,
        Destination: ben.address,
        Amount: eur('5'),
        SendMax: source_amount,
        ...(paths_computed.length > 0 ? { Paths: paths_computed } : {}),
      };
      const paid = await client.submitAndWait(payment, { wallet, autofill: true });
      expect(paid.result.meta).toMatchObject({
        TransactionResult: 'tesSUCCESS',
        delivered_amount: eur('5'),
      });
    }
  });

  test('-1 delivers as much as possible, within send_max if given', async () => {
    const spent = { ...ask({ destination_amount: eur('-1'), source_currencies: [{ currency: 'XRP' }] }) };
    const all = await rig.rpc('ripple_path_find', spent);
    const [most] = all.alternatives as Json[];
    // Of the 30 EUR offered for XRP ten were consumed by the payments above; USD bought with XRP buy ten more.
    expect(most!.destination_amount).toEqual(eur('30'));
    const bounded = await rig.rpc('ripple_path_find', { ...spent, send_max: '3000000' });
    expect(bounded.alternatives).toMatchObject([{ source_amount: '3000000', destination_amount: eur('3') }]);
  });

  test('named issuers choose whose debt is spent', async () => {
    const given = ask({ source_currencies: [{ currency: 'USD', issuer: gate.address }] });
    const { alternatives } = (await rig.rpc('ripple_path_find', given)) as { alternatives: Json[] };
    expect(alternatives.length).toBe(1);
    expect(alternatives[0]!.source_amount).toEqual(usd('5'));
    // The issuer is in SendMax then, and in no path.
    for (const path of alternatives[0]!.paths_computed as Json[][])
      expect(path[0]).not.toMatchObject({ account: gate.address });
  });

  test('shows the ledger of the request', async () => {
    const { hash, index } = rig.network.validated;
    const named = await rig.rpc('ripple_path_find', ask({ ledger_index: index }));
    expect(named).toMatchObject({ ledger_hash: hash, ledger_index: index, validated: true });
    const open = await rig.rpc('ripple_path_find', ask({ ledger_index: 'current' }));
    expect(open).toMatchObject({ ledger_current_index: rig.network.open.index, validated: false });
    expect(await rig.rpc('ripple_path_find', ask({ ledger_index: 999_999 }))).toMatchObject({
      error: 'lgrNotFound',
    });
  });

  test.skipIf(!corpusDir)('has the members of a recorded answer', async () => {
    const file = join(corpusDir!, 'responses/ripple_path_find.json');
    const recorded = (JSON.parse(readFileSync(file, 'utf8')) as Json[])
      .filter(({ request }) => (request as Json | undefined)?.method === 'ripple_path_find')
      .map(({ response }) => (response as { result: Json }).result)
      .filter((result) => result.full_reply !== undefined);
    expect(recorded.length).toBeGreaterThan(0);
    const ours = await rig.rpc('ripple_path_find', ask());
    const membersOf = (result: Json) => {
      const { alternatives, ...rest } = result;
      const { paths_computed, ...alternative } = (alternatives as Json[])[0]!;
      return {
        top: Object.keys(shapeOf(rest) as Json),
        alternative: Object.keys(alternative).sort(),
        steps: new Set((paths_computed as Json[][]).flat().map(({ type }) => typeof type)),
      };
    };
    for (const result of recorded) expect(membersOf(ours)).toEqual(membersOf(result));
  });

  const accountOne = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
  const stranger = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';
  const faults: [string, () => Json, string][] = [
    ['no source', () => ({ ...ask(), source_account: undefined }), 'srcActMissing'],
    ['no destination', () => ({ ...ask(), destination_account: undefined }), 'dstActMissing'],
    ['no amount', () => ({ ...ask(), destination_amount: undefined }), 'dstAmtMissing'],
    ['a source that is no address', () => ask({ source_account: 'ann' }), 'srcActMalformed'],
    ['a destination that is no address', () => ask({ destination_account: 7 }), 'dstActMalformed'],
    ['an amount that is none', () => ask({ destination_amount: { value: '1' } }), 'dstAmtMalformed'],
    ['zero', () => ask({ destination_amount: '0' }), 'dstAmtMalformed'],
    ['less than nothing', () => ask({ destination_amount: '-2' }), 'dstAmtMalformed'],
    [
      'an issuer without a key',
      () => ask({ destination_amount: { ...usd('1'), issuer: accountOne } }),
      'dstAmtMalformed',
    ],
    ['send_max with a fixed amount', () => ask({ send_max: '1' }), 'dstAmtMalformed'],
    ['send_max of zero', () => ask({ destination_amount: '-1', send_max: '0' }), 'sendMaxMalformed'],
    ['no list of currencies', () => ask({ source_currencies: 'XRP' }), 'srcCurMalformed'],
    ['an empty list of currencies', () => ask({ source_currencies: [] }), 'srcCurMalformed'],
    [
      'too many currencies',
      () => ask({ source_currencies: Array.from({ length: 19 }, () => ({ currency: 'XRP' })) }),
      'srcCurMalformed',
    ],
    [
      'a currency that is none',
      () => ask({ source_currencies: [{ currency: 'toolong' }] }),
      'srcCurMalformed',
    ],
    [
      'XRP with an issuer',
      () => ask({ source_currencies: [{ currency: 'XRP', issuer: gate.address }] }),
      'srcCurMalformed',
    ],
    [
      'an issuer that is none',
      () => ask({ source_currencies: [{ currency: 'USD', issuer: 'x' }] }),
      'srcIsrMalformed',
    ],
    [
      'two different issuers',
      () =>
        ask({
          destination_amount: '-1',
          send_max: usd('5'),
          source_currencies: [{ currency: 'USD', issuer: maker.address }],
        }),
      'srcIsrMalformed',
    ],
    ['a domain that is none', () => ask({ domain: 'FF' }), 'domainMalformed'],
    ['a source that is not there', () => ask({ source_account: stranger }), 'srcActNotFound'],
    ['issues to an account that does not exist', () => ask({ destination_account: stranger }), 'actNotFound'],
    [
      'less than the reserve for a new account',
      () => ask({ destination_account: stranger, destination_amount: '999999' }),
      'dstAmtMalformed',
    ],
  ];
  for (const [name, params, error] of faults)
    test(`refuses ${name}`, async () => {
      expect(await rig.rpc('ripple_path_find', params())).toMatchObject({ error, status: 'error' });
    });

  test('for a missing account nothing can be delivered, so nothing is found', async () => {
    const params = ask({ destination_account: stranger, destination_amount: '1000000' });
    const found = await rig.rpc('ripple_path_find', { ...params, source_currencies: [{ currency: 'USD' }] });
    expect(found.destination_currencies).toEqual(['XRP']);
    expect(found.alternatives).toEqual([]);
  });
});

describe('path_find', () => {
  test('is answered at once, in full, and after every ledger, until it is closed', async () => {
    const messages: Reply[] = [];
    let wake = () => {};
    client.on(
      'path_find' as never,
      ((message: Reply) => {
        messages.push(message);
        wake();
      }) as never,
    );
    const next = async (count: number) => {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return messages[count - 1]!;
    };
    const { result } = (await client.request({
      command: 'path_find',
      subcommand: 'create',
      id: 'ways',
      ...ask({ destination_amount: eur('2'), source_currencies: [{ currency: 'XRP' }] }),
    } as never)) as { result: Json };
    expect(result).toMatchObject({
      full_reply: false,
      id: 'ways',
      alternatives: [{ source_amount: '2000000' }],
    });
    expect((result.alternatives as Json[])[0]).not.toHaveProperty('paths_canonical');
    const full = { type: 'path_find', full_reply: true, id: 'ways', source_account: ann.address };
    expect(await next(1)).toMatchObject({ ...full, alternatives: [{ source_amount: '2000000' }] });
    // A better offer: the next ledger's message is cheaper.
    offer(maker, '1000000', eur('2'));
    rig.close();
    while (!JSON.stringify(messages.at(-1)!.alternatives).includes('"source_amount":"1000000"'))
      await next(messages.length + 1);
    const status = await client.request({ command: 'path_find', subcommand: 'status' } as never);
    expect((status as Json).result).toMatchObject({ status: 'success', full_reply: true });
    const closed = await client.request({ command: 'path_find', subcommand: 'close' } as never);
    expect((closed as Json).result).toMatchObject({ closed: true, id: 'ways' });
    const before = messages.length;
    rig.close();
    await client.request({ command: 'ping' });
    expect(messages.length).toBe(before);
    for (const subcommand of ['close', 'status'])
      expect(client.request({ command: 'path_find', subcommand } as never)).rejects.toThrow(
        'No pathfinding request in progress.',
      );
  });

  test('needs a session and a subcommand', async () => {
    expect(await rig.rpc('path_find', { subcommand: 'create', ...ask() })).toMatchObject({
      error: 'noEvents',
    });
    expect(client.request({ command: 'path_find' } as never)).rejects.toThrow('Invalid parameters.');
    expect(client.request({ command: 'path_find', subcommand: 'open' } as never)).rejects.toThrow();
    expect(
      client.request({
        command: 'path_find',
        subcommand: 'create',
        ...ask({ source_account: 'x' }),
      } as never),
    ).rejects.toThrow('Source account is malformed.');
  });

  test('books of the index are those of the state, after any ledgers', () => {
    const { books } = rig.network.pathFinder;
    const follow = () => {
      const { validated, ledgers } = rig.network;
      runToEnd(books.follow(validated, (index) => ledgers.recent(index)));
      const entries = [...validated.state.tree.items()].map(({ entry }) => entry);
      const expected = booksOf(entries);
      const assets = new Set(
        entries.flatMap(({ TakerPays, TakerGets, Asset, Asset2 }) =>
          [TakerPays?.asset, TakerGets?.asset, Asset, Asset2].filter((asset) => asset !== undefined),
        ),
      );
      expect(assets.size).toBeGreaterThan(2);
      for (const asset of assets)
        expect([...books.outputs(asset, undefined)].sort()).toEqual(
          [...new Set(expected.outputs(asset, undefined))].sort(),
        );
      expect(books.ledgerIndex).toBe(validated.index);
    };
    follow();
    rig.submit(maker, {
      TransactionType: 'AMMCreate',
      Amount: usd('100'),
      Amount2: eur('100'),
      TradingFee: 100,
      Fee: '200000',
    });
    offer(maker, eur('1'), '1000000');
    offer(ann, usd('1', ann), '1000000');
    rig.close();
    follow();
    // All of the book is consumed, and the pool emptied.
    offer(ben, '20000000', eur('20'));
    rig.submit(maker, {
      TransactionType: 'AMMWithdraw',
      Asset: asset(usd('0')),
      Asset2: asset(eur('0')),
      Flags: 0x20000,
    });
    rig.close();
    for (let i = 0; i < 20; i += 1) rig.close();
    follow();
  });

  const asset = ({ currency, issuer }: { currency: string; issuer: string }) => ({ currency, issuer });
});
