/** A regulated token: its issuer freezes a holder, freezes all for an hour, and takes tokens back. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Amount } from '../../protocol/amount.ts';
import { issued } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { Plot, type Scenario, type Stage } from '../script.ts';
import { amountOf, type Wish } from '../turn.ts';
import { tokenOf } from './deals.ts';

const BEGIN = DAY + 3 * HOUR;
const CLAWBACK = BEGIN + 20 * HOUR;
const HOLDERS = 8;
const EACH = 10_000;
const CLAWED = 4_000;
/** Minutes between two things that happen to the frozen holder. */
const LATER = 60;

export function regulated(stage: Stage): Scenario[] {
  const issuer = stage.cast.get('issuer:REG');
  const asset = tokenOf(issuer, stage.ticker('REG'));
  const holders = stage.cast.group('holder:REG', HOLDERS);
  const [frozen, clawed, other] = [holders[0]!, holders[1]!, holders[2]!];
  // The issuer's side of a line, and the amount of a clawback, name the holder.
  const of = (holder: { account: string }) => issued(asset.slice(0, 40), holder.account);
  const line = (Flags: number): Wish => ({
    TransactionType: 'TrustSet',
    LimitAmount: Amount.zero(of(frozen)),
    Flags,
  });
  const setting = (set: object): Wish => ({ TransactionType: 'AccountSet', ...set });
  const payment: Wish = {
    TransactionType: 'Payment',
    Destination: other.account,
    Amount: amountOf(asset, 100),
  };
  const freeze = new Plot(stage, 'freeze', BEGIN)
    .fund(0, [issuer, ...holders], 30)
    .say(1, 'settings', issuer, setting({ SetFlag: Asf.asfDefaultRipple }))
    .say(2, 'settings', issuer, setting({ SetFlag: Asf.asfAllowTrustLineClawback }))
    .trust(4, holders, asset, 1e6);
  for (const { account } of holders)
    freeze.act(5, (turn) => void turn.pay(issuer, account, asset, EACH, {}, freeze.noted('issue')));
  freeze
    .say(LATER, 'pays before', frozen, payment)
    .say(2 * LATER, 'line frozen', issuer, line(Tf.tfSetFreeze))
    .say(3 * LATER, 'cannot pay', frozen, payment, 'tecPATH_DRY')
    .say(4 * LATER, 'line free again', issuer, line(Tf.tfClearFreeze))
    .say(5 * LATER, 'pays again', frozen, payment)
    .say(6 * LATER, 'all frozen', issuer, setting({ SetFlag: Asf.asfGlobalFreeze }))
    .say(6.5 * LATER, 'nobody can pay', frozen, payment, 'tecPATH_DRY')
    .say(7 * LATER, 'all free again', issuer, setting({ ClearFlag: Asf.asfGlobalFreeze }));
  const clawback = new Plot(stage, 'clawback', CLAWBACK)
    .say(0, 'taken back', issuer, { TransactionType: 'Clawback', Amount: amountOf(of(clawed), CLAWED) })
    .fact(2, 'held', (turn) => turn.holds(clawed.account, asset));
  return [
    freeze.told({
      kind: 'freeze',
      about: "The issuer freezes one holder's line, later everything for an hour; payments fail meanwhile",
      accounts: { issuer, frozen, other },
      token: asset,
      minutes: 12 * LATER,
      expected: { holders: HOLDERS, each: EACH, globalFreezeSeconds: HOUR },
    }),
    clawback.told({
      kind: 'clawback',
      about: 'The issuer takes two fifths of what a holder has',
      accounts: { issuer, clawed },
      token: asset,
      minutes: 2,
      expected: { amount: CLAWED, left: EACH - CLAWED },
    }),
  ];
}
