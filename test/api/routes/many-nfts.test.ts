/** An account with very many NFTs: the node's pages, over the route. `npm run test:long` has 30,000. */
import { beforeAll, expect, test } from 'bun:test';
import { encode } from 'ripple-binary-codec';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { Engine } from '../../../engine/engine.ts';
import type { Source } from '../../../engine/ledger/source.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { casesOf } from '../../cases.ts';
import { askerOf } from '../../embedded.ts';
import { quietLog as log } from '../../engine/ledger/quiet.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import { asker, type Json } from './ask.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const NFTS = casesOf(600, 30_000);
const A_LEDGER = 100;
const PAGE_MAX = 400;

// A signature a token would take most of the time.
const rig = new NetworkRig({ verify: () => true });
const seen = new Set<string>();
let owner: string;
let ask: ReturnType<typeof asker>;
/** Rows of the node's answers. */
let rows = 0;

beforeAll(() => {
  const [account] = rig.fund(['collector'], '50000000000');
  owner = account!.address;
  let sequence = rig.network.nextSequence(account!.id);
  for (let n = 0; n < NFTS; n++) {
    const mint = {
      TransactionType: 'NFTokenMint',
      Account: owner,
      Fee: '50000',
      Sequence: sequence++,
      NetworkID: rig.network.networkId,
      NFTokenTaxon: (seed + n * 7919) % 1000,
      SigningPubKey: account!.publicKey,
      TxnSignature: '00',
    };
    rig.network.submit(transactionOfBlob(bytesOf(encode(mint))));
    if (n % A_LEDGER === A_LEDGER - 1 || n === NFTS - 1) rig.close();
  }
  const node = askerOf(rig.network, false);
  const request = async ({ command, ...params }: { command: string } & JsonObject) => {
    const answer = node(command, params);
    rows += (answer.account_nfts as Json[]).length;
    return answer;
  };
  const engine = new Engine({ store: new MemoryStore(), log });
  ask = asker(new Network({ engine, source: { request } as unknown as Source }));
}, 300_000);

test('pages have each once, and no page reads more than its rows', async () => {
  let marker = '';
  let pages = 0;
  do {
    rows = 0;
    const { status, body } = await ask.get(`/account/nfts/${owner}?limit=${PAGE_MAX}&marker=${marker}`);
    expect(status).toBe(200);
    expect(rows).toBeLessThanOrEqual(PAGE_MAX);
    for (const { NFTokenID: id } of body.account_nfts) {
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }
    pages++;
    marker = body.marker ?? '';
  } while (marker !== '');
  expect(seen.size).toBe(NFTS);
  expect(pages).toBeLessThanOrEqual(Math.ceil(NFTS / PAGE_MAX) + 1);
});

test('short pages have each once, of a node that sends no page as short', async () => {
  const first = [...seen].slice(0, 60);
  const found: string[] = [];
  let marker = '';
  while (found.length < first.length) {
    const { body } = await ask.get(`/account/nfts/${owner}?limit=5&marker=${marker}`);
    expect(body.account_nfts).toHaveLength(10);
    found.push(...body.account_nfts.map(({ NFTokenID: id }: Json) => id));
    marker = body.marker;
  }
  expect(found.slice(0, first.length)).toEqual(first);
});

test('pages have each once, of a node that counts pages of the ledger as Clio does', async () => {
  const all = [...seen].map((NFTokenID) => ({ NFTokenID }));
  const asked: string[] = [];
  const request = async ({ limit, marker = '0' }: JsonObject) => {
    asked.push(String(marker));
    const first = Number.parseInt(String(marker), 16);
    const next = first + Number(limit) * 4;
    const more = next < all.length && { marker: next.toString(16).padStart(64, '0') };
    return { account: owner, account_nfts: all.slice(first, next), limit, ...more };
  };
  const engine = new Engine({ store: new MemoryStore(), log });
  const { get } = asker(new Network({ engine, source: { request } as unknown as Source }));
  const path = `/account/nfts/${owner}?limit=50&marker=`;
  const found: string[] = [];
  let marker = '';
  do {
    const { body } = await get(path + encodeURIComponent(marker));
    expect(body.account_nfts.length).toBeLessThanOrEqual(50);
    found.push(...body.account_nfts.map(({ NFTokenID: id }: Json) => id));
    marker = body.marker ?? '';
  } while (marker !== '');
  expect(found).toEqual([...seen]);
  expect(new Set(asked).size).toBe(Math.ceil(all.length / 200));
  // As many as a page may have differ from one to the next.
  for (const limits of [
    [100, 10],
    [10, 100],
    [37, 400, 10, 11],
  ]) {
    const one: string[] = [];
    let at = '';
    for (let n = 0; n === 0 || at !== ''; n++) {
      const limit = limits[n % limits.length];
      const { body } = await get(`/account/nfts/${owner}?limit=${limit}&marker=${encodeURIComponent(at)}`);
      expect([body.result, body.limit]).toEqual([undefined, limit]);
      one.push(...body.account_nfts.map(({ NFTokenID: id }: Json) => id));
      at = body.marker ?? '';
    }
    expect(one).toEqual([...seen]);
  }
  // Sold meanwhile, or of a node that has them in another order: where the page goes on is not known.
  const [first, second] = found;
  expect((await get(`${path}.${first}.${second}`)).body.account_nfts[0].NFTokenID).toBe(found[2]!);
  for (const lost of [
    `.${first}.${'0'.repeat(64)}`,
    `.${second}.${second}`,
    `.${first}`,
    `.${first}.${second}.x`,
  ]) {
    const { result } = (await get(path + lost)).body;
    expect(result).toMatchObject({ error: 'invalidParams', error_message: "Invalid field 'marker'." });
  }
});
