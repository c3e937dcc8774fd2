/** Pages of /history walk every matching record once, in both directions, durable or not. */

import { describe, expect, test } from 'bun:test';
import { rawNumber } from '../../../engine/codec/amount.ts';
import { restoringDomains } from '../../../engine/domain.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import type { HistoryQuery } from '../../../engine/market/figures.ts';
import { Prices } from '../../../engine/market/prices.ts';
import { cursorOf, TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { layoutsName } from '../../../engine/state/layout.ts';
import { TableId } from '../../../engine/table-ids.ts';
import { fillTables } from '../../../engine/upgrade.ts';
import type { MemoryStore } from '../../../support/memory-store.ts';
import { quietLog } from '../ledger/quiet.ts';
import { Rig, SMALL } from './rig.ts';
import { randomFrom, stream } from './stream.ts';

interface Row {
  readonly cursor: number;
  readonly bytes: Uint8Array;
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const noWait = async (): Promise<void> => {};

/** The store as it was before accounts and records with an XRP leg were counted. */
function withoutCounters(store: MemoryStore): MemoryStore {
  const { accountCounts, prices } = TableId;
  return new Proxy(store, {
    get(target, name) {
      if (name === 'value')
        return (key: string) => (key === layoutsName(accountCounts) ? undefined : target.value(key));
      if (name === 'blocks')
        return (...[table, visit, from]: Parameters<MemoryStore['blocks']>) => {
          if (table === accountCounts) return;
          const visitLacking = (block: number, bytes: Uint8Array) => {
            if (table !== prices || block > 0) return visit(block, bytes);
            // The row of XRP was never written to.
            const held = new Prices(SMALL.tokens);
            held.table.loadBlock(0, bytes);
            held.tradeCount[0] = 0;
            held.liquidityCount[0] = 0;
            return visit(0, held.table.blockBytes(0));
          };
          target.blocks(table, visitLacking, from);
        };
      if (name === 'rows')
        return (visit: (table: number, row: number, image: Uint8Array) => void) =>
          target.rows((table, row, image) => {
            if (table === accountCounts) return;
            if (table !== prices || row > 0) return visit(table, row, image);
            const held = new Prices(SMALL.tokens);
            held.table.loadRow(0, image);
            held.tradeCount[0] = 0;
            held.liquidityCount[0] = 0;
            visit(table, 0, held.table.rowImage(0));
          });
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const cursors = (records: Uint8Array, count: number): number[] => {
  const reader = new TradeReader(records);
  return Array.from({ length: count }, (_, i) => cursorOf(reader.at(i).ledger, reader.number));
};

/** Everything written so far; the younger part not durable, as after a burst of ledgers. */
async function filled(): Promise<{ rig: Rig; rows: Row[] }> {
  const rig = new Rig();
  const rows: Row[] = [];
  const samples = [...stream(seed, 200)];
  for (const [i, sample] of samples.entries()) {
    rig.apply(sample.packed, sample.changes);
    const { trades, tradeCount } = rig.market;
    for (const [n, cursor] of cursors(trades, tradeCount).entries())
      rows.push({ cursor, bytes: trades.slice(n * TRADE_BYTES, (n + 1) * TRADE_BYTES) });
    if (i === 80 || i === 140) await rig.commit();
  }
  return { rig, rows };
}

/** The rows of a query, with the field names of the contract. */
function wants(query: Omit<HistoryQuery, 'limit'>, bytes: Uint8Array): boolean {
  const r = new TradeReader(bytes);
  const legs = [
    { token: r.paidToken, value: rawNumber(r.paidKind, r.paidHi, r.paidLo) },
    { token: r.gotToken, value: rawNumber(r.gotKind, r.gotHi, r.gotLo) },
  ];
  const xrp = legs.find((leg) => leg.token === 0);
  const kind = r.isLiquidity ? 'liquidity' : 'trades';
  return [
    query.token === undefined || legs.some((leg) => leg.token === query.token),
    query.account === undefined || [r.maker, r.taker].includes(query.account),
    query.type === 'all' || (query.type ?? 'trades') === kind,
    query.pairType === undefined || (query.pairType === 'xrp') === (xrp !== undefined),
    !query.xrpOnly || xrp !== undefined,
    !query.xrpAmount || (xrp?.value ?? 0) >= query.xrpAmount,
    r.closeTime >= (query.start ?? 0) && r.closeTime <= (query.end ?? Infinity),
  ].every(Boolean);
}

describe('history', async () => {
  console.log(`history seed ${seed}`);
  const { rig, rows } = await filled();
  const { history } = rig.market;
  const random = randomFrom(seed);
  const times = rows.map(({ bytes }) => new TradeReader(bytes).closeTime);
  const some = (): Omit<HistoryQuery, 'limit'>[] => [
    {},
    { token: 1 },
    { token: 0 },
    { account: new TradeReader(rows[3]!.bytes).maker },
    { token: 2, account: new TradeReader(rows[5]!.bytes).taker },
    { pairType: 'token' },
    { xrpOnly: true, xrpAmount: 50 },
    { type: 'liquidity' },
    { type: 'all', token: 3 },
    { start: times[Math.floor(times.length / 4)]!, end: times[Math.floor(times.length / 2)]! },
    { start: times[Math.floor(times.length * 0.9)]! },
    { end: times[0]! - 1 },
  ];

  for (const direction of ['desc', 'asc'] as const) {
    for (const query of some()) {
      const wanted = rows.filter(({ bytes }) => wants(query, bytes)).map((row) => row.cursor);
      if (direction === 'desc') wanted.reverse();

      test(`by cursor, ${direction}, ${JSON.stringify(query)}`, () => {
        const got: number[] = [];
        let cursor: number | undefined;
        for (let pages = 0; pages < 1000; pages++) {
          const limit = 1 + Math.floor(random() * 40);
          const page = history.page({
            ...query,
            limit,
            direction,
            ...(cursor === undefined ? {} : { cursor }),
          });
          got.push(...cursors(page.records, page.count));
          expect(page.hasMore).toBe(page.nextCursor !== undefined);
          if (page.nextCursor === undefined) break;
          expect(Number.isSafeInteger(page.nextCursor)).toBe(true);
          cursor = page.nextCursor;
        }
        expect(got).toEqual(wanted);
      });

      test(`the total on every page, ${direction}, ${JSON.stringify(query)}`, async () => {
        const others = [0, 1, 17, wanted.length, wanted.length + 5].map((offset) => ({ offset }));
        const places = [{}, ...others, ...wanted.slice(0, 3).map((cursor) => ({ cursor }))];
        for (const place of places)
          for (const slice of [1, 7, 10_000])
            expect(await history.total({ ...query, ...place, limit: 3, direction }, noWait, slice)).toBe(
              wanted.length,
            );
      });

      test(`by offset, ${direction}, ${JSON.stringify(query)}`, () => {
        const got: number[] = [];
        for (let offset = 0; offset <= wanted.length; offset += 17) {
          const page = history.page({ ...query, limit: 17, offset, direction });
          got.push(...cursors(page.records, page.count));
        }
        expect(got).toEqual(wanted);
      });
    }
  }

  test('counters of tokens and accounts are what was written of each, now and after a restart', async () => {
    const readers = rows.map(({ bytes }) => new TradeReader(bytes));
    const brute = (of: (row: TradeReader) => number[]): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const row of readers)
        for (const id of new Set(of(row))) {
          const key = `${id} ${row.isLiquidity}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
        }
      return counts;
    };
    const byAccount = brute((row) => [row.maker, row.taker].filter((id) => id > 0));
    const byToken = brute((row) => [row.paidToken, row.gotToken]);
    expect(byAccount.size).toBeGreaterThan(10);
    await rig.commit();
    for (const { market } of [rig, rig.restarted()]) {
      const { accountCounts, prices } = market;
      for (let id = 1; id < rig.state.accounts.count; id++) {
        expect(accountCounts.trades(id)).toBe(byAccount.get(`${id} false`) ?? 0);
        expect(accountCounts.liquidity(id)).toBe(byAccount.get(`${id} true`) ?? 0);
      }
      for (let id = 0; id < rig.state.tokens.count; id++) {
        expect(prices.tradesEver(id)).toBe(byToken.get(`${id} false`) ?? 0);
        expect(prices.liquidityEver(id)).toBe(byToken.get(`${id} true`) ?? 0);
      }
    }
  });

  test('a store from before the counters has them after one start', async () => {
    await rig.commit();
    const { store, market } = rig;
    const rest = new Rig(SMALL, withoutCounters(store));
    runToEnd(restoringDomains(rest.store, [rest.state]));
    runToEnd(restoringDomains(rest.store, [rest.market]));
    expect(rest.market.accountCounts.table.count).toBe(1);
    expect(fillTables(rest.market.tables, rest.store, quietLog)).toBe(true);
    expect(rest.market.digest()).toBe(market.digest());
  });

  test('offset is capped', () => {
    const page = history.page({ limit: 10, offset: 2_000_000 });
    expect([page.offset, page.truncated, page.count]).toEqual([100_000, true, 0]);
  });
});
