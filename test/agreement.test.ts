/** Every figure that two answers of a running service share is the same in both, at one ledger of the embedded network. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { checkPool, checkPositions, checkTokenFormulas } from './agreement-formulas.ts';
import { Agreement, Book } from './agreement-rig.ts';
import { NumberRegister, requestsAbout, type Subjects } from './agreement-routes.ts';
import { casesOf } from './cases.ts';
import type { Frame, Listener } from './live-rig.ts';

const DAY_MS = 86_400_000;
/** Two days, and some hours in which nothing of the first day is left in the window. */
const SECONDS = (2 * 24 + 3) * 3600;
/** Between two ledgers, s. */
const STEP = casesOf(480, 60);

const USUAL_SEED = 'agreement';
const seed = process.env.SEED ?? USUAL_SEED;
console.log(`seed ${seed}`);

/** XRP as whole drops, in which figures are summed. */
const drops = (xrp: number) => Math.round(xrp * 1e6);
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const near = (a: number, b: number, within = 1e-9) =>
  Math.abs(a - b) <= within * Math.max(1, Math.abs(a), Math.abs(b));

let world: Agreement;
let all: Frame[];
/** Of the newest ledger. */
let stats: Frame;
let pools: Frame[];
let summary: Frame;
let pairs: Map<string, Frame[]>;
const book = new Book({
  // What was traded of the token in that pair; what the pool holds of it.
  pairs: ['value'],
  'amm/info': ['value'],
  // Of the holder, not of the token.
  'holders/position': ['account', 'balance', 'holding', 'rank', 'took', 'success', 'attribution'],
  'ws/holders': ['type', 'total', 'summary', 'holders'],
  'ws/ohlc': ['type', 'interval', 'vs_currency', 'count', 'ohlc'],
  'ws/history': ['type', 'count', 'trades'],
});
/** Sockets that were open before the last ledgers, and what their frames add up to. */
let early: { token: Map<string, Listener>; sync: Listener };

beforeAll(async () => {
  world = await Agreement.start(seed, SECONDS, STEP);
  const { tokens } = await world.get('/tokens?limit=20');
  early = { token: new Map(), sync: await world.listen('/ws/sync', { type: 'subscribe', snapshot: false }) };
  for (const { md5 } of tokens) early.token.set(md5, await world.listen(`/ws/token/${md5}?delta=true`));
  await world.closeAll();
  const list = await world.pages('/tokens?tags=yes', 'tokens');
  all = list.rows;
  for (const answer of list.answers) book.add('tokens', answer);
  stats = await world.get('/stats');
  book.add('stats', stats);
  const amm = await world.pages('/amm?status=all', 'pools');
  pools = amm.rows;
  summary = amm.answers[0]!.summary;
  book.add('amm', amm.answers);
  pairs = new Map();
  for (const { md5 } of all) {
    const answer = await world.get(`/pairs/${md5}`);
    book.add('pairs', answer);
    expect(answer.truncated).toBe(false);
    pairs.set(md5, answer.pairs);
  }
}, 600_000);

afterAll(() => world?.stop());

const byMd5 = (md5: string) => all.find((row) => row.md5 === md5)!;
const poolsOf = (md5: string) =>
  pools.filter(({ asset1, asset2 }) => asset1.md5 === md5 || asset2.md5 === md5);

describe('answers that show the same token', () => {
  test('by REST: lists, single tokens, search, rates, holders, books, pools', async () => {
    for (const query of ['lightweight=true', 'sort=marketcap', 'sort=name&order=asc', 'token_type=lp'])
      for (const answer of (await world.pages(`/tokens?${query}`, 'tokens')).answers)
        book.add('tokens', answer);
    for (const { md5, name, slug } of all) {
      book.add('token', await world.get(`/token/${md5}`));
      const found = await world.post('/search', { search: name, limit: 100 });
      book.add('search', found);
      for (const pool of found.pools) expect(pool).toEqual(pools.find(({ _id }) => _id === pool._id)!);
      const { rate1, ...rates } = await world.get(`/stats/rates?token1=${slug}&token2=XRP`);
      book.add('stats/rates', rates);
      expect(rate1).toBe(byMd5(md5).exch === undefined ? null : Number(byMd5(md5).exch));
      book.add('orderbook', await world.get(`/orderbook?base=${md5}&quote=XRP`));
      const { richList } = await world.get(`/holders/list/${md5}?limit=1`);
      if (richList[0])
        book.add('holders/position', await world.get(`/holders/position/${md5}/${richList[0].account}`));
    }
    for (const { ammAccount } of pools)
      book.add('amm/info', await world.get(`/amm/info?amm_account=${ammAccount}`));
    book.add('token', await world.get('/token/XRP'));
    const { tags, ...market } = await world.get('/tags');
    book.add('tags', market);
    expect(tags).toEqual((await world.get('/tokens?tags=yes')).tags);
    expect(book.disagreements()).toEqual([]);
  }, 300_000);

  test('by WebSocket: first frames, and updates added up', async () => {
    const opened: Listener[] = [];
    const first = async (path: string, source: string, say?: object) => {
      const listener = await world.listen(path, say);
      opened.push(listener);
      book.add(source, listener.frames[0]);
      return listener.frames[0]!;
    };
    const initial = await first('/ws/sync', 'ws/sync');
    expect(initial.total).toBe(all.length);
    expect(initial.tags).toEqual((await world.get('/tags')).tags);
    for (const { md5 } of all) {
      await first(`/ws/token/${md5}`, 'ws/token');
      const holders = await first(`/ws/holders/${md5}?limit=5`, 'ws/holders');
      expect(holders.total).toBe(byMd5(md5).holders);
      const candles = await first(`/ws/ohlc/${md5}?interval=5m&vs_currency=XRP`, 'ws/ohlc');
      const { ohlc } = await world.get(`/ohlc/${md5}?interval=5m&cb=100`);
      expect(candles.ohlc.map((row: number[]) => row.slice(0, 6))).toEqual(
        ohlc.map((row: number[]) => row.slice(0, 6)),
      );
      const { trades } = await first(`/ws/history/${md5}?limit=20`, 'ws/history');
      expect(trades).toEqual((await world.get(`/history?md5=${md5}&limit=20`)).data);
      for (const listener of opened.splice(0)) listener.close();
    }
    for (const [md5, listener] of early.token) {
      const row: Frame = {};
      for (const { token } of listener.frames) Object.assign(row, token);
      for (const name of Object.keys(row)) if (row[name] === null) delete row[name];
      expect(row.md5).toBe(md5);
      book.add('ws/token', row);
    }
    const last = early.sync.frames.findLast(({ tokens, seq }) => tokens && seq);
    book.add('ws/sync', last);
    expect(book.disagreements()).toEqual([]);
    console.log(`${book.tokens.size} tokens, ${book.shared} figures in more than one answer`);
    expect(book.shared).toBeGreaterThan(all.length * 40);
  }, 300_000);
});

describe('every row of the route table', () => {
  /** What others are about: busy and quiet tokens, holders that trade, issuers, collections and their NFTs. */
  async function subjects(): Promise<Subjects> {
    const tokens = all.slice(0, 10).map(({ md5 }) => md5 as string);
    const { richList } = await world.get(`/holders/list/${tokens[1]}?limit=6`);
    const { data } = await world.get('/token/analytics/traders?limit=4&period=all');
    const { collections } = await world.get('/nft/collections?limit=3');
    const { traders } = await world.get('/nft/analytics/traders?limit=2');
    const { platforms } = await world.get('/platform-stats?period=30d');
    const accounts = [...richList, ...data, ...traders].map((row: Frame) => row.account ?? row.address);
    return {
      tokens,
      accounts: [...new Set<string>([...accounts, all[1]!.issuer])],
      collections: collections.map(({ slug }: Frame) => slug),
      nfts: (await world.get('/nft?limit=4')).nfts.map(({ NFTokenID }: Frame) => NFTokenID),
      platforms: platforms.map(({ sourceTag }: Frame) => String(sourceTag)),
    };
  }

  test('shows the same numbers of the same token, account, NFT or collection', async () => {
    const register = new NumberRegister();
    const { asked, without } = requestsAbout(await subjects());
    const answered = new Set<string>();
    for (const one of asked) {
      const response = await fetch(`${world.service.url}/v1${one.path}`);
      if (response.status !== 200) continue;
      answered.add(one.row.path);
      register.add(one, await response.json());
    }
    expect(register.disagreements()).toEqual([]);
    expect(register.shared).toBeGreaterThan(5000);
    // Rows of two accounts, of dates and of ledgers; rows that must be given one of two.
    expect(without).toEqual([
      '/stats/marketcap-history',
      '/account/deposit-authorized',
      '/account/snapshot/{account}',
      '/ledger/at',
    ]);
    const silent = new Set(asked.map(({ row }) => row.path).filter((path) => !answered.has(path)));
    expect([...silent].sort()).toEqual([
      '/account/search-by-name',
      '/amm/info',
      '/ledger/entry',
      '/nft/collections/resolve',
      '/orderbook',
    ]);
  }, 300_000);

  test('has as many rows on its pages as its total says', async () => {
    const { asked } = requestsAbout(await subjects());
    let paged = 0;
    for (const { row, path } of asked) {
      if (row.params.offset?.in !== 'query' || row.params.limit?.in !== 'query' || row.params.cursor)
        continue;
      const first = await fetch(`${world.service.url}/v1${path}`);
      if (first.status !== 200) continue;
      const answer = (await first.json()) as Frame;
      const total = answer.pagination?.total ?? answer.meta?.total ?? answer.total;
      const lists = Object.entries(answer).filter(([, member]) => Array.isArray(member));
      const shown = lists.filter(([, rows]) => rows.length === (answer.count ?? rows.length));
      if (total === undefined || total === 0 || total > 400 || shown.length !== 1) continue;
      const step = Math.max(1, Math.ceil(total / 3));
      const rows: string[] = [];
      for (let offset = 0; offset < total + step; offset += step) {
        const page = new URL(`${world.service.url}/v1${path}`);
        page.searchParams.set('limit', String(step));
        page.searchParams.set('offset', String(offset));
        const { [shown[0]![0]]: part } = (await (await fetch(page)).json()) as Frame;
        expect([path, offset, part.length]).toEqual([
          path,
          offset,
          Math.max(0, Math.min(step, total - offset)),
        ]);
        rows.push(...part.map((one: unknown) => JSON.stringify(one)));
      }
      expect([path, new Set(rows).size]).toEqual([path, rows.length]);
      paged++;
    }
    expect(paged).toBeGreaterThan(50);
  }, 300_000);

  test('says of now what the row of a token says: the newest point of series, sparklines, related tokens', async () => {
    const byId = new Map(all.map((row) => [row.md5, row]));
    let related = 0;
    for (const { md5, ...row } of all) {
      const { richInfo } = await world.get(`/holders/info/${md5}`);
      for (const interval of ['hour', 'day']) {
        const point = (await world.get(`/token/${md5}/series?interval=${interval}`)).series.at(-1);
        expect([md5, point.holders, point.trustlines, point.tvl, point.uniqueTraders24h]).toEqual([
          md5,
          row.holders,
          row.trustlines,
          row.tvl,
          row.uniqueTraders24h,
        ]);
        for (const name of ['top10', 'top20', 'top50', 'top100']) expect(point[name]).toBe(richInfo[name]);
        if (row.exch !== undefined)
          expect([point.exch, point.usd]).toEqual([Number(row.exch), Number(row.usd)]);
      }
      for (const [period, change] of [
        ['24h', row.pro24h],
        ['7d', row.pro7d],
      ])
        expect((await world.get(`/sparkline/${md5}?period=${period}`)).percentChange).toBe(change ?? 0);
      if (row.tokenType === 'lp') continue;
      for (const { type, md5: other, holders } of (await world.get(`/token/${md5}/related`)).related) {
        if (type !== 'token') continue;
        expect([other, holders]).toEqual([other, byId.get(other)!.holders]);
        related++;
      }
    }
    expect(related).toBeGreaterThan(10);
  }, 300_000);
});

describe('counts', () => {
  test('totals are the number of rows, everywhere', async () => {
    const slugs = await world.get('/tokens/slugs');
    expect(slugs).toMatchObject({ count: all.length, total: all.length, truncated: false });
    expect(slugs.slugs.toSorted()).toEqual(all.map(({ slug }) => slug).toSorted());
    for (const answer of [stats, await world.get('/tokens'), await world.get(`/token/${all[0]!.md5}`)])
      expect([answer.total, answer.global.total]).toEqual([all.length, all.length]);
    const types = await Promise.all(
      ['trustline', 'lp', 'mpt', 'xls14', 'demurrage', 'nonstandard'].map(
        async (type) => (await world.get(`/tokens?token_type=${type}&limit=1`)).total as number,
      ),
    );
    expect(sum(types)).toBe(all.length);
    expect(new Set(all.map(({ md5 }) => md5)).size).toBe(all.length);
  });

  test('who is gone is in no list, and still has a page', async () => {
    const {
      engine: { state },
      views,
    } = world.service.network;
    const gone = Array.from({ length: state.tokens.count }, (_, id) => id).filter(
      (id) => id > 0 && !all.some(({ md5 }) => md5 === views.tokens.md5(id)),
    );
    // A network of another seed may have lost no token.
    if (seed === USUAL_SEED) expect(gone.length).toBeGreaterThan(0);
    for (const id of gone) {
      const { token } = await world.get(`/token/${views.tokens.md5(id)}`);
      expect([token.slug, token.holders, token.trustlines, Number(token.supply)]).toEqual([
        token.slug,
        0,
        0,
        0,
      ]);
      for (const search of [token.md5, token.slug, token.name, token.issuer])
        expect(
          (await world.post('/search', { search, limit: 100 })).tokens.map(({ md5 }: Frame) => md5),
        ).not.toContain(token.md5);
    }
  });

  test('holders and lines: rows, lists, figures, graphs, ranks', async () => {
    for (const { md5, holders, trustlines, top10 } of all) {
      const { richInfo } = await world.get(`/holders/info/${md5}`);
      const list = await world.get(`/holders/list/${md5}?limit=200`);
      const graph = (await world.get(`/holders/graph/${md5}`)).history.at(-1);
      const ranks = await world.get(`/holders/ranks/${md5}?accounts=${list.richList[0]?.account ?? ''}`);
      expect([md5, list.length, richInfo.holders, graph.holders, ranks.total]).toEqual([
        md5,
        ...[holders, holders, holders, holders],
      ]);
      expect([richInfo.length, graph.length]).toEqual([trustlines, trustlines]);
      expect(graph).toEqual(richInfo);
      for (const n of [10, 20, 50, 100]) expect(list.summary[`top${n}Hold`]).toBe(richInfo[`top${n}`]);
      if (top10 !== undefined) expect(richInfo.top10).toBeCloseTo(top10, 3);
      if (holders <= 200) expect(list.richList).toHaveLength(holders);
    }
  }, 300_000);
});

describe('market figures', () => {
  test('value locked: pools, tokens and totals', () => {
    const of = ({ apy24h }: Frame) => drops(apy24h.liquidity);
    const locked = sum(pools.map(of));
    expect(locked).toBeGreaterThan(0);
    const shown = [stats.H24.totalTVL, stats.global.gTVL, summary.totalLiquidity];
    expect(shown.map(drops)).toEqual([locked, locked, locked]);
    for (const { md5, tvl } of all) {
      const own = poolsOf(md5);
      expect([md5, tvl]).toEqual([md5, own.length > 0 ? sum(own.map(of)) / 1e6 : undefined]);
    }
    // Each side at its XRP price: the token's own, or, with XRP on the other side, what the pool gives.
    for (const { asset1, asset2, currentLiquidity: held, ...pool } of pools) {
      if (asset1.currency === 'XRP') expect(of(pool)).toBe(drops(2 * held.asset1Amount));
      else if (of(pool) > 0) {
        const side = ({ md5 }: Frame, amount: number) => Number(byMd5(md5).exch ?? 0) * amount;
        expect(of(pool)).toBeLessThanOrEqual(
          drops(side(asset1, held.asset1Amount) + side(asset2, held.asset2Amount)) + 1,
        );
      }
    }
  });

  test('market cap: the tokens that count, and their shares', () => {
    const counted = all.filter(({ isOMCF }) => isOMCF === 'yes');
    expect(counted.length).toBeGreaterThan(0);
    const cap = sum(counted.map(({ marketcap }) => marketcap ?? 0));
    expect(near(cap, stats.global.gMarketcap)).toBe(true);
    for (const { marketcap, dom } of counted) expect(dom).toBeCloseTo((marketcap / cap) * 100, 3);
    expect(all.filter(({ dom }) => dom !== undefined).length).toBeLessThanOrEqual(counted.length);
  });

  test('prices: rows, dollars, candles', async () => {
    for (const { md5, exch, usd } of all) {
      if (exch === undefined) continue;
      if (usd !== undefined) expect(near(Number(usd) * stats.exch.USD, Number(exch))).toBe(true);
      const { ohlc } = await world.get(`/ohlc/${md5}?interval=1m&cb=1`);
      if (ohlc.length > 0) expect([md5, ohlc[0][4]]).toEqual([md5, Number(exch)]);
    }
  });

  test('order books: the same from either side and on the stream', async () => {
    for (const { md5, currency, issuer, tokenType } of all) {
      const there = await world.get(`/orderbook?base=${md5}&quote=XRP&limit=20`);
      const back = await world.get(`/orderbook?base=XRP&quote=${md5}&limit=20`);
      expect([back.bids, back.asks]).toEqual([there.bids, there.asks]);
      if (tokenType === 'mpt') continue;
      const pair = `quote_currency=${currency}&quote_issuer=${issuer}`;
      const listener = await world.listen(`/ws/orderbook?base_currency=XRP&${pair}&limit=20`);
      const [{ bids, asks }] = listener.frames as [Frame];
      listener.close();
      expect([bids, asks]).toEqual([there.bids, there.asks]);
    }
  });
});

describe('the formulas of /docs', () => {
  test('give the figures of each token, from trades, candles and holders alone', async () => {
    let trades = 0;
    for (const row of all) trades += await checkTokenFormulas(row, world);
    expect(trades).toBeGreaterThan(500);
  });

  test('give profit and return of each trader, at average cost', async () => {
    let traders = 0;
    for (const row of all) traders += await checkPositions(row, world);
    expect(traders).toBeGreaterThan(50);
  });

  test('give yield and depth of each pool with XRP', () => {
    const withXrp = pools.filter(({ asset1 }) => asset1.currency === 'XRP');
    expect(withXrp.length).toBeGreaterThan(2);
    for (const pool of withXrp) checkPool(pool, byMd5(pool.asset2.md5));
  });
});

describe('the last 24 hours', () => {
  test('trades of a token: sides, venues, pairs, pools, candles, history', async () => {
    const from = world.now - DAY_MS;
    let charted = 0;
    for (const row of all) {
      const { md5, vol24hxrp, vol24htx } = row;
      const volume = drops(vol24hxrp);
      expect([md5, drops(row.buy24hxrp) + drops(row.sell24hxrp), row.buy24htx + row.sell24htx]).toEqual([
        md5,
        volume,
        vol24htx,
      ]);
      expect([md5, drops(row.vol24hAMM) + drops(row.vol24hOrderbook), row.txns24h]).toEqual([
        md5,
        volume,
        vol24htx,
      ]);
      const own = pairs.get(md5)!;
      expect([md5, sum(own.map((pair) => drops(pair.volume))), sum(own.map(({ count }) => count))]).toEqual([
        md5,
        volume,
        vol24htx,
      ]);
      expect([md5, sum(poolsOf(md5).map(({ apy24h }) => drops(apy24h.volume)))]).toEqual([
        md5,
        drops(row.vol24hAMM),
      ]);
      const window = `start_time=${from + 1000}&limit=1`;
      const trades = (await world.get(`/history?md5=${md5}&${window}`)).meta;
      expect([md5, trades.total]).toEqual([md5, vol24htx]);
      const liquidity = (await world.get(`/history?md5=${md5}&type=liquidity&${window}`)).meta;
      expect([md5, liquidity.total]).toEqual([md5, row.deposit24htx + row.withdraw24htx]);
      const { ohlc } = await world.get(`/ohlc/${md5}?interval=1m&cb=1440`);
      const candles = (ohlc as number[][]).filter(([time]) => time! > from);
      // A trade before the first price of a token is in no candle.
      const inCandles = sum(candles.map((candle) => candle[7]!));
      expect(inCandles).toBeLessThanOrEqual(vol24htx);
      if (inCandles < vol24htx || inCandles === 0) continue;
      expect([md5, sum(candles.map((candle) => drops(candle[5]!)))]).toEqual([md5, volume]);
      charted++;
    }
    expect(charted).toBeGreaterThan(all.filter(({ vol24htx }) => vol24htx > 0).length / 2);
  }, 300_000);

  test('trades of the market: pairs, pools, totals', () => {
    const each = new Map([...pairs.values()].flat().map((pair) => [pair.pair, pair]));
    const volume = sum([...each.values()].map((pair) => drops(pair.volume)));
    expect(volume).toBeGreaterThan(0);
    expect([stats.H24.tradedXRP24H, stats.global.gDexVolume].map(drops)).toEqual([volume, volume]);
    expect(drops(stats.H24.globalBuy24hxrp) + drops(stats.H24.globalSell24hxrp)).toBe(volume);
    expect(stats.H24.tradedTokens24H).toBe(all.filter(({ vol24htx }) => vol24htx > 0).length);
    expect(drops(summary.totalVolume24h)).toBe(sum(pools.map(({ apy24h }) => drops(apy24h.volume))));
    for (const name of ['totalAddresses', 'totalOffers', 'totalTrustLines'])
      expect(stats.H24[name]).toBe(stats.global[name]);
  });

  test('changes are those since the ledger that closed a day before', () => {
    let [moved, changed] = [0, 0];
    for (const { md5, ...row } of all) {
      const before = world.dayBefore.get(md5) ?? { holders: 0, trustlines: 0 };
      expect([md5, row.holders24h, row.trustlines24h]).toEqual([
        md5,
        row.holders - before.holders,
        row.trustlines - before.trustlines,
      ]);
      if (row.holders24h !== 0) moved++;
      // A pool between tokens is compared at prices of both days (views.ts).
      const own = poolsOf(md5);
      if (before.tvl === undefined || own.some(({ asset1 }) => asset1.currency !== 'XRP')) continue;
      expect([md5, row.tvlChange24h]).toEqual([md5, expect.closeTo(row.tvl - before.tvl, 5)]);
      if (row.tvlChange24h !== 0) changed++;
    }
    expect(moved).toBeGreaterThan(3);
    expect(changed).toBeGreaterThan(3);
  });
});
