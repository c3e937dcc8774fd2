/** Pages of /history walk every matching record once, in both directions, durable or not. */
import { describe, expect, test } from 'bun:test';
import { rawNumber } from '../../../engine/codec/amount.ts';
import type { HistoryQuery } from '../../../engine/market/figures.ts';
import { cursorOf, TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { Rig } from './rig.ts';
import { randomFrom, stream } from './stream.ts';

interface Row {
  readonly cursor: number;
  readonly bytes: Uint8Array;
}

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
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

/** What a query asks for, in the words of the contract. */
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

      test(`by offset, ${direction}, ${JSON.stringify(query)}`, () => {
        const got: number[] = [];
        for (let offset = 0; offset <= wanted.length; offset += 17) {
          const page = history.page({ ...query, limit: 17, offset, direction });
          got.push(...cursors(page.records, page.count));
          expect(page.total).toBe(wanted.length);
          expect(page.totalExact).toBe(true);
        }
        expect(got).toEqual(wanted);
      });
    }
  }

  test('offset is capped', () => {
    const page = history.page({ limit: 10, offset: 2_000_000 });
    expect([page.offset, page.truncated, page.count]).toEqual([100_000, true, 0]);
  });
});
