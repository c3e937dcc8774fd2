/**
 * The setup in the first ledgers: the accounts of the markets are funded, issuers configure their accounts, tokens are
 * distributed and pools are created. One kind of transaction a ledger, so that the order within a ledger has no effect.
 *
 *     3 XRP from the genesis account      6 tokens from issuers to reserves
 *     4 issuers' settings, more XRP       7 tokens from reserves to makers, arbitrageurs, traders
 *     5 trust lines                       8 pools; from ledger 9 on all agents act
 */
import { Asf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import { hex } from './hex.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';
import { FIAT_TOKENS, type Market, quoteAsset, type Token, tokenDomain } from './tokens.ts';

/** Ledger of the first setup transactions. */
export const SETUP_BEGINS = 3;
/** The first ledger in which makers quote and agents trade. */
export const MARKETS_OPEN = 9;
export const TRADERS = 48;
export const PROVIDERS = 12;
export const ARBITRAGEURS = 3;
export const ORACLES = 3;

const TREASURY_XRP = 2_000_000_000;
const PARITY_RATE = 1_000_000_000;
/** Units of `TransferRate` in a transfer fee of 1/1000 percent. */
const RATE_STEP = 10_000;
/** Budget of a maker on each side, in sizes of its best offer. */
export const MAKER_LOTS = 40;
/** Budget of an arbitrageur on each side, as a share of the pool. */
export const ARBITRAGE_SHARE = 0.15;
const LIMIT_FACTOR = 10;

/** The arbitrageur of a market. */
export const arbitrageur = (step: SimulationStep, market: Market): Agent =>
  step.agents.get(`arbitrageur:${step.economy.markets.indexOf(market) % ARBITRAGEURS}`);

/** Initial XRP of a trader: from 800 to 14,800. */
export const traderXrp = (n: number): number => 800 + ((n * 7_919) % 41) * 350;

/** Budget of a market's maker in base and in quote, each valued in XRP. */
export const makerBudget = (market: Market): number => market.lot * MAKER_LOTS;

function fundFirst(step: SimulationStep): void {
  const { agents, economy } = step;
  const genesis = agents.get('genesis');
  const fund = (agent: Agent, xrp: number) => step.pay(genesis, agent.account, 'XRP', xrp);
  fund(agents.get('treasury'), TREASURY_XRP);
  for (const token of economy.tokens) {
    fund(token.issuer, 1_000);
    const pools = economy.markets.filter(({ base }) => base === token);
    fund(
      token.reserve,
      pools.reduce((sum, { pool, quote }) => sum + (quote ? 0 : pool), 20_000),
    );
  }
  for (const market of economy.markets) fund(market.maker, market.quote ? 5_000 : makerBudget(market) * 1.2);
  for (const agent of agents.group('arbitrageur', ARBITRAGEURS)) fund(agent, 400_000);
}

function settings(step: SimulationStep): void {
  const { agents, economy } = step;
  economy.tokens.forEach(({ name, issuer, transferFee }) => {
    const Domain = hex(tokenDomain({ name }));
    step.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple, Domain });
    if (transferFee > 0)
      step.send(issuer, {
        TransactionType: 'AccountSet',
        TransferRate: PARITY_RATE + transferFee * RATE_STEP,
        TickSize: 6,
      });
  });
  const treasury = agents.get('treasury');
  agents.group('trader', TRADERS).forEach((agent, n) => {
    step.pay(treasury, agent.account, 'XRP', traderXrp(n));
  });
  for (const agent of agents.group('provider', PROVIDERS)) step.pay(treasury, agent.account, 'XRP', 60_000);
  for (const name of ['studio', 'broker']) step.pay(treasury, agents.get(name).account, 'XRP', 1_500);
  for (const agent of agents.group('oracle', ORACLES)) step.pay(treasury, agent.account, 'XRP', 2_000);
}

/** The initial token balances. */
function endowments(step: SimulationStep): { agent: Agent; token: Token; amount: number }[] {
  const { agents, economy } = step;
  const { markets } = economy;
  const rows: { agent: Agent; token: Token; amount: number }[] = [];
  const give = (agent: Agent, token: Token, xrp: number) => {
    const known = rows.find((row) => row.agent === agent && row.token === token);
    const amount = xrp / economy.worth(token, step.epoch);
    if (known) known.amount += amount;
    else rows.push({ agent, token, amount });
  };
  for (const market of markets) {
    give(market.maker, market.base, makerBudget(market));
    give(arbitrageur(step, market), market.base, market.pool * ARBITRAGE_SHARE + market.lot);
    if (market.quote === undefined) continue;
    give(market.maker, market.quote, makerBudget(market));
    give(arbitrageur(step, market), market.quote, market.pool * ARBITRAGE_SHARE + market.lot);
    give(market.base.reserve, market.quote, market.pool * 1.05);
  }
  agents.group('trader', TRADERS).forEach((agent, n) => {
    give(agent, economy.tokens[0]!, traderXrp(n) / 3);
    give(agent, economy.tokens[1 + (n % 3)]!, traderXrp(n) / 2);
    // Each fiat token is given to two of three traders, so that it has holders from the first day.
    for (const k of [0, 1])
      give(agent, economy.token(FIAT_TOKENS[(n + k) % FIAT_TOKENS.length]!), traderXrp(n) / 10);
  });
  agents.group('provider', PROVIDERS).forEach((agent, n) => {
    give(agent, economy.tokens[n % 4]!, 30_000);
  });
  return rows;
}

function lines(step: SimulationStep): void {
  for (const { issuer, reserve, asset, supply } of step.economy.tokens) {
    step.trust(reserve, asset, supply * LIMIT_FACTOR);
    step.trust(
      issuer,
      step.economy.tokens[0]!.asset === asset ? step.economy.tokens[1]!.asset : step.economy.tokens[0]!.asset,
      1_000_000,
    );
  }
  for (const { agent, token } of endowments(step))
    step.trust(agent, token.asset, token.supply * LIMIT_FACTOR);
}

function pools(step: SimulationStep): void {
  const { economy } = step;
  for (const market of economy.markets) {
    if (market.pool === 0) continue;
    const base = market.pool / economy.worth(market.base, step.closeTime);
    const { launchpad } = market.base;
    step.send(market.base.reserve, {
      TransactionType: 'AMMCreate',
      Amount: amountOf(market.base.asset, base),
      Amount2: amountOf(quoteAsset(market), base * economy.price(market, step.closeTime)),
      TradingFee: market.poolFee,
      ...(launchpad !== undefined && { SourceTag: launchpad }),
      Fee: amountOf('XRP', 0.2),
    });
  }
}

/** Sends the transactions of one of the first ledgers. */
export function setup(step: SimulationStep): void {
  switch (step.index - SETUP_BEGINS) {
    case 0:
      fundFirst(step);
      break;
    case 1:
      settings(step);
      break;
    case 2:
      lines(step);
      break;
    case 3:
      for (const { issuer, reserve, asset, supply } of step.economy.tokens)
        step.pay(issuer, reserve.account, asset, supply);
      break;
    case 4:
      for (const { agent, token, amount } of endowments(step))
        step.pay(token.reserve, agent.account, token.asset, amount, {
          SendMax: amountOf(token.asset, amount * 1.01),
        });
      break;
    case 5:
      pools(step);
      break;
    default:
  }
}
