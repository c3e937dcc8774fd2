/** Who is suspected of taking NFTs for nothing: who takes them, and not a broker who sells them for their owners. */
import { expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { NFT_TRAPS } from '../../../engine/scams/rules/nft-traps.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { follow } from '../nfts/random-nfts.ts';

/** tfTransferable */
const TRANSFERABLE = 8;
/** tfSellNFToken */
const SELL = 1;
const NAMES = ['taker', 'buyer', ...Array.from({ length: NFT_TRAPS.accounts }, (_, i) => `owner${i}`)];

/** Index of the offer that the transactions of a ledger made, or id of the first NFT of their maker. */
function madeIn(packed: PackedLedger, what: 'NFT' | 'offer'): string {
  for (let i = 0; i < packed.count; i++) {
    const { AffectedNodes } = decode(hexOf(packed.meta(i))) as { AffectedNodes: object[] };
    for (const node of AffectedNodes) {
      // biome-ignore lint/suspicious/noExplicitAny: fields are read as they are
      const { LedgerEntryType, LedgerIndex, NewFields } = Object.values(node)[0] as any;
      if (what === 'offer' && LedgerEntryType === 'NFTokenOffer') return LedgerIndex;
      if (what === 'NFT' && LedgerEntryType === 'NFTokenPage') return NewFields.NFTokens[0].NFToken.NFTokenID;
    }
  }
  throw new Error(`no ${what} was made`);
}

const PRICE = '5000000';

test.each([
  ['who takes them is', undefined, 1],
  ['who sells them for a fee is not', '100000', 0],
  ['who sells them and keeps nothing is not', '', 0],
  ['who sells them and keeps the half is not', '2500000', 0],
  ['who sells them and keeps more is', '2500001', 1],
])('%s', async (_, fee, suspected) => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [taker, buyer, ...owners] = rig.fund(NAMES) as [TestAccount, TestAccount, ...TestAccount[]];
  await follow(engine, rig.network.closed);
  const send = (account: TestAccount, json: Record<string, unknown>) => {
    expect(rig.submit(account, json)).toMatchObject({ result: 'tesSUCCESS' });
    return follow(engine, rig.close());
  };
  for (const owner of owners) {
    const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: TRANSFERABLE };
    const NFTokenID = madeIn(await send(owner, mint), 'NFT');
    const offer = { TransactionType: 'NFTokenCreateOffer', NFTokenID };
    const asked = { ...offer, Flags: SELL, Amount: '0', Destination: taker.address };
    const NFTokenSellOffer = madeIn(await send(owner, asked), 'offer');
    const bid = { ...offer, Owner: owner.address, Amount: PRICE };
    const bought = fee !== undefined && { NFTokenBuyOffer: madeIn(await send(buyer, bid), 'offer') };
    const kept = fee && { NFTokenBrokerFee: fee };
    await send(taker, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer, ...bought, ...kept });
  }
  const { actors } = engine.scams;
  const listed = actors.listedRows.filter((row) => actors.rule[row] === NFT_TRAPS.number);
  expect(listed).toHaveLength(suspected);
});
