/** A regulated token: its issuer freezes a holder, freezes all for an hour, and takes tokens back. */
import { DAY, HOUR } from '../../../ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { fund, MINUTE, noted, type Scenario, type Stage, type Step } from '../script.ts';
import { amountOf } from '../turn.ts';
import { tokenOf } from './deals.ts';

const BEGIN = DAY + 3 * HOUR;
const HOLDERS = 8;
const EACH = 10_000;
const CLAWED = 4_000;

export function regulated(stage: Stage): Scenario[] {
  const { cast } = stage;
  const [freeze, clawback] = [stage.id('freeze'), stage.id('clawback')];
  const issuer = cast.get('issuer:REG');
  const asset = tokenOf(issuer, stage.ticker('REG'));
  const holders = cast.group('holder:REG', HOLDERS);
  const frozen = holders[0]!;
  const clawed = holders[1]!;
  const other = holders[2]!;
  const limit = (person: { account: string }) => amountOf(`${asset.slice(0, 40)}${person.account}`, 1);
  const line = (person: { account: string }, flag: number) => ({
    TransactionType: 'TrustSet',
    LimitAmount: limit(person).sub(limit(person)),
    Flags: flag,
  });
  const attempt = (at: number, id: string, step: string, meant?: 'tecPATH_DRY'): Step => ({
    at,
    act: (turn) => void turn.pay(frozen, other.account, asset, 100, {}, noted(id, step, meant)),
  });
  return [
    {
      id: freeze,
      kind: 'freeze',
      about: "The issuer freezes one holder's line, later everything for an hour; payments fail meanwhile",
      accounts: { issuer, frozen, other },
      token: asset,
      from: BEGIN,
      to: BEGIN + 12 * HOUR,
      expected: { holders: HOLDERS, each: EACH, globalFreezeSeconds: HOUR },
      steps: [
        fund(BEGIN, [issuer, ...holders], 30),
        ...[Asf.asfDefaultRipple, Asf.asfAllowTrustLineClawback].map(
          (SetFlag, n): Step => ({
            at: BEGIN + (1 + n) * MINUTE,
            act: (turn) =>
              void turn.send(issuer, { TransactionType: 'AccountSet', SetFlag }, noted(freeze, 'settings')),
          }),
        ),
        {
          at: BEGIN + 4 * MINUTE,
          act: (turn) => {
            for (const person of holders) turn.trust(person, asset, 1e6, {}, noted(freeze, 'trusts'));
          },
        },
        {
          at: BEGIN + 5 * MINUTE,
          act: (turn) => {
            for (const { account } of holders)
              turn.pay(issuer, account, asset, EACH, {}, noted(freeze, 'issue'));
          },
        },
        attempt(BEGIN + HOUR, freeze, 'pays before'),
        {
          at: BEGIN + 2 * HOUR,
          act: (turn) => void turn.send(issuer, line(frozen, Tf.tfSetFreeze), noted(freeze, 'line frozen')),
        },
        attempt(BEGIN + 3 * HOUR, freeze, 'cannot pay', 'tecPATH_DRY'),
        {
          at: BEGIN + 4 * HOUR,
          act: (turn) =>
            void turn.send(issuer, line(frozen, Tf.tfClearFreeze), noted(freeze, 'line free again')),
        },
        attempt(BEGIN + 5 * HOUR, freeze, 'pays again'),
        {
          at: BEGIN + 6 * HOUR,
          act: (turn) =>
            void turn.send(
              issuer,
              { TransactionType: 'AccountSet', SetFlag: Asf.asfGlobalFreeze },
              noted(freeze, 'all frozen'),
            ),
        },
        attempt(BEGIN + 6 * HOUR + 30 * MINUTE, freeze, 'nobody can pay', 'tecPATH_DRY'),
        {
          at: BEGIN + 7 * HOUR,
          act: (turn) =>
            void turn.send(
              issuer,
              { TransactionType: 'AccountSet', ClearFlag: Asf.asfGlobalFreeze },
              noted(freeze, 'all free again'),
            ),
        },
      ],
    },
    {
      id: clawback,
      kind: 'clawback',
      about: 'The issuer takes two fifths of what a holder has',
      accounts: { issuer, clawed },
      token: asset,
      from: BEGIN + 20 * HOUR,
      to: BEGIN + 20 * HOUR + 2 * MINUTE,
      expected: { amount: CLAWED, left: EACH - CLAWED },
      steps: [
        {
          at: BEGIN + 20 * HOUR,
          act: (turn) => {
            // The issuer of the amount names the holder.
            const Amount = amountOf(`${asset.slice(0, 40)}${clawed.account}`, CLAWED);
            turn.send(issuer, { TransactionType: 'Clawback', Amount }, noted(clawback, 'taken back'));
          },
        },
        {
          at: BEGIN + 20 * HOUR + 2 * MINUTE,
          act: (turn) => turn.truth.fact(clawback, 'held', turn.holds(clawed.account, asset)),
        },
      ],
    },
  ];
}
