/** A token with an exactly known distribution: issued to twenty holders, later burnt in part and issued again. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Asf } from '../../protocol/flags.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { tokenOf } from './market-actions.ts';

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

/** The expected figures of holders with these amounts, ascending. */
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

export function supply(context: ScenarioContext): Scenario[] {
  const issuer = context.actors.get('issuer:SHARE');
  const asset = tokenOf(issuer, context.ticker('SHARE'));
  const holders = context.actors.group('holder:SHARE', HOLDERS);
  const amounts = holders.map((_, n) => Math.round(LEAST * GROWTH ** n));
  const issued = new ScenarioBuilder(context, 'distribution', BEGIN)
    .fund(0, [issuer, ...holders], 20)
    .send(2, 'settings', issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple })
    .trust(4, holders, asset);
  const changed = new ScenarioBuilder(context, 'supply-change', CHANGE);
  holders.forEach(({ account }, n) => {
    issued.schedule(
      6,
      (step) => void step.pay(issuer, account, asset, amounts[n]!, {}, issued.annotate('issue')),
    );
  });
  const [least, most] = [holders[0]!, holders[HOLDERS - 1]!];
  changed
    .schedule(0, (step) => void step.pay(most, issuer.account, asset, BURNT, {}, changed.annotate('burn')))
    .schedule(
      10,
      (step) => void step.pay(issuer, least.account, asset, ISSUED, {}, changed.annotate('issue')),
    );
  return [
    issued.build({
      kind: 'distribution',
      about: 'A token is issued to twenty holders, each with about a third more than the one before',
      accounts: { issuer, ...numberedRoles('holder', holders) },
      token: asset,
      minutes: 6,
      expected: concentration(amounts),
    }),
    changed.build({
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
