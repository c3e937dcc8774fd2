/**
 * Upkeep: a few accounts are looked at in every ledger. Who has run low gets XRP from the treasury or tokens from the
 * reserve, who has far too much gives back: spreads and fees flow in one direction, and this is the way back.
 */
import type { Person } from './people.ts';
import {
  ARBITRAGE_SHARE,
  ARBITRAGEURS,
  arbitrageur,
  makerWorth,
  ORACLES,
  PROVIDERS,
  TRADERS,
  traderXrp,
} from './setup.ts';
import type { Token } from './tokens.ts';
import { amountOf, type Turn } from './turn.ts';

const LOOKS = 3;
const LOW = 0.35;
const HIGH = 2.2;

interface Budget {
  readonly person: Person;
  /** XRP he is to have about. */
  readonly xrp: number;
  /** Gives back what he has far too much of. */
  readonly gives?: boolean;
  /** Tokens he is to have about, in XRP. */
  readonly tokens: readonly { readonly token: Token; readonly xrp: number }[];
}

function budgets(turn: Turn): Budget[] {
  const { people, economy } = turn;
  const makers = economy.markets.map((market): Budget => {
    const xrp = makerWorth(market);
    const sides = market.quote === undefined ? [market.base] : [market.base, market.quote];
    return {
      gives: true,
      person: market.maker,
      xrp: market.quote ? 5_000 : xrp,
      tokens: sides.map((token) => ({ token, xrp })),
    };
  });
  const arbitrageurs = people.group('arbitrageur', ARBITRAGEURS).map((person): Budget => {
    const mine = economy.markets.filter((market) => arbitrageur(turn, market) === person);
    const tokens = new Map<Token, number>();
    for (const { base, quote, pool, lot } of mine)
      for (const token of quote === undefined ? [base] : [base, quote])
        tokens.set(token, (tokens.get(token) ?? 0) + pool * ARBITRAGE_SHARE + lot);
    return { gives: true, person, xrp: 400_000, tokens: [...tokens].map(([token, xrp]) => ({ token, xrp })) };
  });
  const dollars = economy.token('USDM');
  const traders = people.group('trader', TRADERS).map((person, n): Budget => {
    const xrp = traderXrp(n);
    return { person, xrp, tokens: [{ token: dollars, xrp: xrp / 5 }] };
  });
  const others = [...people.group('provider', PROVIDERS), ...people.group('oracle', ORACLES)];
  return [
    ...makers,
    ...arbitrageurs,
    ...traders,
    ...economy.tokens.map(({ issuer }) => ({ person: issuer, xrp: 800, tokens: [] })),
    ...others.map((person): Budget => ({ person, xrp: 1_500, tokens: [] })),
  ];
}

function balance(turn: Turn, { person, xrp, tokens, gives = false }: Budget): void {
  if (turn.root(person) === undefined) return;
  const treasury = turn.people.get('treasury');
  const own = turn.xrp(person);
  if (own < xrp * LOW) turn.pay(treasury, person.account, 'XRP', xrp - own);
  else if (gives && own > xrp * HIGH) turn.pay(person, treasury.account, 'XRP', own - xrp);
  for (const { token, xrp: share } of tokens) {
    if (turn.line(person.account, token.asset) === undefined) continue;
    const wanted = share / turn.economy.worth(token, turn.closeTime);
    const held = turn.holds(person.account, token.asset);
    const SendMax = (amount: number) => ({ SendMax: amountOf(token.asset, amount * 1.01) });
    const refill = wanted - held;
    if (held < wanted * LOW) turn.pay(token.reserve, person.account, token.asset, refill, SendMax(refill));
    else if (gives && held > wanted * HIGH) {
      const excess = held - wanted;
      turn.pay(person, token.reserve.account, token.asset, excess, SendMax(excess));
    }
  }
}

/** Keeps the list of who is to have what, which never changes. */
export class Upkeep {
  #budgets: readonly Budget[] | undefined;

  turn(turn: Turn): void {
    this.#budgets ??= budgets(turn);
    const all = this.#budgets;
    for (let i = 0; i < LOOKS; i++) balance(turn, all[(turn.index * LOOKS + i) % all.length]!);
  }
}
