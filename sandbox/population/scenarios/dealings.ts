/** What traders are found by: tokens left for others, a bot that names its platform, holders who come and go. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Amount } from '../../protocol/amount.ts';
import { Tf } from '../../protocol/flags.ts';
import { named, Plot, type Scenario, type Stage } from '../script.ts';
import { buy, sell } from './deals.ts';

const ROTATE = 3 * DAY + 10 * HOUR;
const ROTATORS = 6;
const FIRST_XRP = 300;
const SECOND_XRP = 250;

/** Traders who sell one token and buy another within minutes. */
function rotation(stage: Stage): Scenario {
  const [left, taken] = [stage.economy.token('COR'), stage.economy.token('NOVA')];
  const people = stage.cast.group('rotator:token', ROTATORS);
  const plot = new Plot(stage, 'token-rotation', ROTATE)
    .fund(0, people, FIRST_XRP + 40)
    .trust(3, people, left.asset)
    .trust(3, people, taken.asset);
  people.forEach((person, n) => {
    plot
      .act(10 + n * 3, (turn) => buy(turn, person, left.asset, FIRST_XRP, plot.noted('buys first')))
      .act(1_440 + n * 10, (turn) =>
        sell(turn, person, left.asset, turn.holds(person.account, left.asset), plot.noted('sells first')),
      )
      .act(1_443 + n * 10, (turn) => buy(turn, person, taken.asset, SECOND_XRP, plot.noted('buys second')));
  });
  return plot.told({
    kind: 'token-rotation',
    about: 'Six traders sell the deep token they bought a day before, and buy NOVA three minutes later',
    accounts: named('trader', people),
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

/** Two accounts of one platform that buy and sell in turns, every two hours, all the week. */
function bots(stage: Stage): Scenario {
  const { asset } = stage.economy.token('COR');
  const people = stage.cast.group('bot', BOTS);
  const more = { SourceTag: SOURCE_TAG };
  const plot = new Plot(stage, 'bots', HOUR).fund(0, people, 15 * BOT_XRP).trust(3, people, asset);
  for (let round = 0; round < BOT_ROUNDS; round++)
    plot.act(10 + round * BOT_EVERY, (turn) => {
      for (const person of people)
        if (round % 2 === 0) buy(turn, person, asset, BOT_XRP, plot.noted('buys'), more);
        else sell(turn, person, asset, turn.holds(person.account, asset), plot.noted('sells'), more);
    });
  return plot.told({
    kind: 'platform',
    about: 'Two bots of one platform, which signs with its source tag, trade every two hours',
    accounts: named('bot', people),
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
/** Of those who leave: who removes his line as well. */
const LINES_REMOVED = 12;
const WAVE_XRP = 6;
const GONE = 30 * 60;

/** A token gets three dozen holders in two hours; half of them are gone a day later. */
function holderWave(stage: Stage): Scenario {
  const { asset, reserve } = stage.economy.token('LUX');
  const people = stage.cast.group('newcomer', NEWCOMERS);
  const plot = new Plot(stage, 'holder-wave', WAVE);
  people.forEach((person, n) => {
    const minute = Math.floor(n / 3) * 10;
    plot
      .fund(minute, [person], WAVE_XRP + 8)
      .trust(minute + 2, [person], asset)
      .act(minute + 4, (turn) => buy(turn, person, asset, WAVE_XRP, plot.noted('comes')));
    if (n >= LEAVERS) return;
    plot.act(GONE + n, (turn) => {
      const balance = turn.line(person.account, asset)?.Balance?.abs().withAsset(asset);
      if (balance === undefined || balance.isZero) return;
      turn.pay(person, reserve.account, asset, 0, { Amount: balance }, plot.noted('goes'));
      if (n >= LINES_REMOVED) return;
      const LimitAmount = Amount.zero(asset);
      turn.send(
        person,
        { TransactionType: 'TrustSet', LimitAmount, Flags: Tf.tfSetNoRipple },
        plot.noted('line removed'),
      );
    });
  });
  return plot.told({
    kind: 'holder-wave',
    about: 'Thirty-six people buy a token within two hours; a day later half of them have given it up',
    accounts: named('holder', people),
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

export const dealings = (stage: Stage): Scenario[] => [rotation(stage), bots(stage), holderWave(stage)];
