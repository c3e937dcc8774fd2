/** The scams of the embedded network's scenarios are found, nobody else is, and the routes say so. */
import { beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlatformStore } from '../../../data/platform-store.ts';
import { Engine } from '../../../engine/engine.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { type ListedAccount, NO_SCAM_LISTS } from '../../../platform/scam-lists.ts';
import { SCAM_COLLECTIONS } from '../../../platform/scam-reports.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { asker, type Json } from '../../api/routes/ask.ts';
import { quiet } from '../../live-rig.ts';
import { copyScoreOf } from './copies.ts';
import { applyAll, type ScamKind, type ScenarioRun, scenarioRun } from './scenario-run.ts';
import { scoresOf } from './scores.ts';

const newEngine = (store: MemoryStore): Engine => new Engine({ store, log: quiet });
const engine = newEngine(new MemoryStore());
const api = asker(engine);
let run: ScenarioRun;
const SEED = 'scams';

const get = async (path: string): Promise<Json> => {
  const { status, body } = await api.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

beforeAll(async () => {
  run = scenarioRun({ seed: SEED, days: 5.4, quiet: 43_200 });
  await applyAll(engine, run);
});

test('each is found, and nobody who did nothing', () => {
  for (const { kind, precision, recall, wrong } of scoresOf(engine, run)) {
    console.log(`${kind}: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
    expect([kind, recall, wrong]).toEqual([kind, 1, []]);
  }
});

test('the check of an account names the transactions that show it', async () => {
  for (const kind of run.scenarios.keys()) {
    const account = run.guilty(kind);
    const answer = await get(`/scams/check/${account}`);
    expect(answer).toMatchObject({ account, is_scam: true, exists: true, suspected: [] });
    const reason = answer.reasons.find(({ category }: Json) => category === kind);
    const own = new Set(run.rows(kind).map(({ hash }) => hash));
    expect(reason.evidence.length).toBeGreaterThan(0);
    expect([kind, ...reason.evidence.filter((hash: string) => !own.has(hash))]).toEqual([kind]);
  }
  const dust = await get(`/scams/check/${run.guilty('dust_spam')}`);
  const sent = run.rows('dust_spam');
  expect(dust.reasons.find(({ category }: Json) => category === 'dust_spam')).toMatchObject({
    transactions: sent.length,
    affected: sent.length,
    last: unixMs(sent.at(-1)!.closeTime!),
    sample: run.scenarios.get('dust_spam')!.expected.memo,
  });
  const thief = await get(`/scams/check/${run.guilty('wallet_drainer')}`);
  expect(thief.reasons[0].xrp).toBe(run.scenarios.get('wallet_drainer')!.expected.xrp);
});

test('the check says how old an account is, and of plain ones that they are not on the list', async () => {
  const now = engine.head!.closeTime;
  const spammer = await get(`/scams/check/${run.guilty('dust_spam')}`);
  expect(spammer.age_seconds).toBe(now - (spammer.first_seen / 1000 - unixMs(0) / 1000));
  expect(spammer.new_account).toBe(true);
  const { victim } = run.scenarios.get('wallet_drainer')!.accounts;
  expect(await get(`/scams/check/${victim!.address}`)).toMatchObject({
    is_scam: false,
    reasons: [],
    suspected: [],
  });
  const nobody = await get('/scams/check/rrrrrrrrrrrrrrrrrrrrBZbvji');
  expect(nobody).toMatchObject({ is_scam: false, exists: false, first_seen: null, age_seconds: null });
});

test('the blocklist has each account once, by category, in pages, and is not kept by anyone', async () => {
  const { addresses, total } = await get('/scams/addresses');
  expect(new Set(addresses).size).toBe(total);
  expect(addresses.toSorted()).toEqual([...run.scenarios.keys()].map((kind) => run.guilty(kind)).toSorted());
  for (const kind of run.scenarios.keys())
    expect((await get(`/scams/addresses?category=${kind}`)).addresses).toEqual([run.guilty(kind)]);
  expect((await get('/scams/addresses?category=phishing')).addresses).toEqual([run.guilty('dust_spam')]);
  expect((await get('/scams/addresses?category=other')).addresses).toEqual([]);
  const second = await get('/scams/addresses?limit=1&page=2&evidence=true');
  expect([second.count, second.total, second.addresses]).toEqual([1, total, [addresses[1]]]);
  expect(new Set(second.entries.map(({ account }: Json) => account))).toEqual(new Set([addresses[1]]));
  const { headers } = await api.raw('/scams/addresses');
  expect(headers.get('cache-control')).toBe('no-store');
});

test('memo spam: who sent it, how often and to how many', async () => {
  const { accounts } = await get('/scams/memo-spam');
  const sent = run.rows('dust_spam');
  expect(accounts).toEqual([
    {
      account: run.guilty('dust_spam'),
      tx_count: sent.length,
      unique_destinations: run.scenarios.get('dust_spam')!.expected.payments,
      memo_samples: [run.scenarios.get('dust_spam')!.expected.memo],
    },
  ]);
});

test('NFTs of a scammer and offers for them are marked, others are not', async () => {
  const scammer = run.guilty('fake_airdrop');
  const { nfts, total } = await get(`/nft?issuer=${scammer}&limit=50`);
  expect(total ?? nfts.length).toBeGreaterThan(10);
  for (const row of nfts)
    expect(row).toMatchObject({ issuer: scammer, scam: true, scamType: 'fake_airdrop' });
  const offered = nfts.find(({ account }: Json) => account === scammer);
  const { sellOffers } = await get(`/nft/${offered._id}/offers`);
  expect(sellOffers[0]).toMatchObject({ owner: scammer, fraud: true, fraudType: 'fake_airdrop' });
  const { nfts: all } = await get('/nft?limit=200');
  const others = all.filter(({ issuer }: Json) => issuer !== scammer);
  expect(others.length).toBeGreaterThan(5);
  for (const row of others) expect([row._id, row.scam, row.scamType]).toEqual([row._id, false, undefined]);
  for (const { _id } of others.slice(0, 5))
    for (const offer of (await get(`/nft/${_id}/offers`)).sellOffers) expect(offer.fraud).toBe(false);
});

test('an issuer whom a confirmed report or a public list names is marked as /scams/check says', async () => {
  const all = (await get('/nft?limit=200')).nfts as Json[];
  const { sellOffers } = await get(`/nft/${all.find(({ cost, scam }) => cost && !scam)._id}/offers`);
  const honest = all.find(({ _id }) => _id === sellOffers[0].NFTokenID).issuer;
  const dir = mkdtempSync(join(tmpdir(), 'nft-marks-'));
  const platform = await openPlatformStore({ dir, network: 0, collections: SCAM_COLLECTIONS });
  const listed: ListedAccount = { list: 'list.example', category: 'impersonation', since: 1 };
  const lists = {
    ...NO_SCAM_LISTS,
    of: (account: string) => (account === honest && lists.version > 0 ? [listed] : []),
    accounts: () => (lists.version > 0 ? [honest] : []),
    version: 0,
  };
  const network = new Network({ engine, scamLists: lists });
  const { scamReports } = network;
  await scamReports.attach(platform);
  const own = asker(network);
  const marks = async () => {
    const nft = (await own.get(`/nft/${sellOffers[0].NFTokenID}`)).body;
    const row = (await own.get(`/nft?issuer=${honest}`)).body.nfts[0];
    const offer = (await own.get(`/nft/${sellOffers[0].NFTokenID}/offers`)).body.sellOffers[0];
    const check = (await own.get(`/scams/check/${honest}`)).body;
    expect([row.scam, offer.fraud, check.is_scam]).toEqual([nft.scam, nft.scam, nft.scam]);
    expect([row.scamType, offer.fraudType, check.category]).toEqual([
      nft.scamType,
      nft.scamType,
      nft.scamType,
    ]);
    return nft.scamType;
  };
  expect(await marks()).toBe(undefined);
  const report = { domain: 'fake.example', account: honest, by: 'somebody', now: 1 };
  await scamReports.report({ ...report, category: 'phishing' });
  // A claim that nobody has looked at marks nobody.
  expect(await marks()).toBe(undefined);
  await scamReports.decide('fake.example', 'confirmed', 2);
  expect(await marks()).toBe('phishing');
  await scamReports.decide('fake.example', 'dismissed', 3);
  expect(await marks()).toBe(undefined);
  lists.version++;
  expect(await marks()).toBe('impersonation');
  await platform.close();
  rmSync(dir, { recursive: true });
});

test('who gives away NFTs with the name and pictures of a known collection is suspected, and shown beside it', async () => {
  const { network, precision, recall, wrong, missed } = await copyScoreOf(engine, run, SEED);
  console.log(`NFT copies: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
  expect([wrong, missed]).toEqual([[], []]);
  const own = asker(network);
  const scammer = run.guilty('fake_airdrop');
  const { suspected } = (await own.get(`/scams/check/${scammer}`)).body;
  expect(suspected.map(({ rule, verified }: Json) => [rule, verified])).toEqual([['NFT copies', false]]);
  const [{ copies, evidence, affected }] = suspected;
  const { collection } = (await own.get(`/nft/${copies.picture.original}?includeCollection=true`)).body;
  expect([collection._id, collection.name]).toEqual([
    copies.collection,
    run.scenarios.get('fake_airdrop')!.expected.copies,
  ]);
  expect(copies.name).toBe(true);
  expect((await own.get(`/nft/${copies.picture.nft}`)).body.issuer).toBe(scammer);
  expect(affected).toBe(5);
  const sent = new Set(run.rows('fake_airdrop').map(({ hash }) => hash));
  expect(evidence.filter((hash: string) => !sent.has(hash))).toEqual([]);
  expect((await own.get('/scams/nft')).body.suspected).toEqual(suspected);
  // Without what the NFTs show nobody is: others give NFTs away, too.
  expect((await get(`/scams/check/${scammer}`)).suspected).toEqual([]);
});

test('the report sums what the scenarios did, and names the domains', async () => {
  const { overview, top_scammers, top_victims, rules } = await get('/scams');
  const expected = (kind: ScamKind) => run.scenarios.get(kind)!.expected;
  const { xrp } = expected('wallet_drainer') as { xrp: number };
  expect(overview).toMatchObject({
    total_xrp_stolen: xrp,
    last_scan: unixMs(engine.head!.closeTime),
    wallet_drainers: { xrp_stolen: xrp, accounts_flagged: 1, victims: 1 },
    nft_scams: { scam_accounts: 1, victims: expected('fake_airdrop').offers, scam_sales: 0 },
    token_scams: { fake_tokens: 1, scam_issuers: 1, affected_holders: expected('impersonation').victims },
    memo_spam: { flagged_accounts: 1, total_spam_txs: expected('dust_spam').payments },
    blocklist: run.scenarios.size,
  });
  // The first ledger of the network closed at no time.
  expect(overview.scan_window_days).toBeWithin(1, 100);
  // The others took nothing.
  expect(top_scammers).toEqual([{ account: run.guilty('wallet_drainer'), xrp_stolen: xrp, sales: 0 }]);
  const { victim } = run.scenarios.get('wallet_drainer')!.accounts;
  expect(top_victims).toEqual([{ account: victim!.address, xrp_lost: xrp, purchases: 0 }]);
  expect(new Set(rules.map(({ name }: Json) => name)).size).toBe(rules.length);
  for (const { source } of rules) expect(source).toStartWith('https://');
  const { domains } = await get('/scams/domains');
  expect(new Map(domains.map(({ domain, found_in }: Json) => [domain, found_in]))).toEqual(
    new Map([
      ['xrp-rewards.example', ['memo']],
      ['free-xrp.example', ['nft']],
      ['usdm-official.example', ['issuer']],
    ]),
  );
  for (const found of domains) {
    const { domain } = found;
    // That nobody reported it is not all that is known of it.
    const known = { domain, reported: false, confirmations: 0, found };
    expect(await get(`/scams/report/${domain}`)).toMatchObject(known);
    expect(await get(`/scams/report/${encodeURIComponent(`https://www.${domain}/x`)}`)).toMatchObject(known);
  }
  expect(await get('/scams/report/honest.example')).not.toHaveProperty('found');
});

test('NFT scams: who offered how many to whom', async () => {
  const { offers } = run.scenarios.get('fake_airdrop')!.expected;
  const { accounts, suspected } = await get('/scams/nft');
  expect(accounts).toMatchObject([
    { account: run.guilty('fake_airdrop'), transactions: offers, affected: offers, sales: 0, verified: true },
  ]);
  expect(suspected).toEqual([]);
  expect(await get('/nft/scam')).toMatchObject({ scam_accounts: 1, offers, victims: offers, suspected: 0 });
});

test('a restart at any point gives the same', async () => {
  const store = new MemoryStore();
  const kinds: readonly ScamKind[] = ['wallet_drainer', 'dust_spam'];
  // In the middle of the drain, and before the end of the dust: candidates and grants must survive.
  const cuts = kinds.map((kind) => run.rows(kind)[1]!.ledger).sort((a, b) => a - b);
  const first = 3;
  let from = 0;
  for (const cut of [...cuts.map((ledger) => ledger - first + 1), run.ledgers.length]) {
    const restarted = newEngine(store);
    restarted.restore();
    await applyAll(restarted, run, from, cut);
    from = cut;
    if (cut === run.ledgers.length) {
      expect(restarted.scams.digest()).toBe(engine.scams.digest());
      expect(restarted.digest()).toBe(engine.digest());
      expect(restarted.scams.actors.listedRows).toEqual(engine.scams.actors.listedRows);
      expect(restarted.scams.impersonation.listedRows).toEqual(engine.scams.impersonation.listedRows);
    }
  }
});
