/** NFTs in batches (XLS-56): what each inner transaction did is one event of its own, with its hash and not that of the batch. */
import { expect, test } from 'bun:test';
import { signMultiBatch, Wallet } from 'xrpl';
import { Engine } from '../../../engine/engine.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { asker, type Json } from '../../api/routes/ask.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { follow } from './random-nfts.ts';

const MODES = { all: 0x1_0000, independent: 0x8_0000 };
const INNER = 0x4000_0000;
/** tfBurnable, tfTransferable, tfMutable */
const FLAGS = 1 | 8 | 16;

test('mints with offers, a sale, a change, a listing and a burn are counted once; a batch that fails did nothing', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const { get } = asker(engine);
  const [issuer, buyer] = rig.fund(['issuer', 'buyer']) as [TestAccount, TestAccount];
  await follow(engine, rig.network.closed);
  const { networkId } = rig.network;
  /** By the sequence numbers that follow. @param after of the account's own transaction before it */
  const inner = ({ address, id }: TestAccount, after: number, json: Json) => ({
    RawTransaction: {
      Account: address,
      Fee: '0',
      SigningPubKey: '',
      NetworkID: networkId,
      Sequence: rig.network.nextSequence(id) + after,
      ...json,
      Flags: INNER | (json.Flags ?? 0),
    },
  });
  const send = async (account: TestAccount, Flags: number, RawTransactions: Json[], other?: TestAccount) => {
    const Sequence = rig.network.nextSequence(account.id);
    const shared = { Account: account.address, NetworkID: networkId, Sequence, Fee: '300' };
    const batch: Json = { TransactionType: 'Batch', ...shared, Flags, RawTransactions };
    if (other) signMultiBatch(new Wallet(other.publicKey, other.privateKey), batch);
    expect(rig.submit(account, batch).result).toBe('tesSUCCESS');
    await follow(engine, rig.close());
  };
  const mint = (more: Json) => ({ TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: FLAGS, ...more });
  const offer = { Amount: '5000000', Destination: buyer.address, Expiration: rig.time + 1000 };
  await send(issuer, MODES.independent, [
    inner(issuer, 1, mint({ ...offer, TransferFee: 1000 })),
    inner(issuer, 2, mint({ URI: 'AC', Amount: '0' })),
    inner(issuer, 3, mint({})),
  ]);
  const [sold, , burned] = [1, 2, 3].map((row) => engine.nfts.nfts.idText(row));
  const [{ index: NFTokenSellOffer }] = (await get(`/nft/${sold}/offers`)).body.sellOffers;
  const changed = { NFTokenID: sold, Owner: buyer.address, URI: 'EF' };
  await send(
    buyer,
    MODES.all,
    [
      inner(buyer, 1, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer }),
      inner(issuer, 0, { TransactionType: 'NFTokenModify', ...changed }),
      inner(buyer, 2, {
        TransactionType: 'NFTokenCreateOffer',
        NFTokenID: sold,
        Amount: '9000000',
        Flags: 1,
      }),
      inner(issuer, 1, { TransactionType: 'NFTokenBurn', NFTokenID: burned }),
    ],
    issuer,
  );
  // All or nothing: the second one is not the buyer's to burn.
  await send(buyer, MODES.all, [
    inner(buyer, 1, mint({})),
    inner(buyer, 2, { TransactionType: 'NFTokenBurn', NFTokenID: '0'.repeat(64) }),
  ]);
  expect(engine.nfts.events.count).toBe(0);

  const cid = `${issuer.address}:7`;
  const { history } = (await get(`/nft/collections/${cid}/history?limit=50`)).body;
  expect(history.map(({ type, costXRP }: Json) => [type, costXRP])).toEqual([
    ['BURN', undefined],
    ['CREATE_SELL_OFFER', 9],
    ['MODIFY', undefined],
    ['SALE', 5],
    ['MINT', undefined],
    ['CREATE_SELL_OFFER', 0],
    ['MINT', undefined],
    ['CREATE_SELL_OFFER', 5],
    ['MINT', undefined],
  ]);
  expect(history[3]).toMatchObject({ seller: issuer.address, buyer: buyer.address });
  expect(history[7]).toMatchObject({ destination: buyer.address, expiration: offer.Expiration });
  // A mint and its offer are of one transaction; every other event is of another one.
  expect(new Set(history.map(({ hash }: Json) => hash)).size).toBe(7);
  expect((await get(`/nft/collections/${cid}`)).body).toMatchObject({
    ...{ items: 2, burnedItems: 1, owners: 2, totalSales: 1, totalVolume: 5, totalRoyalties: 0 },
  });
  expect((await get(`/nft/${sold}`)).body).toMatchObject({ account: buyer.address, url: 'EF', volume: 5 });
});
