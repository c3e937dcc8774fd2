/** A wash-trading pair, a whale, the hour without a peg. */
import { DAY, HOUR } from '../../../ripple-time.ts';
import { XRP } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import type { Person } from '../people.ts';
import { fund, MINUTE, noted, type Scenario, type Stage, type Step } from '../script.ts';
import { DEPEG } from '../tokens.ts';
import { amountOf, type Turn } from '../turn.ts';
import { buy, tokenOf } from './deals.ts';

const WASH = 2 * DAY + 6 * HOUR;
const ROUNDS = 48;
const ROUND_EVERY = 10 * MINUTE;
const WASH_TOKENS = 1_000;
const WASH_PRICE = 0.5;

export function washTrading({ people }: Stage): Scenario[] {
  const id = 'wash-trading';
  const issuer = people.get('issuer:HYPE');
  const first = people.get('washer:0');
  const second = people.get('washer:1');
  const asset = tokenOf(issuer, 'HYPE');
  const price = (round: number) => WASH_PRICE * (1 + round * 0.01);
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

export function whale({ people, economy }: Stage): Scenario[] {
  const id = 'whale';
  const buyer = people.get('whale');
  const { asset } = economy.token('COR');
  return [
    {
      id,
      kind: 'whale',
      about:
        'One account buys the deep token for 240,000 XRP in forty clips, a tenth of what is not in reserve, and keeps it',
      accounts: { buyer },
      token: asset,
      from: WHALE,
      to: WHALE + (WHALE_CLIPS + 2) * 5 * MINUTE,
      expected: { clips: WHALE_CLIPS, xrp: WHALE_CLIPS * WHALE_XRP },
      steps: [
        fund(WHALE, [buyer], WHALE_CLIPS * WHALE_XRP + 100),
        { at: WHALE + MINUTE, act: (turn) => void turn.trust(buyer, asset, 1e9, {}, noted(id, 'trusts')) },
        ...Array.from(
          { length: WHALE_CLIPS },
          (_, n): Step => ({
            at: WHALE + (n + 1) * 5 * MINUTE,
            act: (turn) => buy(turn, buyer, asset, WHALE_XRP, noted(id, 'buys')),
          }),
        ),
        {
          at: WHALE + (WHALE_CLIPS + 2) * 5 * MINUTE,
          act: (turn) => turn.truth.fact(id, 'held', turn.holds(buyer.account, asset)),
        },
      ],
    },
  ];
}

/** Nobody acts it: makers and arbitrageurs follow what the stablecoin is worth. */
export function depeg({ economy }: Stage): Scenario[] {
  const { asset, issuer } = economy.token('USDM');
  return [
    {
      id: 'depeg',
      kind: 'depeg',
      about: 'For one hour the stablecoin trades some percent below its dollar',
      accounts: { issuer },
      token: asset,
      from: DEPEG.from,
      to: DEPEG.to,
      expected: { depth: DEPEG.depth, low: 1 - DEPEG.depth },
      steps: [],
    },
  ];
}
