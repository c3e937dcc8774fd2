/** Anchors and rates without a ledger: tokens, their trades and their depth are given directly. */
import { AnchorTrades } from '../../../engine/market/anchor-trades.ts';
import { Anchors } from '../../../engine/market/anchors.ts';
import { Columns } from '../../../engine/market/columns.ts';
import { Meta } from '../../../engine/market/meta.ts';
import type { OracleSource } from '../../../engine/market/oracle-prices.ts';
import { Rates } from '../../../engine/market/rates.ts';
import { TickFlag, Ticks } from '../../../engine/market/ticks.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

export interface Backing {
  readonly issuer: string;
  readonly currency: string;
  /** XRP. */
  depth?: number;
  holders?: number;
  traders?: number;
}

const TICKS = 2 ** 16;

export class AnchorRig {
  readonly store = new MemoryStore();
  readonly trades = new AnchorTrades();
  readonly meta = new Meta();
  readonly ticks: Ticks;
  readonly anchors: Anchors;
  readonly rates: Rates;
  /** Tokens that became anchors or stopped being so. */
  readonly changed: number[] = [];
  readonly prices = new Float64Array(64);
  batch = this.store.batch();
  ledger = 0;

  /** @param backing by token id; 0 is XRP */
  constructor(backing: readonly Backing[], oracles: OracleSource = { latest: () => [] }) {
    this.ticks = new Ticks(TICKS, new Meta());
    const issuers = [...new Set(backing.map(({ issuer }) => issuer))];
    this.anchors = new Anchors(new Columns(64), {
      tokens: {
        issuer: (token) => issuers.indexOf(backing[token]!.issuer),
        issuerText: (token) => backing[token]!.issuer,
        currencyText: (token) => backing[token]!.currency,
      },
      oracles,
      trades: this.trades,
      meta: this.meta,
      holders: (token) => backing[token]!.holders ?? 0,
      traders: (token) => backing[token]!.traders ?? 0,
      depth: (token) => backing[token]!.depth ?? 0,
      changed: (token) => this.changed.push(token),
    });
    const { anchors, trades, store, prices } = this;
    this.rates = new Rates({ anchors, trades, oracles, store, prices });
  }

  trade(token: number, time: number, xrp: number, units: number, withXrp = true): void {
    const row = this.ticks.append();
    this.ticks.token[row] = token;
    this.ticks.time[row] = time;
    this.ticks.drops[row] = xrp * 1e6;
    this.ticks.amount[row] = units;
    this.ticks.price[row] = xrp / units;
    this.ticks.flags[row] = withXrp ? TickFlag.xrpLeg : 0;
    this.prices[token] = xrp / units;
    this.rates.take(this.ticks, row);
  }

  settle(time: number): void {
    this.anchors.review(time);
    this.rates.settle(++this.ledger, time, this.batch);
  }

  async commit(time: number): Promise<void> {
    const done = this.store.commit(this.batch, {
      index: this.ledger,
      hash: new Uint8Array(32),
      closeTime: time,
    });
    this.batch = this.store.batch();
    await done;
    this.rates.durable(this.ledger);
  }
}
