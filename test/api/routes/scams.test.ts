/** What is said of scams, by the routes, over the embedded network. */
import { beforeAll, expect, test } from 'bun:test';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { SCAM_RULES } from '../../../engine/scams/rules.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quietLog as quiet } from '../../engine/ledger/quiet.ts';
import { follow } from '../../engine/nfts/random-nfts.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { asker, type Json } from './ask.ts';

const engine = new Engine({ store: new MemoryStore(), log: quiet });
const api = asker(engine);

beforeAll(async () => {
  const world = new World({ seed: 'scams' });
  for (let i = 0; i < 12; i++) {
    const packed = new PackedLedger(world.step(600).packed().bytes);
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  }
  await engine.drain();
});

test('the tokens of an issuer are those of its trust lines that somebody holds, in pages from 1', async () => {
  const { tokens, lines, accounts } = engine.state;
  const held = new Map<string, string[]>();
  for (let token = tokens.count - 1; token > 0; token--) {
    const issuer = tokens.issuer(token);
    if (issuer === 0 || lines.holdersCount(token) === 0) continue;
    const address = accounts.text(issuer);
    held.set(address, [...(held.get(address) ?? []), tokens.md5(token)]);
  }
  expect(held.size).toBeGreaterThan(3);
  const ask = async (query: string): Promise<Json> => (await api.get(`/scams/tokens?${query}`)).body;
  const md5s = (body: Json) => body.tokens.map(({ md5 }: Json) => md5);
  for (const [issuer, expected] of held) {
    const all = await ask(`issuer=${issuer}`);
    expect(all).toMatchObject({ issuer, page: 1, limit: 50, total: expected.length });
    expect(md5s(all)).toEqual(expected.slice(0, 50));
    const second = await ask(`issuer=${issuer}&page=2&limit=1`);
    expect([second.page, second.total, md5s(second)]).toEqual([2, expected.length, expected.slice(1, 2)]);
  }
  expect((await api.get('/scams/tokens')).status).toBe(400);
  const nobody = await ask('issuer=rrrrrrrrrrrrrrrrrrrrBZbvji');
  expect(nobody).toMatchObject({ total: 0, count: 0, tokens: [] });
});

test('who sends dust with memos is named for that, who gives NFTs away is not', async () => {
  const rig = new NetworkRig();
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  const get = async (path: string): Promise<Json> => (await asker(own).get(path)).body;
  await follow(own, rig.network.closed);
  const [sender, giver, ...others] = rig.fund([
    ...['sender', 'giver'],
    ...Array.from({ length: 20 }, (_, i) => `other ${i}`),
  ]);
  await follow(own, rig.network.closed);
  const MemoData = Buffer.from('Thanks to all holders').toString('hex').toUpperCase();
  for (const { address } of others) {
    const Memos = [{ Memo: { MemoData } }];
    rig.submit(sender!, { TransactionType: 'Payment', Destination: address, Amount: '1', Memos });
    const gift = { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: 8, Amount: '0' };
    rig.submit(giver!, { ...gift, Destination: address });
  }
  await follow(own, rig.close());

  const { accounts } = await get('/scams/memo-spam');
  expect(accounts).toEqual([
    {
      account: sender!.address,
      tx_count: others.length,
      unique_destinations: others.length,
      memo_samples: ['Thanks to all holders'],
    },
  ]);
  const { suspected } = await get(`/scams/check/${sender!.address}`);
  expect(suspected).toMatchObject([{ category: 'dust_spam', affected: others.length }]);
  expect(await get(`/scams/check/${giver!.address}`)).toMatchObject({ reasons: [], suspected: [] });
});

test('of dust, memos that lure and others are both counted, and who got both is one destination', async () => {
  const rig = new NetworkRig();
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  await follow(own, rig.network.closed);
  const [sender, ...others] = rig.fund(['mixer', ...Array.from({ length: 25 }, (_, i) => `other ${i}`)]);
  await follow(own, rig.network.closed);
  const send = (memo: string, to: typeof others) => {
    const Memos = [{ Memo: { MemoData: Buffer.from(memo).toString('hex').toUpperCase() } }];
    for (const { address } of to)
      rig.submit(sender!, { TransactionType: 'Payment', Destination: address, Amount: '1', Memos });
  };
  send('Claim your reward at https://free-xrp.example', others.slice(0, 20));
  await follow(own, rig.close());
  send('Thanks to all holders', others.slice(5));
  await follow(own, rig.close());
  const { accounts } = (await asker(own).get('/scams/memo-spam')).body;
  expect(accounts).toEqual([
    {
      account: sender!.address,
      tx_count: 40,
      unique_destinations: 25,
      memo_samples: ['Claim your reward at https://free-xrp.example', 'Thanks to all holders'],
    },
  ]);
});

test('whom several scammers act on is one victim', async () => {
  const rig = new NetworkRig();
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  const get = async (path: string): Promise<Json> => (await asker(own).get(path)).body;
  await follow(own, rig.network.closed);
  const names = ['lurer', 'other lurer', ...Array.from({ length: 7 }, (_, i) => `other ${i}`)];
  const [lurer, otherLurer, ...others] = rig.fund(names);
  await follow(own, rig.network.closed);
  const hex = (text: string) => Buffer.from(text).toString('hex').toUpperCase();
  const Memos = [{ Memo: { MemoData: hex('Claim your reward at https://free-xrp.example') } }];
  const lure = (from: typeof lurer, { address }: { readonly address: string }) => {
    rig.submit(from!, { TransactionType: 'Payment', Destination: address, Amount: '1', Memos });
    const URI = hex('https://free-xrp.example/claim');
    const offered = { TransactionType: 'NFTokenMint', NFTokenTaxon: 0, Flags: 8, Amount: '0', URI };
    rig.submit(from!, { ...offered, Destination: address });
  };
  for (const other of others.slice(0, 5)) lure(lurer, other);
  await follow(own, rig.close());
  const sums = async () => {
    const { overview } = await get('/scams');
    const { victims } = await get('/nft/scam');
    return [overview.nft_scams.victims, overview.memo_spam.unique_destinations, victims];
  };
  expect(await sums()).toEqual([5, 5, 5]);
  for (const other of others.slice(1)) lure(otherLurer, other);
  await follow(own, rig.close());
  expect(await sums()).toEqual([7, 7, 7]);
  const { overview } = await get('/scams');
  expect(overview.memo_spam).toMatchObject({ flagged_accounts: 2, total_spam_txs: 11 });
  expect((await get(`/scams/check/${otherLurer!.address}`)).is_scam).toBe(true);
});

test.each([
  // The ASCII form is what browsers show of a domain of other scripts, and all that the address of a site can be.
  ['a name in Cyrillic letters, in its ASCII form', new URL('http://gаtebank.example').hostname, true],
  ['the same in UTF-8', 'gаtebank.example', true],
  ['an accent', new URL('http://gátebank.example').hostname, true],
  ['a name of its own, in its ASCII form', new URL('http://bücher.example').hostname, false],
  ['an ASCII form of nothing', 'xn--gtebank-.example', false],
  ['a part of the genuine one', 'coins.gatebank.example', false],
  // Some issuers set the address of their site.
  ['the genuine one as an address', 'https://GateBank.example/', false],
  ['the genuine one with a path', 'www.gatebank.example/about', false],
  ['another one that begins as the genuine one', 'https://gatebank.example:443@gatebank.evil.example/', true],
  ['a name in Cyrillic letters as an address', 'https://gаtebank.example/', true],
])('an issuer whose domain is %s', async (_, domain, isListed) => {
  const rig = new NetworkRig();
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  await follow(own, rig.network.closed);
  const names = ['gatebank', 'pretender', ...Array.from({ length: 20 }, (_, i) => `holder ${i}`)];
  const [genuine, pretender, ...holders] = rig.fund(names);
  await follow(own, rig.network.closed);
  const issue = async (issuer: typeof genuine, Domain: string, to: typeof holders) => {
    const hex = Buffer.from(Domain).toString('hex').toUpperCase();
    rig.submit(issuer!, { TransactionType: 'AccountSet', Domain: hex, SetFlag: 8 });
    const amount = (value: string) => ({ currency: 'GTB', issuer: issuer!.address, value });
    for (const holder of to) rig.submit(holder, { TransactionType: 'TrustSet', LimitAmount: amount('1000') });
    await follow(own, rig.close());
    for (const { address } of to)
      rig.submit(issuer!, { TransactionType: 'Payment', Destination: address, Amount: amount('10') });
    await follow(own, rig.close());
  };
  await issue(genuine, 'gatebank.example', holders);
  await issue(pretender, domain, holders.slice(0, 3));
  const { is_scam, reasons } = (await asker(own).get(`/scams/check/${pretender!.address}`)).body;
  const { domains } = (await asker(own).get('/scams/domains')).body;
  expect(domains.map(({ domain }: Json) => domain)).toEqual(
    isListed ? [expect.not.stringMatching(/[/@:]/)] : [],
  );
  expect([is_scam, reasons.map(({ category }: Json) => category)]).toEqual(
    isListed ? [true, ['impersonation']] : [false, []],
  );
  expect((await asker(own).get(`/scams/check/${genuine!.address}`)).body.is_scam).toBe(false);
});

test.each([
  ['of a token worth more than 1 XRP each', { value: '500', isTraded: true }, false],
  ['of a token that come to less than 1 XRP', { value: '0.001', isTraded: true }, true],
  ['of a token that nobody trades', { value: '500', isTraded: false }, true],
  [
    'of a token that say they are more than they deliver',
    { value: '500', sendMax: '0.001', isTraded: true },
    true,
  ],
] as const)('who pays rewards to many, %s', async (_, paid, isListed) => {
  const rig = new NetworkRig();
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  await follow(own, rig.network.closed);
  const names = ['gateway', 'project', ...Array.from({ length: 6 }, (_, i) => `holder ${i}`)];
  const [gateway, project, ...holders] = rig.fund(names);
  await follow(own, rig.network.closed);
  const usd = (value: string) => ({ currency: 'USD', issuer: gateway!.address, value });
  const sendAll = async (sent: readonly (readonly [typeof gateway, object])[]) => {
    for (const [from, json] of sent) rig.submit(from!, { ...json });
    await follow(own, rig.close());
  };
  await sendAll([[gateway, { TransactionType: 'AccountSet', SetFlag: 8 }]]);
  await sendAll(
    [project, ...holders].map((one) => [one, { TransactionType: 'TrustSet', LimitAmount: usd('10000') }]),
  );
  await sendAll([
    [gateway, { TransactionType: 'Payment', Destination: project!.address, Amount: usd('10000') }],
  ]);
  if (paid.isTraded) {
    await sendAll([
      [holders[0], { TransactionType: 'OfferCreate', TakerGets: '9000000', TakerPays: usd('18') }],
    ]);
    await sendAll([
      [project, { TransactionType: 'OfferCreate', TakerGets: usd('18'), TakerPays: '9000000' }],
    ]);
  }
  const MemoData = Buffer.from('Your staking reward of week 12: https://project.example/staking').toString(
    'hex',
  );
  const partial = 'sendMax' in paid ? { SendMax: usd(paid.sendMax), Flags: 0x0002_0000 } : {};
  const reward = {
    ...{ TransactionType: 'Payment', Amount: usd(paid.value), ...partial },
    Memos: [{ Memo: { MemoData: MemoData.toUpperCase() } }],
  };
  await sendAll(holders.map(({ address }) => [project, { ...reward, Destination: address }]));
  const held = own.state.lines.holdersCount(own.state.tokens.find(gateway!.address, 'USD')!);
  expect(held).toBe(holders.length + 1);
  const { body } = await asker(own).get(`/scams/check/${project!.address}`);
  expect(body.is_scam).toBe(isListed);
});

test('each rule is stored under a number of its own', () => {
  expect(new Set(SCAM_RULES.map(({ number }) => number)).size).toBe(SCAM_RULES.length);
});
