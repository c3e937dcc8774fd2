/** What keeps the payment of a quote from succeeding, or makes it expensive. */
import { decimalText } from '../../engine/codec/amount.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { decimalOfAmount } from '../../engine/quotes/amounts.ts';
import {
  type Demand,
  fundsToPayIn,
  payInObstacles,
  payOutObstacles,
  roomFor,
} from '../../engine/quotes/payment-ends.ts';
import type { Quote } from '../../engine/quotes/quote.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { tokenName } from '../identity.ts';
import { type SwapRequest, WARNING_CODES, type Warning } from './swap-request.ts';

/** Price impact from which a swap should be split, fraction. */
const SPLIT_IMPACT = 0.05;
/** Price impact that a part of a split swap may have. */
const PART_IMPACT = 0.01;
const PARTS_MAX = 20;

/** What a receiver asks of payments, put into words; the name of the account goes before. */
export const DEMANDED: Readonly<Record<Demand, Warning>> = {
  deposit_auth: {
    code: 'recipient_not_authorized',
    message: 'takes payments only of accounts that it authorised, and the source account is none of them',
  },
  deposit_auth_unknown: {
    code: 'recipient_not_authorized',
    message:
      'takes payments only of accounts that it authorised; whether the source account is one of them is not known here',
  },
  destination_tag: {
    code: 'destination_tag_required',
    message: 'refuses payments without a destination tag (DestinationTag)',
  },
};

/** All that applies, in the order of WARNING_CODES. @param impact of the quote */
export function warningsOf(state: State, impact: number, request: SwapRequest, quote: Quote): Warning[] {
  const found = new Map<Warning['code'], string>();
  ofSender(state, request, quote, (code, message) => found.set(code, message));
  ofReceiver(state, request, quote, (code, message) => found.set(code, message));
  if (impact >= SPLIT_IMPACT) {
    const parts = Math.min(PARTS_MAX, Math.ceil(impact / PART_IMPACT));
    found.set(
      'split_recommended',
      `The whole amount moves the price by ${(impact * 100).toFixed(1)} percent: ${parts} smaller swaps, some ledgers apart, let it recover between them`,
    );
  }
  return WARNING_CODES.flatMap((code) => (found.has(code) ? [{ code, message: found.get(code)! }] : []));
}

/** Whether the sender must set a trust line before it can receive the token. */
export function needsLine({ tokens, lines }: State, request: SwapRequest): boolean {
  const { destination, sender, destinationAccount } = request;
  if (destination === XRP || destinationAccount !== undefined) return false;
  if (sender === undefined) return true;
  return sender !== tokens.issuer(destination) && lines.find(sender, destination) === undefined;
}

type Warn = (code: Warning['code'], message: string) => void;

function ofSender(state: State, request: SwapRequest, quote: Quote, warn: Warn): void {
  const { source, sender } = request;
  const name = tokenName(state, source);
  if (sender === undefined) {
    warn('insufficient_balance', `The source account has no ${name}`);
    return;
  }
  const lines = needsLine(state, request) ? 1 : 0;
  for (const obstacle of payInObstacles(state, sender, source, quote.in, lines))
    switch (obstacle) {
      case 'no_ripple':
        warn('line_frozen', `The issuer lets the source account's ${name} not ripple`);
        break;
      case 'line_frozen':
        warn('line_frozen', `The issuer froze the source account's ${name}`);
        break;
      case 'insufficient_balance': {
        const funds = text(fundsToPayIn(state, sender, source, lines)!);
        const kept = source === XRP && lines > 0 ? ', once it has the trust line' : '';
        warn(obstacle, `The source account can spend ${funds} ${name}${kept}`);
        break;
      }
      case 'no_reserve':
        warn(
          'insufficient_balance',
          'The source account has too little XRP for the trust line that it must set',
        );
        break;
      case 'no_fee':
        warn('insufficient_balance', 'The source account has no XRP for the fee');
    }
}

const text = (amount: Amount): string => decimalText(decimalOfAmount(amount));

function ofReceiver(state: State, request: SwapRequest, quote: Quote, warn: Warn): void {
  const { destination, receiver, destinationAccount } = request;
  const isOther = destinationAccount !== undefined;
  const who = isOther ? 'The destination account' : 'The source account';
  const name = tokenName(state, destination);
  const frozen = isOther ? 'recipient_line_frozen' : 'line_frozen';
  // XRP in the height of the reserve creates it: whether that is meant, only the sender knows.
  if (isOther && (receiver === undefined || !state.accounts.exists(receiver)))
    warn('recipient_unverified', `${who} is not on the ledger`);
  for (const obstacle of payOutObstacles(request.sender, state, receiver, destination, quote.out))
    switch (obstacle) {
      case 'deposit_auth':
      case 'deposit_auth_unknown':
      case 'destination_tag':
        warn(DEMANDED[obstacle].code, `${who} ${DEMANDED[obstacle].message}`);
        break;
      case 'no_ripple':
        warn(frozen, `The issuer lets ${name} not ripple to ${who.toLowerCase()}`);
        break;
      case 'no_account':
        break;
      case 'no_trustline':
        // The source account's own is named beside the quote: it can be set before the payment.
        if (isOther) warn('recipient_no_trustline', `${who} has no trust line for ${name}`);
        break;
      case 'no_new_lines':
        warn('recipient_not_authorized', `The issuer accepts no new trust lines for ${name}`);
        break;
      case 'not_authorized':
        warn('recipient_not_authorized', `The issuer did not authorise ${who.toLowerCase()} to hold ${name}`);
        break;
      case 'froze_all':
        warn(frozen, `${who} froze all that it issues: no payment through books or pools reaches it`);
        break;
      case 'line_frozen':
        warn(frozen, `${who} cannot receive ${name}: its line is frozen`);
        break;
      case 'limit_low': {
        const room = text(roomFor(state, state.lines.find(receiver!, destination)!, destination));
        warn(isOther ? 'recipient_limit_low' : 'dest_limit_low', `${who} accepts ${room} ${name} more`);
      }
    }
}
