/**
 * Trades with a project's token: by investors, who trade many projects, by holders of this one, who come one after the
 * other, and now and then by its creator. What an account does next follows from the ledger: no account (it is funded),
 * no trust line (it sets one), else it trades, more often towards the fair price than away from it: so the pool follows
 * the token's worth.
 */

import { type Asset, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import { type PoolState, poolOf } from '../arbitrage.ts';
import { pickTag, tagged, WALLETS } from '../platforms.ts';
import { RandomStream } from '../random.ts';
import { buy, sell } from '../scenarios/market-actions.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { type Holding, payUnits } from './mpt-payments.ts';
import { lpTokenOf } from './opening.ts';
import type { Project } from './project.ts';

export const INVESTORS = 120;
/** Investors of one project: the same ones at all times. */
const INVESTORS_EACH = 14;
/** First XRP of an investor and of a holder, and how much they vary. */
const INVESTOR_XRP = 3_500;
const HOLDER_XRP = 45;
const XRP_SPAN = 5;
/** XRP kept for fees and reserves: base reserve, and the reserve of an object. */
const RESERVE_XRP = 1;
const OBJECT_XRP = 0.2;
const KEPT_XRP = 3;
/** Trust lines of one investor at most. */
const LINES_MAX = 60;
/** How long half of the holders take to come. */
const HALF_OF_HOLDERS = 1.5 * DAY;
const CREATOR_ACTS = 0.03;
/** How likely a trade goes towards the fair price. */
const TOWARDS = 0.78;
/** A usual trade and the largest one, as fractions of the pool. */
const TRADE_SHARE = 0.004;
const TRADE_SHARE_MAX = 0.04;
/** How much of the gap to the fair price a trade closes at most. */
const GAP_SHARE = 0.7;
/** Fair price over price below which the creator sells, and the largest part of what they hold in one sale. */
const GAP_FOR_CREATOR = 0.93;
const CREATOR_CLIP = 0.1;
/** Size of a usual trade of a token without a pool, in lots of its book. */
const BOOK_TRADE = 0.4;
/** How far from the fair price an order on a book may be filled. */
const SLIP = 1.05;

const investorName = (n: number): string => `investor:${n}`;
export const investorXrp = (n: number): number =>
  Math.round(INVESTOR_XRP * new RandomStream(`${investorName(n)}/xrp`).skewed(XRP_SPAN));

/** The platform that an account trades with, always the same one. */
const walletOf = (agent: Agent): number | undefined =>
  pickTag(new RandomStream(`${agent.name}/wallet`), WALLETS);

interface Member {
  readonly agent: Agent;
  /** XRP it is funded with. */
  readonly xrp: number;
}

/** One of the investors, or of the holders that have come. */
function memberOf(step: SimulationStep, project: Project, random: RandomStream): Member {
  const age = step.now - step.epoch - project.launchAt;
  const come = Math.ceil(project.holders * (1 - 1 / (1 + age / HALF_OF_HOLDERS)));
  const k = random.below(INVESTORS_EACH + come);
  if (k >= INVESTORS_EACH)
    return { agent: project.holder(k - INVESTORS_EACH), xrp: HOLDER_XRP * random.skewed(XRP_SPAN) };
  const n = new RandomStream(`project:${project.n}/investor:${k}`).below(INVESTORS);
  return { agent: step.agents.get(investorName(n)), xrp: investorXrp(n) };
}

/** XRP that an account can spend. */
function spendable(step: SimulationStep, agent: Agent): number {
  const objects = step.accountRoot(agent)?.OwnerCount ?? 0;
  return Math.max(0, step.xrp(agent) - RESERVE_XRP - objects * OBJECT_XRP - KEPT_XRP);
}

/** One action of one member. */
export function act(step: SimulationStep, project: Project, random: RandomStream): void {
  const isCreator = random.chance(CREATOR_ACTS);
  const { agent, xrp } = isCreator ? { agent: project.creator, xrp: 0 } : memberOf(step, project, random);
  if (!isCreator && (step.accountRoot(agent) === undefined || spendable(step, agent) < KEPT_XRP)) {
    step.pay(step.agents.get('treasury'), agent.account, 'XRP', xrp);
    return;
  }
  if (project.kind === 'mpt') {
    payUnits(step, project, agent, random);
    return;
  }
  const { asset } = project;
  if (step.line(agent.account, asset) === undefined) {
    const lines = step.accountRoot(agent)?.OwnerCount ?? 0;
    if (lines < LINES_MAX) step.trust(agent, asset, project.supply, tagged(walletOf(agent)));
    return;
  }
  const holding = { agent, held: step.holds(agent.account, asset) };
  if (isCreator) actAsCreator(step, project, holding, random);
  else trade(step, project, holding, random);
}

function trade(step: SimulationStep, project: Project, holding: Holding, random: RandomStream): void {
  const { asset } = project;
  const worth = project.worth(step.closeTime - step.epoch);
  const pool = poolOf(step, asset, XRP);
  if (pool === undefined || pool.base === 0) {
    if (project.book !== undefined && project.poolXrp === 0)
      takeFromBook(step, project, holding, worth, random);
    return;
  }
  const funds = spendable(step, holding.agent);
  const gap = worth / (pool.quote / pool.base);
  const wantsToBuy = random.chance(gap > 1 ? TOWARDS : 1 - TOWARDS);
  if (!wantsToBuy && holding.held === 0 && gap < GAP_FOR_CREATOR) {
    sellAsCreator(step, project, pool, sizeOf(pool, gap, false, random));
    return;
  }
  const buys = wantsToBuy ? funds > 1 : holding.held === 0;
  const size = Math.min(
    sizeOf(pool, gap, buys, random),
    (buys ? funds : holding.held * (pool.quote / pool.base)) * random.between(0.3, 1),
  );
  if (size < 0.2 || (buys && size > funds)) return;
  exchange(step, project, holding, { buys, size, price: pool.quote / pool.base }, random);
}

/** XRP of a trade. */
function sizeOf(pool: PoolState, gap: number, buys: boolean, random: RandomStream): number {
  const usual = pool.quote * TRADE_SHARE * random.skewed(8);
  const towards = gap > 1 === buys;
  const closing = towards ? pool.quote * Math.abs(Math.sqrt(gap) - 1) * random.next() * GAP_SHARE : 0;
  return Math.min(Math.max(usual, closing), pool.quote * TRADE_SHARE_MAX);
}

/** While a token is too expensive for those who do not have it, its creator sells. */
function sellAsCreator(
  step: SimulationStep,
  { creator, asset, platform }: Project,
  pool: PoolState,
  xrp: number,
): void {
  const count = Math.min((xrp / pool.quote) * pool.base, step.holds(creator.account, asset) * CREATOR_CLIP);
  sell(step, creator, asset, count, undefined, tagged(platform));
}

interface Order {
  readonly buys: boolean;
  /** In XRP. */
  readonly size: number;
  /** XRP for one token. */
  readonly price: number;
}

/** By an order that is filled at once, or a payment to oneself. */
function exchange(
  step: SimulationStep,
  { asset }: Project,
  { agent, held }: Holding,
  { buys, size, price }: Order,
  random: RandomStream,
): void {
  const tag = tagged(walletOf(agent));
  const tokens = Math.min(size / price, buys ? Infinity : held);
  if (random.chance(0.4)) {
    if (buys) buy(step, agent, asset, size, undefined, tag);
    else sell(step, agent, asset, tokens, undefined, tag);
    return;
  }
  placeOrder(step, agent, asset, { buys, tokens, xrp: buys ? size * SLIP : (tokens * price) / SLIP }, tag);
}

function placeOrder(
  step: SimulationStep,
  agent: Agent,
  asset: Asset,
  { buys, tokens, xrp }: { buys: boolean; tokens: number; xrp: number },
  more: { SourceTag?: number },
): void {
  const [base, other] = [amountOf(asset, tokens), amountOf(XRP, xrp)];
  step.send(agent, {
    TransactionType: 'OfferCreate',
    TakerPays: buys ? base : other,
    TakerGets: buys ? other : base,
    Flags: Tf.tfImmediateOrCancel | (buys ? 0 : Tf.tfSell),
    ...more,
  });
}

function takeFromBook(
  step: SimulationStep,
  { asset, book }: Project,
  { agent, held }: Holding,
  worth: number,
  random: RandomStream,
): void {
  const funds = spendable(step, agent);
  const buys = held === 0 || (funds > 1 && random.chance(0.5));
  const size = Math.min(
    book!.lot * BOOK_TRADE * random.skewed(4),
    buys ? funds / 2 : held * worth * random.between(0.3, 1),
  );
  if (size < 0.2) return;
  const reach = 1 + 3 * book!.spread;
  const order = { buys, tokens: size / worth, xrp: buys ? size * reach : size / reach };
  placeOrder(step, agent, asset, order, tagged(walletOf(agent)));
}

/** The creator sells some, gives some away, or adds liquidity. */
function actAsCreator(
  step: SimulationStep,
  project: Project,
  { agent, held }: Holding,
  random: RandomStream,
): void {
  const { asset, platform } = project;
  const pool = poolOf(step, asset, XRP);
  const choice = random.next();
  if (pool === undefined || held === 0) return;
  const count = Math.min(held * random.between(0.01, 0.06), pool.base * TRADE_SHARE_MAX);
  if (choice < 0.5) sell(step, agent, asset, count, undefined, tagged(platform));
  else if (choice < 0.85) {
    const receiver = project.holder(random.below(project.holders));
    if (step.line(receiver.account, asset) !== undefined)
      step.pay(agent, receiver.account, asset, count, { SendMax: amountOf(asset, count * 1.02) });
  } else if (lpTokenOf(step, asset) !== undefined) {
    const xrp = Math.min(spendable(step, agent) / 4, pool.quote * TRADE_SHARE_MAX);
    if (xrp < 1) return;
    step.send(agent, {
      TransactionType: 'AMMDeposit',
      Asset: asset,
      Asset2: XRP,
      Amount: amountOf(XRP, xrp),
      Flags: Tf.tfSingleAsset,
    });
  }
}
