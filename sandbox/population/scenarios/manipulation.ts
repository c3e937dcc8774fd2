/** A wash-trading pair, a whale, the hour without a peg. */
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { XRP } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import type { Person } from '../people.ts';
import { fund, noted, Plot, type Scenario, type Stage, type Step } from '../script.ts';
import { amountOf, type Turn } from '../turn.ts';
import { buy, sell, tokenOf } from './deals.ts';

const WASH = 2 * DAY + 6 * HOUR;
const ROUNDS = 48;
const ROUND_EVERY = 10 * MINUTE;
const WASH_TOKENS = 1_000;
const WASH_PRICE = 0.5;

export function washTrading(stage: Stage): Scenario[] {
  const { cast } = stage;
  const id = stage.id('wash-trading');
  const issuer = cast.get('issuer:HYPE');
  const first = cast.get('washer:0');
  const second = cast.get('washer:1');
  const asset = tokenOf(issuer, stage.ticker('HYPE'));
  const begins = stage.varied(id, WASH_PRICE);
  const price = (round: number) => begins * (1 + round * 0.01);
  const tokens = amountOf(asset, WASH_TOKENS);
  const rounds = Array.from({ length: ROUNDS }, (_, n): Step[] => {
    const [seller, buyer] = n % 2 === 0 ? [first, second] : [second, first];
    const xrp = amountOf(XRP, WASH_TOKENS * price(n));
    const at = WASH + 10 * MINUTE + n * ROUND_EVERY;
    const offer = (turn: Turn, person: Person, sells: boolean) =>
      turn.send(
        person,
        {
          TransactionType: 'OfferCreate',
          TakerGets: sells ? tokens : xrp,
          TakerPays: sells ? xrp : tokens,
          Flags: sells ? 0 : Tf.tfFillOrKill,
        },
        noted(id, `${sells ? 'offers' : 'takes'} ${n + 1}`),
      );
    return [
      { at, act: (turn) => void offer(turn, seller, true) },
      { at: at + MINUTE, act: (turn) => void offer(turn, buyer, false) },
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
      steps: [
        fund(WASH, [issuer, first, second], 3_000),
        {
          at: WASH + MINUTE,
          act: (turn) => {
            turn.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple });
          },
        },
        {
          at: WASH + 2 * MINUTE,
          act: (turn) => {
            for (const person of [first, second]) turn.trust(person, asset, 1e9);
          },
        },
        {
          at: WASH + 3 * MINUTE,
          act: (turn) => {
            for (const { account } of [first, second]) turn.pay(issuer, account, asset, 5 * WASH_TOKENS);
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

export function whale(stage: Stage): Scenario[] {
  const { cast, economy } = stage;
  const buyer = cast.get('whale');
  const clip = stage.varied('whale', WHALE_XRP, 1.4);
  const { asset } = economy.token('COR');
  const bought = new Plot(stage, 'whale', WHALE)
    .fund(0, [buyer], WHALE_CLIPS * clip + 100)
    .trust(1, [buyer], asset);
  for (let n = 1; n <= WHALE_CLIPS; n++)
    bought.act(n * 5, (turn) => buy(turn, buyer, asset, clip, bought.noted('buys')));
  bought.fact((WHALE_CLIPS + 2) * 5, 'held', (turn) => turn.holds(buyer.account, asset));
  const sold = new Plot(stage, 'whale-exit', WHALE_EXIT)
    .fact(0, 'held', (turn) => turn.holds(buyer.account, asset))
    .fact(0, 'xrpBefore', (turn) => turn.xrp(buyer));
  for (let left = WHALE_EXIT_CLIPS; left > 0; left--)
    sold.act((WHALE_EXIT_CLIPS - left) * 10, (turn) =>
      sell(turn, buyer, asset, turn.holds(buyer.account, asset) / left, sold.noted('sells')),
    );
  sold.fact((WHALE_EXIT_CLIPS + 1) * 10, 'xrpAfter', (turn) => turn.xrp(buyer));
  return [
    bought.told({
      kind: 'whale',
      about: `One account buys the deep token for ${WHALE_CLIPS * clip} XRP in ${WHALE_CLIPS} clips`,
      accounts: { buyer },
      token: asset,
      minutes: (WHALE_CLIPS + 2) * 5,
      expected: { clips: WHALE_CLIPS, xrp: WHALE_CLIPS * clip },
    }),
    sold.told({
      kind: 'whale',
      about: `The whale sells all of it again, in ${WHALE_EXIT_CLIPS} clips`,
      accounts: { seller: buyer },
      token: asset,
      minutes: (WHALE_EXIT_CLIPS + 1) * 10,
      expected: { clips: WHALE_EXIT_CLIPS },
    }),
  ];
}

/** Nobody acts it: makers and arbitrageurs follow what the stablecoin is worth. */
export function depeg(stage: Stage): Scenario[] {
  const { asset, issuer } = stage.economy.token('USDM');
  const { from, to, depth } = stage.economy.depeg(stage.week);
  return [
    {
      id: stage.id('depeg'),
      kind: 'depeg',
      about: 'For one hour the stablecoin trades some percent below its dollar',
      accounts: { issuer },
      token: asset,
      from,
      to,
      expected: { depth, low: 1 - depth },
      steps: [],
    },
  ];
}
