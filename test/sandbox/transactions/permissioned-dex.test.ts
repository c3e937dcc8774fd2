/** Offers and payments within a permissioned domain (XLS-81), and hybrid offers, which are in the open book as well. */
import { expect, test } from 'bun:test';
import { Lsf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { MarketRig } from '../flow/market-rig.ts';

const KIND = '4B5943';

/** A gateway whose domain has two traders as members; a third account is not a member. */
function domain(): { market: MarketRig; id: string } {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('maker', 'taker', 'stranger');
  for (const name of ['maker', 'taker', 'stranger']) market.give(name, '1000/USD/gate');
  const gate = market.address('gate');
  for (const name of ['maker', 'taker']) {
    const subject = market.address(name);
    market.do({ TransactionType: 'CredentialCreate', Account: gate, Subject: subject, CredentialType: KIND });
    market.do({ TransactionType: 'CredentialAccept', Account: subject, Issuer: gate, CredentialType: KIND });
  }
  const sequence = market.rig.root(market.rig.account('gate')).Sequence!;
  market.do({
    TransactionType: 'PermissionedDomainSet',
    Account: gate,
    AcceptedCredentials: [{ Credential: { Issuer: gate, CredentialType: KIND } }],
  });
  return { market, id: keylets.permissionedDomain(market.id('gate'), sequence) };
}

test('only members trade in a domain, and only with its offers', () => {
  const { market, id } = domain();
  expect(market.offer('stranger', '10', '10/USD/gate', { DomainID: id }).result).toBe('tecNO_PERMISSION');
  market.offer('stranger', '9', '10/USD/gate');
  expect(market.offer('maker', '10', '10/USD/gate', { DomainID: id }).result).toBe('tesSUCCESS');
  expect(market.offer('taker', '5/USD/gate', '5', { DomainID: id }).result).toBe('tesSUCCESS');
  expect(market.balance('maker', 'USD/gate')).toBe('995');
  expect(market.offers('stranger')).toEqual([['9000000', '10']]);
  const outside = { SendMax: '20000000', Flags: Tf.tfPartialPayment };
  expect(market.pay('taker', 'taker', '20/USD/gate', outside).result).toBe('tesSUCCESS');
  expect(market.offers('stranger')).toEqual([]);
  expect(market.offers('maker')).toEqual([['5000000', '5']]);
  const inside = market.pay('taker', 'maker', '5/USD/gate', { ...outside, DomainID: id });
  expect(inside.result).toBe('tesSUCCESS');
  expect(market.offers('maker')).toEqual([]);
  expect(market.rig.problems()).toEqual([]);
});

test('a hybrid offer is in both books and is removed from both', () => {
  const { market, id } = domain();
  expect(market.offer('maker', '10', '10/USD/gate', { Flags: Tf.tfHybrid }).result).toBe('temINVALID_FLAG');
  const hybrid = { DomainID: id, Flags: Tf.tfHybrid };
  expect(market.offer('maker', '10', '10/USD/gate', hybrid).result).toBe('tesSUCCESS');
  const entry = market.rig.entries().find(({ LedgerEntryType }) => LedgerEntryType === 'Offer')!;
  expect(entry.Flags! & Lsf.lsfHybrid).toBe(Lsf.lsfHybrid);
  const open = entry.AdditionalBooks![0]!.Book!.BookDirectory!;
  expect(open.slice(48)).toBe(entry.BookDirectory!.slice(48));
  expect(open).not.toBe(entry.BookDirectory!);
  expect(market.offer('stranger', '4/USD/gate', '4').result).toBe('tesSUCCESS');
  expect(market.offer('taker', '6/USD/gate', '6', { DomainID: id }).result).toBe('tesSUCCESS');
  expect(market.offers('maker')).toEqual([]);
  expect(market.rig.ledger.read(open)).toBeUndefined();
  expect(market.rig.problems()).toEqual([]);
});

test('an offer in a domain replaces one in the open book, not one in another domain', () => {
  const { market, id } = domain();
  const maker = market.rig.account('maker');
  const replacing = (): Record<string, unknown> => ({
    DomainID: id,
    OfferSequence: market.rig.root(maker).Sequence! - 1,
  });
  market.offer('maker', '20', '10/USD/gate');
  expect(market.offer('maker', '10', '10/USD/gate', replacing()).result).toBe('tesSUCCESS');
  expect(market.offers('maker')).toEqual([['10000000', '10']]);
  const sequence = market.rig.root(maker).Sequence!;
  market.do({
    TransactionType: 'PermissionedDomainSet',
    Account: maker.address,
    AcceptedCredentials: [{ Credential: { Issuer: market.address('gate'), CredentialType: KIND } }],
  });
  market.offer('maker', '30', '10/USD/gate', { DomainID: keylets.permissionedDomain(maker.id, sequence) });
  expect(market.offer('maker', '15', '10/USD/gate', replacing()).result).toBe('tecINVARIANT_FAILED');
  expect(market.rig.problems()).toEqual([]);
});

test('offers of former members are removed from the book of the domain', () => {
  const { market, id } = domain();
  market.offer('maker', '10', '10/USD/gate', { DomainID: id });
  market.do({
    TransactionType: 'CredentialDelete',
    Account: market.address('gate'),
    Subject: market.address('maker'),
    CredentialType: KIND,
  });
  const killed = { DomainID: id, Flags: Tf.tfImmediateOrCancel };
  expect(market.offer('taker', '5/USD/gate', '5', killed).result).toBe('tecKILLED');
  expect(market.offers('maker')).toEqual([]);
  expect(market.rig.problems()).toEqual([]);
});

test('a pool is not used in a domain', () => {
  const { market, id } = domain();
  const gate = {
    TransactionType: 'AccountSet',
    Account: market.address('gate'),
    TransferRate: 1_100_000_000,
  };
  expect(market.do(gate).result).toBe('tesSUCCESS');
  const pool = {
    TransactionType: 'AMMCreate',
    Account: market.address('stranger'),
    Amount: '100000000',
    Amount2: { currency: 'USD', issuer: market.address('gate'), value: '49.5' },
    TradingFee: 0,
    Fee: '200000',
  };
  expect(market.do(pool).result).toBe('tesSUCCESS');
  expect(market.offer('maker', '5/USD/gate', '10', { DomainID: id }).result).toBe('tesSUCCESS');
  // Met by its owner within the limit and the fee, the old offer goes; the pool's price is just beyond the limit.
  expect(market.offer('maker', '41', '20/USD/gate', { DomainID: id }).result).toBe('tesSUCCESS');
  expect(market.offers('maker')).toEqual([['41000000', '20']]);
  expect(market.rig.problems()).toEqual([]);
});
