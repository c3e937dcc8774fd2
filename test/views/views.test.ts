/** Views of recorded ledgers against naive recounts of the same state. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { decimalNumber, rawDecimal } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { TOKEN_TYPES } from '../../engine/state/tokens.ts';
import { recordedTransactions, relaidChain } from '../../support/chain.ts';
import { tokenRow } from '../../support/token-row.ts';
import { TOKEN_FIELDS } from '../../views/token-fields.ts';
import { Views } from '../../views/views.ts';
import { BruteTotals } from '../engine/market/brute-totals.ts';
import { recordedRun } from '../ledgers.ts';
import { applyAll, newEngine, runWorld, wholeWorld } from './world.ts';

const decoder = new TextDecoder();
const parse = (bytes: Uint8Array) => JSON.parse(decoder.decode(bytes));

describe('tokens', () => {
  let engine: Engine;
  let views: Views;
  beforeAll(async () => {
    engine = await wholeWorld();
    views = new Views(engine);
  });

  test('are found by every form of their id', () => {
    const { state } = engine;
    for (let token = 1; token < state.tokens.count; token++) {
      const issuer = state.tokens.issuerText(token);
      const currency = state.tokens.currencyText(token);
      const md5 = createHash('md5').update(`${issuer}_${currency}`).digest('hex');
      const forms = [md5, md5.toUpperCase(), ` ${md5} `, `${issuer}_${currency}`, state.tokens.slug(token)];
      if (state.tokens.kind(token) === 1) {
        forms.push(`${issuer}-${currency}`);
        if (currency.length === 40) forms.push(`${issuer}_${currency.toLowerCase()}`);
        else {
          const hex = Buffer.from(currency, 'latin1').toString('hex');
          forms.push(`${issuer}_${'0'.repeat(24)}${hex}${'0'.repeat(10)}`);
        }
      } else forms.push(`mpt-${currency.toLowerCase()}`, currency);
      for (const form of forms) expect(views.tokens.resolve(form), form).toBe(token);
    }
  });

  test('XRP has four names; unknown names are not found', () => {
    const names = ['XRP', 'xrp', 'XRPL-XRP', 'xrpl-xrp', 'XRPL_XRP', '84e5efeb89c4eae8f68188982dc290d8'];
    for (const name of names) expect(views.tokens.resolve(name), name).toBe(0);
    const wrong = [
      '',
      'x',
      '-',
      '_',
      '0'.repeat(32),
      'mpt-',
      `mpt-${'0'.repeat(48)}`,
      'rfake-USD',
      'XRP-XRP-XRP',
    ];
    for (const id of wrong) expect(views.tokens.resolve(id), id).toBeUndefined();
    expect(views.tokens.resolve('rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B-XRP')).toBeUndefined();
  });

  test('every sort is a full sort', () => {
    const { state, market } = engine;
    const { figures } = views.tokens;
    const ids = new BruteTotals(state, market).listed;
    expect(ids.length).toBeLessThan(state.tokens.count - 1);
    for (const sort of TOKEN_FIELDS.sorts) {
      const key = TOKEN_FIELDS.sortKey(sort, figures);
      if (!key) continue;
      const present = ids.filter((id) => !Number.isNaN(key(id))).sort((a, b) => key(b) - key(a) || a - b);
      const absent = ids.filter((id) => Number.isNaN(key(id)));
      const list = (ascending: boolean) => views.tokens.list({ sort, ascending, offset: 0, limit: 1e6 }).ids;
      expect(list(false), sort).toEqual([...present, ...absent]);
      expect(list(true), sort).toEqual([...present.toReversed(), ...absent]);
    }
  });

  test('an order is built once for all that wait for it, and then there', async () => {
    const { tokens } = new Views(engine);
    for (const sort of TOKEN_FIELDS.sorts) {
      const ready = tokens.listReady(sort);
      expect(ready, sort).toBeDefined();
      await Promise.all([ready, tokens.listReady(sort)]);
      expect(tokens.listReady(sort), sort).toBeUndefined();
      const query = { sort, ascending: false, offset: 0, limit: 1e6 };
      expect(tokens.list(query).ids, sort).toEqual(views.tokens.list(query).ids);
    }
  });

  test('names sort by their lower-case bytes', () => {
    const { ids } = views.tokens.list({ sort: 'name', ascending: true, offset: 0, limit: 1e6 });
    const names = ids.map((id) => Buffer.from(String(tokenRow(views, id).name).toLowerCase()));
    for (let i = 1; i < names.length; i++)
      expect(Buffer.compare(names[i - 1]!, names[i]!)).toBeLessThanOrEqual(0);
  });

  test('filters are naive filters', () => {
    const { state } = engine;
    const base = { sort: 'holders', ascending: false, offset: 0, limit: 1e6 } as const;
    const all = views.tokens.list(base).ids;
    const name = (id: number) => String(tokenRow(views, id).name).toLowerCase();
    for (const text of ['usd', 'C', 'xrp', '$', 'no such name']) {
      const having = all.filter((id) => name(id).includes(text.toLowerCase()));
      expect(views.tokens.list({ ...base, filter: text })).toEqual({ ids: having, total: having.length });
      const others = all.filter((id) => !having.includes(id));
      expect(views.tokens.list({ ...base, filterNot: text })).toEqual({ ids: others, total: others.length });
      const page = views.tokens.list({ ...base, filterNot: text, offset: 3, limit: 4 });
      expect(page).toEqual({ ids: others.slice(3, 7), total: others.length });
    }
    for (const type of TOKEN_TYPES) {
      const having = all.filter((id) => state.tokens.tokenType(id) === type);
      expect(views.tokens.list({ ...base, type }).ids).toEqual(having);
    }
    for (const tag of views.tokens.tags()) {
      const having = all.filter((id) => (tokenRow(views, id).tags as string[]).includes(tag));
      expect(views.tokens.list({ ...base, tag: tag.toUpperCase() }).ids, tag).toEqual(having);
      expect(having.length).toBeGreaterThan(0);
    }
    for (const tag of [undefined, ...views.tokens.tags()])
      for (const limit of [1, 3, 1000]) {
        const { ids } = views.tokens.list({ sort: 'vol24hxrp', ascending: false, offset: 0, limit, tag });
        expect([...views.tokens.first('vol24hxrp', limit, tag)], tag).toEqual(ids);
      }
    expect(views.tokens.first('holders', 10, 'no-such-tag')).toEqual([]);
    expect(views.tokens.list({ ...base, tag: 'no-such-tag' })).toEqual({ ids: [], total: 0 });
    expect(views.tokens.list({ ...base, only: [3, 1] }).ids.toSorted()).toEqual([1, 3]);
  });

  test('rows have the types of the contract', () => {
    const { state } = engine;
    const texts = [
      'md5',
      'issuer',
      'currency',
      'name',
      'slug',
      'tokenType',
      'exch',
      'usd',
      'amount',
      'supply',
    ];
    for (let token = 0; token < state.tokens.count; token++) {
      for (const [name, value] of Object.entries(parse(views.tokens.row(token)))) {
        if (texts.includes(name)) expect(typeof value, name).toBe('string');
        else if (/^(pro|vol|marketcap|tvl|holders|trustlines|dom$|gini|hhi|top10|depth|dateon)/.test(name))
          expect(Number.isFinite(value), `${name} ${value}`).toBe(true);
      }
      const light = parse(views.tokens.row(token, 'light'));
      expect(Object.keys(light).length).toBeLessThanOrEqual(55);
      const line = parse(views.tokens.row(token, 'line'));
      expect(Object.keys(line).length).toBeLessThanOrEqual(32);
      const full = parse(views.tokens.row(token));
      for (const [name, value] of Object.entries(light)) expect(full[name]).toEqual(value);
    }
  });

  test('pools show value, fee and depth of their tokens', () => {
    const { state } = engine;
    let seen = 0;
    for (let pool = 1; pool < state.pools.count; pool++) {
      if (!state.pools.exists(pool) || state.pools.asset1(pool) !== 0) continue;
      const row = tokenRow(views, state.pools.asset2(pool));
      const xrp = decimalNumber(rawDecimal(0, ...state.pools.reserveRaw(pool, 1)));
      const tokens = decimalNumber(rawDecimal(1, ...state.pools.reserveRaw(pool, 2)));
      expect(row.tvl as number).toBeCloseTo(2 * xrp, 6);
      expect(row.tradingFee).toBe(state.pools.fee(pool));
      // Swap the stated XRP in by the pool's own rule: the spot price is 2 % higher. And out: it is 2 % lower.
      const fee = state.pools.fee(pool) / 100_000;
      const paid = row.depthPlus2 as number;
      const left = (xrp * tokens) / (xrp + paid * (1 - fee));
      expect((xrp + paid) / left / (xrp / tokens)).toBeCloseTo(1.02, 6);
      const out = xrp - (row.depthMinus2 as number);
      const given = ((xrp * tokens) / out - tokens) / (1 - fee);
      expect(out / (tokens + given) / (xrp / tokens)).toBeCloseTo(0.98, 6);
      seen++;
    }
    expect(seen).toBeGreaterThan(0);
  });
});

describe('after every ledger', () => {
  const chains = {
    'a run of 2014': () => recordedRun(),
    'the newest transactions, ledgers 80 minutes apart, so that windows age': () => {
      const transactions = recordedTransactions().slice(-1000);
      return [...relaidChain({ ledgers: 26, transactionsPerLedger: 50, interval: 4800, transactions })];
    },
  };
  test.each(Object.entries(chains))(
    'kept rows, lists and rankings are what new views say: %s',
    async (_, chain) => {
      const engine = newEngine();
      const { state } = engine;
      const views = new Views(engine);
      const probe = { sort: 'vol24hxrp', ascending: false, offset: 0, limit: 1e6 } as const;
      for (const packed of chain()) {
        await applyAll(engine, [packed]);
        const rebuilt = new Views(engine);
        for (const sort of ['vol24hxrp', 'holders', 'exch', 'pro5m', 'trustlines', 'marketcap'] as const) {
          expect(views.tokens.list({ ...probe, sort })).toEqual(rebuilt.tokens.list({ ...probe, sort }));
        }
        for (let token = 0; token < state.tokens.count; token++) {
          const kept = parse(views.tokens.row(token));
          const now = parse(rebuilt.tokens.row(token));
          // Dominance moves with every other token; it is refreshed with the row.
          expect({ ...kept, dom: 0 }).toEqual({ ...now, dom: 0 });
          const query = { offset: 0, limit: 200, ascending: false, frozen: false };
          expect(views.holders.list(token, query)).toEqual(rebuilt.holders.list(token, query));
        }
      }
    },
  );
});

describe('search', () => {
  let engine: Engine;
  let views: Views;
  beforeAll(async () => {
    engine = await runWorld();
    views = new Views(engine);
  });

  test('puts the exact ticker first and forgives typos', async () => {
    const nameOf = (id: number) => tokenRow(views, id).name;
    const exact = await views.search.find('usd', 100);
    const count = Array.from({ length: engine.state.tokens.count - 1 }, (_, i) => i + 1).filter(
      (id) => nameOf(id) === 'USD',
    ).length;
    expect(count).toBeGreaterThan(0);
    expect(exact.tokens.slice(0, count).map(nameOf)).toEqual(Array(count).fill('USD'));
    expect((await views.search.find('usdd', 100)).tokens.map(nameOf)).toContain('USD');
    expect((await views.search.find('zzzzzzzz', 100)).tokens).toEqual([]);
    expect((await views.search.find('usd', 1)).tokens).toHaveLength(1);
  });

  test('finds an address, an id, and the popular ones for nothing', async () => {
    const { state } = engine;
    const token = (await views.search.find('usd', 1)).tokens[0]!;
    const issuer = state.tokens.issuerText(token);
    const found = await views.search.find(issuer, 100);
    expect(found.tokens).toContain(token);
    for (const id of found.tokens) expect(state.tokens.issuerText(id)).toBe(issuer);
    const holder = state.accounts.text(
      Array.from({ length: state.accounts.count }, (_, i) => i).findLast((id) => state.accounts.exists(id))!,
    );
    expect((await views.search.find(holder, 5)).account).toMatchObject({
      address: holder,
      balance: expect.any(Number),
      rank: expect.any(Number),
    });
    expect((await views.search.find(state.tokens.md5(token), 5)).tokens).toEqual([token]);
    const popular = await views.search.find('', 3);
    expect(popular.tokens).toEqual(
      views.tokens.list({ sort: 'vol24hxrp', ascending: false, offset: 0, limit: 3 }).ids,
    );
  });
});
