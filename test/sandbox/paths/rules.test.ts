/** Rules for the steps of paths, and the choice among several. */
import { describe, expect, test } from 'bun:test';
import { runToEnd } from '../../../engine/event-loop.ts';
import { AccountLines } from '../../../sandbox/paths/account-lines.ts';
import { PATHS_MAX } from '../../../sandbox/paths/ranking.ts';
import { PathSearch } from '../../../sandbox/paths/search.ts';
import { SearchBudget } from '../../../sandbox/paths/search-budget.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { MarketRig } from '../flow/market-rig.ts';
import { ask, booksOf, pathText, payment, question } from './finding.ts';

const SET_REQUIRE_AUTH = 2;
const SET_GLOBAL_FREEZE = 7;
const SET_NO_RIPPLE = 0x20000;
const SET_FREEZE = 0x100000;

/** Ann holds dollars of east, Bob trusts west only; Max holds both and lets them ripple. */
function twoGateways(): MarketRig {
  const market = new MarketRig();
  market.gateways('east', 'west', 'max');
  market.rig.fund('ann', 'bob');
  market.give('ann', '100/USD/east');
  market.give('bob', '0/USD/west');
  market.give('max', '0/USD/east');
  market.give('max', '100/USD/west');
  return market;
}

const across = { from: 'ann', to: 'bob', deliver: '10/USD/west', spend: ['USD/ann'] };

const set = (market: MarketRig, who: string, more: Record<string, unknown>) =>
  market.do({ TransactionType: 'AccountSet', Account: market.address(who), ...more });

const trust = (market: MarketRig, who: string, limit: string, Flags: number) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address(who),
    LimitAmount: market.amount(limit),
    Flags,
  });

describe('debts ripple', () => {
  test('through an account that holds both', () => {
    const market = twoGateways();
    const found = ask(market, across);
    expect(found.map((each) => pathText(market, each))).toEqual([['east max']]);
    expect(market.rig.apply(payment(market, across, found[0]!)).result).toBe('tesSUCCESS');
    expect(market.balance('max', 'USD/east')).toBe('10');
    expect(market.balance('bob', 'USD/west')).toBe('10');
  });

  test('not where no-ripple is set on both lines', () => {
    const market = twoGateways();
    for (const gate of ['east', 'west']) trust(market, 'max', `1000000000/USD/${gate}`, SET_NO_RIPPLE);
    expect(ask(market, across)).toEqual([]);
  });

  test('not through a line that its issuer has frozen, nor an issuer that has frozen all', () => {
    const market = twoGateways();
    trust(market, 'west', '0/USD/max', SET_FREEZE);
    expect(ask(market, across)).toEqual([]);
    const other = twoGateways();
    set(other, 'east', { SetFlag: SET_GLOBAL_FREEZE });
    expect(ask(other, across)).toEqual([]);
  });

  test('not beyond the limit of the peer', () => {
    const market = twoGateways();
    expect(ask(market, { ...across, deliver: '101/USD/west' })).toEqual([]);
    const all = ask(market, { ...across, deliver: '-1/USD/west' });
    expect(all[0]!.delivered.text()).toBe('100');
  });

  test('only to accounts that the issuer authorises', () => {
    const market = new MarketRig();
    market.gateways('gate');
    set(market, 'gate', { SetFlag: SET_REQUIRE_AUTH });
    market.rig.fund('ann', 'bob');
    trust(market, 'ann', '100/USD/gate', 0);
    trust(market, 'bob', '100/USD/gate', 0);
    const asked = { from: 'gate', to: 'bob', deliver: '1/USD/bob', spend: ['USD/gate'] };
    expect(ask(market, asked)).toEqual([]);
    trust(market, 'gate', '0/USD/bob', 0x10000);
    expect(ask(market, asked).map(({ source }) => source.text())).toEqual(['1']);
  });
});

test('of many paths the best are returned, at most four, the last of them one that fills the rest', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob', 'maker');
  market.give('bob', '0/EUR/gate');
  market.give('maker', '5000/EUR/gate');
  const between = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE', 'FFF'];
  for (const [i, code] of between.entries()) {
    market.give('maker', `5000/${code}/gate`);
    const deep = i === 5;
    const size = deep ? 400 : 20;
    // Each path slightly more expensive than the one before; the last carries all, and is the most expensive.
    market.offer('maker', `${size * (1 + i / 10)}`, `${size}/${code}/gate`);
    market.offer('maker', `${size}/${code}/gate`, `${size}/EUR/gate`);
  }
  const small = { from: 'ann', to: 'bob', deliver: '30/EUR/gate', spend: ['XRP'] };
  const [few] = ask(market, small);
  // 20 at par, 10 at 1.1: the quality of paths decides.
  expect(few!.source.drops).toBe(31_000_000n);
  expect(pathText(market, few!).slice(0, 2)).toEqual(['AAA/gate EUR/gate', 'BBB/gate EUR/gate']);
  expect(few!.paths.length).toBeLessThanOrEqual(PATHS_MAX);
  const large = { ...small, deliver: '120/EUR/gate' };
  const [many] = ask(market, large);
  expect(many!.paths.length).toBe(PATHS_MAX);
  expect(pathText(market, many!)).toContain('FFF/gate EUR/gate');
  expect(market.rig.apply(payment(market, large, many!)).result).toBe('tesSUCCESS');
  expect(market.balance('bob', 'EUR/gate')).toBe('120');
});

test('a pool is a book in both directions', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob', 'maker');
  for (const name of ['ann', 'bob', 'maker']) market.give(name, '1000/USD/gate');
  market.do({
    TransactionType: 'AMMCreate',
    Account: market.address('maker'),
    Amount: market.amount('1000'),
    Amount2: market.amount('1000/USD/gate'),
    TradingFee: 500,
    Fee: '200000',
  });
  const there = { from: 'ann', to: 'bob', deliver: '10/USD/gate', spend: ['XRP'] };
  const back = { from: 'ann', to: 'bob', deliver: '10', spend: ['USD/ann'] };
  expect(pathText(market, ask(market, there)[0]!)).toEqual(['USD/gate']);
  expect(pathText(market, ask(market, back)[0]!)).toEqual(['gate XRP']);
  for (const asked of [there, back])
    expect(market.rig.apply(payment(market, asked, ask(market, asked)[0]!)).result).toBe('tesSUCCESS');
});

test('in a domain only its books count, not the open market', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('maker', 'ann', 'bob');
  for (const name of ['maker', 'ann', 'bob']) {
    market.give(name, '100/USD/gate');
    const Credential = { Subject: market.address(name), CredentialType: 'AB' };
    market.do({ TransactionType: 'CredentialCreate', Account: market.address('gate'), ...Credential });
    market.do({
      TransactionType: 'CredentialAccept',
      Account: market.address(name),
      Issuer: market.address('gate'),
      CredentialType: 'AB',
    });
  }
  const sequence = market.rig.root(market.rig.account('gate')).Sequence!;
  market.do({
    TransactionType: 'PermissionedDomainSet',
    Account: market.address('gate'),
    AcceptedCredentials: [{ Credential: { Issuer: market.address('gate'), CredentialType: 'AB' } }],
  });
  const domain = keylets.permissionedDomain(market.id('gate'), sequence);
  market.offer('maker', '10', '10/USD/gate');
  const asked = { from: 'ann', to: 'bob', deliver: '5/USD/gate', spend: ['XRP'] };
  expect(ask(market, { ...asked, domain })).toEqual([]);
  market.offer('maker', '20', '10/USD/gate', { DomainID: domain });
  expect(ask(market, { ...asked, domain }).map(({ source }) => source.json())).toEqual(['10000000']);
  expect(ask(market, asked).map(({ source }) => source.json())).toEqual(['5000000']);
  const inside = { ...payment(market, asked, ask(market, { ...asked, domain })[0]!), DomainID: domain };
  expect(market.rig.apply(inside).result).toBe('tesSUCCESS');
});

test('a search ends at its limits, with what it has found', () => {
  const market = twoGateways();
  const { source, destination, deliver, sourceAssets } = question(market, across);
  const search = (visits: number) => {
    const effort = new SearchBudget(visits);
    const view = market.rig.ledger;
    const parts = {
      view,
      books: booksOf(market.rig.entries()),
      effort,
      lines: new AccountLines(view, effort),
    };
    const asked = { source, destination, deliver, send: sourceAssets[0]!, domain: undefined };
    return runToEnd(new PathSearch(parts, asked).run(7))!.length;
  };
  expect(search(60_000)).toBe(1);
  expect(search(3)).toBe(0);
});
