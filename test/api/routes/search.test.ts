/** POST /v1/search over the embedded network: pools and their LP tokens, currencies, accounts. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { embedded } from '../../embedded.ts';
import { type Asker, asker, type Json } from './ask.ts';

/** Issuers, pools and trades are there from the first minutes on. */
const LEDGERS = 120;

describe('search', () => {
  let engine: Engine;
  let ask: Asker;
  let pools: Json[];
  const search = async (text: string, limit = 100) =>
    (await ask.post('/search', { search: text, limit })).body;
  const md5s = (tokens: Json[]): string[] => tokens.map(({ md5 }) => md5);

  beforeAll(async () => {
    ({ engine } = await embedded(LEDGERS));
    ask = asker(engine);
    pools = (await ask.get('/amm?status=all&limit=100')).body.pools;
    expect(pools.length).toBeGreaterThan(3);
  });

  const lpOf = async (pool: Json): Promise<string> =>
    (await ask.get(`/token/${pool.ammAccount}-${pool.lpTokenCurrency}?skip_metrics=1`)).body.token.md5;

  test('an LP token by the names of both assets, in any order and spelling', async () => {
    for (const pool of pools) {
      const lp = await lpOf(pool);
      const [a, b] = [pool.asset1.name, pool.asset2.name];
      for (const text of [`${a}/${b}`, `${b} / ${a}`, `${a} ${b}`.toLowerCase(), `${b}-${a} LP`]) {
        const found = await search(text);
        // Before tokens with only one of the names; others with the same two names may have the same rank.
        const first = found.tokens.slice(0, found.pools.length);
        expect(md5s(first), text).toContain(lp);
        for (const one of first) expect(one.tokenType).toBe('lp');
        expect(found.pools.map(({ ammAccount }: Json) => ammAccount)).toContain(pool.ammAccount);
      }
    }
  });

  test('LP tokens by one asset: first where asked for, else behind the tokens of that name', async () => {
    for (const pool of pools) {
      const asset = pool.asset1.name === 'XRP' ? pool.asset2 : pool.asset1;
      const lp = await lpOf(pool);
      const asked = await search(`${asset.name} pool`);
      expect(md5s(asked.tokens.slice(0, asked.pools.length))).toContain(lp);
      const plain = await search(asset.name);
      expect(plain.tokens[0].name).toBe(asset.name);
      const places = md5s(plain.tokens);
      expect(places.indexOf(lp)).toBeGreaterThan(places.indexOf(asset.md5));
    }
    expect((await search('xrp')).tokens.every(({ tokenType }: Json) => tokenType !== 'lp')).toBe(true);
    expect((await search('XRP LP')).tokens[0].tokenType).toBe('lp');
    expect((await search('nosuchname LP')).tokens).toEqual([]);
  });

  test('a currency in hex, of an LP token or of any other', async () => {
    for (const pool of pools) {
      const lp = await lpOf(pool);
      for (const hex of [pool.lpTokenCurrency, pool.lpTokenCurrency.toLowerCase()])
        expect(md5s((await search(hex)).tokens)).toEqual([lp]);
    }
    const { tokens } = (await ask.get('/tokens?limit=100')).body;
    const long = tokens.filter(({ currency }: Json) => currency.length === 40);
    expect(long.length).toBeGreaterThan(0);
    for (const { currency, md5 } of long) {
      const found = (await search(currency)).tokens;
      expect(md5s(found)).toContain(md5);
      for (const one of found) expect(one.currency).toBe(currency);
    }
  });

  test('the account of a pool: its LP token and the pool itself', async () => {
    for (const pool of pools) {
      const { tokens, pools: found, account } = await search(pool.ammAccount);
      expect(md5s(tokens)).toEqual([await lpOf(pool)]);
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({
        ammAccount: pool.ammAccount,
        asset1: pool.asset1,
        asset2: pool.asset2,
      });
      expect(account.address).toBe(pool.ammAccount);
      if (pool.asset1.name === 'XRP') expect(account.balance).toBe(pool.currentLiquidity.asset1Amount);
    }
  });

  test('an account: its XRP as a number, and its rank among holders', async () => {
    const { richList } = (await ask.get('/holders/list/XRP?limit=20')).body;
    expect(richList.length).toBeGreaterThan(10);
    for (const { account: address, balance, rank } of richList)
      expect((await search(address)).account).toEqual({ address, balance: Number(balance), rank });
    const { accounts } = engine.state;
    const deleted = 'rrrrrrrrrrrrrrrrrrrn5RM1rHd';
    expect(accounts.findText(deleted)).toBeUndefined();
    expect(await search(deleted)).toMatchObject({ tokens: [], account: { address: deleted, rank: null } });
    expect((await search('no address')).account).toBeNull();
  });
});
