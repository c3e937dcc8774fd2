/** Pages that were seen: the same state whether they are remembered or forgotten on the way. */
import { expect, test } from 'bun:test';
import { accountBytes } from '../../../engine/codec/base58.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { Engine } from '../../../engine/engine.ts';
import { NftEventReader, NftEventType } from '../../../engine/nfts/event-record.ts';
import { Nfts } from '../../../engine/nfts/nfts.ts';
import { SeenPages } from '../../../engine/nfts/seen-pages.ts';
import { State } from '../../../engine/state/state.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { madeLedger, person } from '../market/made.ts';
import { follow, RandomNfts } from './random-nfts.ts';

const SEED = seedOf('seen pages', 20_261_203);
const LEDGERS = 90;
const RESTART_EVERY = 15;

test(`pages are remembered until they are forgotten (SEED=${SEED})`, () => {
  const draw = drawsOf(SEED);
  const pages = new SeenPages();
  const seen = new Set<number>();
  for (let i = 0; i < 20_000; i++) {
    // Keys that differ in few bits, as those of one owner do.
    const page = draw(6000);
    const bytes = new Uint8Array(40).fill(7);
    new DataView(bytes.buffer).setUint32(30, page);
    expect(pages.add(bytes, 4)).toBe(seen.has(page));
    seen.add(page);
    if (draw(8000) > 0) continue;
    pages.clear();
    seen.clear();
  }
});

test(`an engine that is opened again and again has the state of one that is not (SEED=${SEED})`, async () => {
  const random = new RandomNfts(drawsOf(SEED));
  const steady = new Engine({ store: new MemoryStore(), log: quiet });
  const store = new MemoryStore();
  let reopened = new Engine({ store, log: quiet });
  const ledgers = [random.rig.network.closed];
  for (let i = 0; i < LEDGERS; i++) ledgers.push(random.next());
  for (const [i, ledger] of ledgers.entries()) {
    await follow(steady, ledger);
    await follow(reopened, ledger);
    if (i % RESTART_EVERY > 0) continue;
    await reopened.drain();
    reopened = new Engine({ store, log: quiet });
    reopened.restore();
  }
  expect(steady.nfts.nfts.existing).toBeGreaterThan(20);
  expect(reopened.nfts.digest()).toBe(steady.nfts.digest());
});

/** An NFT that can be modified: flags tfTransferable and tfMutable. */
const NFT_ID = `00180000${'07'.repeat(20)}${'0'.repeat(16)}`;

/** A page of `owner` that has the NFT with a URI after the transaction, and before it with another, or none. */
function pageNode(owner: string, uri: string, before?: string): object {
  const tokens = (URI: string) => [{ NFToken: { NFTokenID: NFT_ID, URI } }];
  const node = {
    LedgerEntryType: 'NFTokenPage',
    LedgerIndex: hexOf(accountBytes(owner)!) + 'F'.repeat(24),
    FinalFields: { NFTokens: tokens(uri) },
  };
  const PreviousFields = before === undefined ? {} : { NFTokens: tokens(before) };
  return { ModifiedNode: { ...node, PreviousFields } };
}

test('what an NFT is after ledgers that are missing: its URI, and whose it was when it was modified', () => {
  const nfts = new Nfts(new State());
  const batch = new MemoryStore().batch();
  let ledger = 0;
  const apply = (TransactionType: string, ...nodes: object[]) => {
    const made = madeLedger(++ledger, 700_000_000 + ledger, [{ tx: { TransactionType }, nodes }]);
    nfts.applyLedger(made.packed, made.changes, batch);
    const event = new NftEventReader().load(nfts.events.bytes);
    return Array.from({ length: nfts.events.count }, (_, i) => {
      const { type, from, to } = event.at(i);
      return [type, ...[from, to].map((party) => hexOf(nfts.parties.key(party)))];
    });
  };
  const idOf = (owner: string) => hexOf(accountBytes(owner)!);
  const modified = (owner: string) => [[NftEventType.modify, idOf(owner), idOf(owner)]];
  const uri = () => nfts.uri(1);
  // The first that is seen of it.
  expect(apply('NFTokenModify', pageNode(person(1), 'B0', 'A0'))).toEqual(modified(person(1)));
  expect(uri()).toBe('\xb0');
  // It was modified, and is on the page that another transaction changes.
  nfts.gap();
  expect(apply('NFTokenMint', pageNode(person(1), 'C0'))).toEqual([]);
  expect(uri()).toBe('\xc0');
  // It was sold.
  nfts.gap();
  expect(apply('NFTokenModify', pageNode(person(2), 'E0', 'D0'))).toEqual(modified(person(2)));
  expect(uri()).toBe('\xe0');
});
