/** What the market says of the embedded network, whose issuers nobody knows: its people's own worth is the oracle. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { currencyText } from '../../../engine/codec/currency.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { Log } from '../../../engine/log.ts';
import { ANCHOR_HOURS, ANCHOR_TOLERANCE } from '../../../engine/market/anchors.ts';
import { FIATS, Fiat } from '../../../engine/market/figures.ts';
import { KNOWN_ANCHORS } from '../../../engine/market/known-anchors.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../memory-store.ts';
import { EPOCH, World } from '../sandbox/population/world.ts';

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

describe('the embedded network', () => {
  const followed = new Followed();
  const now = () => followed.engine.head!.closeTime;
  const isAnchor = (name: string) => followed.engine.market.anchors.isAnchor(followed.token(name), now());

  beforeAll(async () => {
    await followed.pass(3);
  });

  test('has a rate for each money from its oracles at once, and no known issuer', () => {
    const { economy, people } = followed.world.population;
    const exch = followed.engine.market.rates.exch();
    for (const [fiat, name] of MONEYS.entries()) {
      const rate = exch[FIATS[fiat]!]!;
      const worth = fiat === Fiat.USD ? 1 / economy.xrpUsd(now()) : economy.worth(economy.token(name), now());
      expect(Math.abs(rate / worth - 1)).toBeLessThan(0.01);
      expect(isAnchor(name)).toBe(false);
    }
    const addresses = new Set([...people.known().values()].map(({ address }) => address));
    expect(KNOWN_ANCHORS.filter(({ issuer }) => addresses.has(issuer))).toEqual([]);
  });

  test('its four moneys stand after a day of agreement, and nothing else', async () => {
    await followed.pass(ANCHOR_HOURS + FIRST_HOURS);
    const { market, state, views } = followed.engine;
    expect(now() - EPOCH).toBeGreaterThan(ANCHOR_HOURS * HOUR);
    expect(MONEYS.map(isAnchor)).toEqual([true, true, true, true]);
    expect(market.rates.anchorTokens).toEqual(
      MONEYS.map((name) => followed.token(name)).sort((a, b) => a - b),
    );
    expect(views.tag('stablecoin')).toBe('Stablecoin');
    const { total } = views.listTokens({
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

  test('a restart goes on as if there had been none', async () => {
    const { engine } = followed;
    followed.restart();
    expect(followed.engine.digest()).toBe(engine.digest());
    expect(MONEYS.map(isAnchor)).toEqual([true, true, true, true]);
  });
});
