/**
 * Random mints, changes, offers, direct and brokered sales, gifts, cancellations and burns on the embedded network. After
 * each ledger owners, URIs, offers and counts equal the node's; each sale's parts equal the balances in its metadata. The same
 * state follows from a snapshot, after a restart, and in a store of a version without NFTs.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractEntries } from '../../../engine/codec/extract.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { Engine } from '../../../engine/engine.ts';
import { NftEventReader, NftEventType } from '../../../engine/nfts/event-record.ts';
import { Nfts } from '../../../engine/nfts/nfts.ts';
import { State } from '../../../engine/state/state.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { statePage } from '../../../support/state-page.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { withoutTables } from '../without-tables.ts';
import { balanceChanges, movedBy } from './money.ts';
import { asTheEngine, asTheNode } from './node-nfts.ts';
import { follow, RandomNfts } from './random-nfts.ts';

const SEED = seedOf('random NFTs', 20_261_124);
const LEDGERS = 240;
/** More ledgers follow until each kind of sale has happened this often, since an unlucky seed makes few of them. */
const ENOUGH = { sales: 40, brokered: 3, royalties: 10 };
const LEDGERS_MAX = 10 * LEDGERS;

describe('random NFTs', () => {
  const store = new MemoryStore();
  const engine = new Engine({ store, log: quiet });
  const random = new RandomNfts(drawsOf(SEED));
  const different: number[] = [];
  const sales: { moved: unknown; balances: unknown }[] = [];
  const types = new Map<NftEventType, number>();
  let brokered = 0;
  let royalties = 0;

  beforeAll(async () => {
    const reader = new NftEventReader();
    await follow(engine, random.rig.network.closed);
    const enough = () =>
      sales.length >= ENOUGH.sales && brokered >= ENOUGH.brokered && royalties >= ENOUGH.royalties;
    for (let made = 0; made < LEDGERS || (!enough() && made < LEDGERS_MAX); made++) {
      const ledger = random.next();
      const packed = await follow(engine, ledger);
      const { bytes, count } = engine.nfts.events;
      reader.load(bytes);
      for (let i = 0; i < count; i++) {
        const { type, tx, broker, royalty } = reader.at(i);
        types.set(type, (types.get(type) ?? 0) + 1);
        if (type !== NftEventType.sale) continue;
        const json = decode(hexOf(packed.tx(tx)));
        const meta = decode(hexOf(packed.meta(tx)));
        sales.push({ moved: movedBy(engine.nfts, reader), balances: balanceChanges(json, meta) });
        if (broker !== 0) brokered++;
        if (royalty !== undefined) royalties++;
      }
      if (!Bun.deepEquals(asTheEngine(engine.nfts), asTheNode(random.ask))) different.push(ledger.index);
    }
    await engine.drain();
  });

  test('owners, URIs, offers and counts by issuer equal the node’s after each ledger', () => {
    expect(different).toEqual([]);
  });

  test('prices, royalties and brokers’ fees equal the balance changes, to the drop', () => {
    expect(sales.length).toBeGreaterThanOrEqual(ENOUGH.sales);
    expect(brokered).toBeGreaterThanOrEqual(ENOUGH.brokered);
    expect(royalties).toBeGreaterThanOrEqual(ENOUGH.royalties);
    for (const { moved, balances } of sales) expect(moved).toEqual(balances);
  });

  test('every type of event happened', () => {
    const missing = Object.entries(NftEventType).filter(([, type]) => !types.has(type));
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  test('a restart gives the same state and URIs', () => {
    const opened = new Engine({ store, log: quiet });
    opened.restore();
    expect(opened.digest()).toBe(engine.digest());
    expect(asTheEngine(opened.nfts)).toEqual(asTheEngine(engine.nfts));
  });

  test('a store of a version without NFTs is filled from its ledgers', () => {
    const ids = engine.nfts.tables.map(({ id }) => id);
    const opened = new Engine({ store: withoutTables(store, ids), log: quiet });
    opened.restore();
    expect(opened.digest()).toBe(engine.digest());
    expect(asTheEngine(opened.nfts)).toEqual(asTheEngine(engine.nfts));
  });

  test('a store of a version that did not count events by period and account counts those that it has', () => {
    const ids = engine.nfts.market.tables.map(({ id }) => id);
    const opened = new Engine({ store: withoutTables(store, ids), log: quiet });
    opened.restore();
    expect(opened.digest()).toBe(engine.digest());
    expect(opened.nfts.market.days.count).toBeGreaterThan(1);
  });

  test('a snapshot gives the same owners, URIs and offers', () => {
    const nfts = new Nfts(new State());
    const page = pageOf(
      random.ask('ledger_data', { ledger_index: 'validated', binary: true, limit: 100_000 }),
    );
    nfts.applyEntries(page, new Changes(extractEntries(page)));
    const { counts: _, ...fromNode } = asTheNode(random.ask);
    expect(asTheEngine(nfts)).toMatchObject(fromNode);
    expect(Object.keys(asTheEngine(nfts).offers)).toHaveLength(Object.keys(fromNode.offers).length);
  });

  test('a gap forgets the offers, which may be closed by now, and no owner', () => {
    const opened = new Engine({ store, log: quiet });
    opened.restore();
    opened.nfts.gap();
    const { offers, nfts } = asTheEngine(opened.nfts);
    expect(offers).toEqual({});
    expect(nfts).toEqual(asTheEngine(engine.nfts).nfts);
  });
});

/** Entries as a page of a snapshot. */
const pageOf = ({ state }: JsonObject): Uint8Array =>
  statePage(
    (state as JsonObject[]).map(({ index, data }) => [bytesOf(String(index)), bytesOf(String(data))]),
  );
