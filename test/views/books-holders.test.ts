/** Order books, pairs, pools, holders and charts of recorded ledgers against naive recounts. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { rawDecimal } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { TradeReader } from '../../engine/market/trade-record.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { tokenRow } from '../../support/token-row.ts';
import { sparkline } from '../../views/sparkline.ts';
import { Views } from '../../views/views.ts';
import { recordedRun } from '../ledgers.ts';
import { applyAll, newEngine, runWorld } from './world.ts';

/** An exact fraction. */
type Fraction = readonly [bigint, bigint];
const fraction = (kind: 0 | 1 | 2, hi: number, lo: number): Fraction => {
  const { m, e } = rawDecimal(kind, hi, lo);
  return e < 0 ? [m, 10n ** BigInt(-e)] : [m * 10n ** BigInt(e), 1n];
};
const parseText = (text: string): Fraction => {
  const [whole, part = ''] = text.split('.');
  return [BigInt(whole + part), 10n ** BigInt(part.length)];
};
const near = (a: Fraction, b: Fraction) => {
  const left = a[0] * b[1];
  const right = b[0] * a[1];
  const difference = left > right ? left - right : right - left;
  return difference * 10n ** 14n <= (left < 0n ? -left : left);
};
const times = (a: Fraction, b: Fraction): Fraction => [a[0] * b[0], a[1] * b[1]];
const over = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1], a[1] * b[0]];
const isLess = (a: Fraction, b: Fraction) => a[0] * b[1] < b[0] * a[1];

describe('books', () => {
  let engine: Engine;
  let views: Views;
  beforeAll(async () => {
    engine = await runWorld();
    views = new Views(engine);
  });

  /** Every open offer that pays and gets these, best quality first, by a scan of the table; funded from scratch. */
  function recount(pays: number, gets: number) {
    const { state, head } = engine;
    const { books, tokens, accounts, lines } = state;
    const rows: number[] = [];
    for (let row = 1; row < books.table.count; row++) {
      if (books.accounts[row] === 0 || books.paysTokens[row] !== pays || books.getsTokens[row] !== gets)
        continue;
      const expires = books.expirations[row]!;
      if (books.domainIds[row] === 0 && (expires === 0 || expires > head!.closeTime)) rows.push(row);
    }
    rows.sort((a, b) => books.compare(a, b));
    const funds = new Map<number, Fraction>();
    const found: { account: string; gets: Fraction; pays: Fraction; funded: Fraction }[] = [];
    for (const row of rows) {
      const owner = books.accounts[row]!;
      const wanted = fraction(tokens.kind(pays), books.paysHi[row]!, books.paysLo[row]!);
      const given = fraction(tokens.kind(gets), books.getsHi[row]!, books.getsLo[row]!);
      const issuer = gets === 0 ? -1 : tokens.issuer(gets);
      if (!funds.has(owner) && owner !== issuer) {
        let own: Fraction = [0n, 1n];
        if (gets === 0) {
          const reserve =
            state.fees.reserveBaseDrops + state.fees.reserveIncrementDrops * accounts.ownerCount[owner]!;
          const free = accounts.balanceDrops(owner) - BigInt(reserve);
          own = [free > 0n ? free : 0n, 1_000_000n];
        } else {
          const line = lines.find(owner, gets);
          const frozen = (accounts.flags[issuer]! & AccountFlag.globalFreeze) !== 0;
          if (line !== undefined && !frozen && !lines.frozenByIssuer(line, gets))
            own = fraction(tokens.kind(gets), ...lines.balanceRaw(line, gets));
        }
        funds.set(owner, own);
      }
      if (owner === issuer) {
        found.push({ account: accounts.text(owner), gets: given, pays: wanted, funded: given });
        continue;
      }
      const rate: Fraction =
        gets === 0 ? [1n, 1n] : [BigInt(accounts.transferRate[issuer]! || 1e9), 1_000_000_000n];
      const own = funds.get(owner)!;
      if (own[0] <= 0n) continue;
      const reach = over(own, rate);
      const funded = isLess(reach, given) ? reach : given;
      const spent = times(funded, rate);
      funds.set(owner, [own[0] * spent[1] - spent[0] * own[1], own[1] * spent[1]]);
      found.push({ account: accounts.text(owner), gets: given, pays: wanted, funded });
    }
    return found;
  }

  test('every side of every book is funded as an independent count computes', () => {
    const { state } = engine;
    const pairs = new Set<string>();
    for (let book = 1; book < state.books.bookCount; book++)
      pairs.add([state.books.bookPays(book), state.books.bookGets(book)].sort((a, b) => b - a).join('/'));
    let rows = 0;
    for (const pair of pairs) {
      const [base, quote] = pair.split('/').map(Number) as [number, number];
      const book = views.books.book(base, quote, 400);
      const asks = recount(quote, base);
      expect(book.asks.map(({ account }) => account)).toEqual(asks.map(({ account }) => account));
      book.asks.forEach((row, i) => {
        expect(near(parseText(row.amount), asks[i]!.gets)).toBe(true);
        expect(near(parseText(row.total), asks[i]!.pays)).toBe(true);
        expect(near(parseText(row.funded), asks[i]!.funded)).toBe(true);
        rows++;
      });
      const bids = recount(base, quote);
      expect(book.bids.map(({ account }) => account)).toEqual(bids.map(({ account }) => account));
      book.bids.forEach((row, i) => {
        expect(near(parseText(row.amount), bids[i]!.pays)).toBe(true);
        expect(near(parseText(row.total), bids[i]!.gets)).toBe(true);
        const part = over(bids[i]!.funded, bids[i]!.gets);
        expect(near(parseText(row.funded), times(part, bids[i]!.pays))).toBe(true);
        rows++;
      });
      const prices = (side: readonly { price: string }[]) => side.map(({ price }) => Number(price));
      expect(prices(book.asks)).toEqual(prices(book.asks).toSorted((a, b) => a - b));
      expect(prices(book.bids)).toEqual(prices(book.bids).toSorted((a, b) => b - a));
      for (const row of [...book.asks, ...book.bids]) {
        // The price is that of the placed offer: within rounding of what is left of it.
        const left = Number(row.total) / Number(row.amount);
        expect(Math.abs(Number(row.price) / left - 1)).toBeLessThan(0.01);
      }
    }
    expect(rows).toBeGreaterThan(50);
  });

  test('XRP is the quote side whichever way it is asked', () => {
    const { state } = engine;
    const token = [...Array(state.tokens.count).keys()].find(
      (id) => id > 0 && state.books.book(0, id) !== undefined,
    )!;
    const one = views.books.book(token, 0, 20);
    expect(views.books.book(0, token, 20)).toEqual(one);
    expect(one.quote.currency).toBe('XRP');
    expect(views.books.book(token, 0, 1).asks).toEqual(one.asks.slice(0, 1));
  });

  test('pairs count the trades of the run', async () => {
    const counted = newEngine();
    const pairs = new Map<string, number>();
    for (const packed of recordedRun()) {
      await applyAll(counted, [packed]);
      const { market } = counted;
      const reader = new TradeReader(market.trades);
      for (let i = 0; i < market.tradeCount; i++) {
        const { paidToken, gotToken, isLiquidity } = reader.at(i);
        if (isLiquidity) continue;
        for (const key of [`${paidToken}/${gotToken}`, `${gotToken}/${paidToken}`])
          pairs.set(key, (pairs.get(key) ?? 0) + 1);
      }
    }
    const { state } = counted;
    const views = new Views(counted);
    let rows = 0;
    for (let token = 0; token < state.tokens.count; token++) {
      const found = (await views.books.pairs(token, 1000)).pairs;
      for (const { curr1, curr2, count, volume } of found) {
        expect(views.tokens.resolve(String(curr1.md5))).toBe(token);
        expect(count).toBe(pairs.get(`${token}/${views.tokens.resolve(String(curr2.md5))}`) ?? 0);
        for (const { issuer, value } of [curr1, curr2]) if (issuer === 'XRPL') expect(value).toBe(volume);
        rows += count;
      }
      // To the last digit what the row of the token says.
      const [only, other] = found.filter(({ count }) => count > 0);
      if (only && !other) expect(only.curr1.value).toBe(counted.market.windows.tokenVolume(token));
    }
    expect(rows).toBe([...pairs.values()].reduce((a, b) => a + b, 0));
  });
});

describe('holders', () => {
  let engine: Engine;
  let views: Views;
  beforeAll(async () => {
    engine = await runWorld();
    views = new Views(engine);
  });

  const open = { offset: 0, limit: 200, ascending: false, frozen: false };

  test('rank as a naive sort does', async () => {
    const { state } = engine;
    for (let token = 1; token < state.tokens.count; token++) {
      const naive: { account: string; balance: number; line: number }[] = [];
      for (let line = 1; line < state.lines.table.count; line++) {
        if (state.lines.lows[line] === 0 || !state.lines.tokensOf(line).includes(token)) continue;
        const balance = state.lines.balanceNumber(line, token);
        if (balance > 0)
          naive.push({ account: state.accounts.text(state.lines.holderAccount(line, token)), balance, line });
      }
      naive.sort((a, b) => b.balance - a.balance || a.line - b.line);
      const { richList, length, summary } = views.holders.list(token, open);
      expect(length).toBe(naive.length);
      expect(richList.map((row) => row.account)).toEqual(naive.slice(0, 200).map(({ account }) => account));
      expect(richList.map((row) => row.rank)).toEqual(richList.map((_, i) => i + 1));
      const sum = naive.reduce((all, { balance }) => all + balance, 0);
      const top = naive.slice(0, 10).reduce((all, { balance }) => all + balance, 0);
      if (sum > 0) expect(summary.top10Hold).toBeCloseTo((top / sum) * 100, 3);
      const reversed = views.holders.list(token, { ...open, ascending: true, offset: 1, limit: 3 });
      const expected = naive
        .toReversed()
        .slice(1, 4)
        .map(({ account }) => account);
      expect(reversed.richList.map((row) => row.account)).toEqual(expected);
      for (const [i, { account, balance }] of naive.entries()) {
        const position = views.holders.position(token, account);
        expect(position.rank).toBe(i + 1);
        expect(position.holders).toBe(naive.length);
        const percent = (balance / sum) * 100;
        expect(position.holding).toBeLessThanOrEqual(percent + 1e-9);
        expect(position.holding).toBeGreaterThan(percent - 0.0100001);
      }
      const ranks = views.holders.ranks(token, [...naive.map(({ account }) => account), 'nobody']);
      expect(Object.values(ranks.ranks)).toEqual([...naive.map((_, i) => i + 1), null]);
      const empty = await views.holders.empty(token);
      expect(empty.total).toBe(state.lines.lineCount(token) - naive.length - empty.excluded);
      expect(empty.accounts).toHaveLength(empty.total);
      const part = await views.holders.empty(token, { offset: 1, limit: 2 });
      expect(part).toEqual({ ...empty, accounts: empty.accounts.slice(1, 3) });
      const gini = naive
        .flatMap((a) => naive.map((b) => Math.abs(a.balance - b.balance)))
        .reduce((x, y) => x + y, 0);
      const row = tokenRow(views, token);
      if (sum > 0) {
        expect(row.gini as number).toBeCloseTo(gini / (2 * naive.length * sum), 5);
        const squares = naive.reduce((all, { balance }) => all + ((balance / sum) * 100) ** 2, 0);
        expect(row.hhi as number).toBeCloseTo(squares, 2);
      } else expect(row.gini).toBeUndefined();
    }
  });

  test('bounds and search filter, short searches do not', () => {
    const { state } = engine;
    const token = [...Array(state.tokens.count).keys()].toSorted(
      (a, b) => (b === 0 ? 0 : state.lines.holdersCount(b)) - (a === 0 ? 0 : state.lines.holdersCount(a)),
    )[0]!;
    const all = views.holders.list(token, open).richList;
    expect(all.length).toBeGreaterThan(5);
    const middle = Number(all[3]!.balance);
    const above = all.filter((row) => Number(row.balance) >= middle);
    expect(views.holders.list(token, { ...open, minBalance: middle }).richList).toEqual(above);
    const below = all.filter((row) => Number(row.balance) <= middle);
    expect(views.holders.list(token, { ...open, maxBalance: middle }).length).toBe(below.length);
    const part = String(all[2]!.account).slice(3, 9).toUpperCase();
    const having = all.filter((row) => String(row.account).toUpperCase().includes(part));
    expect(views.holders.list(token, { ...open, search: part }).richList).toEqual(having);
    expect(views.holders.list(token, { ...open, search: 'zz' }).length).toBe(all.length);
    expect(views.holders.list(token, { ...open, frozen: true }).length).toBe(0);
  });
});

describe('charts', () => {
  test('candles contain every trade of the run; the inverse market shows the same', async () => {
    const engine = await runWorld();
    const { state, market } = engine;
    const views = new Views(engine);
    let candles = 0;
    for (let token = 1; token < state.tokens.count; token++) {
      const query = { token, interval: '1m', count: 5000, currency: 'XRP', invert: false } as const;
      const { rows } = views.charts.ohlc(query);
      for (const [time, o, h, l, c] of rows) {
        expect(time! % 60_000).toBe(0);
        expect(Math.max(o!, c!)).toBeLessThanOrEqual(h!);
        expect(Math.min(o!, c!)).toBeGreaterThanOrEqual(l!);
      }
      candles += rows.length;
      const volume = rows.reduce((all, row) => all + row[5]!, 0);
      if (rows.length > 0) expect(volume).toBeCloseTo(market.windows.volumeDrops(token, 3) / 1e6, 5);
      const turned = views.charts.ohlc({ ...query, invert: true }).rows;
      turned.forEach(([, , h, l], i) => {
        expect(h!).toBeCloseTo(1 / rows[i]![3]!, 9);
        expect(l!).toBeCloseTo(1 / rows[i]![2]!, 9);
      });
      if (rows.length > 1) {
        const last = rows.at(-1)!;
        expect(views.charts.ohlc({ ...query, before: last[0]! }).rows).toEqual(rows.slice(0, -1));
        expect(views.charts.ohlc({ ...query, count: 1 }).rows).toEqual([last]);
        const line = sparkline(views.charts, { token, period: '24h', currency: 'XRP', points: 2 });
        expect(Number(line.prices.at(-1))).toBe(last[4]!);
        expect(line.prices.length).toBeLessThanOrEqual(2);
      }
    }
    expect(candles).toBeGreaterThan(10);
  });

  test('XRP itself has candles in dollars', async () => {
    const engine = await runWorld();
    const { market } = engine;
    const views = new Views(engine);
    const { rows } = views.charts.ohlc({
      token: 0,
      interval: '1m',
      count: 100,
      currency: 'USD',
      invert: false,
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.at(-1)![4]!).toBeCloseTo(1 / market.rates.xrpPer(0)!, 9);
    expect(
      views.charts.ohlc({ token: 0, interval: '1m', count: 100, currency: 'XRP', invert: false }).rows,
    ).toEqual([]);
  });
});
