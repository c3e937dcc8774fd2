/**
 * What the population's NFT scenarios did, by their own transactions as the reference codec reads them, found by the routes: the
 * drop, blue chips that are sold to buy of it, a floor that is known, a brokered sale, and one NFT that two sell to each other.
 */
import { describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { type Asker, asker, type Json } from '../../api/routes/ask.ts';
import { casesOf } from '../../cases.ts';
import { quiet } from '../../live-rig.ts';
import { ScenarioReader } from '../../sandbox/population/scenario-tests.ts';
import { WeekRun } from '../../sandbox/population/week-run.ts';
import type { ReadTransaction } from '../../sandbox/population/world.ts';
import { seedOf } from '../../sandbox/seed.ts';
import { follow } from './random-nfts.ts';

const SEED = seedOf('scenarios of NFTs', 20_261_124);
/** Eight weeks of five networks, or the first three weeks of one. */
const CASES = casesOf(3, 40);
const WEEKS = 8;
const KINDS = ['nft-drop', 'nft-rotation', 'nft-floor', 'nft-brokered', 'nft-wash'] as const;
type Kind = (typeof KINDS)[number];
const MINUTE = 60;
/** By then all of them are over. */
const DAYS = 5;
/** Of the drop and the floor: between their last transaction and the next one. */
const AFTERWARDS = 3 * MINUTE;
const FLOOR_LISTED = 9 * MINUTE;

interface Deal {
  readonly nft: string;
  readonly seller: string;
  readonly buyer: string;
  readonly xrp: number;
}

/** What succeeded of a scenario. */
class Done {
  readonly #reader: ScenarioReader;

  constructor(reader: ScenarioReader) {
    this.#reader = reader;
  }

  of(kind: Kind, label: string): ReadTransaction[] {
    const isDone = ({ meta }: ReadTransaction) => meta.TransactionResult === 'tesSUCCESS';
    return this.#reader.transactions(kind, label).filter(isDone);
  }

  /** Sales by an offer to sell, which the buyer takes. */
  deals(kind: Kind, label: string): Deal[] {
    return this.of(kind, label).map((one) => {
      const { NFTokenID, Owner, Amount } = offersEnded(one)[0];
      return { nft: NFTokenID, seller: Owner, buyer: String(one.tx.Account), xrp: Number(Amount) / 1e6 };
    });
  }

  account(kind: Kind, role: string): string {
    return this.#reader.account(kind, role);
  }

  number(kind: Kind, name: string): number {
    return this.#reader.number(kind, name);
  }

  /** When it begins and ends, seconds since the beginning of the week's network. */
  span(kind: Kind): { readonly from: number; readonly to: number } {
    return this.#reader.scenario(kind);
  }
}

const offersEnded = ({ meta }: ReadTransaction): Json[] =>
  meta.AffectedNodes.flatMap(({ DeletedNode }: Json) =>
    DeletedNode?.LedgerEntryType === 'NFTokenOffer' ? [DeletedNode.FinalFields] : [],
  );

interface Check {
  readonly at: number;
  readonly check: (get: (path: string) => Promise<Json>) => Promise<void>;
}

/** The days of the week until all has happened; after each ledger what is due is checked. */
async function run(seed: string, week: number): Promise<void> {
  const ledgers: ClosedLedger[] = [];
  const only = ({ kind }: { readonly kind: string }) => KINDS.some((one) => one === kind);
  const weekRun = new WeekRun({ seed, week, days: DAYS, only, onLedger: (one) => void ledgers.push(one) });
  const done = new Done(new ScenarioReader(weekRun));
  const checks = [
    afterTheDrop(done),
    whileListed(done),
    afterTheFloor(done),
    afterTheBrokered(done),
    afterTheWash(done),
  ].sort((a, b) => a.at - b.at);
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const get = answers(asker(engine));
  for (const ledger of ledgers) {
    await follow(engine, ledger);
    const now = ledger.closeTime - weekRun.groundTruth.epoch;
    while (checks.length > 0 && checks[0]!.at <= now) await checks.shift()!.check(get);
  }
  await engine.drain();
  expect(checks).toHaveLength(0);
}

const answers =
  (api: Asker) =>
  async (path: string): Promise<Json> => {
    const { status, body } = await api.get(path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

const dropOf = (done: Done): string =>
  `${done.account('nft-drop', 'dropper')}:${done.number('nft-drop', 'taxon')}`;

const sum = (deals: readonly Deal[]): number => deals.reduce((total, { xrp }) => total + xrp, 0);

function afterTheDrop(done: Done): Check {
  const check: Check['check'] = async (get) => {
    const drop = dropOf(done);
    const items = done.of('nft-drop', 'mint').length;
    const sales = done.deals('nft-drop', 'sale');
    expect(sales.length).toBeGreaterThan(0);
    const buyers = new Set(sales.map(({ buyer }) => buyer));
    const owners = buyers.size + (sales.length < items ? 1 : 0);
    const collection = await get(`/nft/collections/${drop}`);
    expect(collection).toMatchObject({ items, owners, totalSales: sales.length, sales24h: sales.length });
    expect(collection.totalVolume).toBeCloseTo(sum(sales), 4);
    const minted = await get(`/nft/collections/${drop}/history?type=MINT&limit=1`);
    expect(minted.pagination.total).toBe(items);
    expect((await get(`/nft/holders/${drop}`)).stats).toMatchObject({
      totalNFTs: items,
      totalOwners: owners,
    });
    // Those who sold blue chips and bought of the drop, and nobody else.
    const sold = done.deals('nft-rotation', 'sells').filter(({ seller }) => buyers.has(seller));
    const { rotations } = await get('/nft/analytics/rotations?period=24h&limit=100');
    const into = rotations.filter(({ to }: Json) => to.cid === drop);
    const traders = into.reduce((total: number, row: Json) => total + row.traders, 0);
    expect(traders).toBe(sold.length);
    for (const { seller, nft, xrp } of sold) {
      const { cid } = await get(`/nft/${nft}`);
      const own = (await get(`/nft/analytics/trader/${seller}/rotations?period=24h`)).rotations;
      expect(own.map(({ from, to }: Json) => [from.cid, to.cid])).toEqual([[cid, drop]]);
      const { histories } = await get(`/nft/history?NFTokenID=${nft}&types=SALE&limit=50`);
      const [row] = histories.filter((one: Json) => one.seller === seller);
      expect(row.costXRP).toBe(xrp);
    }
  };
  return { at: done.span('nft-drop').to + AFTERWARDS, check };
}

/** Prices of what is listed, by NFT. */
const listed = (done: Done): Map<string, number> =>
  new Map(done.of('nft-floor', 'lists').map(({ tx }) => [String(tx.NFTokenID), Number(tx.Amount) / 1e6]));

function whileListed(done: Done): Check {
  const check: Check['check'] = async (get) => {
    const prices = [...listed(done).values()];
    expect(prices.length).toBeGreaterThan(1);
    const { floor, listedCount } = await get(`/nft/collections/${dropOf(done)}`);
    expect([floor, listedCount]).toEqual([Math.min(...prices), prices.length]);
    const { nfts } = await get(`/nft/collections/${dropOf(done)}/nfts?sort=price-high&listed=true&limit=1`);
    expect(nfts[0].cost.amount).toBe(Math.max(...prices));
  };
  return { at: done.span('nft-floor').from + FLOOR_LISTED, check };
}

function afterTheFloor(done: Done): Check {
  const check: Check['check'] = async (get) => {
    const left = listed(done);
    const sales = done.deals('nft-floor', 'sale');
    for (const { nft } of sales) left.delete(nft);
    for (const one of done.of('nft-floor', 'delists')) left.delete(offersEnded(one)[0].NFTokenID);
    const { floor, listedCount, totalSales } = await get(`/nft/collections/${dropOf(done)}`);
    expect([floor, listedCount]).toEqual([Math.min(...left.values()), left.size]);
    expect(totalSales).toBe(done.deals('nft-drop', 'sale').length + sales.length);
  };
  return { at: done.span('nft-floor').to + AFTERWARDS, check };
}

function afterTheBrokered(done: Done): Check {
  const check: Check['check'] = async (get) => {
    const [seller, buyer, broker] = ['seller', 'buyer', 'broker'].map((role) =>
      done.account('nft-brokered', role),
    );
    const { histories } = await get(`/nft/history?account=${seller}&types=SALE&limit=5`);
    const brokered = done.of('nft-brokered', 'brokered');
    expect(histories).toHaveLength(brokered.length);
    if (brokered.length === 0) return;
    const [costXRP, brokerFeeXRP] = ['bid', 'brokerFee'].map((name) => done.number('nft-brokered', name));
    expect(histories[0]).toMatchObject({ seller, buyer, broker, costXRP, brokerFeeXRP });
    const { brokers } = await get('/nft/brokers/stats');
    expect(brokers.filter(({ address }: Json) => address === broker)).toHaveLength(1);
  };
  return { at: done.span('nft-brokered').to + AFTERWARDS, check };
}

function afterTheWash(done: Done): Check {
  const check: Check['check'] = async (get) => {
    const pair = ['first', 'second'].map((role) => done.account('nft-wash', role));
    const sales = done.deals('nft-wash', 'sale');
    expect(sales.length).toBeGreaterThan(1);
    const { histories } = await get(`/nft/history?account=${pair[0]}&types=SALE&limit=50`);
    expect(histories.map((row: Json) => [row.NFTokenID, row.seller, row.buyer, row.costXRP])).toEqual(
      sales.map(({ nft, seller, buyer, xrp }) => [nft, seller, buyer, xrp]).reverse(),
    );
    const [{ cid }] = histories;
    const collection = await get(`/nft/collections/${cid}`);
    expect(collection.totalSales).toBe(sales.length);
    expect(collection.totalVolume).toBeCloseTo(sum(sales), 4);
    // All of it between two: who sold it bought it.
    const { traders } = await get(`/nft/collections/${cid}/traders?sort=all`);
    expect(new Set(traders.map((row: Json) => row.address ?? row._id))).toEqual(new Set(pair));
  };
  return { at: done.span('nft-wash').to + AFTERWARDS, check };
}

describe('what scenarios of NFTs did is found', () => {
  for (let n = 0; n < CASES; n++) {
    const [seed, week] = [`nfts-${SEED + Math.floor(n / WEEKS)}`, n % WEEKS];
    test(`seed ${seed}, week ${week}`, () => run(seed, week), 180_000);
  }
});
