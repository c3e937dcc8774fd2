/** The order of offers of the same quality in an engine that began with a snapshot, against what the node answers. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { casesOf } from '../../cases.ts';
import { type Ask, askerOf } from '../../embedded.ts';
import { GENESIS } from '../../sandbox/node/network-rig.ts';
import { ReadsRig } from '../../sandbox/node/reads-rig.ts';
import { quietLog as log } from '../ledger/quiet.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

/** More than two pages of a directory, of one quality. */
const OFFERS = casesOf(90, 300);
const LEDGERS = 4;
/** Entries of a page of the snapshot. */
const PAGE = 40;

const rig = new ReadsRig();
const { issuer, alice, bob, carol, dave, hot } = rig.accounts;
const makers = [alice, bob, carol, dave, hot];
let ask: Ask;

let state = seed >>> 0 || 1;
/** A whole number below n. */
const below = (n: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};

/** Sequences of the offers that are open, by maker. */
const open: { readonly maker: (typeof makers)[number]; readonly sequence: number }[] = [];

/** Sells USD for XRP at one of three prices, most at the same. */
function place(): void {
  const maker = makers[below(makers.length)]!;
  const price = below(5) < 3 ? 2 : 2 + below(2);
  const amount = 1 + below(9);
  const { fields } = rig.does(maker, 'OfferCreate', {
    TakerPays: String(amount * price * 1_000_000),
    TakerGets: rig.amount(amount),
  });
  open.push({ maker, sequence: Number(fields.Sequence) });
}

function cancel(): void {
  const [one] = open.splice(below(open.length), 1);
  rig.does(one!.maker, 'OfferCancel', { OfferSequence: one!.sequence });
}

beforeAll(() => {
  ask = askerOf(rig.network);
  for (const { address } of [issuer, ...makers])
    rig.does(GENESIS, 'Payment', { Destination: address, Amount: '100000000000' });
  rig.next();
  for (const maker of makers) rig.does(maker, 'TrustSet', { LimitAmount: rig.amount(1_000_000) });
  rig.next();
  for (const maker of makers)
    rig.does(issuer, 'Payment', { Destination: maker.address, Amount: rig.amount(100_000) });
  rig.next();
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    for (let i = 0; i < OFFERS / LEDGERS; i++) place();
    rig.next();
  }
  // Pages with less than 32 entries.
  for (let i = 0; i < OFFERS / 4; i++) cancel();
  for (let i = 0; i < OFFERS / 8; i++) place();
  rig.next();
});
afterAll(() => rig.end());

/** The state of the newest ledger, as pages of a snapshot. */
function* pages(): Generator<Uint8Array> {
  let marker: Json | undefined;
  do {
    const asked = { ledger_index: 'validated', binary: true, limit: PAGE, ...(marker && { marker }) };
    const answer = ask('ledger_data', asked);
    const parts = (answer.state as JsonObject[]).flatMap(({ index, data }) => {
      const blob = bytesOf(String(data));
      return [bytesOf(String(index)), new Uint8Array(Uint32Array.of(blob.length).buffer), blob];
    });
    yield new Uint8Array(Buffer.concat(parts));
    ({ marker } = answer);
  } while (marker !== undefined);
}

const proved = () => {
  const packed = rig.network.closed.packed();
  return prepared(packed, prepare(packed.bytes, false));
};

/** Sequences and owners of the offers of the book, as the node and as the engine has them. */
function ofNode(): string[] {
  const book = { taker_pays: { currency: 'XRP' }, taker_gets: { currency: 'USD', issuer: issuer.address } };
  const { offers } = ask('book_offers', { ...book, ledger_index: 'validated', limit: 1000 });
  return (offers as JsonObject[]).map(({ Account, Sequence }) => `${Account} ${Sequence}`);
}

function ofEngine({ state: { accounts, books, tokens } }: Engine): string[] {
  const book = books.book(XRP, tokens.find(issuer.address, 'USD')!)!;
  return [...books.offers(book)].map(
    (row) => `${accounts.text(books.accounts[row]!)} ${books.sequences[row]}`,
  );
}

const REF = () => ({ index: rig.network.closed.index, hash: proved().packed.hash });

/** What a program loads until it is interrupted, and another one after it. */
async function snapshot(parts: number): Promise<{ engine: Engine; store: MemoryStore }> {
  const store = new MemoryStore();
  let engine = new Engine({ store, log });
  const all = [...pages()];
  const size = Math.ceil(all.length / parts);
  for (let from = 0; from < all.length; from += size) {
    for (const page of all.slice(from, from + size)) engine.loadEntries(page);
    if (from + size >= all.length) break;
    await engine.saveSnapshot(REF(), { ref: REF(), marker: '' } as never);
    engine = new Engine({ store, log });
    engine.restore();
  }
  await engine.finishSnapshot(proved(), REF());
  return { engine, store };
}

test('is the order of the directories, also where the snapshot was interrupted, after a restart, and as ledgers follow', async () => {
  const whole = await snapshot(1);
  const parted = await snapshot(5);
  expect(ofNode().length).toBeGreaterThan(OFFERS / 2);
  for (const { engine } of [whole, parted]) expect(ofEngine(engine)).toEqual(ofNode());
  expect(parted.engine.digest()).toBe(whole.engine.digest());
  const again = new Engine({ store: parted.store, log });
  again.restore();
  expect(ofEngine(again)).toEqual(ofNode());
  for (let ledger = 0; ledger < LEDGERS; ledger++) {
    for (let i = 0; i < 6; i++) cancel();
    for (let i = 0; i < 12; i++) place();
    rig.next();
    for (const engine of [whole.engine, again]) {
      await engine.applyLedger(proved(), false);
      expect(ofEngine(engine)).toEqual(ofNode());
    }
  }
});

test('keeps nothing of the directories once it is complete', async () => {
  const { store } = await snapshot(3);
  const kept = Array.from({ length: 10 }, (_, part) => store.value(`book places ${part}`));
  expect(kept.filter((one) => one !== null && one !== undefined)).toEqual([]);
});
