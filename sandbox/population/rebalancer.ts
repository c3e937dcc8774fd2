/**
 * The rebalancer checks a few accounts in every ledger. An account below its budget gets XRP from the treasury or tokens
 * from the reserve, one far above it returns the excess: spreads and fees flow in one direction, and this is the
 * opposite flow.
 */
import type { Agent } from './agents.ts';
import {
  ARBITRAGE_SHARE,
  ARBITRAGEURS,
  arbitrageur,
  makerBudget,
  ORACLES,
  PROVIDERS,
  TRADERS,
  traderXrp,
} from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import type { Token } from './tokens.ts';

/** Accounts checked in every ledger. */
const CHECKS = 3;
/** Fractions of the budget below which an account is refilled and above which it returns the excess. */
const LOW = 0.35;
const HIGH = 2.2;

interface Budget {
  readonly agent: Agent;
  /** Target balance in XRP. */
  readonly xrp: number;
  /** Whether it returns an excess. */
  readonly returnsExcess?: boolean;
  /** Target balances of tokens, valued in XRP. */
  readonly tokens: readonly { readonly token: Token; readonly xrp: number }[];
}

function budgets(step: SimulationStep): Budget[] {
  const { agents, economy } = step;
  const makers = economy.markets.map((market): Budget => {
    const xrp = makerBudget(market);
    const sides = market.quote === undefined ? [market.base] : [market.base, market.quote];
    return {
      returnsExcess: true,
      agent: market.maker,
      xrp: market.quote ? 5_000 : xrp,
      tokens: sides.map((token) => ({ token, xrp })),
    };
  });
  const arbitrageurs = agents.group('arbitrageur', ARBITRAGEURS).map((agent): Budget => {
    const mine = economy.markets.filter((market) => arbitrageur(step, market) === agent);
    const tokens = new Map<Token, number>();
    for (const { base, quote, pool, lot } of mine)
      for (const token of quote === undefined ? [base] : [base, quote])
        tokens.set(token, (tokens.get(token) ?? 0) + pool * ARBITRAGE_SHARE + lot);
    return {
      returnsExcess: true,
      agent,
      xrp: 400_000,
      tokens: [...tokens].map(([token, xrp]) => ({ token, xrp })),
    };
  });
  const dollars = economy.token('USDM');
  const traders = agents.group('trader', TRADERS).map((agent, n): Budget => {
    const xrp = traderXrp(n);
    return { agent, xrp, tokens: [{ token: dollars, xrp: xrp / 5 }] };
  });
  const others = [...agents.group('provider', PROVIDERS), ...agents.group('oracle', ORACLES)];
  return [
    ...makers,
    ...arbitrageurs,
    ...traders,
    ...economy.tokens.map(({ issuer }) => ({ agent: issuer, xrp: 800, tokens: [] })),
    ...others.map((agent): Budget => ({ agent, xrp: 1_500, tokens: [] })),
  ];
}

function rebalance(step: SimulationStep, { agent, xrp, tokens, returnsExcess = false }: Budget): void {
  if (step.accountRoot(agent) === undefined) return;
  const treasury = step.agents.get('treasury');
  const own = step.xrp(agent);
  if (own < xrp * LOW) step.pay(treasury, agent.account, 'XRP', xrp - own);
  else if (returnsExcess && own > xrp * HIGH) step.pay(agent, treasury.account, 'XRP', own - xrp);
  for (const { token, xrp: share } of tokens) {
    if (step.line(agent.account, token.asset) === undefined) continue;
    const wanted = share / step.economy.worth(token, step.closeTime);
    const held = step.holds(agent.account, token.asset);
    const SendMax = (amount: number) => ({ SendMax: amountOf(token.asset, amount * 1.01) });
    const refill = wanted - held;
    if (held < wanted * LOW) step.pay(token.reserve, agent.account, token.asset, refill, SendMax(refill));
    else if (returnsExcess && held > wanted * HIGH) {
      const excess = held - wanted;
      step.pay(agent, token.reserve.account, token.asset, excess, SendMax(excess));
    }
  }
}

/** Holds the list of budgets, which never changes. */
export class Rebalancer {
  #budgets: readonly Budget[] | undefined;

  run(step: SimulationStep): void {
    this.#budgets ??= budgets(step);
    const all = this.#budgets;
    for (let i = 0; i < CHECKS; i++) rebalance(step, all[(step.index * CHECKS + i) % all.length]!);
  }
}
