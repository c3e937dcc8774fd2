/**
 * In networks with projects: tokens launched through three platforms with different shares, some of which are forgotten
 * after a few hours; two of their creators sell, and take the XRP to an exchange.
 */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import type { Agent } from '../agents.ts';
import { DEPOSIT_TAG } from '../exchanges.ts';
import { FIRST_LEDGER_SOURCE_TAG, MAGNETIC_SOURCE_TAG, tagged, XPMARKET_SOURCE_TAG } from '../platforms.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import type { SimulationStep } from '../simulation-step.ts';
import { buy, LAUNCH_TAKES, launch, poolPrice, sell, tokenOf } from './market-actions.ts';

interface Newcomer {
  readonly name: string;
  readonly tag: number;
  /** Accounts that buy in the first hour, ... */
  readonly buyers: number;
  /** ... and how many of them buy again on each of the following days; 0: the token is quiet from then on. */
  readonly loyal: number;
  /** The creator sells, and takes the XRP to this exchange. */
  readonly exchange?: number;
}

const NEWCOMERS: readonly Newcomer[] = [
  { name: 'COMET', tag: FIRST_LEDGER_SOURCE_TAG, buyers: 9, loyal: 3, exchange: 0 },
  { name: 'DINGO', tag: XPMARKET_SOURCE_TAG, buyers: 6, loyal: 2 },
  { name: 'EBONY', tag: FIRST_LEDGER_SOURCE_TAG, buyers: 4, loyal: 0 },
  { name: 'FJORD', tag: MAGNETIC_SOURCE_TAG, buyers: 5, loyal: 2 },
  { name: 'GECKO', tag: XPMARKET_SOURCE_TAG, buyers: 3, loyal: 0, exchange: 1 },
  { name: 'HALO', tag: FIRST_LEDGER_SOURCE_TAG, buyers: 7, loyal: 3 },
];
const FIRST = 5 * HOUR;
/** Between two launches. */
const EVERY = 17 * HOUR;
const SUPPLY = 100_000_000;
const SHARE = 0.75;
const POOL_XRP = 1_200;
const POOL_FEE = 800;
const BUY_XRP = 40;
const BUY_EVERY = 6;
const LOYAL_DAYS = 2;
const DAY_MINUTES = DAY / MINUTE;
const OPEN = LAUNCH_TAKES / MINUTE;

const CASH_OUT_AFTER = 20 * HOUR;
const CLIPS = 4;
const CLIP_EVERY = 5;
/** Of the tokens that the creator kept. */
const SOLD_SHARE = 0.8;
/** XRP that stays in the creator's account. */
const LEFT_XRP = 30;

const begin = (n: number): number => FIRST + n * EVERY;

function parts(context: ScenarioContext, { name }: Newcomer) {
  const issuer = context.actors.get(`issuer:${name}`);
  const creator = context.actors.get(`creator:${name}`);
  return { issuer, creator, asset: tokenOf(issuer, context.ticker(name)) };
}

function launched(context: ScenarioContext, newcomer: Newcomer, n: number): Scenario {
  const { name, tag, loyal } = newcomer;
  const { issuer, creator, asset } = parts(context, newcomer);
  const buyers = context.actors.group(`buyer:${name}`, newcomer.buyers);
  const poolXrp = context.varied(`launch-${name}`, POOL_XRP * (1 + n / 3));
  const builder = new ScenarioBuilder(context, `launch-${name.toLowerCase()}`, begin(n));
  const { id } = builder;
  const blackhole = context.week === 0 && n % 2 === 0;
  builder.scheduleAll(
    launch({
      id,
      at: begin(n),
      asset,
      issuer,
      creator,
      supply: SUPPLY,
      share: SHARE,
      poolXrp,
      poolFee: POOL_FEE,
      blackhole,
      launchpad: tag,
    }),
  );
  const purchase = (agent: Agent) => (step: SimulationStep) =>
    buy(step, agent, asset, BUY_XRP, builder.annotate('buys'), tagged(tag));
  buyers.forEach((agent, k) => {
    const minute = OPEN + 4 + k * BUY_EVERY;
    builder
      .fund(minute, [agent], BUY_XRP * (1 + LOYAL_DAYS) + 20)
      .trust(minute + 1, [agent], asset, SUPPLY)
      .schedule(minute + 2, purchase(agent));
    for (let day = 1; day <= (k < loyal ? LOYAL_DAYS : 0); day++)
      builder.schedule(minute + day * DAY_MINUTES, purchase(agent));
  });
  const minutes = OPEN + 8 + buyers.length * BUY_EVERY + (loyal > 0 ? LOYAL_DAYS * DAY_MINUTES : 0);
  return builder.build({
    kind: 'launch',
    about: `A token is launched through a platform, which signs with its source tag; ${loyal === 0 ? 'soon nobody trades it' : 'some buy again on the next days'}`,
    accounts: { issuer, creator, ...numberedRoles('buyer', buyers) },
    token: asset,
    minutes,
    expected: {
      sourceTag: tag,
      supply: SUPPLY,
      poolXrp,
      buyers: buyers.length,
      xrpEach: BUY_XRP,
      purchases: buyers.length + loyal * LOYAL_DAYS,
    },
  });
}

/** The creator sells most of what they kept in clips, then pays the XRP to an exchange with a destination tag. */
function cashOut(context: ScenarioContext, newcomer: Newcomer, n: number): Scenario {
  const { name, tag, exchange = 0 } = newcomer;
  const { creator, asset } = parts(context, newcomer);
  const hub = context.agents.get(`exchange:${exchange}`);
  const destinationTag = DEPOSIT_TAG + 900_000 + context.week * NEWCOMERS.length + n;
  const clip = (SUPPLY * (1 - SHARE) * SOLD_SHARE) / CLIPS;
  const builder = new ScenarioBuilder(context, `cash-out-${name.toLowerCase()}`, begin(n) + CASH_OUT_AFTER);
  const after = CLIPS * CLIP_EVERY;
  builder.fact(0, 'priceBefore', (step) => poolPrice(step, asset));
  for (let k = 0; k < CLIPS; k++)
    builder.schedule(k * CLIP_EVERY, (step) =>
      sell(step, creator, asset, clip, builder.annotate('sells'), tagged(tag)),
    );
  return builder
    .fact(after, 'priceAfter', (step) => poolPrice(step, asset))
    .fact(after, 'deposited', (step) => Math.floor(step.xrp(creator) - LEFT_XRP))
    .schedule(after, (step) => {
      const xrp = Math.floor(step.xrp(creator) - LEFT_XRP);
      const more = { DestinationTag: destinationTag };
      step.pay(creator, hub.account, XRP, xrp, more, builder.annotate('deposits'));
    })
    .build({
      kind: 'cash-out',
      about: 'A creator sells most of what they kept of their token, and pays the XRP to an exchange',
      accounts: { creator, exchange: hub },
      token: asset,
      minutes: after + 1,
      expected: { clips: CLIPS, sold: clip * CLIPS, destinationTag },
    });
}

export function newcomers(context: ScenarioContext): Scenario[] {
  if (context.projects.length === 0) return [];
  return [
    ...NEWCOMERS.map((newcomer, n) => launched(context, newcomer, n)),
    ...NEWCOMERS.flatMap((newcomer, n) =>
      newcomer.exchange === undefined ? [] : [cashOut(context, newcomer, n)],
    ),
  ];
}
