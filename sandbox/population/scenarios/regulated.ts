/** A regulated token: its issuer freezes a trust line, sets a global freeze for an hour, and claws tokens back. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, type TransactionTemplate } from '../simulation-step.ts';
import { tokenOf } from './market-actions.ts';

const BEGIN = DAY + 3 * HOUR;
const CLAWBACK = BEGIN + 20 * HOUR;
const HOLDERS = 8;
const EACH = 10_000;
const CLAWED = 4_000;
/** Minutes between two actions. */
const LATER = 60;

export function regulated(context: ScenarioContext): Scenario[] {
  const issuer = context.actors.get('issuer:REG');
  const asset = tokenOf(issuer, context.ticker('REG'));
  const holders = context.actors.group('holder:REG', HOLDERS);
  const [frozen, clawed, other] = [holders[0]!, holders[1]!, holders[2]!];
  // The issuer's side of a line, and the amount of a clawback, name the holder.
  const of = (holder: { account: string }) => issued(asset.slice(0, 40), holder.account);
  const line = (Flags: number): TransactionTemplate => ({
    TransactionType: 'TrustSet',
    LimitAmount: Amount.zero(of(frozen)),
    Flags,
  });
  const setting = (set: object): TransactionTemplate => ({ TransactionType: 'AccountSet', ...set });
  const payment: TransactionTemplate = {
    TransactionType: 'Payment',
    Destination: other.account,
    Amount: amountOf(asset, 100),
  };
  const freeze = new ScenarioBuilder(context, 'freeze', BEGIN)
    .fund(0, [issuer, ...holders], 30)
    .send(1, 'settings', issuer, setting({ SetFlag: Asf.asfDefaultRipple }))
    .send(2, 'settings', issuer, setting({ SetFlag: Asf.asfAllowTrustLineClawback }))
    .trust(4, holders, asset, 1e6);
  for (const { account } of holders)
    freeze.schedule(5, (step) => void step.pay(issuer, account, asset, EACH, {}, freeze.annotate('issue')));
  freeze
    .send(LATER, 'pays before', frozen, payment)
    .send(2 * LATER, 'line frozen', issuer, line(Tf.tfSetFreeze))
    .send(3 * LATER, 'cannot pay', frozen, payment, 'tecPATH_DRY')
    .send(4 * LATER, 'line free again', issuer, line(Tf.tfClearFreeze))
    .send(5 * LATER, 'pays again', frozen, payment)
    .send(6 * LATER, 'all frozen', issuer, setting({ SetFlag: Asf.asfGlobalFreeze }))
    .send(6.5 * LATER, 'nobody can pay', frozen, payment, 'tecPATH_DRY')
    .send(7 * LATER, 'all free again', issuer, setting({ ClearFlag: Asf.asfGlobalFreeze }));
  const clawback = new ScenarioBuilder(context, 'clawback', CLAWBACK)
    .send(0, 'taken back', issuer, { TransactionType: 'Clawback', Amount: amountOf(of(clawed), CLAWED) })
    .fact(2, 'held', (step) => step.holds(clawed.account, asset));
  return [
    freeze.build({
      kind: 'freeze',
      about: "The issuer freezes one holder's line, later everything for an hour; payments fail meanwhile",
      accounts: { issuer, frozen, other },
      token: asset,
      minutes: 12 * LATER,
      expected: { holders: HOLDERS, each: EACH, globalFreezeSeconds: HOUR },
    }),
    clawback.build({
      kind: 'clawback',
      about: 'The issuer takes two fifths of what a holder has',
      accounts: { issuer, clawed },
      token: asset,
      minutes: 2,
      expected: { amount: CLAWED, left: EACH - CLAWED },
    }),
  ];
}
