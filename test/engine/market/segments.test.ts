/** Memes and what segments of the market trade, of made-up ledgers. */

import { describe, expect, test } from 'bun:test';
import { restoringDomains } from '../../../engine/domain.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { PLATFORMS } from '../../../engine/market/platforms.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { layoutsName } from '../../../engine/state/layout.ts';
import { fillTables } from '../../../engine/upgrade.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { type Made, madeLedger, person, poolNodes, taken } from './made.ts';
import { Rig, SMALL } from './rig.ts';

const DAY = 24 * HOUR;
/** A midnight. */
const START = 8102 * DAY;
const FIRST_LEDGER = 74_920_348;
const maker = person(9);
const meme = (value: string) => ({ currency: 'MEM', issuer: person(70), value });
const plain = (value: string) => ({ currency: 'PLN', issuer: person(71), value });
const usd = (value: string) => ({ currency: 'USD', issuer: 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B', value });

const pool = (n: number, asset: Readonly<Record<string, string>>, SourceTag?: number): Made => ({
  tx: {
    TransactionType: 'AMMCreate',
    Amount: '50000000',
    Amount2: asset,
    TradingFee: 500,
    ...(SourceTag !== undefined && { SourceTag }),
  },
  nodes: poolNodes(person(n), 50e6, asset, n * 100),
});

type LedgerPlan = readonly [time: number, ...made: Made[]];

async function applied(...ledgers: readonly LedgerPlan[]): Promise<Rig> {
  const rig = new Rig();
  // The state before the first ledger is unknown: tokens of the first one have no date.
  for (const [i, [time, ...made]] of [[-4] as LedgerPlan, ...ledgers].entries()) {
    const sample = madeLedger(1000 + i, START + time, made);
    rig.apply(sample.packed, sample.changes);
  }
  await rig.commit();
  return rig;
}

const tokenOf = (rig: Rig, name: string): number => {
  for (let id = 1; id < rig.state.tokens.count; id++) if (rig.state.tokens.name(id) === name) return id;
  throw new Error(name);
};
const launchpad = (rig: Rig, name: string) => rig.market.launches.platform(tokenOf(rig, name))?.launchpad;

describe('launches', () => {
  test('a pool that a platform opens for a new token; no other pool, tag or age', async () => {
    const rig = await applied([0, pool(40, meme('50'), FIRST_LEDGER), pool(41, plain('50'))]);
    expect(launchpad(rig, 'MEM')).toBe('FirstLedger');
    expect(launchpad(rig, 'PLN')).toBeUndefined();
    const wallet = PLATFORMS.find(({ launchpad }) => launchpad === undefined)!.sourceTag;
    expect(launchpad(await applied([0, pool(40, meme('50'), wallet)]), 'MEM')).toBeUndefined();
    const first = taken(1, maker, meme('10'), '20000000');
    const late = await applied([0, first], [7 * DAY + 1, pool(40, meme('50'), FIRST_LEDGER)]);
    expect(launchpad(late, 'MEM')).toBeUndefined();
    const within = await applied([0, first], [7 * DAY, pool(40, meme('50'), FIRST_LEDGER)]);
    expect(launchpad(within, 'MEM')).toBe('FirstLedger');
  });
});

describe('segments', () => {
  const launch: LedgerPlan = [0, pool(40, meme('50'), FIRST_LEDGER)];
  const dollars = taken(2, maker, usd('10'), '20000000');
  const figures = ({ market }: Rig) => market.segments.figures(market.closeTime);

  test('a trade counts once in each segment that it belongs to, and an anchor is no meme', async () => {
    const rig = await applied(
      launch,
      [4, taken(1, maker, meme('10'), '5000000'), dollars],
      [8, taken(3, maker, usd('3'), meme('6')), taken(4, maker, plain('1'), '7000000')],
    );
    expect(rig.market.isMeme(tokenOf(rig, 'MEM'))).toBe(true);
    expect(figures(rig)).toEqual({ gStableVolume: 26, gMemeVolume: 11 });
    const launched = await applied([0, pool(40, usd('50'), FIRST_LEDGER)], [4, dollars]);
    expect(figures(launched)).toEqual({ gStableVolume: 20, gMemeVolume: 0 });
  });

  test('24 whole hours, the running one among them; changes once 48 were seen', async () => {
    const hours: LedgerPlan[] = Array.from({ length: 60 }, (_, hour) => [
      hour * HOUR + 60,
      taken(1 + hour, maker, usd('10'), `${(hour + 1) * 1e6}`),
    ]);
    for (const count of [10, 24, 25, 48, 49, 60]) {
      const rig = await applied(...hours.slice(0, count));
      const sum = (from: number, to: number) => {
        let xrp = 0;
        for (let hour = Math.max(0, from); hour <= to; hour++) xrp += hour + 1;
        return xrp;
      };
      const running = count - 1;
      const { gStableVolume, gStableVolumePro } = figures(rig);
      expect(gStableVolume).toBe(sum(running - 23, running));
      // The ledger before the first trade is in the hour before.
      if (running < 47) expect(gStableVolumePro).toBeUndefined();
      else {
        const change = sum(running - 24, running - 1) / sum(running - 48, running - 25) - 1;
        expect(gStableVolumePro).toBeCloseTo(change * 100, 9);
      }
    }
  });

  test('a restart, and a store of a version without these tables, give the same', async () => {
    const rig = await applied(
      launch,
      [4, taken(1, maker, meme('10'), '5000000'), dollars],
      [HOUR, taken(3, maker, usd('3'), meme('6'))],
    );
    expect(figures(rig.restarted())).toEqual(figures(rig));
    const { launches, segments } = rig.market;
    const lacking = new (class extends MemoryStore {
      override blocks(...[table, visit, from]: Parameters<MemoryStore['blocks']>): void {
        if (table !== launches.table.id && table !== segments.table.id) rig.store.blocks(table, visit, from);
      }
      override *rows(visit: Parameters<MemoryStore['rows']>[0]) {
        yield* rig.store.rows((table, row, image) => {
          if (table !== launches.table.id && table !== segments.table.id) visit(table, row, image);
        });
      }
      override value(name: string): unknown {
        return [launches, segments].some(({ table }) => name === layoutsName(table.id))
          ? undefined
          : rig.store.value(name);
      }
      override trades(...walk: Parameters<MemoryStore['trades']>): void {
        rig.store.trades(...walk);
      }
    })();
    const older = new Rig(SMALL, lacking);
    runToEnd(restoringDomains(rig.store, [older.state]));
    runToEnd(restoringDomains(lacking, [older.market]));
    expect(figures(older)).toEqual({ gStableVolume: 0, gMemeVolume: 0 });
    fillTables(older.market.tables, lacking, { debug() {}, info() {}, warn() {}, error() {} });
    runToEnd(older.market.rebuilding());
    expect(launchpad(older, 'MEM')).toBe('FirstLedger');
    expect(figures(older)).toEqual(figures(rig));
  });
});
