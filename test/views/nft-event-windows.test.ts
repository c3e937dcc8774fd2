/** Events of NFTs that are older than thousands of others: found, counted, and said to be missing where they are. */
import { beforeAll, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../engine/codec/bytes.ts';
import { Engine } from '../../engine/engine.ts';
import { transactionOfBlob } from '../../sandbox/apply/transaction.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

const MINTS = 60;
/** Offers to buy one of them, after the mints: more events than an unfiltered page counts. */
const BIDS = 4100;
const A_LEDGER = 300;

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const ask = asker(new Network({ engine }));
// A signature for each transaction would take most of the time.
const rig = new NetworkRig({ verify: () => true });
let bidder: TestAccount;
let collection: string;

const get = async (path: string): Promise<Json> => {
  const { status, body } = await ask.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

const hashesOf = (rows: Json[]): string[] => rows.map(({ hash }) => hash);

beforeAll(async () => {
  const accounts = rig.fund(['issuer', 'bidder'], '50000000000') as [TestAccount, TestAccount];
  const [issuer] = accounts;
  [, bidder] = accounts;
  const sequences = new Map(accounts.map((one) => [one, rig.network.nextSequence(one.id)]));
  let sent = 0;
  const send = async (account: TestAccount, json: Json) => {
    const Sequence = sequences.get(account)!;
    sequences.set(account, Sequence + 1);
    const whole = { Account: account.address, Fee: '50000', NetworkID: rig.network.networkId, ...json };
    const signed = { ...whole, Sequence, SigningPubKey: account.publicKey, TxnSignature: '00' };
    rig.network.submit(transactionOfBlob(bytesOf(encode(signed))));
    if (++sent % A_LEDGER === 0) await follow(engine, rig.close());
    return Sequence;
  };
  await follow(engine, rig.network.closed);
  const mint = { TransactionType: 'NFTokenMint', NFTokenTaxon: 7, Flags: 8 };
  await send(bidder, mint);
  for (let n = 0; n < MINTS; n++) await send(issuer, mint);
  await follow(engine, rig.close());
  const { nfts } = await get(`/nft?issuer=${issuer.address}&limit=1`);
  const [{ NFTokenID, cid }] = nfts;
  collection = `/nft/collections/${cid}/history`;
  const bid = { TransactionType: 'NFTokenCreateOffer', NFTokenID, Owner: issuer.address, Amount: '1' };
  for (let n = 1; n <= BIDS; n++) await send(bidder, { ...bid, Amount: String(n) });
  await follow(engine, rig.close());
});

test('mints before thousands of offers are all found, in one page and in pages', async () => {
  const whole = await get(`${collection}?type=MINT&limit=200`);
  expect([whole.count, whole.total, whole.truncated, whole.pagination.hasMore]).toEqual([
    MINTS,
    MINTS,
    undefined,
    false,
  ]);
  const paged: string[] = [];
  for (let more = true; more; ) {
    const page = await get(`${collection}?type=MINT&limit=7&offset=${paged.length}`);
    paged.push(...hashesOf(page.history));
    more = page.pagination.hasMore;
  }
  expect(paged).toEqual(hashesOf(whole.history));
});

test('an answer says that older events are not counted where there are any, and only then', async () => {
  const part = await get(`${collection}?limit=5`);
  expect([part.truncated, part.pagination.hasMore]).toEqual([true, true]);
  expect(part.total).toBeLessThan(BIDS + MINTS);
  const deep = await get(`${collection}?limit=5&offset=${BIDS + MINTS - 3}`);
  expect([deep.count, deep.total, deep.truncated]).toEqual([3, BIDS + MINTS, undefined]);
  const [newest] = part.history;
  for (const query of [`sinceLedger=${newest.ledger_index}`, `since=${newest.time}`]) {
    const recent = await get(`${collection}?limit=5&${query}`);
    expect([query, recent.truncated]).toEqual([query, undefined]);
    expect(recent.total).toBeLessThan(A_LEDGER + 1);
  }
});

test('what an account did with NFTs before it made thousands of offers is found', async () => {
  const path = `/creator-activity/${bidder.address}?limit=200`;
  const { nfts, truncated } = await get(path);
  expect([nfts.map(({ type }: Json) => type), truncated]).toEqual([['MINT'], undefined]);
  const [{ time }] = nfts;
  expect((await get(`${path}&before=${time + 1}`)).nfts).toEqual(nfts);
  expect((await get(`${path}&since=${time}`)).nfts).toEqual([]);
});
