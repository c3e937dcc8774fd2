/**
 * Exchanges: accounts to which customers pay XRP with a destination tag each, and which pay it out again; in networks with
 * projects. Their domains' xrp-ledger.toml names the account. Labels beyond that are not in a ledger.
 */
import { HOUR } from '../../engine/ripple-time.ts';
import { Asf } from '../protocol/flags.ts';
import type { Agent } from './agents.ts';
import { hex } from './hex.ts';
import { TRADERS } from './setup.ts';
import type { SimulationStep } from './simulation-step.ts';

export const EXCHANGES = 2;
/** Tag of customer n: above those of other payments. */
export const DEPOSIT_TAG = 3_000_000_000;
const FIRST_XRP = 50_000;
/** Deposits and withdrawals per minute, of all exchanges. */
const RATE = 0.15;
const DEPOSIT_XRP = 60;
/** From this time on, seconds since the epoch. */
const BEGINS = HOUR / 3;

export const exchangeDomain = (n: number): string => `exchange-${n + 1}.example`;
export const exchange = (step: Pick<SimulationStep, 'agents'>, n: number): Agent =>
  step.agents.get(`exchange:${n}`);

/** Traders deposit and withdraw XRP. */
export function exchanges(step: SimulationStep): void {
  if (step.now - step.epoch < BEGINS) return;
  const random = step.random('exchanges');
  for (let n = 0; n < EXCHANGES; n++) found(step, n);
  if (!random.chance(RATE * step.durationRatio)) return;
  const hub = exchange(step, random.below(EXCHANGES));
  const customer = random.below(TRADERS);
  const trader = step.agents.get(`trader:${customer}`);
  if (step.accountRoot(hub) === undefined || step.accountRoot(trader) === undefined) return;
  const xrp = DEPOSIT_XRP * random.skewed(8);
  if (random.chance(0.5)) {
    if (step.xrp(trader) > xrp * 3)
      step.pay(trader, hub.account, 'XRP', xrp, { DestinationTag: DEPOSIT_TAG + customer });
  } else if (step.xrp(hub) > xrp * 3) step.pay(hub, trader.account, 'XRP', xrp);
}

/** Funds an exchange, then sets its domain and that payments need a tag. */
function found(step: SimulationStep, n: number): void {
  const agent = exchange(step, n);
  const root = step.accountRoot(agent);
  if (root === undefined) step.pay(step.agents.get('treasury'), agent.account, 'XRP', FIRST_XRP);
  else if (root.Domain === undefined)
    step.send(agent, {
      TransactionType: 'AccountSet',
      SetFlag: Asf.asfRequireDest,
      Domain: hex(exchangeDomain(n)),
    });
}
