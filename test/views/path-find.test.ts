/**
 * Path finding on random markets: every alternative is submitted to the embedded network, and what the network's own path finder
 * offers for a token over one path is offered here, too, and costs no more, to the last digit.
 */
import { expect, test } from 'bun:test';
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { multiplyRate } from '../../engine/codec/arithmetic/amount-arithmetic.ts';
import { type Asset, issued, XRP } from '../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { assetOf } from '../../engine/quotes/amounts.ts';
import { XRP as XRP_TOKEN } from '../../engine/state/tokens.ts';
import type { Alternative } from '../../sandbox/paths/path-request.ts';
import { Asf } from '../../sandbox/protocol/flags.ts';
import { type PathAlternative, type PathAnswer, PathFind } from '../../views/path-find.ts';
import { BestPayments } from '../../views/quotes/best-payments.ts';
import { QuoteRig } from '../engine/quotes/quote-rig.ts';
import {
  ASSETS,
  amountText,
  crossHoldings,
  type Draws,
  pick,
  randomMarket,
  trial,
} from '../engine/quotes/random-market.ts';
import type { MarketRig } from '../sandbox/flow/market-rig.ts';
import { ask } from '../sandbox/paths/finding.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';

const MARKETS = Number(process.env.MARKETS ?? 6);
const ASKS = 12;
/** Of the node's alternatives: the share that may be missed or cost less than here, each of several paths, whose best mix is not sought. */
const BETTER_MAX = 0.02;
const SEED = seedOf('path finding', 20_261_123);
const ACCOUNTS = ['ann', 'bob', 'carl', 'm1', 'm2', 'm3', 'm4', 'east', 'south', 'west', 'dora'];

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly asset: string;
  readonly amount: Amount;
}

/** What the ledger says where a payment has not what the destination asks for: of a tag first. */
const REFUSALS = {
  deposit_auth: 'tecNO_PERMISSION',
  deposit_auth_unknown: 'tecNO_PERMISSION',
  destination_tag: 'tecDST_TAG_NEEDED',
} as const;

class Finder {
  readonly market: MarketRig;
  readonly #rig: QuoteRig;
  readonly #paths: PathFind;

  constructor(market: MarketRig) {
    this.market = market;
    this.#rig = new QuoteRig(market);
    const { state } = this.#rig;
    const engine = { state, version: 0, head: undefined };
    this.#paths = new PathFind(state, new BestPayments(engine, this.#rig.rules, undefined), []);
  }

  find({ from, to, asset, amount }: Asked): Promise<PathAnswer> {
    const token = this.#rig.token(asset);
    const question = {
      source: this.#rig.account(from),
      destination: this.#rig.account(to),
      token,
      amount: amount.withAsset(assetOf(token)),
      choices: undefined,
    };
    return this.#paths.find(question);
  }

  assetOf(token: number): Asset {
    if (token === XRP_TOKEN) return XRP;
    const { tokens, currencies, accounts } = this.#rig.state;
    return issued(
      hexOf(currencies.bytes(tokens.codes[token]!)),
      hexOf(accounts.bytes(tokens.issuers[token]!)),
    );
  }

  /** The result of the payment, with a thousandth more than it should cost. */
  submit({ from, to, asset, amount }: Asked, { token, cost, paths }: PathAlternative): string {
    const spent = this.assetOf(token);
    const Paths = paths.map((path) =>
      path.map((one) => {
        const { currency, issuer } = { issuer: undefined, ...(this.#json(one) as object) } as never;
        return issuer ? { currency, issuer } : { currency: 'XRP' };
      }),
    );
    const isDirect = this.market.asset(asset) === spent;
    const room = isDirect ? cost : multiplyRate(cost, 1_001_000_000);
    const { outcome } = trial(this.market, from, {
      TransactionType: 'Payment',
      Destination: this.market.address(to),
      Amount: amount.json(),
      ...(isDirect && spent === XRP ? {} : { SendMax: room.withAsset(spent).json() }),
      ...(Paths.length > 0 ? { Paths } : {}),
    });
    return outcome.result;
  }

  #json(token: number): unknown {
    return token === XRP_TOKEN ? {} : Amount.issued(this.assetOf(token), 1n, 0).json();
  }
}

function asked(market: MarketRig, random: Draws): Asked {
  const asset = pick(random, ASSETS);
  const amount = market.value(amountText((1 + random(20_000)) / pick(random, [97, 997]), asset));
  return { from: pick(random, ACCOUNTS), to: pick(random, ACCOUNTS), asset, amount };
}

/** The node's alternatives by asset. It names the sender as issuer where a currency has several. */
function ofNode(market: MarketRig, { from, to, amount, asset }: Asked): Map<string, Alternative> {
  const deliver = amountText(Number(amount.text()) / (asset === 'XRP' ? 1e6 : 1), asset);
  const found = new Map<string, Alternative>();
  for (const spend of ASSETS) {
    // To oneself the same is no payment.
    if (from === to && spend === asset) continue;
    const [alternative] = ask(market, { from, to, deliver, spend: [spend] });
    if (alternative) found.set(spend, alternative);
  }
  return found;
}

test(`${MARKETS} random markets (seed ${SEED}): alternatives pay, and no path of the node's is better`, async () => {
  const random = drawsOf(SEED);
  const wrong: string[] = [];
  /** Better at the node: over one path, and over several. */
  const better: [string[], string[]] = [[], []];
  let compared = 0;
  let submitted = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const draws = drawsOf(random(2 ** 31));
    const market = randomMarket(draws, false);
    const isCrossed = i % 3 === 2;
    if (isCrossed) crossHoldings(market, draws);
    const finder = new Finder(market);
    for (let k = 0; k < ASKS; k += 1) {
      const question = asked(finder.market, draws);
      const at = `market ${i}, question ${k}: ${question.from} to ${question.to}, ${question.amount.text()} ${question.asset}`;
      const { alternatives, demands } = await finder.find(question);
      const [demand] = demands.toReversed();
      const expected = demand ? REFUSALS[demand] : 'tesSUCCESS';
      for (const alternative of alternatives) {
        submitted += 1;
        const result = finder.submit(question, alternative);
        if (result !== expected) wrong.push(`${at}: ${result} for ${finder.assetOf(alternative.token)}`);
      }
      // The node leads paths over lines between issuers, too.
      if (isCrossed) continue;
      for (const [asset, { source, paths }] of ofNode(finder.market, question)) {
        compared += 1;
        const spent = finder.market.asset(asset);
        const mine = alternatives.find(({ token }) => finder.assetOf(token) === spent);
        if (!mine || mine.cost.withAsset(source.asset).compare(source) > 0)
          better[paths.length > 1 ? 1 : 0].push(
            `${at}: ${source.text()} ${asset} instead of ${mine?.cost.text()}`,
          );
      }
    }
  }
  console.log(
    `${submitted} submitted; ${compared} compared, ${better[1].length} of several paths are better at the node`,
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(better[0]).toEqual([]);
  if (better[1].length > compared * BETTER_MAX) expect(better[1]).toEqual([]);
  expect(submitted).toBeGreaterThan(MARKETS * 5);
});

test(`whoever froze all that they issue is paid XRP itself, and nothing else (seed ${SEED})`, async () => {
  const market = randomMarket(drawsOf(SEED), false);
  const Account = market.address('carl');
  const question = { from: 'ann', to: 'carl', asset: 'XRP', amount: market.value('10') };
  const before = (await new Finder(market).find(question)).alternatives;
  expect(before.length).toBeGreaterThan(1);
  market.do({ TransactionType: 'AccountSet', Account, SetFlag: Asf.asfGlobalFreeze });
  const finder = new Finder(market);
  for (const alternative of before) {
    const result = alternative.token === XRP_TOKEN ? 'tesSUCCESS' : 'tecPATH_DRY';
    expect(finder.submit(question, alternative)).toBe(result);
  }
  const { alternatives } = await finder.find(question);
  expect(alternatives.map(({ token }) => token)).toEqual([XRP_TOKEN]);
  for (const asset of ASSETS.filter((one) => one !== 'XRP')) {
    const answer = await finder.find({ ...question, asset, amount: market.value(`10/${asset}`) });
    expect(answer.alternatives).toEqual([]);
  }
});
