/** GET /v1/history over the embedded network: the total on every page is how many rows all pages have together. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../../engine/engine.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { PRUNED_TRADES_VALUE } from '../../../engine/store.ts';
import { tradedBy } from '../../../views/account-trades.ts';
import { embedded } from '../../embedded.ts';
import { type Asker, asker, type Json } from './ask.ts';

const LEDGERS = 160;
const PAGES_MAX = 400;

describe('history', () => {
  let engine: Engine;
  let ask: Asker;
  let tokens: string[];
  let accounts: string[];

  beforeAll(async () => {
    ({ engine } = await embedded(LEDGERS));
    ask = asker(engine);
    const list = (await ask.get('/tokens?limit=100&sort=vol24htx')).body.tokens as Json[];
    tokens = ['XRP', ...list.slice(0, 6).map(({ md5 }) => md5)];
    const { data } = (await ask.get(`/history?md5=${tokens[1]}&limit=20&type=all`)).body;
    accounts = [...new Set<string>(data.flatMap(({ maker, taker }: Json) => [maker, taker]))].slice(0, 5);
    expect(accounts.length).toBeGreaterThan(2);
  });

  /** Rows of all pages, by cursor; the total of each page. */
  async function walk(question: string): Promise<{ rows: number; totals: (number | undefined)[] }> {
    const totals: (number | undefined)[] = [];
    let rows = 0;
    for (let cursor = '', pages = 0; pages < PAGES_MAX; pages++) {
      const { data, meta } = (await ask.get(`/history?${question}${cursor}`)).body;
      rows += data.length;
      totals.push(meta.total);
      if (!meta.hasMore) return { rows, totals };
      cursor = `&cursor=${meta.nextCursor}`;
    }
    throw new Error(`more than ${PAGES_MAX} pages: ${question}`);
  }

  test('one total for all pages, filtered or not, either way', async () => {
    let pages = 0;
    for (const who of [...tokens.map((id) => `md5=${id}`), ...accounts.map((id) => `account=${id}`)])
      for (const what of ['type=trades', 'type=liquidity', 'type=all', 'xrp_amount=25', 'pair_type=token'])
        for (const direction of ['asc', 'desc']) {
          const { rows, totals } = await walk(`${who}&${what}&direction=${direction}&limit=20`);
          expect(new Set(totals), `${who} ${what} ${direction}`).toEqual(new Set([rows]));
          pages += totals.length;
        }
    console.log(`pages of history: ${pages}`);
    expect(pages).toBeGreaterThan(200);
  });

  test('of an account in a token, and with times', async () => {
    const { data } = (await ask.get(`/history?md5=${tokens[1]}&limit=1000`)).body;
    const times = data.map(({ time }: Json) => time).sort((a: number, b: number) => a - b);
    const middle = times[Math.floor(times.length / 2)];
    for (const question of [
      ...accounts.map((account) => `md5=${tokens[1]}&account=${account}`),
      `md5=${tokens[1]}&start_time=${middle}`,
      `md5=${tokens[1]}&end_time=${middle}`,
      `md5=${tokens[1]}&end_time=${times[0] - 1}`,
    ]) {
      const { rows, totals } = await walk(`${question}&limit=7`);
      expect(new Set(totals), question).toEqual(new Set([rows]));
    }
  });

  test('an offset does not change it, and an unknown account has none', async () => {
    const first = (await ask.get(`/history?md5=${tokens[1]}&limit=5`)).body.meta;
    const later = (await ask.get(`/history?md5=${tokens[1]}&limit=5&offset=20`)).body.meta;
    expect(later.total).toBe(first.total);
    expect((await ask.get('/history?account=rrrrrrrrrrrrrrrrrrrn5RM1rHd')).body.meta.total).toBe(0);
  });

  test('says from when on trades are kept, where older ones may have been among those asked for', async () => {
    const { store, state, market } = engine;
    const first = engine.ledgerBytes(Math.floor(LEDGERS * 0.75))!;
    const batch = store.batch();
    batch.value(PRUNED_TRADES_VALUE, first.ledgerIndex);
    await store.commit(batch, store.cursor!);
    const pruned = asker(engine);
    const keptFrom = unixMs(first.closeTime);
    const keptFromOf = async (path: string) => (await pruned.get(path)).body.meta.keptFrom;
    const [account] = accounts;
    for (const question of [
      'md5=XRP&limit=1',
      `md5=${tokens[1]}`,
      `account=${account}&start_time=${keptFrom - 1_000}`,
    ])
      expect(await keptFromOf(`/history?${question}`), question).toBe(keptFrom);
    expect(await keptFromOf(`/history?md5=XRP&start_time=${keptFrom}`)).toBeUndefined();
    const younger = Array.from({ length: state.tokens.count }, (_, id) => id).find(
      (id) => state.tokens.createdAt(id) >= first.closeTime,
    )!;
    expect(await keptFromOf(`/history?md5=${state.tokens.md5(younger)}`)).toBeUndefined();
    const recent = (since: number) =>
      pruned.get(`/account/recent-trades/${account}?limit=100&since=${since}`);
    expect((await recent(0)).body.keptFrom).toBe(keptFrom);
    expect((await recent(keptFrom)).body.keptFrom).toBeUndefined();
    const traded = (since: number) =>
      tradedBy(market, state, { account: state.accounts.findText(account!)!, token: 1, since });
    expect((await traded(0)).truncated).toBe(true);
    expect((await traded(first.closeTime)).truncated).toBe(false);
  });
});
