/** Path finding where an end of the payment has something special: what is found is what the embedded network's ledger lets pass. */
import { expect, test } from 'bun:test';
import { assetOf } from '../../engine/quotes/amounts.ts';
import type { Demand } from '../../engine/quotes/payment-ends.ts';
import { Asf, Tf } from '../../sandbox/protocol/flags.ts';
import { PathFind } from '../../views/path-find.ts';
import { BestPayments } from '../../views/quotes/best-payments.ts';
import { leaveDrops, QuoteRig } from '../engine/quotes/quote-rig.ts';
import { MarketRig } from '../sandbox/flow/market-rig.ts';

/** A token with two holders and no market. */
function twoHolders(): MarketRig {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'bob');
  market.give('ann', '500/USD/gate', '700');
  market.give('bob', '100/USD/gate', '1000');
  return market;
}

async function answered(market: MarketRig, from: string, to: string, amount: string) {
  market.rig.close();
  const rig = new QuoteRig(market);
  const engine = { state: rig.state, version: 0, head: undefined };
  const paths = new PathFind(rig.state, new BestPayments(engine, rig.rules, undefined), []);
  const [, ...asset] = amount.split('/');
  const token = rig.token(asset.join('/') || 'XRP');
  const { alternatives, demands } = await paths.find({
    source: rig.account(from),
    destination: rig.account(to),
    token,
    amount: market.value(amount).withAsset(assetOf(token)),
    choices: undefined,
  });
  const costs = alternatives.map((one) => `${one.cost.text()} ${rig.state.tokens.currencyText(one.token)}`);
  return { costs, demands };
}

/** Costs of what is found, by token. */
const found = async (...asked: Parameters<typeof answered>): Promise<string[]> =>
  (await answered(...asked)).costs;

const gateSets = (holder: string, Flags: number) => (market: MarketRig) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address('gate'),
    LimitAmount: { currency: 'USD', issuer: market.address(holder), value: '0' },
    Flags,
  });

const annSets = (Flags: number) => (market: MarketRig) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address('ann'),
    LimitAmount: market.amount('700/USD/gate'),
    Flags,
  });

const freezesAll = (name: string) => (market: MarketRig) =>
  market.do({ TransactionType: 'AccountSet', Account: market.address(name), SetFlag: Asf.asfGlobalFreeze });

type Qualities = { readonly QualityIn?: number; readonly QualityOut?: number };

const accepts = (holder: string, qualities: Qualities) => (market: MarketRig) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address(holder),
    LimitAmount: market.amount('700/USD/gate'),
    ...qualities,
  });

const gives = (holder: string, qualities: Qualities) => (market: MarketRig) =>
  market.do({
    TransactionType: 'TrustSet',
    Account: market.address('gate'),
    LimitAmount: { currency: 'USD', issuer: market.address(holder), value: holder === 'dora' ? '50' : '0' },
    ...qualities,
  });

/** An account of whose paper the issuer holds 4. */
function owing(market: MarketRig): void {
  market.rig.fund('dora');
  market.give('dora', '0/USD/gate', '700');
  gives('dora', {})(market);
  const Amount = { currency: 'USD', issuer: market.address('dora'), value: '4' };
  const Destination = market.address('gate');
  market.do({ TransactionType: 'Payment', Account: market.address('dora'), Destination, Amount });
}

const DEEP_FREEZE = Tf.tfSetFreeze | Tf.tfSetDeepFreeze;

const DIRECT: readonly [string, string, string, (market: MarketRig) => unknown][] = [
  ['an issuer pays', 'gate', 'ann', () => {}],
  ['a holder pays the issuer', 'ann', 'gate', () => {}],
  ['a holder pays another one', 'ann', 'bob', () => {}],
  ['a frozen holder pays the issuer', 'ann', 'gate', gateSets('ann', Tf.tfSetFreeze)],
  ['a frozen holder pays another one', 'ann', 'bob', gateSets('ann', Tf.tfSetFreeze)],
  ['a deeply frozen holder pays the issuer', 'ann', 'gate', gateSets('ann', DEEP_FREEZE)],
  ['a holder pays the issuer that froze all', 'ann', 'gate', freezesAll('gate')],
  ['a holder pays another one, the issuer froze all', 'ann', 'bob', freezesAll('gate')],
  ['an issuer that froze all pays', 'gate', 'ann', freezesAll('gate')],
  ['an issuer pays whom it froze', 'gate', 'ann', gateSets('ann', Tf.tfSetFreeze)],
  ['an issuer pays whom it froze deeply', 'gate', 'ann', gateSets('ann', DEEP_FREEZE)],
  ['a holder pays who is deeply frozen', 'bob', 'ann', gateSets('ann', DEEP_FREEZE)],
  ['an issuer pays who froze all', 'gate', 'ann', freezesAll('ann')],
  ['a holder pays who froze all', 'bob', 'ann', freezesAll('ann')],
  ['an issuer pays who froze the line', 'gate', 'ann', annSets(Tf.tfSetFreeze)],
  ['a holder pays who froze the line', 'bob', 'ann', annSets(Tf.tfSetFreeze)],
  ['who froze the line pays', 'ann', 'bob', annSets(Tf.tfSetFreeze)],
];

for (const [name, from, to, change] of DIRECT)
  test(`${name}: found where the ledger lets it pass`, async () => {
    const market = twoHolders();
    change(market);
    const amount = '10/USD/gate';
    const costs = await found(market, from, to, amount);
    const { result } = market.pay(from, to, amount);
    expect(costs, result).toEqual(result === 'tesSUCCESS' ? ['10 USD'] : []);
  });

/** What lines take of a payment over them, by qualities: part of what moves, or more than that. */
const QUALITIES: readonly [string, string, string, (market: MarketRig) => unknown][] = [
  ['an issuer pays who accepts at 80 %', 'gate', 'ann', accepts('ann', { QualityIn: 800_000_000 })],
  ['a holder pays who accepts at 80 %', 'bob', 'ann', accepts('ann', { QualityIn: 800_000_000 })],
  ['a holder pays who accepts at 120 %', 'bob', 'ann', accepts('ann', { QualityIn: 1_200_000_000 })],
  ['who accepts at 80 % pays', 'ann', 'bob', accepts('ann', { QualityIn: 800_000_000 })],
  ['who gives at 120 % pays', 'ann', 'bob', accepts('ann', { QualityOut: 1_200_000_000 })],
  ['a holder pays whom the issuer gives at 120 %', 'bob', 'ann', gives('ann', { QualityOut: 1_200_000_000 })],
  ['a holder pays who owes the issuer', 'ann', 'dora', () => {}],
  ['a holder pays who owes and accepts at 80 %', 'ann', 'dora', accepts('dora', { QualityIn: 800_000_000 })],
  ['a holder pays who owes, at 120 %', 'ann', 'dora', gives('dora', { QualityOut: 1_200_000_000 })],
  [
    'a holder whose line is good for 130 % pays who owes',
    'ann',
    'dora',
    gives('ann', { QualityIn: 1_300_000_000 }),
  ],
  [
    'the issuer pays who owes and accepts at 80 %',
    'gate',
    'dora',
    accepts('dora', { QualityIn: 800_000_000 }),
  ],
];

for (const [name, from, to, change] of QUALITIES)
  test(`${name}: costs what the ledger takes`, async () => {
    const market = twoHolders();
    market.do({
      TransactionType: 'AccountSet',
      Account: market.address('gate'),
      TransferRate: 1_010_000_000,
    });
    owing(market);
    change(market);
    const amount = '10/USD/gate';
    const [cost] = await found(market, from, to, amount);
    const paying = (SendMax: unknown) => market.pay(from, to, amount, { SendMax }).result;
    const [value] = cost!.split(' ') as [string];
    const least = { currency: 'USD', issuer: market.address(from === 'gate' ? 'gate' : from) };
    expect(paying({ ...least, value: (Number(value) * 0.999_999).toPrecision(12) })).toBe('tecPATH_PARTIAL');
    expect(paying({ ...least, value })).toBe('tesSUCCESS');
  });

test('a limit that a payment below face value would pass is too low for it', async () => {
  for (const [limit, fits] of [
    ['512.5', true],
    ['512.4', false],
  ] as const) {
    const market = twoHolders();
    market.do({
      TransactionType: 'TrustSet',
      Account: market.address('ann'),
      LimitAmount: market.amount(`${limit}/USD/gate`),
      QualityIn: 800_000_000,
    });
    expect(await found(market, 'bob', 'ann', '10/USD/gate')).toEqual(fits ? ['12.5 USD'] : []);
    const paid = market.pay('bob', 'ann', '10/USD/gate', { SendMax: market.amount('20/USD/gate') });
    expect(paid.result).toBe(fits ? 'tesSUCCESS' : 'tecPATH_PARTIAL');
  }
});

const FEE = 10n;

test('XRP into a book leaves the fee above the reserve; XRP itself does not have to', async () => {
  for (const missing of [0n, 1n]) {
    const market = twoHolders();
    market.offer('bob', '10', '20/USD/gate');
    leaveDrops(market, 'ann', 10_000_000n + FEE - missing);
    expect(await found(market, 'ann', 'ann', '20/USD/gate')).toEqual(missing === 0n ? ['10000000 XRP'] : []);
    const swap = market.pay('ann', 'ann', '20/USD/gate', { SendMax: '10000000', Fee: String(FEE) });
    expect(swap.result).toBe(missing === 0n ? 'tesSUCCESS' : 'tecPATH_PARTIAL');
  }
  const market = twoHolders();
  leaveDrops(market, 'ann', 10_000_000n);
  expect(await found(market, 'ann', 'bob', '10')).toEqual(['10000000 XRP']);
  expect(market.pay('ann', 'bob', '10', { Fee: String(FEE) }).result).toBe('tesSUCCESS');
});

test('an issuer that froze all of its token can spend it where others offer something for it', async () => {
  const market = twoHolders();
  market.offer('bob', '20/USD/gate', '10');
  freezesAll('gate')(market);
  expect(await found(market, 'gate', 'ann', '10')).toEqual(['10000000 XRP', '20 USD']);
  expect(await found(market, 'ann', 'bob', '10')).toEqual(['10000000 XRP']);
  const paid = (from: string, to: string) =>
    market.pay(from, to, '10', { SendMax: market.amount('20/USD/gate') }).result;
  expect(paid('ann', 'bob')).toBe('tecPATH_DRY');
  expect(paid('gate', 'ann')).toBe('tesSUCCESS');
});

const setsFlag = (name: string, SetFlag: number) => (market: MarketRig) =>
  market.do({ TransactionType: 'AccountSet', Account: market.address(name), SetFlag });

/** Of ann, by bob. */
const authorises =
  (...fields: readonly ('Authorize' | 'Unauthorize')[]) =>
  (market: MarketRig) => {
    setsFlag('bob', Asf.asfDepositAuth)(market);
    const bob = { TransactionType: 'DepositPreauth', Account: market.address('bob') };
    for (const field of fields) market.do({ ...bob, [field]: market.address('ann') });
  };

/** What is paid to whom with which settings; what is asked of the payment, and what the ledger says of one without it. */
const DEMANDS: readonly [string, string, string, (market: MarketRig) => void, readonly Demand[], string][] = [
  [
    'a token',
    'bob',
    '10/USD/gate',
    setsFlag('bob', Asf.asfDepositAuth),
    ['deposit_auth'],
    'tecNO_PERMISSION',
  ],
  ['XRP', 'bob', '10', setsFlag('bob', Asf.asfDepositAuth), ['deposit_auth'], 'tecNO_PERMISSION'],
  ['XRP of who is authorised', 'bob', '10', authorises('Authorize'), [], 'tesSUCCESS'],
  [
    'XRP of who is no more',
    'bob',
    '10',
    authorises('Authorize', 'Unauthorize'),
    ['deposit_auth'],
    'tecNO_PERMISSION',
  ],
  ['one XRP', 'bob', '1', setsFlag('bob', Asf.asfDepositAuth), ['deposit_auth'], 'tecNO_PERMISSION'],
  [
    'a token',
    'bob',
    '10/USD/gate',
    setsFlag('bob', Asf.asfRequireDest),
    ['destination_tag'],
    'tecDST_TAG_NEEDED',
  ],
  ['XRP', 'ann', '10', setsFlag('ann', Asf.asfRequireDest), ['destination_tag'], 'tecDST_TAG_NEEDED'],
  ['XRP that nobody should send', 'bob', '10', setsFlag('bob', Asf.asfDisallowXRP), [], 'tesSUCCESS'],
];

for (const [what, to, amount, change, asked, result] of DEMANDS)
  test(`${what} for ${to}: ${asked.join() || 'nothing'} is asked where the ledger answers ${result}`, async () => {
    const market = twoHolders();
    // For a conversion of her own.
    market.offer('bob', '20/USD/gate', '10');
    change(market);
    const answer = await answered(market, 'ann', to, amount);
    expect(answer.costs.length).toBeGreaterThan(0);
    expect(answer.demands).toEqual([...asked]);
    const SendMax = { SendMax: market.amount('20/USD/gate') };
    expect<string>(market.pay('ann', to, amount, to === 'ann' ? SendMax : {}).result).toBe(result);
  });

test('an account with little takes small amounts of XRP of anybody, as they are', async () => {
  const market = twoHolders();
  setsFlag('bob', Asf.asfDepositAuth)(market);
  const { Balance } = market.rig.root(market.rig.account('bob'));
  const left = 1_000_000n;
  // What the reserve of its line keeps, too: fees may be paid of it.
  const burnt = {
    TransactionType: 'AccountSet',
    Account: market.address('bob'),
    Fee: String(Balance!.drops - left),
  };
  market.do(burnt);
  for (const [amount, asked] of [
    ['1', []],
    ['2', ['deposit_auth']],
  ] as const) {
    expect(await answered(market, 'ann', 'bob', amount)).toEqual({
      costs: [`${amount}000000 XRP`],
      demands: [...asked],
    });
    expect(market.pay('ann', 'bob', amount).result).toBe(
      asked.length === 0 ? 'tesSUCCESS' : 'tecNO_PERMISSION',
    );
  }
});
