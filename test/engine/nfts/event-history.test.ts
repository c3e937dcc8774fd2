/**
 * Histories of NFTs, collections and accounts against a plain list of the same events: over pages of any size, of stores whose
 * first events have the form of schema version 6, some of whose last are not durable yet, and that were opened again.
 */
import { afterEach, expect, test } from 'bun:test';
import { openStore } from '../../../data/store.ts';
import { EventChains } from '../../../engine/nfts/event-chains.ts';
import { NftEventHistory, type NftPlace, type NftScope } from '../../../engine/nfts/event-history.ts';
import {
  NFT_EVENT_BYTES,
  NftEventBuffer,
  NftEventReader,
  NftEventType,
} from '../../../engine/nfts/event-record.ts';
import { PendingNftEvents } from '../../../engine/nfts/pending-events.ts';
import { eachStoredNftEvent } from '../../../engine/nfts/stored-events.ts';
import { Table } from '../../../engine/state/table.ts';
import type { Batch } from '../../../engine/store.ts';
import { temporaryDir } from '../../data/tools.ts';

const ROWS = 6;
const LEDGERS = 60;
/** Bytes of a record of schema version 6. */
const OLDER_BYTES = 112;
const EMPTY = new Uint8Array(0);
const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const remove of cleanup.splice(0)) remove();
});

function randomFrom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A ledger of 0 to 40 events of few NFTs, collections and accounts, of which two may be one. */
function randomLedger(ledger: number, random: (below: number) => number): NftEventBuffer {
  const events = new NftEventBuffer();
  const count = random(4) === 0 ? 0 : random(41);
  for (let i = 0; i < count; i++) {
    const origin = {
      ledger,
      closeTime: ledger * 4,
      tx: i >> 1,
      hashes: new Uint32Array(8),
      hashAt: 0,
      txType: 29,
    };
    const [nft, collection, from] = [1 + random(ROWS), 1 + random(ROWS), random(ROWS)];
    const event = { type: NftEventType.sale, nft, collection, from, to: random(ROWS), broker: random(ROWS) };
    events.add({ ...origin, sourceTag: undefined, memoPlatform: 0 }, event);
  }
  return events;
}

/** As a program of schema version 6 stored it. */
function storeOlder(batch: Batch, ledger: number, { bytes, count }: NftEventBuffer): void {
  const event = new NftEventReader().load(bytes);
  for (let i = 0; i < count; i++) {
    const { tx, number, nft, collection, from, to, broker } = event.at(i);
    batch.record('nftEvents', [ledger, tx, number], event.bytes.slice(0, OLDER_BYTES));
    batch.record('nftTokenEvents', [nft, ledger, tx, number], EMPTY);
    batch.record('nftCollectionEvents', [collection, ledger, tx, number], EMPTY);
    for (const party of new Set([from, to, broker]))
      if (party !== 0) batch.record('nftAccountEvents', [party, ledger, tx, number], EMPTY);
  }
}

const tableOf = (id: number) => {
  const table = new Table(id, `rows ${id}`, 64);
  return { table };
};

const nameOf = (event: NftPlace) => `${event.ledger}.${event.tx}.${event.number}`;

test.each([
  ['in the form of today', 1],
  ['begun in the form of schema version 6', LEDGERS / 3],
  ['all in that form', LEDGERS + 1],
])('events of a store %s: pages of all, of each NFT, collection and account', async (_, firstNew) => {
  const { dir, remove } = temporaryDir();
  cleanup.push(remove);
  const random = randomFrom(firstNew);
  let store = await openStore({ dir, network: 0 });
  const owners = { nfts: tableOf(1), collections: tableOf(2), parties: tableOf(3) };
  const pending = new PendingNftEvents(new EventChains(owners));
  for (const { table } of Object.values(owners)) table.reserve(ROWS + 2);
  const all: { at: NftPlace; nft: number; collection: number; parties: number[] }[] = [];
  const check = () => {
    const history = new NftEventHistory(store, pending);
    const rows = Array.from({ length: ROWS }, (__, i) => i + 1);
    const scopes: NftScope[] = rows.flatMap((row) => [{ nft: row }, { collection: row }, { party: row }]);
    for (const scope of ['all', ...scopes] as const) {
      const expected = all.filter(({ nft, collection, parties }) => {
        if (scope === 'all') return true;
        if ('nft' in scope) return nft === scope.nft;
        return 'collection' in scope ? collection === scope.collection : parties.includes(scope.party);
      });
      const found: string[] = [];
      let from: NftPlace | undefined;
      do
        from = history.visit(scope, from, 1 + random(300), (event) => {
          found.push(nameOf(event));
          return true;
        });
      while (from);
      expect(found).toEqual(expected.map(({ at }) => nameOf(at)).reverse());
    }
  };
  const lastDurable = LEDGERS - 5;
  for (let ledger = 1; ledger <= LEDGERS; ledger++) {
    const events = randomLedger(ledger, random);
    const event = new NftEventReader().load(events.bytes);
    for (let i = 0; i < events.count; i++) {
      const { tx, number, nft, collection, from, to, broker } = event.at(i);
      all.push({ at: { ledger, tx, number }, nft, collection, parties: [from, to, broker] });
    }
    const batch = store.batch();
    if (ledger < firstNew) storeOlder(batch, ledger, events);
    else pending.add(ledger, events, batch);
    if (ledger >= firstNew && ledger > lastDurable) continue;
    await store.commit(batch, { index: ledger, hash: new Uint8Array(32), closeTime: ledger * 4 });
    pending.durable(ledger);
    if (ledger === lastDurable) {
      await store.close();
      store = await openStore({ dir, network: 0 });
    }
  }
  check();
  const stored: string[] = [];
  eachStoredNftEvent(store, { to: lastDurable }, (event) => stored.push(nameOf(event)) > 0);
  expect(stored).toEqual(
    all
      .map(({ at }) => at)
      .filter((at) => at.ledger <= lastDurable)
      .map(nameOf),
  );
  const history = new NftEventHistory(store, pending);
  for (let ledger = 1; ledger <= LEDGERS; ledger++) {
    const ofTx = all.map(({ at }) => at).filter((at) => at.ledger === ledger && at.tx === 3);
    const found = history.ofTransaction(ledger, 3).map((bytes) => nameOf(new NftEventReader().load(bytes)));
    expect(found).toEqual(ofTx.map(nameOf));
  }
  // A place that no event of the NFT has ends the page.
  const other = all.find(({ nft }) => nft !== 1)!.at;
  expect(history.visit({ nft: 1 }, { ...other, number: other.number }, 10, () => true)).toBeUndefined();
  expect(NFT_EVENT_BYTES).toBeGreaterThan(OLDER_BYTES);
  await store.close();
});
