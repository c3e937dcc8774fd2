/**
 * When NFTs were minted: one that its mint offers, too; and one that was burned and minted anew with the same id: before the
 * amendment fixNFTokenRemint an issuer that was deleted and created again counted its NFTs from the beginning.
 */
import { expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { usualAmendments } from '../../../sandbox/protocol/amendment-choice.ts';
import { amendmentId } from '../../../sandbox/protocol/amendments.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { asker } from '../../api/routes/ask.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { follow } from './random-nfts.ts';

/** Ledgers after which an account may be deleted (rippled `AccountDelete.cpp`). */
const DELETABLE_AFTER = 256;
/** tfTransferable, tfMutable */
const FLAGS = 8 | 16;
const ID = /^[0-9A-F]{64}$/;

test('it lives again: with its new minting and URI, and without the burning', async () => {
  const amendments = usualAmendments().filter((id) => id !== amendmentId('fixNFTokenRemint'));
  const rig = new NetworkRig({ amendments });
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [issuer, other] = rig.fund(['issuer', 'other']) as [TestAccount, TestAccount];
  await follow(engine, rig.network.closed);
  const send = async (account: TestAccount, json: Record<string, unknown>) => {
    expect(rig.submit(account, json)).toMatchObject({ result: 'tesSUCCESS' });
    return follow(engine, rig.close());
  };
  const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: FLAGS };
  const { get } = asker(engine);

  await send(issuer, { ...mint, URI: 'AB' });
  const NFTokenID = engine.nfts.nfts.idText(1);
  expect(NFTokenID).toMatch(ID);
  await send(issuer, { TransactionType: 'NFTokenModify', NFTokenID, URI: 'EF' });
  await send(issuer, { TransactionType: 'NFTokenBurn', NFTokenID });
  expect((await get(`/nft/${NFTokenID}`)).body).toMatchObject({ is_burned: true, status: 'burned' });

  for (let i = 0; i <= DELETABLE_AFTER; i++) await follow(engine, rig.close());
  await send(issuer, { TransactionType: 'AccountDelete', Destination: other.address, Fee: '2000000' });
  await send(other, { TransactionType: 'Payment', Destination: issuer.address, Amount: '100000000' });
  const { closeTime } = await send(issuer, { ...mint, URI: 'CD' });

  const { body } = await get(`/nft/${NFTokenID}`);
  expect(body).toMatchObject({
    account: issuer.address,
    url: 'CD',
    date: unixMs(closeTime),
    is_burned: false,
    status: 'live',
  });
  for (const member of ['burnedAt', 'modifiedAt']) expect(body).not.toHaveProperty(member);
  const { items, burnedItems } = (await get(`/nft/collections/${issuer.address}:0`)).body;
  expect([items, burnedItems]).toEqual([1, 1]);
});

test('one that is offered by its mint was minted before', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [minter] = rig.fund(['minter']) as [TestAccount];
  await follow(engine, rig.network.closed);
  const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: FLAGS, Amount: '5000000' };
  expect(rig.submit(minter, mint)).toMatchObject({ result: 'tesSUCCESS' });
  await follow(engine, rig.close());
  const { get } = asker(engine);
  // The newest first.
  const { history } = (await get(`/nft/history?NFTokenID=${engine.nfts.nfts.idText(1)}`)).body;
  expect(history.map(({ type }: { type: string }) => type)).toEqual(['CREATE_SELL_OFFER', 'MINT']);
});
