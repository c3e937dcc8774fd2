/**
 * Small random markets against brute force: every path of up to four hops is computed with the default one beside it, and the
 * search must mostly find as good a payment. What it finds is what the embedded network's engine pays.
 */
import { expect, test } from 'bun:test';
import { numberOfAmount } from '../../../engine/quotes/amounts.ts';
import { TokenGraph } from '../../../engine/quotes/graph.ts';
import { type Path, type Quote, quoteOver } from '../../../engine/quotes/quote.ts';
import { bestQuote, isBetter } from '../../../engine/quotes/search.ts';
import { isOneCurrency } from '../../../engine/quotes/strands-of.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { ASSETS, askOf, plainMarket } from './plain-market.ts';
import { QuoteRig } from './quote-rig.ts';

const MARKETS = Number(process.env.MARKETS ?? 3);
const ASKS = 10;
const SEED = seedOf('search of quotes', 20_261_124);
/** The search estimates before it computes, and these markets are so small that amounts move them: most quotes must be as good. */
const WORSE_MAX = 1e-3;
const AS_GOOD_MIN = 0.85;

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

test(`${MARKETS} markets, ${ASKS} quotes each (seed ${SEED}): nearly as good as any single path, and the ledger's engine pays what is quoted`, () => {
  const random = drawsOf(SEED);
  let found = 0;
  let together = 0;
  let compared = 0;
  let asGood = 0;
  for (let i = 0; i < MARKETS; i += 1) {
    const market = plainMarket(random);
    const rig = new QuoteRig(market);
    const graph = new TokenGraph(rig.state);
    graph.update();
    for (let k = 0; k < ASKS; k += 1) {
      const ask = askOf(random);
      const request = rig.request(ask);
      const at = `market ${i}, quote ${k}: ${JSON.stringify({ ...ask, paths: undefined })}`;
      let forced: Quote | undefined;
      const between = ASSETS.map((asset) => rig.token(asset)).filter(
        (token) => token !== request.source && token !== request.destination,
      );
      const consider = (paths: readonly Path[]): void => {
        const quote = quoteOver(rig.state, request, paths, rig.rules);
        if (quote && (!forced || isBetter(request, quote, forced))) forced = quote;
      };
      for (const path of orders(between, 3))
        if (path.length > 0 || isOneCurrency(rig.state, request)) consider([path]);
      consider([]);
      const quote = bestQuote(rig.state, graph, request, rig.rules);
      expect(quote === undefined, at).toBe(forced === undefined);
      if (!quote || !forced) continue;
      found += 1;
      if (quote.paths.length > 1) together += 1;
      const [own, best] = [quote, forced].map((one) => numberOfAmount(ask.side === 'in' ? one.out : one.in));
      if (ask.side === 'in' || forced.isWhole) {
        compared += 1;
        if (ask.side === 'in' ? own! >= best! * (1 - WORSE_MAX) : own! <= best! * (1 + WORSE_MAX))
          asGood += 1;
      }
      if (numberOfAmount(quote.in) > (ask.source === 'XRP' ? 9e9 : 9e4)) continue;
      const names = new Map(ASSETS.map((asset) => [rig.token(asset), asset]));
      const paths = quote.paths.map((path) => path.map((token) => names.get(token)!));
      const paid = rig.paid({ ...ask, paths });
      expect([quote.in.text(), quote.out.text()], at).toEqual([paid.in.text(), paid.out.text()]);
    }
  }
  console.log(
    `${found} of ${MARKETS * ASKS} quotes deliver, ${together} over several named paths, ${asGood} of ${compared} as good`,
  );
  expect(asGood / compared).toBeGreaterThan(AS_GOOD_MIN);
  expect(found).toBeGreaterThan((MARKETS * ASKS) / 2);
});
