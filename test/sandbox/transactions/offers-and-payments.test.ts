/** Offers and payments, case by case: the result codes and effects of rippled's own tests. */
import { describe, expect, test } from 'bun:test';
import { Tf } from '../../../sandbox/protocol/flags.ts';
import { MarketRig } from '../flow/market-rig.ts';

const ASF_GLOBAL_FREEZE = 7;
const ASF_REQUIRE_AUTH = 2;
const ASF_DEPOSIT_AUTH = 9;

/** A gateway, a maker with 1000 USD and a taker with a line. */
function book(): MarketRig {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('maker', 'taker');
  market.give('maker', '1000/USD/gate');
  market.give('taker', '0/USD/gate');
  return market;
}

function sound(market: MarketRig): void {
  expect(market.rig.problems()).toEqual([]);
}

describe('OfferCreate', () => {
  test('consumes matching offers at their price, and places the rest', () => {
    const market = book();
    market.offer('maker', '90', '100/USD/gate');
    expect(market.offer('taker', '150/USD/gate', '150').result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('100');
    expect(market.offers('taker')).toEqual([['50', '50000000']]);
    expect(market.offers('maker')).toEqual([]);
    sound(market);
  });

  test('that sells gives all it offers even if it receives more than it asked', () => {
    const market = book();
    market.offer('maker', '80', '100/USD/gate');
    expect(market.offer('taker', '50/USD/gate', '60', { Flags: Tf.tfSell }).result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('75');
    expect(market.offers('taker')).toEqual([]);
    sound(market);
  });

  test('immediate or cancel places nothing, and is killed when it consumes nothing', () => {
    const market = book();
    const flags = { Flags: Tf.tfImmediateOrCancel };
    expect(market.offer('taker', '10/USD/gate', '10', flags).result).toBe('tecKILLED');
    market.offer('maker', '5', '5/USD/gate');
    expect(market.offer('taker', '10/USD/gate', '10', flags).result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('5');
    expect(market.offers('taker')).toEqual([]);
    sound(market);
  });

  test('fill or kill is filled completely or not at all', () => {
    const market = book();
    market.offer('maker', '5', '5/USD/gate');
    const flags = { Flags: Tf.tfFillOrKill };
    expect(market.offer('taker', '10/USD/gate', '10', flags).result).toBe('tecKILLED');
    expect(market.balance('taker', 'USD/gate')).toBe('0');
    expect(market.offer('taker', '5/USD/gate', '10', flags).result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('5');
    sound(market);
  });

  test('passive does not consume an offer of its own quality', () => {
    const market = book();
    market.offer('maker', '10', '10/USD/gate');
    expect(market.offer('taker', '10/USD/gate', '10', { Flags: Tf.tfPassive }).result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('0');
    expect(market.offers('taker').length).toBe(1);
    sound(market);
    const better = book();
    better.offer('maker', '9', '10/USD/gate');
    expect(better.offer('taker', '10/USD/gate', '10', { Flags: Tf.tfPassive }).result).toBe('tesSUCCESS');
    expect(better.balance('taker', 'USD/gate')).toBe('10');
    sound(better);
  });

  test('removes its own offers that it would consume, expired and unfunded ones', () => {
    const market = book();
    market.offer('maker', '10', '10/USD/gate', { Expiration: market.rig.ledger.header.parentCloseTime + 10 });
    market.give('taker', '50/USD/gate');
    market.offer('taker', '10', '10/USD/gate');
    market.rig.close(20);
    market.rig.close();
    expect(market.offer('taker', '10/USD/gate', '10').result).toBe('tesSUCCESS');
    expect(market.offers('maker')).toEqual([]);
    expect(market.offers('taker')).toEqual([['10', '10000000']]);
    market.offer('maker', '10', '1000/USD/gate');
    market.pay('maker', 'gate', '1000/USD/gate');
    expect(market.offer('taker', '20/USD/gate', '20', { Flags: Tf.tfImmediateOrCancel }).result).toBe(
      'tecKILLED',
    );
    expect(market.offers('maker')).toEqual([]);
    sound(market);
  });

  test('consumes offers through XRP where two books are cheaper than one', () => {
    const market = book();
    market.give('maker', '1000/EUR/gate');
    market.give('taker', '100/EUR/gate');
    market.rig.fund('bridge');
    market.give('bridge', '1000/USD/gate');
    market.offer('maker', '10/EUR/gate', '20');
    market.offer('bridge', '20', '10/USD/gate');
    market.offer('maker', '20/EUR/gate', '10/USD/gate');
    expect(market.offer('taker', '10/USD/gate', '11/EUR/gate').result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('10');
    expect(market.balance('taker', 'EUR/gate')).toBe('90');
    expect(market.offers('taker')).toEqual([]);
    sound(market);
  });

  test('pays the transfer fee of what it gives, and makers of what they give', () => {
    const market = book();
    market.do({
      TransactionType: 'AccountSet',
      Account: market.address('gate'),
      TransferRate: 1_100_000_000,
    });
    market.offer('maker', '100', '100/USD/gate');
    expect(market.offer('taker', '50/USD/gate', '50').result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('50');
    expect(market.balance('maker', 'USD/gate')).toBe('945');
    sound(market);
  });

  test('needs the reserve to be placed, not to be filled', () => {
    const market = book();
    const poor = market.rig.fundWith('poor', 1_399_990n);
    market.give('poor', '0/USD/gate');
    expect(market.offer('poor', '1/USD/gate', '0.1').result).toBe('tecINSUF_RESERVE_OFFER');
    expect(market.rig.root(poor).OwnerCount).toBe(1);
    sound(market);
  });

  test('is refused with contradictory options', () => {
    const market = book();
    const codes = [
      market.offer('taker', '10', '10').result,
      market.offer('taker', '0/USD/gate', '10').result,
      market.offer('taker', '10/USD/gate', '10/USD/gate').result,
      market.offer('taker', '1/USD/gate', '1', { Flags: Tf.tfImmediateOrCancel | Tf.tfFillOrKill }).result,
      market.offer('taker', '1/USD/gate', '1', { Expiration: 0 }).result,
      market.offer('taker', '1/USD/gate', '1', { Expiration: 1 }).result,
      market.offer('taker', '1', '1/USD/gate').result,
      market.offer('taker', '1/USD/gate', '1', { OfferSequence: 1_000_000 }).result,
    ];
    expect(codes).toEqual([
      'temBAD_OFFER',
      'temBAD_OFFER',
      'temREDUNDANT',
      'temINVALID_FLAG',
      'temBAD_EXPIRATION',
      'tecEXPIRED',
      'tecUNFUNDED_OFFER',
      'temBAD_SEQUENCE',
    ]);
    market.do({ TransactionType: 'AccountSet', Account: market.address('gate'), SetFlag: ASF_GLOBAL_FREEZE });
    expect(market.offer('taker', '1/USD/gate', '1').result).toBe('tecFROZEN');
    sound(market);
  });

  test('replaces an offer, OfferCancel removes it', () => {
    const market = book();
    const first = market.rig.root(market.rig.account('maker')).Sequence!;
    market.offer('maker', '10', '10/USD/gate');
    expect(market.offer('maker', '11', '10/USD/gate', { OfferSequence: first }).result).toBe('tesSUCCESS');
    expect(market.offers('maker')).toEqual([['11000000', '10']]);
    const cancel = { TransactionType: 'OfferCancel', Account: market.address('maker') };
    expect(market.rig.apply({ ...cancel, OfferSequence: first + 1 }).result).toBe('tesSUCCESS');
    expect(market.rig.apply({ ...cancel, OfferSequence: first + 1 }).result).toBe('tesSUCCESS');
    expect(market.rig.apply({ ...cancel, OfferSequence: first + 1000 }).result).toBe('temBAD_SEQUENCE');
    expect(market.rig.root(market.rig.account('maker')).OwnerCount).toBe(1);
    sound(market);
  });
});

describe('Payment', () => {
  test('of XRP creates accounts, keeps the reserve', () => {
    const market = book();
    market.rig.account('new');
    expect(market.pay('maker', 'new', '0.9').result).toBe('tecNO_DST_INSUF_XRP');
    expect(market.pay('maker', 'new', '1').result).toBe('tesSUCCESS');
    expect(market.pay('new', 'maker', '0.5').result).toBe('tecUNFUNDED_PAYMENT');
    expect(market.pay('maker', 'maker', '1').result).toBe('temREDUNDANT');
    expect(market.pay('maker', 'taker', '1', { SendMax: '5' }).result).toBe('temBAD_SEND_XRP_MAX');
    sound(market);
  });

  test('of issued currency goes through the issuer with its fee, within limits and flags', () => {
    const market = book();
    market.do({
      TransactionType: 'AccountSet',
      Account: market.address('gate'),
      TransferRate: 1_020_000_000,
    });
    expect(market.pay('maker', 'taker', '100/USD/gate').result).toBe('tecPATH_PARTIAL');
    const paid = market.pay('maker', 'taker', '100/USD/gate', { SendMax: market.amount('102/USD/gate') });
    expect(paid.result).toBe('tesSUCCESS');
    expect(market.balance('maker', 'USD/gate')).toBe('898');
    market.rig.fund('stranger');
    expect(market.pay('maker', 'stranger', '1/USD/gate').result).toBe('tecPATH_DRY');
    market.give('stranger', '0/USD/gate', '5');
    const most = { SendMax: market.amount('50/USD/gate') };
    expect(market.pay('maker', 'stranger', '6/USD/gate', most).result).toBe('tecPATH_PARTIAL');
    sound(market);
  });

  test('partial payments deliver what is possible, at least DeliverMin', () => {
    const market = book();
    market.offer('maker', '10', '10/USD/gate');
    const asked = { SendMax: '50000000', Flags: Tf.tfPartialPayment };
    const least = { ...asked, DeliverMin: market.amount('11/USD/gate') };
    expect(market.pay('taker', 'taker', '20/USD/gate', least).result).toBe('tecPATH_PARTIAL');
    const paid = market.pay('taker', 'taker', '20/USD/gate', asked);
    expect(paid.result).toBe('tesSUCCESS');
    expect(paid.metadata?.DeliveredAmount?.text()).toBe('10');
    sound(market);
  });

  test('limit quality does not consume worse offers', () => {
    const market = book();
    market.offer('maker', '10', '10/USD/gate');
    market.offer('maker', '20', '10/USD/gate');
    const flags = { SendMax: '20000000', Flags: Tf.tfPartialPayment | Tf.tfLimitQuality };
    const paid = market.pay('taker', 'taker', '20/USD/gate', flags);
    expect(paid.result).toBe('tesSUCCESS');
    expect(market.balance('taker', 'USD/gate')).toBe('10');
    expect(market.offers('maker')).toEqual([['20000000', '10']]);
    sound(market);
  });

  test('follows paths: accounts, books, and refuses loops', () => {
    const market = book();
    market.gateways('other');
    market.give('maker', '100/EUR/other');
    market.rig.fund('bob');
    market.give('bob', '0/EUR/other');
    market.give('taker', '100/USD/gate');
    market.offer('maker', '50/USD/gate', '40/EUR/other');
    const EUR = { currency: 'EUR', issuer: market.address('other') };
    const spend = { SendMax: market.amount('50/USD/gate') };
    expect(market.pay('taker', 'bob', '20/EUR/other', { ...spend, Paths: [[EUR]] }).result).toBe(
      'tesSUCCESS',
    );
    expect(market.balance('taker', 'USD/gate')).toBe('75');
    expect(market.balance('bob', 'EUR/other')).toBe('20');
    const loop = [{ currency: 'XRP' }, EUR, { currency: 'XRP' }, EUR];
    expect(market.pay('taker', 'bob', '1/EUR/other', { ...spend, Paths: [loop] }).result).toBe(
      'temBAD_PATH_LOOP',
    );
    const empty = { ...spend, Flags: Tf.tfNoRippleDirect };
    expect(market.pay('taker', 'bob', '1/EUR/other', empty).result).toBe('temRIPPLE_EMPTY');
    sound(market);
  });

  test('of an own issue to the same account has no path, whatever paths are given', () => {
    const market = new MarketRig();
    market.gateways('gate', 'other');
    const more = {
      SendMax: market.amount('5/USD/gate'),
      Paths: [[{ currency: 'EUR', issuer: market.address('other') }]],
    };
    expect(market.pay('gate', 'gate', '5/USD/gate', more).result).toBe('temBAD_PATH');
  });

  test('does not pass an issuer that does not ripple, is frozen or has not authorised', () => {
    const market = book();
    const set = (flag: 'SetFlag' | 'ClearFlag', value: number): void => {
      market.do({ TransactionType: 'AccountSet', Account: market.address('gate'), [flag]: value });
    };
    expect(market.pay('maker', 'taker', '1/USD/gate').result).toBe('tesSUCCESS');
    set('SetFlag', ASF_GLOBAL_FREEZE);
    expect(market.pay('maker', 'taker', '1/USD/gate').result).toBe('tecPATH_DRY');
    expect(market.pay('maker', 'gate', '1/USD/gate').result).toBe('tesSUCCESS');
    set('ClearFlag', ASF_GLOBAL_FREEZE);
    market.rig.fund('plain');
    market.do({
      TransactionType: 'TrustSet',
      Account: market.address('taker'),
      LimitAmount: market.amount('100/JPY/plain'),
    });
    market.do({
      TransactionType: 'TrustSet',
      Account: market.address('maker'),
      LimitAmount: market.amount('100/JPY/plain'),
    });
    expect(market.pay('plain', 'maker', '50/JPY/plain').result).toBe('tesSUCCESS');
    expect(market.pay('maker', 'taker', '5/JPY/plain').result).toBe('tecPATH_DRY');
    market.gateways('strict');
    market.do({
      TransactionType: 'AccountSet',
      Account: market.address('strict'),
      SetFlag: ASF_REQUIRE_AUTH,
    });
    market.give('taker', '0/USD/strict');
    expect(market.pay('strict', 'taker', '5/USD/strict').result).toBe('tecPATH_DRY');
    sound(market);
  });

  test('respects deposit authorisation', () => {
    const market = book();
    market.do({ TransactionType: 'AccountSet', Account: market.address('taker'), SetFlag: ASF_DEPOSIT_AUTH });
    expect(market.pay('maker', 'taker', '10').result).toBe('tecNO_PERMISSION');
    expect(market.pay('maker', 'taker', '10/USD/gate').result).toBe('tecNO_PERMISSION');
    sound(market);
  });
});
