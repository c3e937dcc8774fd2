/** Two wash traders, a whale, and the hour in which the stablecoin loses its peg. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import {
  annotate,
  fund,
  type Scenario,
  ScenarioBuilder,
  type ScenarioContext,
  type ScheduledAction,
} from '../scenario.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { buy, sell, tokenOf } from './market-actions.ts';

const WASH = 2 * DAY + 6 * HOUR;
const ROUNDS = 48;
const ROUND_EVERY = 10 * MINUTE;
const WASH_TOKENS = 1_000;
const WASH_PRICE = 0.5;

export function washTrading(context: ScenarioContext): Scenario[] {
  const { actors } = context;
  const id = context.id('wash-trading');
  const issuer = actors.get('issuer:HYPE');
  const first = actors.get('washer:0');
  const second = actors.get('washer:1');
  const asset = tokenOf(issuer, context.ticker('HYPE'));
  const begins = context.varied(id, WASH_PRICE);
  const price = (round: number) => begins * (1 + round * 0.01);
  const tokens = amountOf(asset, WASH_TOKENS);
  const rounds = Array.from({ length: ROUNDS }, (_, n): ScheduledAction[] => {
    const [seller, buyer] = n % 2 === 0 ? [first, second] : [second, first];
    const xrp = amountOf(XRP, WASH_TOKENS * price(n));
    const at = WASH + 10 * MINUTE + n * ROUND_EVERY;
    const offer = (step: SimulationStep, agent: Agent, sells: boolean) =>
      step.send(
        agent,
        {
          TransactionType: 'OfferCreate',
          TakerGets: sells ? tokens : xrp,
          TakerPays: sells ? xrp : tokens,
          Flags: sells ? 0 : Tf.tfFillOrKill,
        },
        annotate(id, `${sells ? 'offers' : 'takes'} ${n + 1}`),
      );
    return [
      { at, run: (step) => void offer(step, seller, true) },
      { at: at + MINUTE, run: (step) => void offer(step, buyer, false) },
    ];
  });
  const volume = Array.from({ length: ROUNDS }, (_, n) => WASH_TOKENS * price(n)).reduce((a, b) => a + b, 0);
  return [
    {
      id,
      kind: 'wash-trading',
      about: 'Two accounts sell one token to each other, back and forth, at rising prices',
      accounts: { issuer, first, second },
      token: asset,
      from: WASH,
      to: WASH + 10 * MINUTE + ROUNDS * ROUND_EVERY,
      expected: { trades: ROUNDS, volumeXrp: volume, volumeTokens: ROUNDS * WASH_TOKENS, netTokens: 0 },
      actions: [
        fund(WASH, [issuer, first, second], 3_000),
        {
          at: WASH + MINUTE,
          run: (step) => {
            step.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple });
          },
        },
        {
          at: WASH + 2 * MINUTE,
          run: (step) => {
            for (const agent of [first, second]) step.trust(agent, asset, 1e9);
          },
        },
        {
          at: WASH + 3 * MINUTE,
          run: (step) => {
            for (const { account } of [first, second]) step.pay(issuer, account, asset, 5 * WASH_TOKENS);
          },
        },
        ...rounds.flat(),
      ],
    },
  ];
}

const WHALE = 3 * DAY + 2 * HOUR;
const WHALE_CLIPS = 40;
const WHALE_XRP = 6_000;
const WHALE_EXIT = 5 * DAY + 20 * HOUR;
const WHALE_EXIT_CLIPS = 20;

export function whale(context: ScenarioContext): Scenario[] {
  const { actors, economy } = context;
  const buyer = actors.get('whale');
  const clip = context.varied('whale', WHALE_XRP, 1.4);
  const { asset } = economy.token('COR');
  const bought = new ScenarioBuilder(context, 'whale', WHALE)
    .fund(0, [buyer], WHALE_CLIPS * clip + 100)
    .trust(1, [buyer], asset);
  for (let n = 1; n <= WHALE_CLIPS; n++)
    bought.schedule(n * 5, (step) => buy(step, buyer, asset, clip, bought.annotate('buys')));
  bought.fact((WHALE_CLIPS + 2) * 5, 'held', (step) => step.holds(buyer.account, asset));
  const sold = new ScenarioBuilder(context, 'whale-exit', WHALE_EXIT)
    .fact(0, 'held', (step) => step.holds(buyer.account, asset))
    .fact(0, 'xrpBefore', (step) => step.xrp(buyer));
  for (let left = WHALE_EXIT_CLIPS; left > 0; left--)
    sold.schedule((WHALE_EXIT_CLIPS - left) * 10, (step) =>
      sell(step, buyer, asset, step.holds(buyer.account, asset) / left, sold.annotate('sells')),
    );
  sold.fact((WHALE_EXIT_CLIPS + 1) * 10, 'xrpAfter', (step) => step.xrp(buyer));
  return [
    bought.build({
      kind: 'whale',
      about: `One account buys the deep token for ${WHALE_CLIPS * clip} XRP in ${WHALE_CLIPS} clips`,
      accounts: { buyer },
      token: asset,
      minutes: (WHALE_CLIPS + 2) * 5,
      expected: { clips: WHALE_CLIPS, xrp: WHALE_CLIPS * clip },
    }),
    sold.build({
      kind: 'whale',
      about: `The whale sells all of it again, in ${WHALE_EXIT_CLIPS} clips`,
      accounts: { seller: buyer },
      token: asset,
      minutes: (WHALE_EXIT_CLIPS + 1) * 10,
      expected: { clips: WHALE_EXIT_CLIPS },
    }),
  ];
}

/** Without actions of its own: makers and arbitrageurs follow the worth of the stablecoin. */
export function depeg(context: ScenarioContext): Scenario[] {
  const { asset, issuer } = context.economy.token('USDM');
  const { from, to, depth } = context.economy.depeg(context.week);
  return [
    {
      id: context.id('depeg'),
      kind: 'depeg',
      about: 'For one hour the stablecoin trades some percent below its dollar',
      accounts: { issuer },
      token: asset,
      from,
      to,
      expected: { depth, low: 1 - depth },
      actions: [],
    },
  ];
}
