/** A token whose distribution is known to the last unit: issued to twenty holders, then burnt in part and issued again. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Asf } from '../../protocol/flags.ts';
import { named, Plot, type Scenario, type Stage } from '../script.ts';
import { tokenOf } from './deals.ts';

const BEGIN = 20 * HOUR;
const CHANGE = 4 * DAY + 20 * HOUR;
const HOLDERS = 20;
const LEAST = 1_000;
const GROWTH = 1.35;
const BURNT = 60_000;
const ISSUED = 25_000;
const PERCENT = 100;
const DIGITS = 6;

const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);
const rounded = (value: number): number => Number(value.toFixed(DIGITS));

/** Gini coefficient of ascending amounts, by their ranks. */
function giniOf(ascending: readonly number[]): number {
  const count = ascending.length;
  const weighted = sum(ascending.map((amount, n) => (n + 1) * amount));
  return (2 * weighted) / (count * sum(ascending)) - (count + 1) / count;
}

/** What is to be found of holders with these amounts, ascending. */
function concentration(amounts: readonly number[]): Record<string, number> {
  const shares = amounts.map((amount) => (PERCENT * amount) / sum(amounts));
  return {
    holders: amounts.length,
    supply: sum(amounts),
    gini: rounded(giniOf(amounts)),
    hhi: rounded(sum(shares.map((share) => share * share))),
    top10: rounded(sum(shares.slice(-10))),
  };
}

export function supply(stage: Stage): Scenario[] {
  const issuer = stage.cast.get('issuer:SHARE');
  const asset = tokenOf(issuer, stage.ticker('SHARE'));
  const holders = stage.cast.group('holder:SHARE', HOLDERS);
  const amounts = holders.map((_, n) => Math.round(LEAST * GROWTH ** n));
  const issued = new Plot(stage, 'distribution', BEGIN)
    .fund(0, [issuer, ...holders], 20)
    .say(2, 'settings', issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple })
    .trust(4, holders, asset);
  const changed = new Plot(stage, 'supply-change', CHANGE);
  holders.forEach(({ account }, n) => {
    issued.act(6, (turn) => void turn.pay(issuer, account, asset, amounts[n]!, {}, issued.noted('issue')));
  });
  const [least, most] = [holders[0]!, holders[HOLDERS - 1]!];
  changed
    .act(0, (turn) => void turn.pay(most, issuer.account, asset, BURNT, {}, changed.noted('burn')))
    .act(10, (turn) => void turn.pay(issuer, least.account, asset, ISSUED, {}, changed.noted('issue')));
  return [
    issued.told({
      kind: 'distribution',
      about: 'A token is issued to twenty holders, each with about a third more than the one before',
      accounts: { issuer, ...named('holder', holders) },
      token: asset,
      minutes: 6,
      expected: concentration(amounts),
    }),
    changed.told({
      kind: 'supply-change',
      about:
        'The largest holder gives tokens back to the issuer, which ends them; then more are issued to the smallest',
      accounts: { issuer, burner: most, receiver: least },
      token: asset,
      minutes: 10,
      expected: {
        supplyBefore: sum(amounts),
        burnt: BURNT,
        issued: ISSUED,
        supplyAfter: sum(amounts) - BURNT + ISSUED,
      },
    }),
  ];
}
