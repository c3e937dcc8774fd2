/** Failures with permanent removals: expired or unfunded entries that a transaction found are removed, all else is undone. */
import { describe, expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { CURRENCY_XRP, currencyOf, issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../../engine/codec/arithmetic/quality.ts';
import type { Outcome } from '../../../sandbox/apply/environment.ts';
import { describeOwnerDir, dirAppend, dirInsert } from '../../../sandbox/ledger/directory.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { MarketRig } from '../flow/market-rig.ts';
import { Rig, type TestAccount } from '../rig.ts';

const KILL = 0x4_0000;

const deleted = (outcome: Outcome, type: string): number =>
  outcome.metadata!.AffectedNodes!.filter(({ DeletedNode }) => DeletedNode?.LedgerEntryType === type).length;

describe('tecKILLED', () => {
  /** One offer that is good for less than is asked, one whose owner has no funds left. */
  function market(): MarketRig {
    const market = new MarketRig();
    market.gateways('gate');
    market.rig.fund('taker', 'good', 'broke');
    market.give('good', '5/USD/gate');
    market.give('broke', '5/USD/gate');
    market.offer('good', '10', '5/USD/gate');
    market.offer('broke', '5', '5/USD/gate');
    market.pay('broke', 'gate', '5/USD/gate');
    market.give('taker', '0/USD/gate');
    return market;
  }

  test('removes the unfunded offers it met, and crosses nothing', () => {
    const rig = market();
    const outcome = rig.offer('taker', '10/USD/gate', '100', { Flags: KILL });
    expect(outcome).toMatchObject({ result: 'tecKILLED', applied: true, fee: 10n });
    expect(deleted(outcome, 'Offer')).toBe(1);
    expect([rig.offers('broke'), rig.offers('good').length, rig.balance('taker', 'USD/gate')]).toEqual([
      [],
      1,
      '0',
    ]);
    rig.rig.close();
    expect(rig.rig.problems()).toEqual([]);
  });

  test('is final at once where others would be tried again', () => {
    const rig = market();
    const offer = {
      TransactionType: 'OfferCreate',
      Account: rig.address('taker'),
      TakerPays: rig.amount('10/USD/gate'),
      TakerGets: rig.amount('100'),
      Flags: KILL,
    };
    expect(rig.rig.apply(offer, { retry: true })).toMatchObject({ result: 'tecKILLED', applied: true });
    expect(rig.offers('broke')).toEqual([]);
    const failHard = market();
    expect(failHard.rig.apply(offer, { failHard: true })).toMatchObject({
      result: 'tecKILLED',
      applied: false,
    });
    expect(failHard.offers('broke').length).toBe(1);
  });
});

describe('tecEXPIRED', () => {
  test('removes expired credentials that a payment uses, and pays nothing', () => {
    const rig = new Rig();
    const [alice, bob, issuer] = rig.fund('alice', 'bob', 'issuer') as [
      TestAccount,
      TestAccount,
      TestAccount,
    ];
    rig.close();
    const does = (account: TestAccount, TransactionType: string, more: Record<string, unknown>) =>
      rig.apply({ TransactionType, Account: account.address, ...more });
    const Expiration = rig.ledger.header.parentCloseTime + 20;
    const types = ['AB', 'CD'];
    for (const CredentialType of types) {
      const own = CredentialType === 'AB' ? { Expiration } : {};
      does(issuer, 'CredentialCreate', { Subject: alice.address, CredentialType, ...own });
      does(alice, 'CredentialAccept', { Issuer: issuer.address, CredentialType });
    }
    does(bob, 'AccountSet', { SetFlag: 9 });
    const AuthorizeCredentials = types.map((CredentialType) => ({
      Credential: { Issuer: issuer.address, CredentialType },
    }));
    expect(does(bob, 'DepositPreauth', { AuthorizeCredentials }).result).toBe('tesSUCCESS');
    const CredentialIDs = types.map((type) => keylets.credential(alice.id, issuer.id, type));
    const pay = { Destination: bob.address, Amount: '5000000', CredentialIDs };
    expect(does(alice, 'Payment', pay).result).toBe('tesSUCCESS');
    for (let i = 0; i < 8; i += 1) rig.close();
    const [before, counts] = [rig.root(bob).Balance!.drops, rig.root(alice).OwnerCount!];
    const outcome = does(alice, 'Payment', pay);
    expect(outcome).toMatchObject({ result: 'tecEXPIRED', applied: true });
    expect(deleted(outcome, 'Credential')).toBe(1);
    expect(CredentialIDs.map((key) => rig.ledger.read(key) !== undefined)).toEqual([false, true]);
    expect([rig.root(bob).Balance!.drops, rig.root(alice).OwnerCount!]).toEqual([before, counts - 1]);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });

  test('removes expired NFT offers', () => {
    const rig = new Rig();
    const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
    rig.close();
    const does = (account: TestAccount, TransactionType: string, more: Record<string, unknown>) =>
      rig.apply({ TransactionType, Account: account.address, ...more });
    does(alice, 'NFTokenMint', { NFTokenTaxon: 0, Flags: 8 });
    const page = rig.entries().find(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage')!;
    const { NFTokenID } = page.NFTokens![0]!.NFToken!;
    const offer = keylets.nftOffer(alice.id, rig.root(alice).Sequence!);
    const Expiration = rig.ledger.header.parentCloseTime + 5;
    does(alice, 'NFTokenCreateOffer', { NFTokenID, Amount: '5', Flags: 1, Expiration });
    for (let i = 0; i < 4; i += 1) rig.close();
    const outcome = does(bob, 'NFTokenAcceptOffer', { NFTokenSellOffer: offer });
    expect(outcome).toMatchObject({ result: 'tecEXPIRED', applied: true });
    expect([deleted(outcome, 'NFTokenOffer'), rig.ledger.read(offer)]).toEqual([1, undefined]);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });
});

describe('tecOVERSIZE', () => {
  /** An unfunded offer of an account of its own. */
  function unfunded(rig: Rig, at: number, pays: Amount, gets: Amount): void {
    const id = (0x1_0000 + at).toString(16).toUpperCase().padStart(40, 'C');
    const index = keylets.offer(id, 1);
    const base = keylets.bookBase({ takerPays: pays.asset, takerGets: gets.asset });
    const rate = getRate(gets, pays);
    const page = dirAppend(rig.ledger, keylets.bookDirectory(base, rate), index, (book) => {
      book.TakerPaysCurrency = currencyOf(pays.asset) ?? CURRENCY_XRP;
      book.TakerPaysIssuer = pays.isNative ? '0'.repeat(40) : issuerOf(pays.asset);
      book.TakerGetsCurrency = currencyOf(gets.asset) ?? CURRENCY_XRP;
      book.TakerGetsIssuer = gets.isNative ? '0'.repeat(40) : issuerOf(gets.asset);
      book.ExchangeRate = rate;
    });
    const threaded = { PreviousTxnID: '0'.repeat(64), PreviousTxnLgrSeq: 0, Flags: 0 };
    rig.ledger.insert({
      ...threaded,
      LedgerEntryType: 'AccountRoot',
      index: keylets.account(id),
      Account: id,
      Balance: Amount.drops(0n),
      Sequence: 2,
      OwnerCount: 1,
    });
    rig.ledger.insert({
      ...threaded,
      LedgerEntryType: 'Offer',
      index,
      Account: id,
      Sequence: 1,
      TakerPays: pays,
      TakerGets: gets,
      BookDirectory: keylets.bookDirectory(base, rate),
      BookNode: page!,
      OwnerNode: dirInsert(rig.ledger, keylets.ownerDirectory(id), index, describeOwnerDir(id))!,
    });
  }

  test('undoes a transaction that changed too many entries, except up to a thousand dead offers that it found', () => {
    const market = new MarketRig();
    const { rig } = market;
    market.gateways('gate');
    rig.fund('payer', 'payee', 'maker');
    market.give('payee', '0/EUR/gate');
    market.give('maker', '100/USD/gate');
    market.give('maker', '100/EUR/gate');
    market.offer('maker', '20', '10/USD/gate');
    market.offer('maker', '20/USD/gate', '10/EUR/gate');
    const usd = market.value('5/USD/gate');
    const eur = market.value('5/EUR/gate');
    for (let at = 0; at < 900; at += 1) {
      unfunded(rig, at, Amount.drops(5_000_000n), usd);
      unfunded(rig, 1000 + at, usd, eur);
    }
    rig.close();
    expect(rig.problems()).toEqual([]);
    const count = (): number =>
      rig.entries().filter(({ LedgerEntryType }) => LedgerEntryType === 'Offer').length;
    expect(count()).toBe(1802);
    const Paths = [[{ currency: 'USD', issuer: market.address('gate') }]];
    const outcome = market.pay('payer', 'payee', '5/EUR/gate', { SendMax: '100000000', Paths });
    expect(outcome).toMatchObject({ result: 'tecOVERSIZE', applied: true, fee: 10n });
    expect(count()).toBe(802);
    rig.close();
    expect(rig.problems()).toEqual([]);
  });
});

test('the metadata of an entry erased by a failed transaction shows its state before', () => {
  const rig = new Rig();
  const [alice, bob] = rig.fund('alice', 'bob') as [TestAccount, TestAccount];
  rig.close();
  const issue = { Subject: bob.address, CredentialType: 'AB', Expiration: rig.ledger.header.closeTime };
  rig.apply({ TransactionType: 'CredentialCreate', Account: alice.address, ...issue });
  for (let i = 0; i < 4; i += 1) rig.close();
  const key = keylets.credential(bob.id, alice.id, 'AB');
  const before = rig.ledger.read(key) as Entry;
  const accept = { Issuer: alice.address, CredentialType: 'AB' };
  const outcome = rig.apply({ TransactionType: 'CredentialAccept', Account: bob.address, ...accept });
  expect(outcome.result).toBe('tecEXPIRED');
  const node = outcome.metadata!.AffectedNodes!.find(({ DeletedNode }) => DeletedNode?.LedgerIndex === key)!;
  expect(node.DeletedNode!.FinalFields).toMatchObject({
    Subject: bob.id,
    Issuer: alice.id,
    PreviousTxnID: before.PreviousTxnID!,
  });
  expect(rig.root(alice).OwnerCount).toBe(0);
});
