/** Section 4.1, tokens and search: parameters, clamps, defaults, echo and shapes. */

import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { Network } from '../../../views/network.ts';
import { BruteTotals } from '../../engine/market/brute-totals.ts';
import { wholeWorld } from '../../views/world.ts';
import { type Asker, asker } from './ask.ts';

describe('tokens', () => {
  let engine: Engine;
  let network: Network;
  let ask: Asker;
  /** How many are listed, counted by looking for what names a token. */
  let listed: number;
  beforeAll(async () => {
    engine = await wholeWorld();
    listed = new BruteTotals(engine.state, engine.market).listed.length;
    network = new Network({ engine });
    ask = asker(network);
  });

  test('the list has the members of the contract', async () => {
    const { status, body } = await ask.get('/tokens');
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(Number.isInteger(body.took)).toBe(true);
    expect(body).toMatchObject({ start: 0, limit: 100, tagName: '', sortBy: 'vol24hxrp', sortType: 'desc' });
    expect(body.total).toBe(listed);
    expect(body.count).toBe(body.tokens.length);
    for (const name of ['exch', 'H24', 'global']) expect(typeof body[name]).toBe('object');
    expect(body.tags).toBeUndefined();
    const volumes = body.tokens.map((token: { vol24hxrp: number }) => token.vol24hxrp);
    expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
  });

  test.each([
    ['', 100],
    ['?tag=stablecoin', 50],
    ['?filter=a', 50],
    ['?filterNe=a', 50],
    ['?sort=pro5m', 20],
    ['?sort=trendingScore', 20],
    ['?sortBy=assessmentScore', 20],
    ['?limit=7', 7],
    ['?limit=1000', 100],
    ['?limit=-3', 1],
    ['?limit=abc', 100],
    ['?sort=pro5m&limit=33', 33],
  ])('limit of %p is %p', async (query, limit) => {
    expect((await ask.get(`/tokens${query}`)).body.limit).toBe(limit);
  });

  test('old names, clamps and unknown words', async () => {
    const { body } = await ask.get(
      '/tokens?start=2&limit=3&sortBy=holders&sortType=asc&skipMetrics=true&tags=yes',
    );
    expect(body).toMatchObject({ start: 2, limit: 3, sortBy: 'holders', sortType: 'asc' });
    expect(body.exch).toBeUndefined();
    expect(body.tags).toContain('Stablecoin');
    expect((await ask.get('/tokens?offset=-5')).body.start).toBe(0);
    expect((await ask.get('/tokens?sort=nonsense')).body.sortBy).toBe('vol24hxrp');
    expect((await ask.get('/tokens?sort=volume&order=up')).body).toMatchObject({
      sortBy: 'vol24hxrp',
      sortType: 'desc',
    });
    const beyond = (await ask.get('/tokens?offset=100000')).body;
    expect(beyond).toMatchObject({ count: 0, tokens: [], total: listed });
  });

  test('token types: known ones filter, others are echoed as null', async () => {
    const wrong = (await ask.get('/tokens?token_type=nonsense')).body;
    expect(wrong.token_type).toBeNull();
    expect(wrong.total).toBe(listed);
    const lp = (await ask.get('/tokens?tokenType=lp')).body;
    expect(lp.token_type).toBe('lp');
    expect(lp.total).toBeGreaterThan(0);
    for (const token of lp.tokens) expect(token.tokenType).toBe('lp');
  });

  test('what a type is found with is made in slices before the list of one type', async () => {
    const { tokens } = network.views;
    const [ready, list] = [spyOn(tokens, 'namesReady'), spyOn(tokens, 'list')];
    try {
      await ask.get('/tokens?token_type=nonstandard&limit=9');
      expect(ready.mock.invocationCallOrder[0]).toBeLessThan(list.mock.invocationCallOrder[0]!);
    } finally {
      ready.mockRestore();
      list.mockRestore();
    }
  });

  test('tags ignore case; an unknown one answers nothing', async () => {
    const known = (await ask.get('/tokens?tag=STABLECOIN')).body;
    expect(known.tagName).toBe('Stablecoin');
    expect(known.total).toBeGreaterThan(0);
    expect(known.tokens.every((token: { tags: string[] }) => token.tags.includes('Stablecoin'))).toBe(true);
    const { status, body } = await ask.get('/tokens?tag=no-such-tag');
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 0, count: 0, tagName: '', tokens: [] });
    const linked = (await ask.get('/tokens?tag=lp-token')).body;
    expect(linked.tagName).toBe('LP Token');
  });

  test('lightweight rows are small, watch lists and slugs empty, new ones new', async () => {
    const light = (await ask.get('/tokens?lightweight=true&limit=5')).body;
    for (const token of light.tokens) {
      expect(token.issuer_info).toBeUndefined();
      expect(token.md5).toHaveLength(32);
    }
    expect((await ask.get('/tokens?watchlist=rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B')).body.total).toBe(0);
    expect((await ask.get('/tokens?showSlug=true')).body.total).toBe(0);
    const recent = (await ask.get('/tokens?showNew=true&limit=100')).body;
    expect(recent.total).toBeGreaterThan(0);
    expect(recent.total).toBeLessThan(listed);
    const since = engine.head!.closeTimeMs - 7 * 86_400_000;
    for (const token of recent.tokens) expect(token.dateon).toBeGreaterThanOrEqual(since);
  });

  test('one token, by any id; 404 for none', async () => {
    const { tokens } = (await ask.get('/tokens?limit=1')).body;
    for (const id of [tokens[0].md5, tokens[0].slug, `${tokens[0].issuer}_${tokens[0].currency}`]) {
      const { body } = await ask.get(`/token/${encodeURIComponent(id)}?desc=yes`);
      expect(body.success).toBe(true);
      expect(body.total).toBe(listed);
      expect(body.token).toEqual(tokens[0]);
      expect(Object.keys(body.exch ?? {})).toBeArray();
    }
    expect((await ask.get('/token/XRP?skip_metrics=1')).body).toMatchObject({
      // Clients show its changes as they show those of any token.
      token: { exch: '1', name: 'XRP', pro5m: 0, pro1h: 0, pro24h: 0, pro7d: 0, pro30d: 0, p24h: 0 },
    });
    const none = await ask.get(`/token/${'0'.repeat(32)}`);
    expect(none.status).toBe(404);
    expect(none.body).toMatchObject({ success: false, error: 'Token not found', code: 'not_found' });
  });

  test('slugs', async () => {
    const { body } = await ask.get('/tokens/slugs');
    expect(body).toMatchObject({ truncated: false, total: listed });
    expect(body.slugs).toHaveLength(body.count);
    for (const slug of body.slugs) expect(network.views.tokens.resolve(slug)).toBeDefined();
  });

  test('search', async () => {
    const { body } = await ask.post('/search', { search: 'usd', limit: 2 });
    expect(body).toMatchObject({
      success: true,
      collections: [],
      nfts: [],
      order: ['tokens'],
      account: null,
    });
    expect(body.tokens).toHaveLength(2);
    expect(body.tokens[0].name).toBe('USD');
    expect(body.pagination).toMatchObject({ offset: 0, limit: 2, hasMore: true, maxResults: 100 });
    const next = (await ask.post('/search', { search: 'usd', limit: 2, offset: 2 })).body;
    expect(next.tokens[0]?.md5).not.toBe(body.tokens[0].md5);
    const clamped = (await ask.post('/search', { search: 'usd', limit: 1000, offset: 95 })).body.pagination;
    expect(clamped).toMatchObject({ offset: 0, limit: 100 });
    expect((await ask.post('/search', {})).body.tokens.length).toBeGreaterThan(0);
    const address = engine.state.tokens.issuerText(1);
    const found = (await ask.post('/search', { search: address })).body;
    expect(found.tokens.length).toBeGreaterThan(0);
    expect((await ask.post('/search', { search: 'qqqqqqqq' })).body).toMatchObject({ tokens: [], order: [] });
  });
});
