/**
 * Floors, listings, offers and owners of collections at the end of past hours and days: against a recount of all transactions,
 * in the columns and over HTTP, with restarts in between.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { dropsOf } from '../../../engine/codec/amount.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import type { CollectionValues } from '../../../engine/nfts/collection-past.ts';
import { DAY, HOUR, unixMs } from '../../../engine/ripple-time.ts';
import { TableId } from '../../../engine/table-ids.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { casesOf } from '../../cases.ts';
import { PastRecount, type Recounted } from '../../engine/nfts/past-recount.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { withoutTables } from '../../engine/without-tables.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const SEED = seedOf('past of collections', 20_261_130);
const LEDGERS = casesOf(80, 300);
const RESTARTS = 3;
const JUMP_MAX = 5 * HOUR;
const DROPS = 1_000_000;

const draw = drawsOf(SEED);
/** Offers expire in hours without a ledger, too. */
const random = new RandomNfts(draw, [undefined], 2 * JUMP_MAX);
const recount = new PastRecount();
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const ask = asker(new Network({ engine }));
/** By hour, at its end. */
const hours = new Map<number, Map<string, Recounted>>();
const ledgers: ClosedLedger[] = [];
let last: PackedLedger;

const endHours = (from: number, to: number): void => {
  for (let hour = from; hour < to; hour++) hours.set(hour, recount.at((hour + 1) * HOUR));
};
const hourOf = ({ closeTime }: PackedLedger) => Math.floor(closeTime / HOUR);
const shown = (values: CollectionValues | undefined): Recounted | undefined =>
  values && {
    floor: values.floorHi === 0 ? undefined : Number(dropsOf(values.floorHi, values.floorLo)),
    listed: values.listed,
    bids: values.bids,
    owners: values.owners,
  };
const rowOf = (id: string) => new Network({ engine }).views.nfts.collection(id);
const NOTHING: Recounted = { floor: undefined, listed: 0, bids: 0, owners: 0 };

beforeAll(async () => {
  ledgers.push(random.rig.network.closed);
  last = await follow(engine, ledgers[0]!);
  for (let made = 0; made < LEDGERS; made++) {
    if (draw(2) === 0) random.rig.time += draw(JUMP_MAX);
    const ledger = random.next();
    const packed = await follow(engine, ledger);
    endHours(hourOf(last), hourOf(packed));
    recount.add(packed);
    ledgers.push(ledger);
    last = packed;
  }
  await engine.drain();
}, 600_000);

describe(`the past of collections (SEED=${SEED})`, () => {
  test('is that of a recount, for each day and the newest hours', () => {
    const { history } = engine.nfts;
    const days = [...hours.keys()].filter((hour) => (hour + 1) % 24 === 0);
    expect([days.length > 2, recount.collections.size > 5]).toEqual([true, true]);
    let floors = 0;
    for (const id of recount.collections) {
      const row = rowOf(id);
      for (const hour of days) {
        const expected = hours.get(hour)!.get(id) ?? NOTHING;
        const found = shown(history.days.at(row, Math.floor(hour / 24))) ?? NOTHING;
        expect([id, hour, found]).toEqual([id, hour, expected]);
        if (expected.floor !== undefined) floors++;
      }
      for (let hour = hourOf(last) - 1; hour > hourOf(last) - 48; hour--) {
        const expected = hours.get(hour)?.get(id) ?? NOTHING;
        const found = shown(history.at(row, (hour + 1) * HOUR)) ?? NOTHING;
        expect([id, hour, found]).toEqual([id, hour, expected]);
      }
      expect(shown(history.values(row, last.closeTime))).toEqual(recount.at(last.closeTime).get(id)!);
    }
    expect(floors).toBeGreaterThan(5);
  });

  test('has rows only where something changed', () => {
    for (const id of recount.collections) {
      const rows = engine.nfts.history.hours.all(rowOf(id)).map((values) => JSON.stringify(shown(values)));
      for (const [i, row] of rows.entries()) expect(row).not.toBe(rows[i - 1]);
    }
  });

  test('is the same after restarts at any ledger', async () => {
    const store = new MemoryStore();
    let opened = new Engine({ store, log: quiet });
    for (const [i, ledger] of ledgers.entries()) {
      await follow(opened, ledger);
      if (i % Math.ceil(ledgers.length / RESTARTS) !== 7) continue;
      await opened.drain();
      opened = new Engine({ store, log: quiet });
      opened.restore();
    }
    expect(opened.nfts.digest()).toBe(engine.nfts.digest());
  });

  test('begins again in a store that has NFTs and not their past', () => {
    const ids = [TableId.nftCollectionHours, TableId.nftCollectionDays];
    const opened = new Engine({ store: withoutTables(engine.store, ids), log: quiet });
    opened.restore();
    expect(opened.nfts.history.hours.period[0]).toBe(hourOf(last));
    for (const id of recount.collections) {
      const row = rowOf(id);
      expect(opened.nfts.nfts.owners[row]).toBe(engine.nfts.nfts.owners[row]!);
      expect(opened.nfts.history.days.all(row)).toEqual([]);
      expect(opened.nfts.collections.changed[row]).toBe(
        Bun.deepEquals(shown(opened.nfts.history.values(row, 0)), NOTHING) ? 0 : 1,
      );
    }
  });

  test('is answered day by day, and as floors of some time ago', async () => {
    const get = async (path: string): Promise<Json> => {
      const { status, body } = await ask.get(path);
      expect([path, status]).toEqual([path, 200]);
      return body;
    };
    const today = Math.floor(last.closeTime / DAY);
    for (const id of recount.collections) {
      const path = `/nft/collections/${id}`;
      const answers = [
        await get(`${path}/floor/history?limit=500`),
        await get(`${path}/listings/history`),
        await get(`${path}/holders/history`),
      ];
      const [first] = answers[0]!.history;
      for (const [i, row] of answers[0]!.history.entries()) {
        const day = today - answers[0]!.history.length + 1 + i;
        const of = day === today ? recount.at(last.closeTime) : hours.get(day * 24 + 23)!;
        const { floor, listed, bids, owners } = of.get(id) ?? NOTHING;
        expect(row).toMatchObject({
          time: unixMs(day * DAY),
          floor: floor === undefined ? null : floor / DROPS,
        });
        expect(answers[1]!.history[i]).toMatchObject({ listed, bids });
        expect(answers[2]!.history[i]).toMatchObject({ holders: owners });
      }
      expect((await get(`/nft/floor/history/${id}?limit=500`)).history[0]).toEqual(first);
      expect((await get(`${path}/floor/history?limit=1`)).history).toEqual(answers[0]!.history.slice(-1));

      const { floor, floor24hAgo, floor1dPercent } = await get(path);
      const ago = hours.get(Math.floor((last.closeTime - DAY) / HOUR) - 1)?.get(id)?.floor;
      expect(floor24hAgo).toBe(ago === undefined ? undefined : ago / DROPS);
      if (ago && floor !== undefined)
        expect(floor1dPercent).toBeCloseTo((floor / (ago / DROPS) - 1) * 100, 1);
      else expect(floor1dPercent).toBeUndefined();
      const { topHolders } = await get(`/nft/holders/${id}?limit=1`);
      for (const { address } of topHolders as Json[]) {
        const { collections } = await get(`/nft/account/${address}/nfts?limit=100`);
        const held = collections.find(({ cid }: Json) => cid === id);
        expect([held.floor, held.floor24hAgo]).toEqual([floor ?? null, floor24hAgo]);
      }
      const { ohlc } = await get(`${path}/ohlc`);
      for (const { t, lo, bo, ho } of ohlc) {
        const { listed, bids, holders } = Object.assign(
          {},
          ...answers.slice(1).map(({ history }) => history.find(({ date }: Json) => date === t)),
        );
        expect([t, lo, bo, ho]).toEqual([t, listed, bids, holders]);
      }
    }
  });

  test.each([
    'floor24hAgo',
    'floor1dPercent',
    'floor7dPercent',
    'topOffer.amount',
    'offers',
    'burnedItems',
    'totalRoyalties',
    'totalBrokerFees',
    'totalFees',
  ])('sorts lists of collections by %s, those without it last', async (sort) => {
    const { body } = await ask.get(`/nft/collections?limit=200&sort=${sort}`);
    expect([body.sort, body.count > 5]).toEqual([sort, true]);
    const [member, inner] = sort.split('.');
    const values = body.collections.map((row: Json) => (inner ? row[member!]?.[inner] : row[member!]));
    const known = values.filter((value: unknown) => value !== undefined);
    expect(known.length).toBeGreaterThan(sort === 'floor7dPercent' ? -1 : 1);
    expect(values.slice(0, known.length)).toEqual(known.toSorted((a: number, b: number) => b - a));
    const { body: ascending } = await ask.get(`/nft/collections?limit=200&sort=${sort}&order=asc`);
    // Those without it are last in either order.
    const ids = ({ collections }: Json) => collections.map(({ _id }: Json) => _id);
    const [down, up] = [ids(body), ids(ascending)];
    expect(up.slice(0, known.length)).toEqual(down.slice(0, known.length).toReversed());
    expect(up.slice(known.length).toSorted()).toEqual(down.slice(known.length).toSorted());
  });
});
