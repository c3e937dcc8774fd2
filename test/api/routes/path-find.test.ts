/** POST /account/path-find over the embedded network with its population, against the node's own `ripple_path_find`. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Engine } from '../../../engine/engine.ts';
import { type Ask, embedded } from '../../embedded.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 120;
const NOBODY = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

describe('/account/path-find', () => {
  let engine: Engine;
  let node: Ask;
  let ask: ReturnType<typeof asker>;

  beforeAll(async () => {
    const made = await embedded(LEDGERS, 'paths');
    engine = made.engine;
    node = made.ask;
    ask = asker(engine);
  });

  const post = (body: object) => ask.post('/account/path-find', body);

  /** Holders of two tokens or more, and a token that the other one holds. */
  function pairs(): { source: string; destination: string; amount: Json }[] {
    const { accounts, lines, tokens } = engine.state;
    const holders = new Map<number, number[]>();
    for (let token = 1; token < tokens.count; token += 1) {
      if (tokens.tokenType(token) === 'lp' || tokens.tokenType(token) === 'mpt') continue;
      for (const line of lines.holders(token)) {
        const account = lines.holderAccount(line, token);
        if (accounts.amm[account] === 0) holders.set(account, [...(holders.get(account) ?? []), token]);
      }
    }
    const known = [...holders].filter(([, held]) => held.length > 1).slice(0, 12);
    return known.map(([account], i) => {
      const [other, held] = known[(i + 1) % known.length]!;
      const token = held[0]!;
      return {
        source: accounts.text(account),
        destination: accounts.text(other),
        amount: { currency: tokens.currencyText(token), issuer: tokens.issuerText(token), value: '1.5' },
      };
    });
  }

  test('what the node finds is found, of the same form', async () => {
    let compared = 0;
    let found = 0;
    for (const { source, destination, amount } of pairs()) {
      const { status, body } = await post({ source, destination, amount });
      expect(status).toBe(200);
      expect(body.source_account).toBe(source);
      expect(body.destination_account).toBe(destination);
      expect(body.destination_amount).toEqual(amount);
      expect(body.ledger_index).toBe(engine.head!.index);
      expect(body.destination_currencies).toContain('XRP');
      expect(body.destination_currencies).toContain(amount.currency);
      for (const { source_amount, paths_computed, paths_canonical } of body.alternatives) {
        const { currency, issuer } =
          typeof source_amount === 'string' ? { currency: 'XRP', issuer: undefined } : source_amount;
        const { alternatives } = (await node('ripple_path_find', {
          source_account: source,
          destination_account: destination,
          destination_amount: amount,
          source_currencies: [issuer ? { currency, issuer } : { currency }],
        })) as { alternatives: Json[] };
        expect(paths_canonical).toEqual([]);
        expect(paths_computed.flat().every((step: Json) => step.type === (step.issuer ? 48 : 16))).toBe(true);
        compared += 1;
        if (alternatives.length === 0) continue;
        found += 1;
        const cost = (value: Json) => Number(value.value ?? value);
        expect(cost(source_amount) / cost(alternatives[0].source_amount)).toBeLessThan(1.1);
      }
    }
    expect(compared).toBeGreaterThan(10);
    expect(found).toBeGreaterThan(compared / 2);
  });

  test('destination_currencies are those of the node, for holders and issuers', async () => {
    const { accounts, tokens, lines } = engine.state;
    const [{ source }] = pairs() as [Json];
    const issuers = new Set<number>();
    for (let token = 1; token < tokens.count; token += 1)
      if (tokens.tokenType(token) === 'trustline' && lines.holdersCount(token) > 0)
        issuers.add(tokens.issuers[token]!);
    const holders = pairs().map((pair) => pair.destination);
    for (const destination of [...holders, ...[...issuers].slice(0, 8).map((id) => accounts.text(id))]) {
      const { body } = await post({ source, destination, amount: '1000000', source_currencies: 'XRP' });
      const known = (await node('ripple_path_find', {
        source_account: source,
        destination_account: destination,
        destination_amount: '1000000',
        source_currencies: [{ currency: 'XRP' }],
      })) as { destination_currencies: string[] };
      expect(body.destination_currencies.toSorted()).toEqual(known.destination_currencies.toSorted());
    }
  });

  test('XRP to oneself needs no payment; to another account it is sent as it is', async () => {
    const [{ source, destination }] = pairs() as [Json];
    const toOther = await post({
      source,
      destination,
      amount: '1000000',
      source_currencies: [{ currency: 'XRP' }],
    });
    expect(toOther.body.alternatives).toEqual([
      { source_amount: '1000000', paths_computed: [], paths_canonical: [] },
    ]);
    const toSelf = await post({ source, destination: source, amount: '1000000' });
    expect(toSelf.body.alternatives.every((one: Json) => typeof one.source_amount === 'object')).toBe(true);
    const tooMuch = await post({
      source,
      destination,
      amount: '99999999999999999',
      source_currencies: ['XRP'],
    });
    expect(tooMuch.body.alternatives).toEqual([]);
    const numbers = await post({ source, destination, amount: 1_000_000, source_currencies: 'XRP' });
    expect(numbers.body.alternatives).toEqual(toOther.body.alternatives);
  });

  test('nothing is found to the account of a pool, which takes no payments', async () => {
    const { accounts, pools } = engine.state;
    const [{ source }] = pairs() as [Json];
    const account = Array.from({ length: pools.count }, (_, pool) => pool).find((pool) => pools.exists(pool));
    const destination = accounts.text(pools.accounts[account!]!);
    const { status, body } = await post({ source, destination, amount: '1000000' });
    expect([status, body.alternatives, body.warnings]).toEqual([200, [], []]);
  });

  test('source_currencies: of a currency, of an issuer, of the source itself, unknown ones', async () => {
    for (const { source, destination, amount } of pairs()) {
      const { body } = await post({ source, destination, amount });
      const [one] = body.alternatives.filter(
        (alternative: Json) => typeof alternative.source_amount === 'object',
      );
      if (!one) continue;
      const { currency, issuer } = one.source_amount;
      for (const choice of [
        { currency, issuer },
        { currency, issuer: source },
        { currency },
        `${issuer}-${currency}`,
      ]) {
        const chosen = await post({ source, destination, amount, source_currencies: [choice] });
        expect(chosen.body.alternatives).toContainEqual(one);
        for (const { source_amount } of chosen.body.alternatives)
          expect(source_amount.currency).toBe(currency);
      }
      const unknown = await post({ source, destination, amount, source_currencies: [{ currency: 'ZZ9' }] });
      expect(unknown.body.alternatives).toEqual([]);
      return;
    }
    throw new Error('nobody can pay with a token');
  });

  test('what is wrong is refused', async () => {
    const [{ source, destination, amount }] = pairs() as [Json];
    const statusOf = async (body: object) => (await post(body)).status;
    const good: JsonObject = { source, destination, amount };
    expect(await statusOf(good)).toBe(200);
    for (const name of ['source', 'destination', 'amount'])
      expect(await statusOf({ ...good, [name]: undefined })).toBe(400);
    expect(await statusOf({ ...good, source: 'nobody' })).toBe(400);
    expect(await statusOf({ ...good, destination: 'nobody' })).toBe(400);
    expect(await statusOf({ ...good, source: NOBODY })).toBe(404);
    for (const wrong of [
      '-1',
      '0',
      '1.5',
      'many',
      true,
      [],
      {},
      { ...amount, value: '0' },
      { ...amount, value: '-1' },
    ])
      expect(await statusOf({ ...good, amount: wrong })).toBe(400);
    expect(await statusOf({ ...good, amount: { ...amount, value: '1e999999999' } })).toBe(400);
    expect(await statusOf({ ...good, amount: { ...amount, currency: 'ZZ9' } })).toBe(404);
    const mpt = await post({ ...good, amount: { mpt_issuance_id: '0'.repeat(48), value: '1' } });
    expect([mpt.status, mpt.body.message]).toEqual([400, 'Multi-purpose tokens are not paid over paths']);
    const issue = { currency: 'USD', issuer: NOBODY };
    for (const wrong of [
      ...[5, {}, [], [{}], [null], Array.from({ length: 19 }, () => 'XRP')],
      ...[',', ['nonsense'], [{ currency: 'US' }], [issue, { currency: 'US' }]],
      ...[[{ ...issue, issuer: 'nobody' }], [{ ...issue, issuer: 5 }], [{ ...issue, currency: 'US' }]],
    ])
      expect(await statusOf({ ...good, source_currencies: wrong })).toBe(400);
    const toNobody = await post({ ...good, destination: NOBODY });
    expect(toNobody.body.alternatives).toEqual([]);
  });
});
