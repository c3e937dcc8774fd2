/**
 * The first ledgers: everybody who is needed for a market gets XRP, issuers set their accounts up, tokens are given
 * out and pools are opened. One kind of thing a ledger, so that nothing depends on the order within one.
 *
 *     3 XRP from the genesis account      6 issuers give their tokens to reserves
 *     4 issuers' settings, more XRP       7 reserves to makers, arbitrageurs, traders
 *     5 trust lines                       8 pools; from 9 on everybody acts by himself
 */
import { Asf } from '../protocol/flags.ts';
import { hex } from './hex.ts';
import type { Person } from './people.ts';
import { type Market, MONEYS, quoteAsset, type Token } from './tokens.ts';
import { amountOf, type Turn } from './turn.ts';

export const FIRST = 3;
/** From here on markets are open. */
export const OPEN = 9;
export const TRADERS = 48;
export const PROVIDERS = 12;
export const ARBITRAGEURS = 3;
export const ORACLES = 3;

const TREASURY_XRP = 2_000_000_000;
const PARITY_RATE = 1_000_000_000;
/** Steps of a transfer rate in a transfer fee of 1/1000 percent. */
const RATE_STEP = 10_000;
/** A maker has so many of his best offers' worth on either side. */
export const MAKER_LOTS = 40;
/** An arbitrageur's share of the pool he watches, on either side. */
export const ARBITRAGE_SHARE = 0.15;
const LIMIT_FACTOR = 10;

/** The arbitrageur of a market. */
export const arbitrageur = (turn: Turn, market: Market): Person =>
  turn.people.get(`arbitrageur:${turn.economy.markets.indexOf(market) % ARBITRAGEURS}`);

/** XRP a trader begins with: many have little. */
export const traderXrp = (n: number): number => 800 + ((n * 7_919) % 41) * 350;

/** What a maker of a market is to have of the base and of the quote, in XRP. */
export const makerWorth = (market: Market): number => market.lot * MAKER_LOTS;

function fundFirst(turn: Turn): void {
  const { people, economy } = turn;
  const genesis = people.get('genesis');
  const fund = (person: Person, xrp: number) => turn.pay(genesis, person.account, 'XRP', xrp);
  fund(people.get('treasury'), TREASURY_XRP);
  for (const token of economy.tokens) {
    fund(token.issuer, 1_000);
    const pools = economy.markets.filter(({ base }) => base === token);
    fund(
      token.reserve,
      pools.reduce((sum, { pool, quote }) => sum + (quote ? 0 : pool), 20_000),
    );
  }
  for (const market of economy.markets) fund(market.maker, market.quote ? 5_000 : makerWorth(market) * 1.2);
  for (const person of people.group('arbitrageur', ARBITRAGEURS)) fund(person, 400_000);
}

function settings(turn: Turn): void {
  const { people, economy } = turn;
  economy.tokens.forEach(({ name, issuer, transferFee }) => {
    const Domain = hex(`${name.toLowerCase()}.example`);
    turn.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple, Domain });
    if (transferFee > 0)
      turn.send(issuer, {
        TransactionType: 'AccountSet',
        TransferRate: PARITY_RATE + transferFee * RATE_STEP,
        TickSize: 6,
      });
  });
  const treasury = people.get('treasury');
  people.group('trader', TRADERS).forEach((person, n) => {
    turn.pay(treasury, person.account, 'XRP', traderXrp(n));
  });
  for (const person of people.group('provider', PROVIDERS)) turn.pay(treasury, person.account, 'XRP', 60_000);
  for (const name of ['studio', 'broker']) turn.pay(treasury, people.get(name).account, 'XRP', 1_500);
  for (const person of people.group('oracle', ORACLES)) turn.pay(treasury, person.account, 'XRP', 2_000);
}

/** Who begins with which tokens, and how many. */
function endowments(turn: Turn): { person: Person; token: Token; amount: number }[] {
  const { people, economy } = turn;
  const { markets } = economy;
  const rows: { person: Person; token: Token; amount: number }[] = [];
  const give = (person: Person, token: Token, xrp: number) => {
    const known = rows.find((row) => row.person === person && row.token === token);
    const amount = xrp / economy.worth(token, turn.epoch);
    if (known) known.amount += amount;
    else rows.push({ person, token, amount });
  };
  for (const market of markets) {
    give(market.maker, market.base, makerWorth(market));
    give(arbitrageur(turn, market), market.base, market.pool * ARBITRAGE_SHARE + market.lot);
    if (market.quote === undefined) continue;
    give(market.maker, market.quote, makerWorth(market));
    give(arbitrageur(turn, market), market.quote, market.pool * ARBITRAGE_SHARE + market.lot);
    give(market.base.reserve, market.quote, market.pool * 1.05);
  }
  people.group('trader', TRADERS).forEach((person, n) => {
    give(person, economy.tokens[0]!, traderXrp(n) / 3);
    give(person, economy.tokens[1 + (n % 3)]!, traderXrp(n) / 2);
    // Two of three hold each money: it has holders from the first day.
    for (const k of [0, 1]) give(person, economy.token(MONEYS[(n + k) % MONEYS.length]!), traderXrp(n) / 10);
  });
  people.group('provider', PROVIDERS).forEach((person, n) => {
    give(person, economy.tokens[n % 4]!, 30_000);
  });
  return rows;
}

function lines(turn: Turn): void {
  for (const { issuer, reserve, asset, supply } of turn.economy.tokens) {
    turn.trust(reserve, asset, supply * LIMIT_FACTOR);
    turn.trust(
      issuer,
      turn.economy.tokens[0]!.asset === asset ? turn.economy.tokens[1]!.asset : turn.economy.tokens[0]!.asset,
      1_000_000,
    );
  }
  for (const { person, token } of endowments(turn))
    turn.trust(person, token.asset, token.supply * LIMIT_FACTOR);
}

function pools(turn: Turn): void {
  const { economy } = turn;
  for (const market of economy.markets) {
    if (market.pool === 0) continue;
    const base = market.pool / economy.worth(market.base, turn.closeTime);
    const { launchpad } = market.base;
    turn.send(market.base.reserve, {
      TransactionType: 'AMMCreate',
      Amount: amountOf(market.base.asset, base),
      Amount2: amountOf(quoteAsset(market), base * economy.price(market, turn.closeTime)),
      TradingFee: market.poolFee,
      ...(launchpad !== undefined && { SourceTag: launchpad }),
      Fee: amountOf('XRP', 0.2),
    });
  }
}

/** What is to be done in one of the first ledgers. */
export function setup(turn: Turn): void {
  switch (turn.index - FIRST) {
    case 0:
      fundFirst(turn);
      break;
    case 1:
      settings(turn);
      break;
    case 2:
      lines(turn);
      break;
    case 3:
      for (const { issuer, reserve, asset, supply } of turn.economy.tokens)
        turn.pay(issuer, reserve.account, asset, supply);
      break;
    case 4:
      for (const { person, token, amount } of endowments(turn))
        turn.pay(token.reserve, person.account, token.asset, amount, {
          SendMax: amountOf(token.asset, amount * 1.01),
        });
      break;
    case 5:
      pools(turn);
      break;
    default:
  }
}
