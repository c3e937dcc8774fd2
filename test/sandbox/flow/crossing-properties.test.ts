/**
 * For any offers and payments: nothing is created, no balance is negative, no offer ends worse than its book's quality.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { qualityOf } from '../../../engine/codec/arithmetic/quality.ts';
import { rulesAt, SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import { Tf } from '../../../sandbox/protocol/flags.ts';
import { directoryQuality } from '../../../sandbox/protocol/keylets.ts';
import { casesOf } from '../../cases.ts';
import { seedOf } from '../seed.ts';
import { MarketRig } from './market-rig.ts';

const SEED = seedOf('crossing properties', 20_260_718);
const RUNS = casesOf(48, 120);
const NAMES = ['ann', 'ben', 'cat'] as const;
const ASSETS = ['XRP', 'USD/gate', 'EUR/gate'] as const;

interface Act {
  readonly who: number;
  readonly pays: number;
  readonly gets: number;
  readonly payValue: number;
  readonly getValue: number;
  readonly flags: number;
  readonly pay: boolean;
}

const act: fc.Arbitrary<Act> = fc.record({
  who: fc.nat(2),
  pays: fc.nat(2),
  gets: fc.nat(2),
  payValue: fc.integer({ min: 1, max: 99_999 }),
  getValue: fc.integer({ min: 1, max: 99_999 }),
  flags: fc.constantFrom(0, 0, Tf.tfSell, Tf.tfPassive, Tf.tfImmediateOrCancel, Tf.tfFillOrKill | Tf.tfSell),
  pay: fc.boolean(),
});

/** Values with many digits, so that everything has to be rounded. */
const text = (value: number, asset: string): string =>
  asset === 'XRP' ? (value / 997).toFixed(6) : `${(value / 983).toFixed(9)}/${asset}`;

function setUp(pool: number | undefined, large: boolean): MarketRig {
  const market = new MarketRig({ rules: large ? SANDBOX_RULES : rulesAt(815_000_000) });
  market.gateways('gate');
  market.rig.fund(...NAMES);
  for (const name of NAMES)
    for (const asset of ASSETS) if (asset !== 'XRP') market.give(name, `100.123456789/${asset}`);
  if (pool !== undefined) market.pool(1_000_003_331n, '777.123456789/USD/gate', pool);
  return market;
}

function perform(market: MarketRig, { who, pays, gets, payValue, getValue, flags, pay }: Act): void {
  const [paysAsset, getsAsset] = [ASSETS[pays]!, ASSETS[gets]!];
  const name = NAMES[who]!;
  if (paysAsset === getsAsset) return;
  const [wanted, given] = [text(payValue, paysAsset), text(getValue, getsAsset)];
  if (!pay) market.offer(name, wanted, given, { Flags: flags });
  else {
    const more = {
      SendMax: market.amount(given),
      Flags: Tf.tfPartialPayment,
      Paths: [[{ currency: 'XRP' }]],
    };
    const bridged = paysAsset !== 'XRP' && getsAsset !== 'XRP';
    if (!bridged) delete (more as { Paths?: unknown }).Paths;
    market.pay(name, NAMES[(who + 1) % 3]!, wanted, more);
  }
}

/** The sum of all holders' balances of an asset; the issuer takes no fee. */
function total(market: MarketRig, asset: string, pool: boolean): Amount {
  const names: string[] = [...NAMES];
  if (pool) names.push('pool of 777.123456789/USD/gate');
  return names
    .map((name) => market.held(market.id(name), market.asset(asset)))
    .reduce((sum, held) => sum.add(held), Amount.zero(market.asset(asset)));
}

function check(market: MarketRig, before: readonly Amount[], pool: boolean): void {
  expect(market.rig.problems()).toEqual([]);
  for (const [i, asset] of ['USD/gate', 'EUR/gate'].entries()) {
    const difference = total(market, asset, pool).sub(before[i]!).abs();
    expect(difference.compare(market.value(`0.0000000001/${asset}`))).toBeLessThanOrEqual(0);
    for (const name of NAMES)
      expect(market.held(market.id(name), market.asset(asset)).mantissa >= 0n).toBe(true);
  }
  for (const entry of market.rig.entries()) {
    if (entry.LedgerEntryType === 'AccountRoot') expect(entry.Balance!.drops >= 0n).toBe(true);
    if (entry.LedgerEntryType !== 'Offer') continue;
    // Reduced offers have the quality of their directory, except for one unit of the last digit.
    const own = qualityOf(entry.TakerPays!, entry.TakerGets!);
    expect(entry.TakerPays!.mantissa > 0n && entry.TakerGets!.mantissa > 0n).toBe(true);
    const coarse = entry.TakerPays!.isNative || entry.TakerGets!.isNative;
    if (!coarse) expect(own - directoryQuality(entry.BookDirectory!)).toBeLessThanOrEqual(10n);
  }
}

for (const large of [false, true])
  for (const pool of [undefined, 0, 500])
    test(`random markets keep what there is (${large ? 19 : 16} digits, pool ${pool ?? 'none'}), seed ${SEED}`, () => {
      fc.assert(
        fc.property(fc.array(act, { minLength: 2, maxLength: 9 }), (acts) => {
          const market = setUp(pool, large);
          const before = ['USD/gate', 'EUR/gate'].map((asset) => total(market, asset, pool !== undefined));
          for (const one of acts) perform(market, one);
          check(market, before, pool !== undefined);
        }),
        { numRuns: RUNS / 6, seed: SEED },
      );
    });
