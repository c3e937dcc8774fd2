/** Names of NFTs: one whose URI was changed is found by its new name, the other editions by the old one; older NFTs leave the index. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import type { NftMetadata } from '../../platform/nft-metadata.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { NftNames } from '../../views/nfts/nft-names.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

/** tfMutable */
const MUTABLE = 16;
const EDITIONS = 3;
/** Longer than names are kept before they are looked at again, seconds. */
const LATER = 1200;
const NAMES: Readonly<Record<string, string>> = { '\xaa': 'Silver Card', '\xbb': 'Golden Ticket' };

test('the newest edition gets another name', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [issuer] = rig.fund(['issuer']) as [TestAccount];
  await follow(engine, rig.network.closed);
  for (let i = 0; i < EDITIONS; i++)
    rig.submit(issuer, { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: MUTABLE, URI: 'AA' });
  await follow(engine, rig.close());
  let version = 1;
  const { nfts } = engine.nfts;
  const rowOf = (id: string) => nfts.find(Buffer.from(id, 'hex'), 0);
  const metadata: NftMetadata = {
    get version() {
      return version;
    },
    content: (id) => ({ name: NAMES[engine.nfts.uri(rowOf(id)) ?? ''], attributes: [] }),
  };
  const names = new NftNames(engine, metadata);
  const found = async (text: string) => (await names.find(text, 20)).map(({ editions }) => editions);
  expect([await found('Silver Card'), await found('Golden Ticket')]).toEqual([[EDITIONS], []]);

  const NFTokenID = nfts.idText(EDITIONS);
  rig.submit(issuer, { TransactionType: 'NFTokenModify', NFTokenID, URI: 'BB' });
  await follow(engine, rig.close());
  expect([await found('Silver Card'), await found('Golden Ticket')]).toEqual([[EDITIONS - 1], []]);

  version++;
  rig.time += LATER;
  await follow(engine, rig.close());
  expect([await found('Silver Card'), await found('Golden Ticket')]).toEqual([[EDITIONS - 1], [1]]);
});

test('NFTs that are no longer among the newest leave the index', async () => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const [issuer] = rig.fund(['issuer']) as [TestAccount];
  await follow(engine, rig.network.closed);
  const { nfts } = engine.nfts;
  let version = 1;
  const metadata: NftMetadata = {
    get version() {
      return version;
    },
    content: (id) => ({ name: `Card number ${nfts.find(Buffer.from(id, 'hex'), 0)}`, attributes: [] }),
  };
  const LOOKED_AT = 8;
  const names = new NftNames(engine, metadata, LOOKED_AT);
  const rows = async (text: string) => (await names.find(text, 50)).map(({ row }) => row);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 5; i++)
      rig.submit(issuer, { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, URI: 'AA' });
    version++;
    rig.time += LATER;
    await follow(engine, rig.close());
    const newest = nfts.count - 1;
    expect(await rows(`Card number ${newest}`)).toContain(newest);
    const { nfts: known, groups } = names.size;
    expect(known).toBeGreaterThanOrEqual(Math.min(LOOKED_AT, newest));
    expect(Math.max(known, groups)).toBeLessThanOrEqual(2 * LOOKED_AT + 5);
  }
});
