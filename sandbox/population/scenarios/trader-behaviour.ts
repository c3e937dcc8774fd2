/** Behaviour of traders: rotation between tokens, bots with a platform's source tag, holders who buy and leave. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { buy, sell } from './market-actions.ts';

const ROTATE = 3 * DAY + 10 * HOUR;
const ROTATORS = 6;
const FIRST_XRP = 300;
const SECOND_XRP = 250;

/** Traders who sell one token and buy another within minutes. */
function rotation(context: ScenarioContext): Scenario {
  const [left, taken] = [context.economy.token('COR'), context.economy.token('NOVA')];
  const agents = context.actors.group('rotator:token', ROTATORS);
  const builder = new ScenarioBuilder(context, 'token-rotation', ROTATE)
    .fund(0, agents, FIRST_XRP + 40)
    .trust(3, agents, left.asset)
    .trust(3, agents, taken.asset);
  agents.forEach((agent, n) => {
    builder
      .schedule(10 + n * 3, (step) => buy(step, agent, left.asset, FIRST_XRP, builder.annotate('buys first')))
      .schedule(1_440 + n * 10, (step) =>
        sell(step, agent, left.asset, step.holds(agent.account, left.asset), builder.annotate('sells first')),
      )
      .schedule(1_443 + n * 10, (step) =>
        buy(step, agent, taken.asset, SECOND_XRP, builder.annotate('buys second')),
      );
  });
  return builder.build({
    kind: 'token-rotation',
    about: 'Six traders sell the deep token they bought a day before, and buy NOVA three minutes later',
    accounts: numberedRoles('trader', agents),
    token: taken.asset,
    minutes: 1_443 + ROTATORS * 10,
    expected: { traders: ROTATORS, boughtXrpEach: FIRST_XRP, rotatedXrpEach: SECOND_XRP },
  });
}

const SOURCE_TAG = 74_920_252;
const BOTS = 2;
const BOT_ROUNDS = 80;
const BOT_XRP = 20;
const BOT_EVERY = 120;

/** Two accounts of one platform that alternately buy and sell, every two hours, all week. */
function bots(context: ScenarioContext): Scenario {
  const { asset } = context.economy.token('COR');
  const agents = context.actors.group('bot', BOTS);
  const more = { SourceTag: SOURCE_TAG };
  const builder = new ScenarioBuilder(context, 'bots', HOUR)
    .fund(0, agents, 15 * BOT_XRP)
    .trust(3, agents, asset);
  for (let round = 0; round < BOT_ROUNDS; round++)
    builder.schedule(10 + round * BOT_EVERY, (step) => {
      for (const agent of agents)
        if (round % 2 === 0) buy(step, agent, asset, BOT_XRP, builder.annotate('buys'), more);
        else sell(step, agent, asset, step.holds(agent.account, asset), builder.annotate('sells'), more);
    });
  return builder.build({
    kind: 'platform',
    about: 'Two bots of one platform, which signs with its source tag, trade every two hours',
    accounts: numberedRoles('bot', agents),
    token: asset,
    minutes: 10 + BOT_ROUNDS * BOT_EVERY,
    expected: {
      sourceTag: SOURCE_TAG,
      traders: BOTS,
      trades: BOTS * BOT_ROUNDS,
      boughtXrp: (BOTS * BOT_ROUNDS * BOT_XRP) / 2,
    },
  });
}

const WAVE = 4 * DAY + 2 * HOUR;
const NEWCOMERS = 36;
const LEAVERS = 18;
/** Leavers that also remove their trust line. */
const LINES_REMOVED = 12;
const WAVE_XRP = 6;
const GONE = 30 * 60;

/** A token gains 36 holders in two hours; half of them sell everything a day later. */
function holderWave(context: ScenarioContext): Scenario {
  const { asset, reserve } = context.economy.token('LUX');
  const agents = context.actors.group('newcomer', NEWCOMERS);
  const builder = new ScenarioBuilder(context, 'holder-wave', WAVE);
  agents.forEach((agent, n) => {
    const minute = Math.floor(n / 3) * 10;
    builder
      .fund(minute, [agent], WAVE_XRP + 8)
      .trust(minute + 2, [agent], asset)
      .schedule(minute + 4, (step) => buy(step, agent, asset, WAVE_XRP, builder.annotate('comes')));
    if (n >= LEAVERS) return;
    builder.schedule(GONE + n, (step) => {
      const balance = step.line(agent.account, asset)?.Balance?.abs().withAsset(asset);
      if (balance === undefined || balance.isZero) return;
      step.pay(agent, reserve.account, asset, 0, { Amount: balance }, builder.annotate('goes'));
      if (n >= LINES_REMOVED) return;
      const LimitAmount = Amount.zero(asset);
      step.send(
        agent,
        { TransactionType: 'TrustSet', LimitAmount, Flags: Tf.tfSetNoRipple },
        builder.annotate('line removed'),
      );
    });
  });
  return builder.build({
    kind: 'holder-wave',
    about: 'Thirty-six people buy a token within two hours; a day later half of them have given it up',
    accounts: numberedRoles('holder', agents),
    token: asset,
    minutes: GONE + LEAVERS,
    expected: {
      came: NEWCOMERS,
      went: LEAVERS,
      linesRemoved: LINES_REMOVED,
      emptyLines: LEAVERS - LINES_REMOVED,
    },
  });
}

export const traderBehaviour = (context: ScenarioContext): Scenario[] => [
  rotation(context),
  bots(context),
  holderWave(context),
];
