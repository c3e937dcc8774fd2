/**
 * A rule for payments as a whole: where one account's lines of one currency move both ways, none of them may be one that the account
 * froze. Offers are taken all the same, and then the payment fails (rippled InvariantCheck.cpp, `TransfersNotFrozen`).
 *
 *     owner who froze all    gives USD of one issuer, and gets USD of another one
 *     owner who froze a line gets USD over it, and gives USD of another issuer, or its own
 *
 * Only payments with two tokens of one currency can do that: of a single one, what its issuer froze is not given in the first place.
 */
import { LineFlag } from '../state/line-fields.ts';
import { XRP } from '../state/tokens.ts';
import { keyWithToken } from './amounts.ts';
import type { Ends } from './ends.ts';
import { endOf, frozeAll } from './line-rules.ts';
import type { Market } from './market.ts';
import type { PaymentState } from './payment-state.ts';

/** How one account's lines of one currency move. */
interface Moves {
  readonly account: number;
  /** Whether it takes in anything over them, and gives anything. */
  takes: boolean;
  gives: boolean;
  /** Whether it froze one of them, for this direction. */
  isFrozen: boolean;
}

/** @param view after the payment. What the receiver froze itself is for who looks at the ends (payment-ends.ts) */
export function movesFrozen(view: PaymentState, { source, sender, receiver }: Ends): boolean {
  const { market } = view;
  const { issuers } = market.tokens;
  const all = new Map<number, Moves>();
  const add = (holder: number, token: number, gets: boolean): void => {
    record(all, market, { holder, token, who: 'holder', takes: gets });
    record(all, market, { holder, token, who: 'issuer', takes: !gets });
  };
  // What the sender spends is in no layer where it is not limited.
  if (sender !== undefined && source !== XRP && sender !== issuers[source]) add(sender, source, false);
  for (const { account, token, sign } of view.changes())
    if (token !== XRP && !(account === sender && token === source)) add(account, token, sign > 0);
  for (const { account, takes, gives, isFrozen } of all.values())
    if (takes && gives && isFrozen && account !== receiver) return true;
  return false;
}

interface Move {
  readonly holder: number;
  readonly token: number;
  /** Which of the two ends it is recorded for. */
  readonly who: 'holder' | 'issuer';
  readonly takes: boolean;
}

function record(all: Map<number, Moves>, market: Market, { holder, token, who, takes }: Move): void {
  const { issuers, codes } = market.tokens;
  const account = who === 'holder' ? holder : issuers[token]!;
  const key = keyWithToken(account, codes[token]!);
  let moves = all.get(key);
  if (!moves) {
    moves = { account, takes: false, gives: false, isFrozen: frozeAll(market, account) };
    all.set(key, moves);
  }
  if (takes) moves.takes = true;
  else moves.gives = true;
  moves.isFrozen ||= frozeLine(market, holder, token, who, takes);
}

/** Whether one end froze what it takes in over a line, or froze the line deeply. */
function frozeLine(market: Market, holder: number, token: number, who: Move['who'], takes: boolean): boolean {
  const line = market.lines.find(holder, token);
  if (line === undefined) return false;
  const isLow = endOf(market, line, token, who) === 'low';
  const deep = isLow ? LineFlag.lowDeepFreeze : LineFlag.highDeepFreeze;
  const freeze = isLow ? LineFlag.lowFreeze : LineFlag.highFreeze;
  return (market.lines.flags[line]! & (takes ? freeze | deep : deep)) !== 0;
}
