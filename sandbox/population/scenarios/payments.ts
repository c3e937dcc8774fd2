/** Payments with known figures: a merchant's tags, a large transfer, units of MPTs; and published prices. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE, WEEK } from '../../../engine/ripple-time.ts';
import { issuances, MPT_HOLDERS } from '../catalogue/tokens.ts';
import { ORACLE_EVERY, ORACLE_NOISE } from '../oracles.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { ORACLES } from '../setup.ts';
import { amountOf } from '../simulation-step.ts';

const MERCHANT = 5 * DAY + 2 * HOUR;
const CUSTOMERS = 6;
const PURCHASES = 12;
/** Every fourth payment has no tag. */
const UNTAGGED_EVERY = 4;
const PURCHASE_XRP = 3;

function merchant(context: ScenarioContext): Scenario {
  const shop = context.actors.get('merchant');
  const customers = context.actors.group('customer', CUSTOMERS);
  const builder = new ScenarioBuilder(context, 'merchant', MERCHANT).fund(0, [shop, ...customers], 20);
  for (let n = 0; n < PURCHASES; n++) {
    const more = n % UNTAGGED_EVERY === UNTAGGED_EVERY - 1 ? {} : { DestinationTag: 1_000 + n };
    const customer = customers[n % CUSTOMERS]!;
    builder.schedule(
      10 + n * 20,
      (step) => void step.pay(customer, shop.account, XRP, PURCHASE_XRP, more, builder.annotate('pays')),
    );
  }
  return builder.build({
    kind: 'inbound-tags',
    about: 'A merchant is paid twelve times by six customers, nine times with a destination tag',
    accounts: { merchant: shop, ...numberedRoles('customer', customers) },
    minutes: 10 + PURCHASES * 20,
    expected: {
      payments: PURCHASES,
      tagged: PURCHASES - PURCHASES / UNTAGGED_EVERY,
      distinctSenders: CUSTOMERS,
      xrp: PURCHASES * PURCHASE_XRP,
    },
  });
}

const LARGE = 2 * DAY + 8 * HOUR;
const LARGE_XRP = 1_500_000;

function largeTransfer(context: ScenarioContext): Scenario {
  const [from, to] = [context.actors.get('cold:0'), context.actors.get('cold:1')];
  const xrp = context.varied('large-transfer', LARGE_XRP);
  const builder = new ScenarioBuilder(context, 'large-transfer', LARGE)
    .fund(0, [from], xrp + 20)
    .fund(0, [to], 20);
  return builder
    .schedule(30, (step) => void step.pay(from, to.account, XRP, xrp, {}, builder.annotate('moves')))
    .build({
      kind: 'large-transfer',
      about: 'A large sum of XRP goes from one account to another',
      accounts: { from, to },
      minutes: 30,
      expected: { xrp },
    });
}

const MPT_BEGINS = 3 * HOUR;
const MPT_PAYMENTS = 56;
const MPT_EVERY = 170;
const UNITS = 20;
/** More than an issuance's transfer fee can add to UNITS. */
const FEE_UNITS = 5;

/** Holders of the catalogue's two issuances pay each other in a circle, so that none runs out of units. */
function mptPayments(context: ScenarioContext): Scenario {
  const issuer = context.agents.get('mpt:issuer');
  const holders = context.agents.group('mpt:holder', MPT_HOLDERS);
  const builder = new ScenarioBuilder(context, 'mpt-payments', MPT_BEGINS);
  for (let n = 0; n < MPT_PAYMENTS; n++)
    builder.schedule(60 + n * MPT_EVERY, (step) => {
      const id = issuances(step, issuer)[n % 2];
      const lap = Math.floor(n / 2);
      const [from, to] = [holders[lap % MPT_HOLDERS]!, holders[(lap + 1) % MPT_HOLDERS]!];
      if (id === undefined || step.holds(from.account, id) < UNITS + FEE_UNITS) return;
      step.pay(
        from,
        to.account,
        id,
        UNITS,
        { SendMax: amountOf(id, UNITS + FEE_UNITS) },
        builder.annotate('pays'),
      );
    });
  return builder.build({
    kind: 'mpt-payments',
    about: 'Holders of two MPT issuances pay each other, one after the other',
    accounts: { issuer },
    minutes: 60 + MPT_PAYMENTS * MPT_EVERY,
    expected: { payments: MPT_PAYMENTS, unitsEach: UNITS },
  });
}

/** Without actions of its own: the oracle owners publish all the time. */
function publishedPrices(context: ScenarioContext): Scenario {
  const owners = context.agents.group('oracle', ORACLES);
  return new ScenarioBuilder(context, 'oracle-prices', 0).build({
    kind: 'oracle-prices',
    about: 'Three owners publish what XRP costs, each every five minutes and a little off',
    accounts: numberedRoles('owner', owners),
    minutes: WEEK / MINUTE,
    expected: { owners: ORACLES, everySeconds: ORACLE_EVERY, noisePercent: 100 * ORACLE_NOISE },
  });
}

export const paymentScenarios = (context: ScenarioContext): Scenario[] => [
  merchant(context),
  largeTransfer(context),
];

/** Scenarios of permanent agents: at the same hours in every week. */
export const permanentAgentScenarios = (context: ScenarioContext): Scenario[] => [
  mptPayments(context),
  publishedPrices(context),
];
