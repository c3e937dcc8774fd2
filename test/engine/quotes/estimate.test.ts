/** Estimates say that a pair cannot give an amount where it cannot, on markets with every obstacle. */
import { expect, test } from 'bun:test';
import { numberOfAmount } from '../../../engine/quotes/amounts.ts';
import { Estimates } from '../../../engine/quotes/estimate.ts';
import { quoteOver } from '../../../engine/quotes/quote.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';
import { QuoteRig } from './quote-rig.ts';
import { ASSETS, amountText, randomMarket } from './random-market.ts';

const SEED = seedOf('estimates of quotes', 20_261_125);

test(`what cannot be delivered costs infinitely much, also through a further pair (seed ${SEED})`, () => {
  const rig = new QuoteRig(randomMarket(drawsOf(SEED), false));
  const estimates = new Estimates(rig.state);
  let unable = 0;
  let able = 0;
  // The issuer north may forbid its holders to ripple: a rule of the ends, which estimates do not look at.
  const ends = ASSETS.filter((asset) => asset !== 'EUR/north');
  for (const source of ends)
    for (const destination of ends) {
      if (source === destination || source.split('/')[0] === destination.split('/')[0]) continue;
      const ask = {
        from: 'bob',
        to: 'carl',
        source,
        destination,
        side: 'out',
        amount: amountText(1.5, destination),
      } as const;
      const request = rig.request(ask);
      if (quoteOver(rig.state, request, [], rig.rules)?.isWhole) {
        able += 1;
        continue;
      }
      unable += 1;
      const cost = estimates.inFor(request.source, request.destination, numberOfAmount(request.amount));
      expect(cost, `${source} to ${destination}`).toBe(Number.POSITIVE_INFINITY);
      for (const before of ASSETS)
        if (before !== source)
          expect(estimates.inFor(rig.token(before), request.source, cost)).toBe(Number.POSITIVE_INFINITY);
    }
  expect(able).toBeGreaterThan(0);
  expect(unable).toBeGreaterThan(0);
});
