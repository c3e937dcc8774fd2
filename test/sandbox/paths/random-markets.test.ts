/**
 * Small random markets against brute force: every path of up to three steps over all accounts and assets is paid for
 * trial, with the implied path beside it as in a Payment. What the finder answers must not cost more than the best of them that has a searched shape.
 */
import { expect, test } from 'bun:test';
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { multiplyRate } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import { CURRENCY_XRP, currencyOf, issuerOf, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { PaymentView } from '../../../sandbox/flow/payment-view.ts';
import { rippleCalculate } from '../../../sandbox/flow/ripple-calculate.ts';
import { unlimited } from '../../../sandbox/paths/ranking.ts';
import type { PathStep } from '../../../sandbox/protocol/fields.ts';
import { MarketRig } from '../flow/market-rig.ts';
import { drawsOf, seedOf } from '../seed.ts';
import { ask, type PathAsk, payment, question } from './finding.ts';

const MARKETS = Number(process.env.MARKETS ?? 24);
const SEED = seedOf('random markets', 20_261_121);
const TRADED = ['USD/east', 'USD/west', 'EUR/east', 'BTC/west'];
const ASSETS = [...TRADED, XRP];

const text = (value: number, asset: string) => (asset === XRP ? String(value) : `${value}/${asset}`);

function build(random: (below: number) => number): { market: MarketRig; hasPool: boolean } {
  const market = new MarketRig();
  market.gateways('east', 'west', 'maker');
  market.rig.fund('ann', 'bob', 'carl');
  for (const asset of TRADED) {
    for (const name of ['maker', 'carl']) market.give(name, `${5_000 + random(5_000)}/${asset}`);
    for (const name of ['ann', 'bob']) if (random(4) > 0) market.give(name, `${500 + random(500)}/${asset}`);
  }
  // Trust between users: a debt that ripples through the maker.
  if (random(2) === 0) market.give('bob', '0/USD/maker', '300');
  for (let i = 0; i < 14; i += 1) {
    const pays = ASSETS[random(ASSETS.length)]!;
    const gets = ASSETS[random(ASSETS.length)]!;
    if (pays === gets) continue;
    const size = 20 + random(300);
    market.offer(
      random(2) ? 'maker' : 'carl',
      text(Math.round(size * (0.8 + random(60) / 100)), pays),
      text(size, gets),
    );
  }
  const hasPool = random(2) === 0;
  if (hasPool)
    market.do({
      TransactionType: 'AMMCreate',
      Account: market.address('maker'),
      Amount: market.amount('2000'),
      Amount2: market.amount(`${1_500 + random(1_000)}/USD/east`),
      TradingFee: random(1_000),
      Fee: '200000',
    });
  return { market, hasPool };
}

/** Letters that a step may have in a shape: a, and for books x, f, b. */
function lettersOf(step: PathStep, deliver: Amount): string {
  if (step.account) return 'a';
  if (step.currency === CURRENCY_XRP) return 'xb';
  return step.currency === currencyOf(deliver.asset) ? 'fb' : 'b';
}

/** The shapes that are searched at the usual level, written a second time; the ends left out. */
const SEARCHED = {
  xrpToIssued: ['f', 'fa', 'faa', 'bf'],
  issuedToXrp: ['x', 'ax', 'aax', 'bx'],
  same: ['a', 'f', 'af', 'fa', 'aa', 'bf', 'xfa', 'afa', 'axf', 'axfa', 'abf', 'aaa'],
  other: ['fa', 'af', 'afa', 'xf', 'axf', 'xfa', 'bf', 'axfa', 'abf', 'aaf'],
};

function shapesOf(spend: string, deliver: Amount): readonly string[] {
  if (spend === XRP) return SEARCHED.xrpToIssued;
  if (deliver.isNative) return SEARCHED.issuedToXrp;
  return currencyOf(deliver.asset) === currencyOf(spend) ? SEARCHED.same : SEARCHED.other;
}

function isSearched(path: readonly PathStep[], shapes: readonly string[], deliver: Amount): boolean {
  // An issuer after its own book is implied.
  const steps = path.filter(({ account }, i) => !(account && path[i - 1]?.issuer === account));
  const letters = steps.map((step) => lettersOf(step, deliver));
  const fits = (shape: string) =>
    shape.length === letters.length && letters.every((allowed, i) => allowed.includes(shape[i]!));
  // An account ends the path by a link of its own, or by the one to the receiver.
  return shapes.some(fits);
}

/** The lowest cost of a path of up to three steps. */
function bestByForce(market: MarketRig, asked: PathAsk): Amount | undefined {
  const { source, destination, deliver, sourceAssets } = question(market, asked);
  const send = sourceAssets[0]!;
  const accounts = [...market.rig.accounts.values()].filter(({ name }) => name !== 'genesis');
  const alphabet: PathStep[] = [
    ...accounts.map(({ id }) => ({ account: id })),
    ...TRADED.map((name) => market.asset(name)).map((asset) => ({
      currency: currencyOf(asset)!,
      issuer: issuerOf(asset),
    })),
    { currency: CURRENCY_XRP },
  ];
  const shapes = shapesOf(send, deliver);
  let best: Amount | undefined;
  const visit = (path: readonly PathStep[]): void => {
    if (path.length > 0 && isSearched(path, shapes, deliver)) {
      const paid = rippleCalculate(new PaymentView(market.rig.ledger), {
        source,
        destination,
        deliver,
        maximum: unlimited(send),
        paths: [path],
        defaultPath: true,
        partial: false,
        limitQuality: false,
        domain: undefined,
      });
      if (paid.result === 'tesSUCCESS' && (!best || paid.in.compare(best) < 0)) best = paid.in;
    }
    if (path.length < 3) for (const step of alphabet) visit([...path, step]);
  };
  visit([]);
  return best;
}

test(`${MARKETS} random markets (seed ${SEED}): no path found by force is better, all that is found pays`, () => {
  const random = drawsOf(SEED);
  let compared = 0;
  let found = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const { market, hasPool } = build(random);
    const spend = ASSETS[random(ASSETS.length)]!;
    const wanted = ASSETS[random(ASSETS.length)]!;
    const asked: PathAsk = {
      from: 'ann',
      to: 'bob',
      deliver: text(5 + random(60), wanted),
      spend: [spend === XRP ? XRP : `${spend.split('/')[0]}/ann`],
    };
    if (spend === XRP && wanted === XRP) continue;
    const [alternative] = ask(market, asked);
    const best = bestByForce(market, asked);
    const at = `market ${i}: ${JSON.stringify(asked)}`;
    if (best !== undefined) {
      compared += 1;
      expect(alternative, at).toBeDefined();
      // Among several paths a pool makes its offers in parts, which cost a little more than one piece.
      const bound = hasPool ? multiplyRate(best, 1_010_000_000) : best;
      const { source } = alternative!;
      expect(source.compare(bound.withAsset(source.asset)), at).toBeLessThanOrEqual(0);
    }
    if (alternative === undefined) continue;
    found += 1;
    const before = market.balance('bob', wanted);
    const { result } = market.rig.apply(payment(market, asked, alternative));
    expect(result, at).toBe('tesSUCCESS');
    expect(market.balance('bob', wanted), at).not.toBe(before);
    expect(market.rig.problems(), at).toEqual([]);
  }
  console.log(`${compared} compared with brute force, ${found} paid`);
  expect(compared).toBeGreaterThan(MARKETS / 4);
});
