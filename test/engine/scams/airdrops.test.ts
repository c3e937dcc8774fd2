/** Airdrops of issuers that name their site are told from phishing by what the ledgers show of them. */
import { expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { isOwnNews } from '../../../engine/scams/lures.ts';
import { PHISHING_MEMOS } from '../../../engine/scams/rules/phishing-memos.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { follow } from '../nfts/random-nfts.ts';

const SITE = 'token.example';
const NEWS = `Airdrop of week 12 for all holders. More: https://${SITE}/week-12`;
const HOLDERS = Array.from({ length: PHISHING_MEMOS.accounts }, (_, i) => `holder${i}`);
const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase();

interface Case {
  readonly memo?: string;
  readonly domain?: string;
  readonly from?: 'issuer' | 'reserve';
  readonly isXrp?: boolean;
}

test.each<[string, Case, number]>([
  ['its own token, its own site', {}, 0],
  ['a domain in another spelling', { domain: `https://www.${SITE.toUpperCase()}/` }, 0],
  ['a domain that is another one', { domain: 'other.example' }, 1],
  ['no domain', { domain: '' }, 1],
  ['a second site', { memo: `${NEWS}, or https://other.example` }, 1],
  ['an order to claim', { memo: `Claim your airdrop: https://${SITE}` }, 1],
  ['an order in letters that look like others', { memo: `Сlаіm your airdrop: https://${SITE}` }, 1],
  ['a token of another issuer', { from: 'reserve' }, 1],
  ['XRP, which reaches everybody', { isXrp: true }, 1],
])('who sends an airdrop with %s', async (_, { memo = NEWS, domain = SITE, from, isXrp }, listed) => {
  const rig = new NetworkRig();
  rig.network.ledgers.commitEvery = 1;
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const accounts = rig.fund(['issuer', 'reserve', ...HOLDERS]);
  const [issuer, reserve, ...holders] = accounts as [TestAccount, TestAccount, ...TestAccount[]];
  await follow(engine, rig.network.closed);
  const send = (account: TestAccount, json: Record<string, unknown>) =>
    expect(rig.submit(account, json)).toMatchObject({ result: 'tesSUCCESS' });
  const tokens = (value: string) => ({ currency: 'ABC', issuer: issuer.address, value });
  const sender = from === 'reserve' ? reserve : issuer;
  send(issuer, { TransactionType: 'AccountSet', SetFlag: 8 });
  send(reserve, { TransactionType: 'AccountSet', Domain: hex(domain) });
  send(issuer, { TransactionType: 'AccountSet', Domain: hex(domain) });
  await follow(engine, rig.close());
  for (const holder of [reserve, ...holders])
    send(holder, { TransactionType: 'TrustSet', LimitAmount: tokens('1000000') });
  await follow(engine, rig.close());
  send(issuer, { TransactionType: 'Payment', Destination: reserve.address, Amount: tokens('1000') });
  await follow(engine, rig.close());
  for (const { address } of holders) {
    const Amount = isXrp ? '1000' : tokens('5');
    const Memos = [{ Memo: { MemoData: hex(memo) } }];
    send(sender, { TransactionType: 'Payment', Destination: address, Amount, Memos });
  }
  await follow(engine, rig.close());
  const { actors } = engine.scams;
  expect(actors.listedRows.filter((row) => actors.rule[row] === PHISHING_MEMOS.number)).toHaveLength(listed);
});

test('news of an own site name no other one, and give no orders', () => {
  expect(isOwnNews('Rewards: app.token.example', SITE)).toBe(false);
  expect(isOwnNews('Rewards: token.example.evil.example', SITE)).toBe(false);
  expect(isOwnNews('Rewards: token.example', 'not a domain')).toBe(false);
  expect(isOwnNews('Rewards: token.example and www.token.example/week', SITE)).toBe(true);
  expect(isOwnNews('Verify your wallet at token.example', SITE)).toBe(false);
});
