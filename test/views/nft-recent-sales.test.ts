/** Sales of the last 8 days and their sums of a day, read from a store and as ledgers come in: those of a recount. */
import { expect, test } from 'bun:test';
import type { Head } from '../../engine/head.ts';
import { NFT_EVENT_BYTES, NftEventBuffer, NftEventType } from '../../engine/nfts/event-record.ts';
import { DAY } from '../../engine/ripple-time.ts';
import type { StoreReads } from '../../engine/store.ts';
import { NftRecentSales, type RecentSale } from '../../views/nfts/recent-sales.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const SEED = seedOf('recent sales of NFTs', 20_261_128);
const LEDGERS = 3000;
const COLLECTIONS = 4;
const DROPS = 1_000_000;
const KEPT = 8 * DAY;

interface Made {
  readonly ledger: number;
  readonly time: number;
  readonly events: NftEventBuffer;
  readonly sales: readonly RecentSale[];
}

/** Ledgers of 0 to 2 sales, a fifth of them not for XRP, and a few other events. */
function made(draw: (below: number) => number): Made[] {
  let time = 800_000_000;
  return Array.from({ length: LEDGERS }, (_, i) => {
    const ledger = i + 1;
    time += draw(10) === 0 ? draw(4000) : draw(600);
    const events = new NftEventBuffer();
    const sales: RecentSale[] = [];
    const hashes = new Uint32Array(8);
    const origin = { ledger, closeTime: time, tx: 0, hashes, hashAt: 0, txType: 29, sourceTag: undefined };
    for (let n = draw(4); n > 0; n--) {
      const [collection, seller, buyer] = [1 + draw(COLLECTIONS), 1 + draw(9), 1 + draw(9)];
      const [asset, lo] = [draw(5) === 0 ? 1 : 0, 1 + draw(1_000_000)];
      const type = draw(3) === 0 ? NftEventType.list : NftEventType.sale;
      const price = { asset, hi: 0x40000000, lo };
      events.add(
        { ...origin, memoPlatform: 0 },
        { type, nft: 1, collection, from: seller, to: buyer, price },
      );
      if (type === NftEventType.sale)
        sales.push({ time, collection, seller, buyer, drops: asset === 0 ? lo : 0 });
    }
    return { ledger, time, events, sales };
  });
}

/** An engine of which a number of ledgers are durable, others pending. */
function engineOf(all: readonly Made[], durable: number, applied: number) {
  const bytesOf = ({ events }: Made) => events.bytes.slice(0, events.count * NFT_EVENT_BYTES);
  const store = {
    ledgerAt: (time: number) => {
      const found = all.slice(0, applied).findLast((one) => one.time <= time);
      return found && { index: found.ledger, closeTime: found.time };
    },
    firstLedger: () => ({ index: 1, closeTime: all[0]!.time }),
    records: (family, _prefix, { from = 0, to = 0 }, visit) => {
      if (family !== 'nftLedgerEvents') return;
      for (const one of all.slice(from - 1, Math.min(to, durable)))
        if (one.events.count > 0 && !visit(0, bytesOf(one), new Uint8Array(8))) return;
    },
  } as Pick<StoreReads, 'ledgerAt' | 'firstLedger' | 'records'>;
  const ledgers = all.slice(durable, applied).filter(({ events }) => events.count > 0);
  return {
    head: { index: applied, closeTime: all[applied - 1]!.time },
    store,
    nfts: {
      assets: { kind: (asset: number) => asset as never },
      pending: { ledgers: ledgers.map((one) => ({ ledger: one.ledger, bytes: bytesOf(one) })) },
    },
  };
}

async function compare(recent: NftRecentSales, all: readonly Made[], now: number): Promise<void> {
  const sales = all.flatMap((one) => one.sales);
  await recent.dayReady();
  for (let collection = 1; collection <= COLLECTIONS; collection++) {
    const own = sales.filter((sale) => sale.collection === collection && now - sale.time < DAY);
    const drops = own.reduce((sum, sale) => sum + sale.drops, 0);
    expect(recent.of(collection)).toEqual({ sales: own.length, volume: drops / DROPS });
  }
}

test.each([
  ['from the first ledger on', 0, 0],
  ['from a store that ends at the newest ledger', 2000, 2000],
  ['from a store and ledgers that are not durable yet', 1900, 2000],
])(`%s (SEED=${SEED})`, async (_, durable, before) => {
  const draw = drawsOf(SEED);
  const all = made(draw);
  const engine = engineOf(all, durable, Math.max(1, before));
  const recent = new NftRecentSales(engine);
  if (before > 0) await compare(recent, all.slice(0, before), engine.head.closeTime);
  for (let i = before; i < LEDGERS; i++) {
    const { ledger: index, time: closeTime, events } = all[i]!;
    engine.head = { index, closeTime };
    recent.applied({ head: engine.head as Head, events: { nfts: events } });
    if (i % 100 > 0) continue;
    await compare(recent, all.slice(0, i + 1), closeTime);
    if (i % 300 > 0) continue;
    const { sales, isPart } = await recent.get();
    const expected = all.slice(0, i + 1).flatMap((one) => one.sales);
    expect(isPart).toBe(false);
    expect(sales.filter(({ time }) => closeTime - time < KEPT)).toEqual(
      expected.filter(({ time }) => closeTime - time < KEPT),
    );
  }
});
