/** Small random markets with few obstacles, and random questions about them: for what is computed, not for who may pay. */
import { rulesAt } from '../../../sandbox/protocol/amendments.ts';
import { MarketRig } from '../../sandbox/flow/market-rig.ts';
import type { QuoteAsk } from './quote-rig.ts';

const TOKENS = ['USD/east', 'USD/west', 'EUR/east', 'BTC/west'];
export const ASSETS = [...TOKENS, 'XRP'];
const MAKERS = ['m1', 'm2', 'm3'];

/** Ripple epoch seconds: all amendments that the main network had enabled by November 2026. */
const MAIN_NETWORK_NOW = 848_000_000;

type Draws = (below: number) => number;
const pick = <T>(random: Draws, list: readonly T[]): T => list[random(list.length)]!;
const isOneCurrency = (a: string, b: string) => a.split('/')[0] === b.split('/')[0];
const text = (value: number, asset: string) =>
  asset === 'XRP' ? value.toFixed(6) : `${Number(value.toPrecision(15))}/${asset}`;

/** Books with partly funded, expired and frozen offers; pools; transfer fees; an issuer that authorises. */
export function plainMarket(random: Draws): MarketRig {
  // By turns with the numbers of the main network, of 16 digits, and of the embedded one, of 19.
  const market = new MarketRig(random(2) ? {} : { rules: rulesAt(MAIN_NETWORK_NOW) });
  market.gateways('east', 'west');
  market.rig.fund('ann', 'bob', ...MAKERS, 'provider');
  for (const issuer of ['east', 'west'])
    if (random(2) === 0)
      market.do({
        TransactionType: 'AccountSet',
        Account: market.address(issuer),
        TransferRate: 1_000_000_000 + random(20_000_000),
      });
  for (const asset of TOKENS) {
    for (const name of MAKERS) market.give(name, text(random(4) === 0 ? 20 : 1_000 + random(3_000), asset));
    for (const name of ['ann', 'bob']) market.give(name, text(100_000, asset));
    market.give('provider', text(1_000_000, asset));
  }
  linkIssuers(market, random);
  for (let i = 0; i < 40; i += 1) {
    const pays = pick(random, ASSETS);
    const gets = pick(random, ASSETS);
    if (pays === gets) continue;
    const size = (1 + random(30_000)) / 97;
    const price = 0.8 + random(6_000) / 10_000;
    // The ledger's time is 800,000,004: some expire at once, some later.
    const expires = random(8) === 0 ? { Expiration: 800_000_006 + random(2) * 1000 } : {};
    const owner = random(12) === 0 ? pick(random, ['ann', 'bob', 'east']) : pick(random, MAKERS);
    market.offer(owner, text(size * price, pays), text(size, gets), { ...expires, Flags: 0x0001_0000 });
  }
  for (const [a, b] of [
    ['XRP', 'USD/east'],
    ['XRP', 'BTC/west'],
    ['USD/east', 'EUR/east'],
    ['USD/west', 'XRP'],
  ] as const)
    if (random(3) > 0)
      market.do({
        TransactionType: 'AMMCreate',
        Account: market.address('provider'),
        Amount: market.amount(text(500 + random(3_000), a)),
        Amount2: market.amount(text(500 + random(3_000), b)),
        TradingFee: random(1_000),
        Fee: '200000',
      });
  market.rig.close();
  market.rig.close();
  return market;
}

/** One issuer holds what the other one issues, or is trusted by it, or both. */
function linkIssuers(market: MarketRig, random: Draws): void {
  const [holder, issuer] = random(2) ? (['east', 'west'] as const) : (['west', 'east'] as const);
  if (random(2) === 0) market.give(holder, text(random(2) * 300, `USD/${issuer}`));
  const LimitAmount = { currency: 'USD', issuer: market.address(holder), value: '200' };
  if (random(2) === 0)
    market.do({ TransactionType: 'TrustSet', Account: market.address(issuer), LimitAmount });
}

export function askOf(random: Draws): QuoteAsk {
  const source = pick(random, ASSETS);
  const others = ASSETS.filter((asset) => asset !== source);
  const destination = pick(random, others);
  const between = others.filter((asset) => asset !== destination);
  const path = (): string[] => {
    const left = [...between];
    const least = isOneCurrency(source, destination) ? 0 : 1;
    return Array.from({ length: least + random(4 - least) }, () => left.splice(random(left.length), 1)[0]!);
  };
  const paths = Array.from({ length: random(4) }, path);
  const side = random(2) ? 'in' : 'out';
  const amount = text(
    (1 + random(50_000)) / (random(3) === 0 ? 9_973 : 97),
    side === 'in' ? source : destination,
  );
  const unique = [...new Map(paths.map((one) => [one.join(), one])).values()];
  // An issuer has no trust line to another one.
  const to = pick(random, ['ann', 'bob', ...(destination.endsWith('/west') ? [] : ['east'])]);
  return { from: 'ann', to, source, destination, side, amount, paths: unique };
}
