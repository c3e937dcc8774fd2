/** The pages of the network, of the service's state, of the API and of keys: their numbers are those that the routes answer. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { PAGE_HISTORY } from '../../bench/page-history.ts';
import { minus, xrpOfDrops } from '../../explain/decimal.ts';
import { figureOf, parseMetrics } from '../../web/net/metrics-text.ts';
import { TimeLeft } from '../../web/net/time-left.ts';
import { paceOf } from '../../web/pages/network/pace.ts';
import { sampled } from '../cases.ts';
import { violationsOf } from './accessibility.ts';
import { describeInBrowser, type Tab } from './browser.ts';
import { keysPages, MERCHANT } from './keys-pages.ts';
import { Market } from './market.ts';

const grouped = (value: number | string) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format(value as Intl.StringNumericLiteral);

describe('figures', () => {
  test('the time left follows the newest pace, and begins again with other work', () => {
    const left = new TimeLeft();
    left.add(0, 0.1, 'snapshot');
    expect(left.seconds).toBeUndefined();
    left.add(10_000, 0.2, 'snapshot');
    expect(left.seconds).toBeCloseTo(80);
    for (let at = 20_000; at <= 70_000; at += 10_000)
      left.add(at, 0.2 + (at - 10_000) / 100_000 / 2, 'snapshot');
    // 0.05 in 10 s for longer than the window: half done.
    expect(left.seconds).toBeCloseTo(100);
    left.add(71_000, 0.01, 'snapshot');
    expect(left.seconds).toBeUndefined();
    left.add(73_000, 0.5, 'snapshot');
    // Whoever comes when 60 % of other work are done knows nothing of its pace.
    left.add(75_000, 0.6, 'history');
    expect(left.seconds).toBeUndefined();
    left.add(79_000, 0.7, 'history');
    expect(left.seconds).toBeCloseTo(12);
  });

  test('the pace of ledgers is that of those that are held, where some among them are missing', () => {
    const header = (close_time: number, parent_close_time: number, txn_count: number) => ({
      close_time,
      parent_close_time,
      txn_count,
    });
    // Held: 1, 2 and 3, then 100 and 101.
    const headers = [
      header(404, 400, 8),
      header(400, 396, 6),
      header(14, 10, 4),
      header(10, 0, 3),
      header(0, 0, 0),
    ];
    expect(paceOf(headers)).toEqual({ ledgers: 3, seconds: 12, transactions: 18 });
    expect(paceOf([])).toEqual({ ledgers: 0, seconds: 0, transactions: 0 });
  });

  test('metrics are read with their labels', () => {
    const text =
      '# HELP x y\nmillrace_a{stream="/ws/sync",b="1\\"2"} 3\nmillrace_a{stream="/ws/x"} 4\nmillrace_c 1e3\nother 7\n';
    const metrics = parseMetrics(text);
    expect(metrics.get('a')?.[0]).toEqual({ labels: { stream: '/ws/sync', b: '1"2' }, value: 3 });
    expect(figureOf(metrics, 'a')).toBe(7);
    expect(figureOf(metrics, 'a', { stream: '/ws/x' })).toBe(4);
    expect(figureOf(metrics, 'c')).toBe(1000);
    expect(figureOf(metrics, 'other')).toBeUndefined();
  });
});

describeInBrowser('the pages of network, status and API', (browser) => {
  let market: Market;
  beforeAll(async () => {
    market = await Market.start({ ledgers: 60, options: ['--payment-address', MERCHANT] });
  });
  afterAll(() => market[Symbol.asyncDispose]());

  const factsOf = (tab: Tab) =>
    tab.evaluate<Record<string, string>>(
      'Object.fromEntries([...document.querySelectorAll(".facts > div")].map((f) => [f.children[0].innerText, f.children[1].innerText]))',
    );
  const cellsOf = (tab: Tab, selector: string) =>
    tab.evaluate<string[][]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((row) => [...row.cells].map((cell) => cell.innerText.trim()))`,
    );

  test('the network page shows the amendments of the node, and what it asks for a transaction', async () => {
    await using tab = await browser().open(`${market.url}/#/network`);
    await tab.text(/amendments are enabled/, '.rules');
    const rpc = { method: 'POST', body: JSON.stringify({ method: 'feature', params: {} }) };
    const { result } = (await (await fetch(`${market.url}/v1/rpc`, rpc)).json()) as {
      result: { features: Record<string, { name: string; enabled: boolean }> };
    };
    const names = Object.values(result.features)
      .filter(({ enabled }) => enabled)
      .map(({ name }) => name);
    const shown = await tab.evaluate<string[]>(
      '[...document.querySelectorAll(".rules details:first-of-type li")].map((item) => item.textContent)',
    );
    expect(shown.toSorted()).toEqual(names.toSorted());
    expect(names.length).toBeGreaterThan(20);
    const { open_ledger_fee } = await market.get('/v1/submit/fee');
    expect((await factsOf(tab))['To be in the next ledger']).toBe(
      `${grouped(xrpOfDrops(open_ledger_fee))} XRP`,
    );
    expect(tab.problems).toEqual([]);
  });

  test('the network page shows what the routes answer of the same ledger, and the next one', async () => {
    await using tab = await browser().open(`${market.url}/#/network`);
    for (let round = 0; round < 2; round++) {
      const { index } = round === 0 ? market.world.network.closed : await market.close();
      await tab.text(new RegExp(`^${index} `), '.ledgers tbody tr');
      const [ledger, stats] = [await market.get('/v1/ledger'), await market.get('/v1/stats')];
      await tab.text(/\d/, '.prices td');
      const facts = await factsOf(tab);
      expect(facts['Newest ledger']).toBe(grouped(index));
      expect(facts['Reserve of an account']).toBe(
        `${grouped(xrpOfDrops(String(ledger.reserve_base_drops)))} XRP`,
      );
      expect(facts['XRP in existence']).toBe(grouped(xrpOfDrops(ledger.total_coins)));
      const rows = await cellsOf(tab, '.ledgers tbody tr');
      expect(rows).toHaveLength(20);
      for (const [i, [shown, , , count, burned]] of rows.entries()) {
        const header = await market.get(`/v1/ledger/${index - i}?transactions=false`);
        const before = await market.get(`/v1/ledger/${index - i - 1}?transactions=false`);
        expect([shown, count]).toEqual([grouped(index - i), grouped(header.txn_count)]);
        expect(burned).toBe(grouped(xrpOfDrops(minus(before.total_coins, header.total_coins))));
      }
      const prices = Object.fromEntries(
        (await cellsOf(tab, '.prices tr')).map(([name, price]) => [name, Number(price)]),
      );
      for (const [name, code] of [
        ['US dollar (USD)', 'USD'],
        ['Japanese yen (JPY)', 'JPY'],
      ] as const)
        expect(prices[name]).toBeCloseTo(1 / stats.exch[code], code === 'JPY' ? 1 : 3);
    }
    const { oracles } = await market.get('/v1/stats/oracles?quote=USD&limit=8');
    expect(oracles.length).toBeGreaterThan(0);
    await tab.text(/\d/, '.oracles tbody');
    expect((await cellsOf(tab, '.oracles tbody tr')).map(([, price]) => Number(price))).toEqual(
      oracles.map(({ price }: { price: string }) => Number(Number(price).toPrecision(5))),
    );
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
    await tab.picture('network');
  });

  test('the status page shows health and metrics, and moves on with the ledgers', async () => {
    await using tab = await browser().open(`${market.url}/#/status`, { dark: true });
    await tab.text(/Ledgers proved and applied since the start \d/);
    const { index } = await market.close();
    await tab.text(new RegExp(`up, ledger ${index}`));
    await tab.text(new RegExp(`Newest ledger ${index}`));
    const facts = await factsOf(tab);
    expect(facts).toMatchObject({
      State: 'healthy',
      Source: 'sends ledgers',
      'Behind the source by': '0 ledgers',
    });
    const rows = Object.fromEntries(await cellsOf(tab, '.card tr'));
    const metrics = parseMetrics(await (await fetch(`${market.url}/metrics`)).text());
    expect(rows['Transactions applied']).toBe(grouped(figureOf(metrics, 'transactions_applied_total')!));
    expect(rows['Ledgers refused: proof failed']).toBe('0');
    expect(rows['/ws/ledger']).toBe('1');
    expect(rows['The process']).toMatch(/^[\d.]+ MB$/);
    const kept = JSON.parse(readFileSync(PAGE_HISTORY, 'utf8')).budgets;
    await tab.text(/Budgets/);
    expect(await tab.readAll('.budgets tbody tr')).toHaveLength(kept.length);
    expect(rows['Longest, of the last two minutes']).toMatch(/^[\d.,]+ ms$/);
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
    await tab.picture('status');
  });

  test('the API page lists every route and stream, and finds them by words', async () => {
    const { paths } = await market.get('/openapi.json');
    const routes = Object.values(paths as Record<string, object>).flatMap((methods) => Object.keys(methods));
    const { streams } = await market.get('/ws/info');
    await using tab = await browser().open(`${market.url}/#/api`);
    await tab.text(new RegExp(`${routes.length} of ${routes.length}`), '.filter');
    await tab.text(/\/ws\/ledger/);
    expect(await tab.readAll('.routes details')).toHaveLength(routes.length + streams.length);
    await tab.page.type('.filter input', 'OrderBook');
    await tab.text(new RegExp(`^(?!${routes.length} )\\d+ of`), '.filter [role=status]');
    expect(await tab.readAll('.routes code')).toContain('/orderbook');
    await tab.page.focus('.routes summary');
    await tab.page.keyboard.press('Enter');
    await tab.text(new RegExp(`curl '${market.url}/v1/`));
    expect(await violationsOf(tab)).toEqual([]);
    expect(tab.problems).toEqual([]);
    await tab.picture('api');
  });

  test('what cannot be answered for the moment is said, and shown once it can be', async () => {
    const { tokens } = await market.get('/v1/tokens?limit=1');
    const words = 'not for the moment';
    const pages = [
      [`token/${tokens[0].md5}`, /^Token This token cannot be shown/, /Trades 24 h/, 'main'],
      ['ledger/7', /not for the moment/, /Ledger 7/, 'main'],
      ['network', /not for the moment/, /amendments are enabled/, '.rules'],
      ['network', /not for the moment/, /\d+ s/, '.ledgers tbody tr:nth-child(20)'],
      ['api', /not for the moment/, /ws.ledger/, 'main'],
      ['admin', /not for the moment/, /Requests a minute/, 'main'],
      ['quote', /Quote/, /You receive/, 'main'],
    ] as const;
    for (const [fragment, first, then, selector] of sampled(pages, 3)) {
      await using tab = await browser().open('about:blank');
      let isBusy = true;
      await tab.page.setRequestInterception(true);
      tab.page.on('request', (request) => {
        if (!isBusy || !/\/v1\/|ws.info/.test(request.url())) return void request.continue();
        void request.respond({ status: 503, contentType: 'application/json', body: `{"error":"${words}"}` });
      });
      tab.expect(/another origin|503/);
      await tab.page.goto(`${market.url}/#/${fragment}`);
      await tab.text(first, 'main');
      await Bun.sleep(1_500); // the questions that are asked again at once
      isBusy = false;
      await market.close(2);
      await tab.text(then, selector, 20_000);
      expect(tab.problems).toEqual([]);
    }
  });

  test('what could not be answered is said to be that, and not to be none', async () => {
    const { tokens } = await market.get('/v1/tokens?limit=1');
    const { collections } = await market.get('/v1/nft/collections?limit=1&sort=items');
    const { nfts } = await market.get(`/v1/nft?cid=${collections[0].slug}&limit=1`);
    const wrong: Record<string, unknown> = {};
    const pages = [
      [`token/${tokens[0].md5}`, /v1\/token\/\w+$/],
      [`account/${tokens[0].issuer}`, /account\/info/],
      [`collection/${collections[0].slug}`, /collections\/[^/]+$/],
      [`nft/${nfts[0].NFTokenID}`, /v1\/nft\/\w+$/],
      ['whales', /^$/],
      ['platforms', /^$/],
    ] as const;
    for (const [fragment, answered] of sampled(pages, 3)) {
      await using tab = await browser().open('about:blank', { height: 4_000 });
      await tab.page.setRequestInterception(true);
      tab.page.on('request', (request) => {
        const url = request.url();
        if (!url.includes('/v1/') || answered.test(url)) return void request.continue();
        void request.respond({ status: 503, contentType: 'application/json', body: '{"error":"busy"}' });
      });
      tab.expect(/another origin|503/);
      await tab.page.goto(`${market.url}/#/${fragment}`);
      await tab.text(/busy/, 'main');
      await tab.settled();
      // Whether metadata is known is part of the answer that there is.
      const none = (await tab.readAll('main .empty, main .spread')).filter((text) => !/metadata/.test(text));
      if (none.join('') !== '') wrong[fragment] = none;
      expect(tab.problems).toEqual([]);
    }
    expect(wrong).toEqual({});
  });

  describe('keys', () => keysPages(browser, () => market));
});
