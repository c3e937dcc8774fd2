/** Who gave tokens to whom where no plain payment says it: payments through own offers, escrows, sales of NFTs; on the embedded network. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../engine/codec/bytes.ts';
import { Engine } from '../../engine/engine.ts';
import { EventHistory } from '../../engine/flows/event-history.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { asker, type Json } from '../api/routes/ask.ts';
import { follow } from '../engine/nfts/random-nfts.ts';
import { quiet } from '../live-rig.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';

const ASF_DEFAULT_RIPPLE = 8;
const ASF_ALLOW_LOCKING = 17;
const TRANSFERABLE = 8;
/** Flags of an MPT. */
const [CAN_ESCROW, CAN_TRANSFER] = [8, 32];
const ROYALTY = 5000;
const SELL = 1;
const names = ['issuer', 'ann', 'ben', 'cat', 'broker', 'artist'] as const;

const rig = new NetworkRig();
rig.network.ledgers.commitEvery = 1;
const engine = new Engine({ store: new MemoryStore(), log: quiet });
const ask = asker(new Network({ engine }));
const accounts = {} as Record<(typeof names)[number], TestAccount>;
let md5: string;

const tokens = (value: number) => ({
  currency: 'TOK',
  issuer: accounts.issuer.address,
  value: String(value),
});
const drops = (xrp: number) => String(xrp * 1e6);
const nameOf = (address?: string) => names.find((name) => accounts[name].address === address);

/** Closes a ledger with one transaction. @returns its metadata */
async function does(account: TestAccount, json: Record<string, unknown>): Promise<Json> {
  rig.submit(account, json);
  const packed = await follow(engine, rig.close());
  const meta = decode(hexOf(packed.meta(0))) as Json;
  expect(`${json.TransactionType} ${meta.TransactionResult}`).toBe(`${json.TransactionType} tesSUCCESS`);
  return meta;
}

const createdIn = (meta: Json, type: string): string =>
  meta.AffectedNodes.find(({ CreatedNode: node }: Json) => node?.LedgerEntryType === type).CreatedNode
    .LedgerIndex;

/** What the issuer's activity says since a moment: side, amount, who gave and who got. */
async function activityOf(since: number) {
  const { body } = await ask.get(`/creator-activity/${accounts.issuer.address}?since=${since}`);
  return body.events.map(({ side, tokenAmount, source, destination }: Json) =>
    [side, tokenAmount, nameOf(source), nameOf(destination)].join(' '),
  );
}

/** Of the token's flow: who gave how much to whom. */
async function gifts(of = md5): Promise<string[]> {
  const { edges } = (await ask.get(`/token/flow/${of}`)).body.graph;
  return edges.map(({ from, to, amount }: Json) => `${nameOf(from)} ${nameOf(to)} ${amount}`).toSorted();
}

const now = () => unixMs(engine.head!.closeTime);

beforeAll(async () => {
  for (const [i, account] of rig.fund([...names], drops(100_000)).entries()) accounts[names[i]!] = account;
  const { issuer, ann, ben, cat, broker, artist } = accounts;
  await follow(engine, rig.network.closed);
  for (const SetFlag of [ASF_DEFAULT_RIPPLE, ASF_ALLOW_LOCKING])
    await does(issuer, { TransactionType: 'AccountSet', SetFlag });
  for (const holder of [ann, ben, cat, broker, artist])
    await does(holder, { TransactionType: 'TrustSet', LimitAmount: tokens(1e6) });
  await does(issuer, { TransactionType: 'Payment', Destination: ann.address, Amount: tokens(10_000) });
  md5 = engine.state.tokens.md5(engine.state.tokens.find(issuer.address, 'TOK')!);
});

describe('a payment that takes an offer of its sender', () => {
  beforeAll(async () => {
    const { ann, ben, cat } = accounts;
    await does(ann, { TransactionType: 'OfferCreate', TakerGets: tokens(4000), TakerPays: drops(40_000) });
    await does(ben, { TransactionType: 'OfferCreate', TakerGets: drops(10_000), TakerPays: tokens(1000) });
    await does(ann, {
      TransactionType: 'Payment',
      Destination: cat.address,
      Amount: tokens(2500),
      SendMax: drops(30_000),
    });
  });

  test('is a transfer to its receiver in the movers', async () => {
    const { body } = await ask.get(`/holders/movers/${md5}`);
    const kinds = body.buyers.map(({ account, trades }: Json) => [
      nameOf(account),
      trades.map(([, side, , , kind]: Json) => `${side} ${kind}`),
    ]);
    expect(Object.fromEntries(kinds)).toEqual({
      ann: ['1 2', '-1 0', '-1 2'],
      ben: ['1 0'],
      cat: ['1 2'],
    });
  });

  test('is no sale to who gave the tokens, and a gift in the flow', async () => {
    const { body } = await ask.get(`/creator-activity/${md5}/receiver/${accounts.ann.address}`);
    expect(body.stats).toMatchObject({
      received: { count: 1, tokens: '10000' },
      sell: { count: 1, xrp: 10_000 },
      transfer_out: { count: 1, tokens: '2500' },
    });
    expect(await gifts()).toEqual(['ann cat 2500', 'issuer ann 10000']);
    const { totalSoldXrp } = (await ask.get(`/token/flow/${md5}`)).body.summary;
    const { totalReceivedXRP } = (await ask.get(`/account/token-stats/${accounts.ann.address}/${md5}`)).body;
    expect([totalSoldXrp, totalReceivedXRP]).toEqual([10_000, 10_000]);
  });

  test('is no trade of a whale', async () => {
    const { body } = await ask.get(`/whale-activity/${md5}`);
    expect(body.events.map(({ account, side }: Json) => `${nameOf(account)} ${side}`)).toEqual(['ben buy']);
  });
});

test('tokens in an escrow go from its owner to its receiver, not through the issuer', async () => {
  const since = now();
  const { ann, ben } = accounts;
  const escrow = async (value: number) => {
    const OfferSequence = rig.network.nextSequence(ann.id);
    await does(ann, {
      TransactionType: 'EscrowCreate',
      Destination: ben.address,
      Amount: tokens(value),
      FinishAfter: rig.time + 5,
      CancelAfter: rig.time + 60,
    });
    return { Owner: ann.address, OfferSequence };
  };
  const [finished, cancelled] = [await escrow(500), await escrow(70)];
  await does(ben, { TransactionType: 'EscrowFinish', ...finished });
  rig.time += 100;
  await follow(engine, rig.close());
  await does(ben, { TransactionType: 'EscrowCancel', ...cancelled });
  expect(await activityOf(since)).toEqual([]);
  expect(await gifts()).toEqual(['ann ben 570', 'ann cat 2500', 'issuer ann 10000']);
});

test('MPTs in an escrow do, too', async () => {
  const { issuer, ann, ben } = accounts;
  const flags = CAN_ESCROW | CAN_TRANSFER;
  const made = await does(issuer, { TransactionType: 'MPTokenIssuanceCreate', Flags: flags });
  const [sequence] = made.AffectedNodes.map(
    ({ CreatedNode: node }: Json) => node?.NewFields?.Sequence,
  ).filter((one: unknown) => one !== undefined);
  const id = `${sequence.toString(16).padStart(8, '0')}${issuer.id}`.toUpperCase();
  for (const holder of [ann, ben])
    await does(holder, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id });
  const units = (value: number) => ({ mpt_issuance_id: id, value: String(value) });
  await does(issuer, { TransactionType: 'Payment', Destination: ann.address, Amount: units(900) });
  const OfferSequence = rig.network.nextSequence(ann.id);
  const Destination = ben.address;
  const times = { FinishAfter: rig.time + 5, CancelAfter: rig.time + 600 };
  await does(ann, { TransactionType: 'EscrowCreate', Destination, Amount: units(300), ...times });
  rig.time += 8;
  await does(ben, { TransactionType: 'EscrowFinish', Owner: ann.address, OfferSequence });
  const token = engine.state.tokens.byMptId(id.toLowerCase())!;
  expect(await gifts(engine.state.tokens.md5(token))).toEqual(['ann ben 300', 'issuer ann 900']);
});

test('an NFT sold for tokens by a broker is paid by the buyer, whoever else is paid of it', async () => {
  const { artist, ann, broker, cat } = accounts;
  const minted = { NFTokenTaxon: 0, Flags: TRANSFERABLE, TransferFee: ROYALTY };
  const page = await does(artist, { TransactionType: 'NFTokenMint', ...minted });
  const [{ NFToken }] = page.AffectedNodes.find(({ CreatedNode: node }: Json) => node?.NewFields?.NFTokens)
    .CreatedNode.NewFields.NFTokens;
  const offer = async (account: TestAccount, json: Json): Promise<string> => {
    const { NFTokenID } = NFToken;
    const meta = await does(account, { TransactionType: 'NFTokenCreateOffer', NFTokenID, ...json });
    return createdIn(meta, 'NFTokenOffer');
  };
  const given = await offer(artist, { Amount: '0', Flags: SELL });
  await does(cat, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: given });
  await does(broker, {
    TransactionType: 'NFTokenAcceptOffer',
    NFTokenSellOffer: await offer(cat, { Amount: tokens(100), Flags: SELL }),
    NFTokenBuyOffer: await offer(ann, { Amount: tokens(120), Owner: cat.address }),
    NFTokenBrokerFee: tokens(10),
  });
  const history = new EventHistory(engine.store, engine.flows.accountEvents);
  const { accounts: known } = engine.state;
  const partnerOf = (name: (typeof names)[number]) => {
    let partner = 0;
    history.visitLatest(known.findText(accounts[name].address)!, engine.head!.index, (event) => {
      partner = event.counterparty;
      return false;
    });
    return nameOf(known.text(partner));
  };
  const partners = (['cat', 'broker', 'artist', 'ann'] as const).map(partnerOf);
  expect(partners).toEqual(['ann', 'ann', 'ann', 'cat']);
});
