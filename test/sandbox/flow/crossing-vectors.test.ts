/** Published cases of crossing: rippled's own offer tests, a real book of 2014, and figures of mainnet's pools. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transactionOfFields } from '../../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../sandbox/apply/transactor.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import { rulesAt, rulesOf, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { fromJson } from '../../../sandbox/protocol/encode.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { Tf } from '../../../sandbox/protocol/flags.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { MapView } from '../rig.ts';
import { MarketRig } from './market-rig.ts';

type Json = Record<string, unknown>;
interface Holder {
  readonly balance: readonly string[];
  readonly offers?: readonly (readonly string[])[];
}
interface Declared {
  readonly name: string;
  readonly pre_ledger: { readonly accounts: Record<string, Holder> };
  readonly offer: readonly string[];
  readonly post_ledger: { readonly accounts: Record<string, Holder> };
}

const vectors = <T>(name: string): T[] =>
  corpusDir ? JSON.parse(readFileSync(join(corpusDir, 'vectors', `${name}.json`), 'utf8')).cases : [];

/** 16 digits of mainnet, without the 19 digits of vaults. */
const MAINNET_RULES = rulesAt(815_000_000);

const flagsOf = (text: string | undefined): Json => (text === 'Sell' ? { Flags: Tf.tfSell } : {});

/**
 * The offers were crossed by the engine of 2014. Since fixUniversalNumber the two qualities of a bridge round to a digit
 * worse than the taker's, who therefore offers this much more.
 */
const yielding = (gets: string): string => {
  const [value, ...asset] = gets.split('/');
  return [(Number(value) * (1 + 2e-12)).toFixed(11), ...asset].join('/');
};

/** Equal but for that, and for rounding. */
function near(actual: string, wanted: number): void {
  expect(Math.abs(Number(actual) - wanted)).toBeLessThanOrEqual(1e-11 * Math.max(1, Math.abs(wanted)));
}

for (const { name, pre_ledger, offer, post_ledger } of vectors<Declared>('offer_crossing_declarative')) {
  test(`declared: ${name}`, () => {
    const market = new MarketRig({ rules: MAINNET_RULES });
    const holders = Object.entries(pre_ledger.accounts);
    market.gateways(...holders.map(([who]) => who).filter((who) => who.startsWith('G')));
    market.rig.fund(...holders.map(([who]) => who).filter((who) => !who.startsWith('G')));
    for (const [who, { balance }] of holders)
      for (const text of balance) if (text.includes('/')) market.give(who, text);
    for (const [who, { offers = [] }] of holders)
      for (const [pays, gets, flag] of offers)
        expect(market.offer(who, pays!, gets!, flagsOf(flag)).result).toBe('tesSUCCESS');
    const [taker, pays, gets, flag] = offer;
    expect(market.offer(taker!, pays!, yielding(gets!), flagsOf(flag)).result).toBe('tesSUCCESS');
    for (const [who, { balance, offers }] of Object.entries(post_ledger.accounts)) {
      for (const text of balance) {
        const [value, currency, issuer] = text.split('/');
        if (currency) near(market.balance(who, `${currency}/${issuer}`), Number(value));
      }
      if (!offers) continue;
      const left = market.offers(who);
      expect(left.length).toBe(offers.length);
      const inUnits = (text: string): number => Number(text.split('/')[0]) * (text.includes('/') ? 1 : 1e6);
      for (const [i, [wantPays, wantGets]] of offers.entries()) {
        near(left[i]![0], inUnits(wantPays!));
        near(left[i]![1], inUnits(wantGets!));
      }
    }
    expect(market.rig.problems()).toEqual([]);
  });
}

interface RealState {
  readonly name: string;
  readonly ledger: { readonly accountState: Json[] };
  readonly txs: readonly { readonly tx: Json }[];
}

for (const { name, ledger, txs } of vectors<RealState>('crossing_real_state')) {
  test(`real book: ${name}`, () => {
    const entries = ledger.accountState.map((json) => {
      const { index, LedgerEntryType, ...fields } = json;
      return { ...fromJson(fields as never), LedgerEntryType, index } as Entry;
    });
    const header = {
      index: 7_000_000,
      parentHash: '0'.repeat(64),
      parentCloseTime: 450_000_000,
      closeTime: 450_000_010,
      totalDrops: 10n ** 17n,
    };
    const fees = { base: 10n, reserve: 20_000_000n, increment: 5_000_000n };
    const view = new EntryTable(new MapView(header, MAINNET_RULES, fees, false, entries));
    for (const { tx } of txs) {
      const outcome = applyTransaction(view, transactionOfFields(fromJson(tx as never)), { networkId: 0 });
      console.log(`${name}: ${outcome.result}`);
      expect(outcome.applied).toBe(true);
    }
    let change = view.destroyed;
    for (const { before, after, action } of view.changes()) {
      const now =
        action === 'erase' ? 0n : after.LedgerEntryType === 'AccountRoot' ? after.Balance!.drops : 0n;
      const then = before?.LedgerEntryType === 'AccountRoot' ? before.Balance!.drops : 0n;
      change += now - then;
    }
    expect(change).toBe(0n);
    for (const { Balance, LedgerEntryType } of [...view.changes()].map(({ after }) => after))
      if (LedgerEntryType === 'AccountRoot') expect(Balance!.drops >= 0n).toBe(true);
  });
}

test('a pool sells a small amount although the book behind it is worse than the offer asks', () => {
  const market = new MarketRig({ rules: MAINNET_RULES });
  market.gateways('gate');
  market.rig.fund('maker', 'taker');
  for (const who of ['maker', 'taker']) market.give(who, '5000/TOK/gate');
  market.pool(10_526_371n, '2089.989295377329/TOK/gate', 0);
  expect(market.offer('maker', '120/TOK/gate', '0.603360').result).toBe('tesSUCCESS');
  expect(market.offer('taker', '1.857611', '368.83/TOK/gate').result).toBe('tesSUCCESS');
  expect(market.balance('pool of 2089.989295377329/TOK/gate', 'XRP')).toBe(String(10_526_371 - 147));
  expect(market.offers('taker')).toEqual([['1857464', '368.8008130442811']]);
  expect(market.offers('maker')).toEqual([['120', '603360']]);
});

test('a pool whose price is worse than the offer asks is not used', () => {
  const market = new MarketRig({ rules: MAINNET_RULES });
  market.gateways('gate');
  market.rig.fund('taker');
  market.give('taker', '2000000/TOK/gate');
  market.pool(4_014_336_154n, '4363.056921446038/TOK/gate', 500);
  expect(market.offer('taker', '1000000', '1061920/TOK/gate').result).toBe('tesSUCCESS');
  expect(market.offers('taker')).toEqual([['1000000000000', '1061920']]);
  expect(market.balance('pool of 4363.056921446038/TOK/gate', 'XRP')).toBe('4014336154');
});

test('tick size: the inexact side is rounded, and the quality with it', () => {
  const market = new MarketRig({ rules: MAINNET_RULES });
  market.gateways('gate');
  market.rig.fund('taker');
  market.give('taker', '0/ZRP/gate');
  market.do({ TransactionType: 'AccountSet', Account: market.address('gate'), TickSize: 5 });
  expect(market.offer('taker', '140.55304742187/ZRP/gate', '3.654519').result).toBe('tesSUCCESS');
  const offer = market.rig.entries().find(({ LedgerEntryType }) => LedgerEntryType === 'Offer')!;
  expect(offer.TakerGets!.drops).toBe(3_654_430n);
  expect(offer.BookDirectory!.slice(48)).toBe('500DAA02090C875D');
});

test('an offer is consumed at the quality of its directory, not of its remainder', () => {
  const market = new MarketRig({ rules: rulesOf(SANDBOX_RULES.names) });
  market.gateways('gate');
  market.rig.fund('maker', 'taker');
  for (const who of ['maker', 'taker']) market.give(who, '500/USD/gate');
  expect(market.offer('maker', '100/USD/gate', '50').result).toBe('tesSUCCESS');
  const offer = market.rig.entries().find(({ LedgerEntryType }) => LedgerEntryType === 'Offer')!;
  market.rig.ledger.peek(offer.index)!.TakerGets = market.value('55');
  const paid = market.pay('taker', 'taker', '25', { SendMax: market.amount('100/USD/gate') });
  expect(paid.result).toBe('tesSUCCESS');
  expect(market.balance('taker', 'USD/gate')).toBe('450');
});
