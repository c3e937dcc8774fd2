/** Sales of the recorded transactions of the public networks: their parts equal the balances in their metadata, to the drop. */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { NftEventReader, NftEventType } from '../../../engine/nfts/event-record.ts';
import { Nfts } from '../../../engine/nfts/nfts.ts';
import { State } from '../../../engine/state/state.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { recordedTransactions } from '../state/recorded.ts';
import { balanceChanges, isForXrp, movedBy } from './money.ts';

/** TransactionType codes of NFTokenMint to NFTokenAcceptOffer. */
const FIRST = 25;
const LAST = 29;

test.skipIf(!corpusDir)('prices, royalties and brokers’ fees of recorded sales', () => {
  const reader = new NftEventReader();
  let sales = 0;
  for (const { packed, changes } of recordedTransactions()) {
    const type = changes.tx(0, 0);
    if (type < FIRST || type > LAST) continue;
    const nfts = new Nfts(new State());
    nfts.applyLedger(packed, changes, new MemoryStore().batch());
    const { bytes, count } = nfts.events;
    reader.load(bytes);
    for (let i = 0; i < count; i++) {
      if (reader.at(i).type !== NftEventType.sale || !isForXrp(nfts, reader)) continue;
      const [tx, meta] = [decode(hexOf(packed.tx(0))), decode(hexOf(packed.meta(0)))];
      expect(movedBy(nfts, reader)).toEqual(balanceChanges(tx, meta));
      sales++;
    }
  }
  console.log(`${sales} recorded sales for XRP`);
  expect(sales).toBeGreaterThan(4);
});
