/** Market figures of the embedded network, whose issuers are unknown; the values that its agents trade at are the oracle. */

import { beforeAll, describe, expect, test } from 'bun:test';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { currencyText } from '../../../engine/codec/currency.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { Log } from '../../../engine/log.ts';
import { ANCHOR_HOURS, ANCHOR_TOLERANCE } from '../../../engine/market/anchors.ts';
import { CANDLE_COLUMNS, Candle, FIATS, Fiat, Window } from '../../../engine/market/figures.ts';
import { KNOWN_ANCHORS } from '../../../engine/market/known-anchors.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { tokenRow } from '../../../support/token-row.ts';
import { Views } from '../../../views/views.ts';
import { EPOCH, World } from '../../sandbox/population/world.ts';

/** Seconds between ledgers: a day is 360 of them. */
const STEP = 240;
/** Until each money has enough traders to be judged: in ledgers so long, they are few. */
const FIRST_HOURS = 20;
const MONEYS = ['USDM', 'EUR', 'JPY', 'CNY'];

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

class Followed {
  readonly world = new World({ seed: 'rates' });
  readonly store = new MemoryStore();
  engine = this.#open();

  #open(): Engine {
    return new Engine({ store: this.store, log: quiet });
  }

  async pass(hours: number): Promise<void> {
    const { closeTime } = this.world.network.closed;
    while (this.world.network.closed.closeTime < closeTime + hours * HOUR) {
      const packed = this.world.step(STEP).packed();
      await this.engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    }
    await this.engine.drain();
  }

  /** Goes on with what is durable. */
  restart(): void {
    this.engine = this.#open();
    this.engine.restore();
  }

  token(name: string): number {
    const { issuer, currency } = this.world.population.economy.token(name);
    return this.engine.state.tokens.find(issuer.address, currencyText(bytesOf(currency)))!;
  }
}

/** Change by change, as Wilder's table has it; oldest first. */
function rsiOf(closes: readonly number[], period = 14): number | undefined {
  if (closes.length <= period) return undefined;
  const changes = closes.slice(1).map((close, i) => close - closes[i]!);
  const start = (side: (change: number) => number) =>
    changes.slice(0, period).reduce((sum, change) => sum + side(change), 0) / period;
  const ups = (change: number) => Math.max(0, change);
  const downs = (change: number) => Math.max(0, -change);
  let [gain, loss] = [start(ups), start(downs)];
  for (const change of changes.slice(period)) {
    gain = (gain * (period - 1) + ups(change)) / period;
    loss = (loss * (period - 1) + downs(change)) / period;
  }
  return 100 - 100 / (1 + gain / loss);
}

describe('the embedded network', () => {
  const followed = new Followed();
  const now = () => followed.engine.head!.closeTime;
  const isAnchor = (name: string) => followed.engine.market.anchors.isAnchor(followed.token(name), now());

  beforeAll(async () => {
    await followed.pass(3);
  });

  test('has a rate for each money from its oracles at once, and no known issuer', () => {
    const { economy, agents } = followed.world.population;
    const exch = followed.engine.market.rates.exch();
    for (const [fiat, name] of MONEYS.entries()) {
      const rate = exch[FIATS[fiat]!]!;
      const worth = fiat === Fiat.USD ? 1 / economy.xrpUsd(now()) : economy.worth(economy.token(name), now());
      expect(Math.abs(rate / worth - 1)).toBeLessThan(0.01);
      expect(isAnchor(name)).toBe(false);
    }
    const addresses = new Set([...agents.known().values()].map(({ address }) => address));
    expect(KNOWN_ANCHORS.filter(({ issuer }) => addresses.has(issuer))).toEqual([]);
  });

  test('after a day of agreement its four currencies are anchors, and no other token', async () => {
    await followed.pass(ANCHOR_HOURS + FIRST_HOURS);
    const { market, state } = followed.engine;
    const views = new Views(followed.engine);
    expect(now() - EPOCH).toBeGreaterThan(ANCHOR_HOURS * HOUR);
    expect(MONEYS.map(isAnchor)).toEqual([true, true, true, true]);
    expect(market.rates.anchorTokens).toEqual(
      MONEYS.map((name) => followed.token(name)).sort((a, b) => a - b),
    );
    expect(views.tokens.tag('stablecoin')).toBe('Stablecoin');
    const { total } = views.tokens.list({
      sort: 'name',
      ascending: true,
      offset: 0,
      limit: 9,
      tag: 'stablecoin',
    });
    expect(total).toBe(MONEYS.length);
    for (const [fiat, name] of MONEYS.entries()) {
      const token = followed.token(name);
      const price = market.prices.price(token)!;
      expect(Math.abs(price / market.rates.xrpPer(fiat as Fiat)! - 1)).toBeLessThan(ANCHOR_TOLERANCE);
      expect(state.lines.holdersCount(token)).toBeGreaterThanOrEqual(30);
    }
  });

  test('a restart changes nothing', async () => {
    const { engine } = followed;
    followed.restart();
    expect(followed.engine.digest()).toBe(engine.digest());
    expect(followed.engine.market.globals.global()).toEqual(engine.market.globals.global());
    expect(MONEYS.map(isAnchor)).toEqual([true, true, true, true]);
  });

  test('volumes of stablecoins and memes are those of the trades of 24 hours, each counted once', async () => {
    await followed.pass(26);
    const { market } = followed.engine;
    const views = new Views(followed.engine);
    const memes = ['VLT', 'CROWD'].map((name) => followed.token(name));
    for (const token of memes) {
      expect(tokenRow(views, token)).toMatchObject({
        origin: 'FirstLedger',
        tags: ['FirstLedger', 'Memes'],
      });
    }
    expect(views.tokens.tag('memes')).toBe('Memes');
    const launched = (token: number) => market.launches.platform(token) !== undefined;
    const stable = new Set(MONEYS.map((name) => followed.token(name)));
    const from = (Math.floor(now() / HOUR) - 23) * HOUR;
    const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
    const sums = { stable: 0, meme: 0, all: 0 };
    let memeTokens = new Set<number>();
    followed.store.trades({}, (_position, record) => {
      const { isLiquidity, closeTime, paidToken, gotToken, valueDrops } = reader.load(record);
      if (isLiquidity || closeTime < from) return true;
      sums.all += valueDrops;
      if (stable.has(paidToken) || stable.has(gotToken)) sums.stable += valueDrops;
      if (launched(paidToken) || launched(gotToken)) sums.meme += valueDrops;
      memeTokens = new Set([...memeTokens, paidToken, gotToken].filter(launched));
      return true;
    });
    const figures = market.globals.global();
    expect(figures.gStableVolume).toBe(sums.stable / 1e6);
    expect(figures.gMemeVolume).toBe(sums.meme / 1e6);
    expect(sums.meme).toBeGreaterThan(0);
    expect(memes.every((token) => memeTokens.has(token))).toBe(true);
    expect(Number(figures.gStableVolume) + Number(figures.gMemeVolume)).toBeLessThanOrEqual(sums.all / 1e6);
    expect(Number(figures.gDexVolume)).toBeGreaterThanOrEqual(sums.all / 1e6);
    expect(figures.gStableVolumePro).toBeNumber();
    expect(figures.gMemeVolumePro).toBeWithin(-90, 900);
  });

  test('avgRSI and the score are those of the active tokens when candles of four hours close', async () => {
    const bucket = () => Math.floor(now() / (4 * HOUR));
    for (const before = bucket(); bucket() === before; ) await followed.pass(STEP / HOUR);
    const { market, state } = followed.engine;
    const { avgRSI, sentimentScore } = market.globals.global() as Record<string, number>;
    const { windows, candles, totals } = market;
    const active = [...totals.ofMarket].filter(
      (token) => windows.trades(token, Window.h24) > 0 && !MONEYS.includes(state.tokens.name(token)),
    );
    expect(active.length).toBeGreaterThan(2);
    const volume = (token: number) => windows.volumeDrops(token, Window.h24);
    const sum = (some: readonly number[], of: (token: number) => number) =>
      some.reduce((s, token) => s + of(token), 0);
    const index = new Map<number, number>();
    for (const token of active) {
      // Closing prices out of the hours, by their last trade.
      const closes = new Map<number, number>();
      const { rows, length } = candles.series({ token, seconds: HOUR });
      for (let i = 0; i < length; i++) {
        const start = rows[i * CANDLE_COLUMNS]!;
        if (start < bucket() * 4 * HOUR)
          closes.set(Math.floor(start / (4 * HOUR)), rows[i * CANDLE_COLUMNS + Candle.close]!);
      }
      const value = rsiOf([...closes.values()]);
      if (value !== undefined) index.set(token, value);
    }
    const measured = active.filter((token) => index.has(token));
    expect(measured.length).toBeGreaterThan(2);
    const expected = sum(measured, (token) => index.get(token)! * volume(token)) / sum(measured, volume);
    expect(avgRSI).toBeCloseTo(expected, 9);
    expect(avgRSI).toBeWithin(0, 100);
    const risen = active.filter((token) => windows.change(token, Window.h24)! > 0);
    const breadth = (100 * sum(risen, volume)) / sum(active, volume);
    const bought = sum(active, (token) => windows.buyDrops(token));
    const buying = (100 * bought) / (bought + sum(active, (token) => windows.sellDrops(token)));
    expect(sentimentScore).toBeCloseTo((breadth + buying + expected) / 3, 9);
    expect(sentimentScore).toBeWithin(0, 100);
  });
});
