/** Payments between people: XRP and stablecoins, with tags and memos, across currencies by paths. */
import { Tf } from '../protocol/flags.ts';
import { hex } from './hex.ts';
import type { Chance } from './random.ts';
import { TRADERS } from './setup.ts';
import { amountOf, type Turn } from './turn.ts';

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

const extras = (chance: Chance) => ({
  ...(chance.hit(0.4) ? { DestinationTag: chance.below(2 ** 31) } : {}),
  ...(chance.hit(0.25) ? { Memos: memo(chance.pick(MEMOS)) } : {}),
});

function one(turn: Turn, chance: Chance): void {
  const from = turn.people.get(`trader:${chance.below(TRADERS)}`);
  const to = turn.people.get(`trader:${chance.below(TRADERS)}`);
  if (from === to || turn.root(from) === undefined || turn.root(to) === undefined) return;
  const dollar = turn.economy.token('USDM');
  const way = chance.next();
  if (way < 0.6) {
    const xrp = Math.min(12 * chance.skewed(8), (turn.xrp(from) - 50) * 0.2);
    if (xrp > 0) turn.pay(from, to.account, 'XRP', xrp, extras(chance));
    return;
  }
  if (turn.line(to.account, dollar.asset) === undefined) return;
  if (way < 0.85) {
    const amount = Math.min(25 * chance.skewed(8), turn.holds(from.account, dollar.asset) * 0.2);
    if (amount > 0.01) turn.pay(from, to.account, dollar.asset, amount, extras(chance));
    return;
  }
  // Pays dollars with what else he has: by way of XRP, where it is no XRP already.
  const token = turn.economy.tokens[1 + chance.below(3)]!;
  const rate = turn.economy.worth(dollar, turn.closeTime) / turn.economy.worth(token, turn.closeTime);
  const amount = Math.min(20 * chance.skewed(4), (turn.holds(from.account, token.asset) * 0.15) / rate);
  if (amount < 0.05) return;
  turn.pay(from, to.account, dollar.asset, amount, {
    SendMax: amountOf(token.asset, amount * rate * 1.06),
    DeliverMin: amountOf(dollar.asset, amount * 0.9),
    Paths: [[{ currency: '0'.repeat(40) }]],
    Flags: Tf.tfPartialPayment,
    ...extras(chance),
  });
}

export function payments(turn: Turn): void {
  const chance = turn.chance('payments');
  for (let left = RATE * Math.sqrt(turn.share); left > 0; left -= 1)
    if (chance.hit(Math.min(1, left))) one(turn, chance);
}
