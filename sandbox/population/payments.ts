/** Payments between traders: XRP and stablecoins, with tags and memos, and cross-currency payments with paths. */
import { Tf } from '../protocol/flags.ts';
import { hex } from './hex.ts';
import type { RandomStream } from './random.ts';
import { TRADERS } from './setup.ts';
import { amountOf, type SimulationStep } from './simulation-step.ts';

/** Payments per minute. */
const RATE = 1.1;
const MEMOS = [
  'invoice 4711',
  'thanks!',
  'rent',
  'coffee',
  'order 82-1190',
  'happy birthday',
  'refund',
] as const;

export const memo = (text: string, type = 'text/plain') => [
  { Memo: { MemoType: hex(type), MemoData: hex(text) } },
];

const extras = (random: RandomStream) => ({
  ...(random.chance(0.4) ? { DestinationTag: random.below(2 ** 31) } : {}),
  ...(random.chance(0.25) ? { Memos: memo(random.pick(MEMOS)) } : {}),
});

function payOnce(step: SimulationStep, random: RandomStream): void {
  const from = step.agents.get(`trader:${random.below(TRADERS)}`);
  const to = step.agents.get(`trader:${random.below(TRADERS)}`);
  if (from === to || step.accountRoot(from) === undefined || step.accountRoot(to) === undefined) return;
  const dollar = step.economy.token('USDM');
  const choice = random.next();
  if (choice < 0.6) {
    const xrp = Math.min(12 * random.skewed(8), (step.xrp(from) - 50) * 0.2);
    if (xrp > 0) step.pay(from, to.account, 'XRP', xrp, extras(random));
    return;
  }
  if (step.line(to.account, dollar.asset) === undefined) return;
  if (choice < 0.85) {
    const amount = Math.min(25 * random.skewed(8), step.holds(from.account, dollar.asset) * 0.2);
    if (amount > 0.01) step.pay(from, to.account, dollar.asset, amount, extras(random));
    return;
  }
  // Pays dollars with another token, by a path through XRP.
  const token = step.economy.tokens[1 + random.below(3)]!;
  const rate = step.economy.worth(dollar, step.closeTime) / step.economy.worth(token, step.closeTime);
  const amount = Math.min(20 * random.skewed(4), (step.holds(from.account, token.asset) * 0.15) / rate);
  if (amount < 0.05) return;
  step.pay(from, to.account, dollar.asset, amount, {
    SendMax: amountOf(token.asset, amount * rate * 1.06),
    DeliverMin: amountOf(dollar.asset, amount * 0.9),
    Paths: [[{ currency: '0'.repeat(40) }]],
    Flags: Tf.tfPartialPayment,
    ...extras(random),
  });
}

export function payments(step: SimulationStep): void {
  const random = step.random('payments');
  for (let left = RATE * Math.sqrt(step.durationRatio); left > 0; left -= 1)
    if (random.chance(Math.min(1, left))) payOnce(step, random);
}
