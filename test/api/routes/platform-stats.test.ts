/**
 * What is done through each platform, against a recount: tags and accounts from the transactions as the reference codec
 * reads them, trades from the raw records of the store.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode, encode } from 'ripple-binary-codec';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { PLATFORMS } from '../../../engine/market/platforms.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { recordedTransactions, relaidChain } from '../../../support/chain.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { type Asker, asker, type Json } from './ask.ts';

const HOURS = { '24h': 24, '7d': 168, '30d': 720 } as const;
const PERIODS = Object.keys(HOURS) as (keyof typeof HOURS)[];
const PSEUDO = ['EnableAmendment', 'SetFee', 'UNLModify'];
/** Tags that the transactions get, one after another: recorded ones have few. */
const TAGS = [
  undefined,
  74920348,
  undefined,
  111,
  20221212,
  undefined,
  10011010,
  999,
  undefined,
  74920348,
  161803,
];

/** The recorded transactions, with those tags. */
function tagged() {
  return recordedTransactions().map(({ tx, meta }, i) => {
    const { SourceTag: _, ...fields } = decode(hexOf(tx)) as Json;
    const tag = TAGS[i % TAGS.length];
    return { tx: bytesOf(encode({ ...fields, ...(tag !== undefined && { SourceTag: tag }) })), meta };
  });
}

/** A ledger every 5 hours: 33 days, more than the longest period. */
const PLAN = {
  transactions: tagged(),
  ledgers: 160,
  transactionsPerLedger: 25,
  interval: 5 * 3600,
};

interface Sent {
  readonly time: number;
  readonly tag: number | undefined;
  readonly account: string;
}

interface Traded extends Sent {
  readonly drops: number;
  readonly side: 'buy' | 'sell' | undefined;
  /** md5 -> whether who signed received it. */
  readonly tokens: ReadonlyMap<string, boolean>;
}

function sentIn(packed: PackedLedger): Sent[] {
  return Array.from({ length: packed.count }, (_, i) => {
    const tx = decode(hexOf(packed.tx(i))) as Json;
    return { type: tx.TransactionType, time: packed.closeTime, tag: tx.SourceTag, account: tx.Account };
  }).filter(({ type }) => !PSEUDO.includes(type));
}

function tradedIn(store: MemoryStore, engine: Engine): Traded[] {
  const found: Traded[] = [];
  const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  store.trades({}, (_, bytes) => {
    const trade = reader.load(bytes);
    if (trade.isLiquidity) return true;
    const { tokens, accounts } = engine.state;
    // Of pools the pool's side is recorded.
    const [gave, got] = trade.isAMM ? [trade.gotToken, trade.paidToken] : [trade.paidToken, trade.gotToken];
    const sides: [string, boolean][] = [
      [tokens.md5(gave), false],
      [tokens.md5(got), true],
    ];
    found.push({
      time: trade.closeTime,
      tag: trade.sourceTag,
      account: accounts.text(trade.isAMM ? trade.maker : trade.taker),
      drops: trade.valueDrops,
      side: gave === 0 ? 'buy' : got === 0 ? 'sell' : undefined,
      tokens: new Map(sides.filter(([md5]) => md5 !== tokens.md5(0))),
    });
    return true;
  });
  return found;
}

const distinct = (rows: readonly Sent[]) => new Set(rows.map(({ account }) => account)).size;
const xrp = (rows: readonly Traded[], side?: string) =>
  rows.reduce((sum, one) => sum + (side === undefined || one.side === side ? one.drops : 0), 0) / 1e6;

function figures(sent: readonly Sent[], traded: readonly Traded[]) {
  return {
    txCount: sent.length,
    uaw: distinct(sent),
    trades: traded.length,
    uniqueTraders: distinct(traded),
    volume: xrp(traded),
    buyVolumeXrp: xrp(traded, 'buy'),
    sellVolumeXrp: xrp(traded, 'sell'),
  };
}

function expectFigures(shown: Json, expected: ReturnType<typeof figures>): void {
  for (const [name, value] of Object.entries(expected)) expect(shown[name], name).toBe(value);
}

describe('platforms', () => {
  const store = new MemoryStore();
  const sent: Sent[] = [];
  let traded: Traded[];
  let engine = new Engine({ store, log: quiet });
  let ask: Asker;
  let now = 0;
  const since = (period: keyof typeof HOURS) => (Math.floor(now / 3600) - HOURS[period] + 1) * 3600;
  const inPeriod = <T extends Sent>(rows: readonly T[], period: keyof typeof HOURS, tag?: number) =>
    rows.filter((one) => one.time >= since(period) && (tag === undefined || one.tag === tag));

  beforeAll(async () => {
    for (const packed of relaidChain(PLAN)) {
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), false);
      sent.push(...sentIn(packed));
      now = packed.closeTime;
    }
    await engine.drain();
    traded = tradedIn(store, engine);
    ask = asker(engine);
  });

  const check = async () => {
    for (const period of PERIODS) {
      const { body } = await ask.get(`/platform-stats?period=${period}`);
      expect(body).toMatchObject({ success: true, period, from: unixMs(since(period)) });
      const all = figures(inPeriod(sent, period), inPeriod(traded, period));
      expectFigures(body.totals, all);
      const used = PLATFORMS.filter(({ sourceTag }) => inPeriod(sent, period, sourceTag).length > 0);
      expect(body.platforms.map((one: Json) => one.sourceTag).sort()).toEqual(
        used.map(({ sourceTag }) => sourceTag).sort(),
      );
      for (const shown of body.platforms) {
        const { name, slug } = used.find(({ sourceTag }) => sourceTag === shown.sourceTag)!;
        expect(shown).toMatchObject({ name, slug });
        const own = figures(
          inPeriod(sent, period, shown.sourceTag),
          inPeriod(traded, period, shown.sourceTag),
        );
        expectFigures(shown, own);
        expect(shown.pctTx).toBeCloseTo((100 * own.txCount) / all.txCount, 9);
        expect(shown.pctUAW).toBeCloseTo((100 * own.uaw) / all.uaw, 9);
        expect(shown.pctVolume).toBeCloseTo(all.volume === 0 ? 0 : (100 * own.volume) / all.volume, 9);
      }
      const volumes = body.platforms.map((one: Json) => one.volume);
      expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
    }
  };

  test('show what was signed with their tag in each period, and what is that of all', async () => {
    const named = inPeriod(traded, '30d').filter(({ tag }) => PLATFORMS.some((one) => one.sourceTag === tag));
    expect(named.length).toBeGreaterThan(100);
    expect(new Set(named.map(({ side }) => side)).size).toBeGreaterThan(1);
    expect(inPeriod(sent, '30d').length).toBeLessThan(sent.length);
    await check();
  });

  test('show the tokens that were traded through them', async () => {
    let tokens = 0;
    for (const { sourceTag, slug } of PLATFORMS)
      for (const period of PERIODS) {
        const { body } = await ask.get(`/platform-stats/detail/${slug}?period=${period}&limit=200`);
        const rows = inPeriod(traded, period, sourceTag);
        expectFigures(body.summary, figures(inPeriod(sent, period, sourceTag), rows));
        const md5s = new Set(rows.flatMap((one) => [...one.tokens.keys()]));
        expect(body.total).toBe(md5s.size);
        expect(body.tokens.map((one: Json) => one.md5).sort()).toEqual([...md5s].sort());
        for (const shown of body.tokens) {
          const of = rows.filter((one) => one.tokens.has(shown.md5));
          expect(shown.trades).toBe(of.length);
          expect(shown.volume).toBeCloseTo(xrp(of), 6);
          expect(shown.buyVolumeXrp).toBeCloseTo(xrp(of.filter((one) => one.tokens.get(shown.md5))), 6);
          tokens++;
        }
        const volumes = body.tokens.map((one: Json) => one.volume);
        expect(volumes).toEqual(volumes.toSorted((a: number, b: number) => b - a));
      }
    expect(tokens).toBeGreaterThan(20);
  });

  test('show every hour of a period', async () => {
    let busy = 0;
    for (const { sourceTag } of PLATFORMS)
      for (const period of PERIODS) {
        const { body } = await ask.get(`/platform-stats/hourly/${sourceTag}?period=${period}`);
        expect(body.length).toBe(HOURS[period]);
        expect(body.hourly[0].time).toBe(unixMs(since(period)));
        for (const [i, shown] of body.hourly.entries()) {
          const start = since(period) + i * 3600;
          const within = (one: Sent) => one.tag === sourceTag && one.time >= start && one.time < start + 3600;
          expect(shown.time).toBe(unixMs(start));
          if (shown.txCount === 0 && !sent.some(within)) continue;
          expectFigures(shown, figures(sent.filter(within), traded.filter(within)));
          busy++;
        }
      }
    expect(busy).toBeGreaterThan(20);
  });

  test('go on with the same figures after a restart', async () => {
    engine = new Engine({ store, log: quiet });
    engine.restore();
    ask = asker(engine);
    await check();
    const { body } = await ask.get('/platform-stats/detail/first-ledger?period=30d');
    expect(body.total).toBe(
      new Set(inPeriod(traded, '30d', 74920348).flatMap((one) => [...one.tokens.keys()])).size,
    );
  });

  test('say since when they are known where that is not all of the period', async () => {
    const [first] = relaidChain({ ...PLAN, ledgers: 1 });
    const begun = new Engine({ store: new MemoryStore(), log: quiet });
    await begun.applyLedger(prepared(first!, prepare(first!.bytes, false)), true);
    const { body } = await asker(begun).get('/platform-stats');
    expect(body.since).toBe(unixMs(first!.closeTime));
    expect((await ask.get('/platform-stats?period=30d')).body.since).toBeUndefined();
    await begun.drain();
  });

  test('are unknown by any other tag', async () => {
    for (const path of ['detail', 'hourly']) {
      expect((await ask.get(`/platform-stats/${path}/12345`)).status).toBe(404);
      expect((await ask.get(`/platform-stats/${path}/First-Ledger`)).body.sourceTag).toBe(74920348);
    }
  });
});
