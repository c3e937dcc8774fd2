/**
 * Small random markets against brute force: every path of up to four hops is computed with the default one beside it. No such
 * payment may be better than what the search finds, to the last digit, nor better than its estimate. What the search finds is what
 * the embedded network's engine pays.
 */
import { expect, test } from 'bun:test';
import { runToEnd } from '../../../engine/event-loop.ts';
import { numberOfAmount } from '../../../engine/quotes/amounts.ts';
import { Estimates } from '../../../engine/quotes/estimate.ts';
import { TokenGraph } from '../../../engine/quotes/graph.ts';
import { isOneCurrency } from '../../../engine/quotes/issuers-line.ts';
import { PathEstimates } from '../../../engine/quotes/path-estimates.ts';
import { type Path, type Quote, quoteOver, quoting } from '../../../engine/quotes/quote.ts';
import { bestQuote, isBetter, rankedQuotes } from '../../../engine/quotes/search.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { ASSETS, askOf, plainMarket } from './plain-market.ts';
import { QuoteRig } from './quote-rig.ts';

const MARKETS = Number(process.env.MARKETS ?? 3);
const ASKS = 10;
const SEED = seedOf('search of quotes', 20_261_124);
/** Paths of the market in which each is computed. */
const PATHS = 12;

/** All orders of up to `most` of the tokens. */
function* orders(tokens: readonly number[], most: number): Generator<number[]> {
  yield [];
  if (most === 0) return;
  for (const token of tokens)
    for (const rest of orders(
      tokens.filter((other) => other !== token),
      most - 1,
    ))
      yield [token, ...rest];
}

test(`${MARKETS} markets, ${ASKS} quotes each (seed ${SEED}): at least as good as any single path, and the ledger's engine pays what is quoted`, () => {
  const random = drawsOf(SEED);
  let found = 0;
  let together = 0;
  let better = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const market = plainMarket(random);
    const rig = new QuoteRig(market);
    const graph = new TokenGraph(rig.state);
    graph.update();
    const estimates = new Estimates(rig.state);
    for (let k = 0; k < ASKS; k += 1) {
      const ask = askOf(random);
      const request = rig.request(ask);
      const at = `market ${i}, quote ${k}: ${JSON.stringify({ ...ask, paths: undefined })}`;
      let forced: Quote | undefined;
      const between = ASSETS.map((asset) => rig.token(asset)).filter(
        (token) => token !== request.source && token !== request.destination,
      );
      const values = new PathEstimates(estimates, request);
      const consider = (path: Path | undefined): void => {
        const quote = quoteOver(rig.state, request, path ? [path] : [], rig.rules);
        if (!quote) return;
        if (!forced || isBetter(request, quote, forced)) forced = quote;
        expect(values.mayBeat(path, quote), `${at}, over ${path}`).toBe(true);
      };
      for (const path of orders(between, 3))
        if (path.length > 0 || isOneCurrency(rig.state, request)) consider(path);
      consider(undefined);
      const quote = bestQuote(rig.state, graph, request, rig.rules);
      expect(quote === undefined, at).toBe(forced === undefined);
      if (!quote || !forced) continue;
      found += 1;
      if (quote.paths.length > 1) together += 1;
      const texts = [forced, quote].map((one) => `${one.in.text()} ${one.out.text()} ${one.paths.join('/')}`);
      expect(isBetter(request, forced, quote), `${at}: ${texts.join(' instead of ')}`).toBe(false);
      if (isBetter(request, quote, forced)) better += 1;
      if (numberOfAmount(quote.in) > (ask.source === 'XRP' ? 9e9 : 9e4)) continue;
      const names = new Map(ASSETS.map((asset) => [rig.token(asset), asset]));
      const paths = quote.paths.map((path) => path.map((token) => names.get(token)!));
      const paid = rig.paid({ ...ask, paths });
      expect([quote.in.text(), quote.out.text()], at).toEqual([paid.in.text(), paid.out.text()]);
    }
  }
  console.log(
    `${found} of ${MARKETS * ASKS} quotes deliver, ${together} over several named paths, ${better} better than any single one`,
  );
  expect(better).toBeGreaterThan(0);
  expect(found).toBeGreaterThan((MARKETS * ASKS) / 2);
});

test('no path leads over what its sender issues in the currency that is spent: the ledger refuses it', () => {
  const market = new MarketRig();
  market.gateways('east', 'west');
  market.rig.fund('ann', 'bob', 'maker');
  for (const name of ['ann', 'bob', 'maker'])
    for (const asset of ASSETS.slice(0, 3)) market.give(name, `1000/${asset}`);
  market.give('east', '100/USD/west');
  // Twice as much over USD of `east` as over the direct book.
  market.offer('maker', '100/USD/west', '50/EUR/east');
  market.offer('maker', '100/USD/west', '100/USD/east');
  market.offer('maker', '100/USD/east', '100/EUR/east');
  const rig = new QuoteRig(market);
  const graph = new TokenGraph(rig.state);
  graph.update();
  const ask = {
    to: 'bob',
    source: 'USD/west',
    destination: 'EUR/east',
    side: 'in',
    amount: '10/USD/west',
  } as const;
  for (const [from, out] of [
    ['ann', '10'],
    ['east', '5'],
  ] as const) {
    const quote = bestQuote(rig.state, graph, rig.request({ ...ask, from }), rig.rules)!;
    expect(quote.out.text()).toBe(out);
    const paths = quote.paths.map((path) =>
      path.map((token) => ASSETS.find((one) => rig.token(one) === token)!),
    );
    const paid = rig.paid({ ...ask, from, paths });
    expect([paid.result, paid.out.text()]).toEqual(['tesSUCCESS', out]);
  }
});

test('of payments that deliver the same the one with fewer paths is best', () => {
  const market = new MarketRig();
  market.gateways('east', 'west');
  market.rig.fund('ann', 'maker', 'other');
  for (const asset of ['USD/east', 'EUR/east', 'BTC/west']) market.give('ann', `1000/${asset}`);
  market.give('maker', '100/EUR/east');
  market.give('other', '1000/BTC/west');
  // Both offers of the maker give of the same 100: the path looks as if it gave more.
  market.offer('maker', '100/USD/east', '100/EUR/east');
  market.offer('other', '100/USD/east', '100/BTC/west');
  market.offer('maker', '100/BTC/west', '90/EUR/east');
  market.rig.close();
  const rig = new QuoteRig(market);
  const graph = new TokenGraph(rig.state);
  graph.update();
  const ends = { from: 'ann', to: 'ann', source: 'USD/east', destination: 'EUR/east' } as const;
  const request = rig.request({ ...ends, side: 'in', amount: '200/USD/east' });
  const [best, next] = runToEnd(rankedQuotes(rig.state, graph, request, rig.rules));
  expect([best!.out.text(), next!.out.text()]).toEqual(['100', '100']);
  expect([best!.paths.length, next!.paths.length]).toEqual([0, 1]);
});

test('a payment over many offers is computed in several steps', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('maker', 'ann');
  market.give('maker', '5000/USD/gate');
  market.give('ann', '0/USD/gate');
  const offers = 80;
  for (let i = 0; i < offers; i += 1) market.offer('maker', String(1 + i / 1000), '1/USD/gate');
  market.rig.close();
  const rig = new QuoteRig(market);
  const ends = { from: 'ann', to: 'ann', source: 'XRP', destination: 'USD/gate' } as const;
  const request = rig.request({ ...ends, side: 'out', amount: `${offers}/USD/gate` });
  const task = quoting(rig.state, request, [], rig.rules);
  let steps = 1;
  let step = task.next();
  for (; !step.done; step = task.next()) steps += 1;
  expect(step.value?.rounds.length).toBe(offers);
  expect(steps).toBeGreaterThan(3);
});

test('a graph of pairs that is made in steps is the same', () => {
  const { state } = new QuoteRig(plainMarket(drawsOf(SEED)));
  const [whole, inSteps] = [new TokenGraph(state), new TokenGraph(state)];
  whole.update();
  const steps = [...inSteps.updating(3)].length;
  expect(steps).toBe(Math.ceil((Math.max(state.books.bookCount, state.pools.count) - 1) / 3));
  expect(steps).toBeGreaterThan(2);
  expect([inSteps.isCurrent, inSteps.isNearlyCurrent]).toEqual([true, true]);
  const of = (graph: TokenGraph) =>
    ASSETS.map((_, token) => [graph.outs(token, 99).sort(), graph.ins(token, 99).sort()]);
  expect(of(inSteps)).toEqual(of(whole));
  expect([...inSteps.updating(3)]).toEqual([]);
});

test('payments of many offers are not computed for every path', () => {
  const market = new MarketRig();
  market.gateways('gate');
  market.rig.fund('ann', 'maker');
  market.give('ann', '1000/USD/gate');
  market.give('maker', '60/EUR/gate');
  for (let i = 0; i < 60; i += 1)
    market.offer('maker', `${(1 + i / 1000).toFixed(3)}/USD/gate`, '1/EUR/gate');
  // They give of the same 60: each path looks as if it gave more.
  for (let i = 0; i < PATHS; i += 1) {
    const token = `PA${String.fromCharCode(65 + i)}/gate`;
    market.give('maker', `0/${token}`);
    market.offer('gate', '90/USD/gate', `90/${token}`);
    market.offer('maker', `90/${token}`, '80/EUR/gate');
  }
  const rig = new QuoteRig(market);
  const graph = new TokenGraph(rig.state);
  graph.update();
  const ends = { from: 'ann', to: 'ann', source: 'USD/gate', destination: 'EUR/gate' } as const;
  const request = rig.request({ ...ends, side: 'in', amount: '500/USD/gate' });
  const search = (stepsMax?: number): readonly Quote[] =>
    runToEnd(rankedQuotes(rig.state, graph, request, rig.rules, new Estimates(rig.state), stepsMax));
  const all = search();
  expect(all.length).toBeGreaterThanOrEqual(PATHS);
  // The first ones, and one that goes beyond.
  const few = search(1);
  expect(few.length).toBeLessThan(5);
  expect(few[0]!.out.text()).toBe(all[0]!.out.text());
});
