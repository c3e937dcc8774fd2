/** What keeps the payment of a quote from succeeding, or makes it expensive. */
import {
  compareDecimal,
  type Decimal,
  decimalText,
  subDecimal,
  XRP_EXPONENT,
} from '../../engine/codec/amount.ts';
import { decimalOfAmount } from '../../engine/quotes/amounts.ts';
import {
  forbidsRipple,
  isAuthorized,
  isDeepFrozen,
  isGlobalFrozen,
  isLineFrozen,
} from '../../engine/quotes/line-rules.ts';
import type { Quote } from '../../engine/quotes/quote.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { tokenName } from '../identity.ts';
import { impactOf } from './quote-answer.ts';
import { type SwapRequest, WARNING_CODES, type Warning } from './swap-request.ts';

/** Price impact from which a swap should be split, fraction. */
const SPLIT_IMPACT = 0.05;
/** Price impact that a part of a split swap may have. */
const PART_IMPACT = 0.01;
const PARTS_MAX = 20;

/** All that applies, in the order of WARNING_CODES. */
export function warningsOf(state: State, request: SwapRequest, quote: Quote): Warning[] {
  const found = new Map<Warning['code'], string>();
  ofSender(state, request, quote, (code, message) => found.set(code, message));
  ofReceiver(state, request, quote, (code, message) => found.set(code, message));
  const impact = impactOf(state, quote);
  if (impact >= SPLIT_IMPACT) {
    const parts = Math.min(PARTS_MAX, Math.ceil(impact / PART_IMPACT));
    found.set(
      'split_recommended',
      `The whole amount moves the price by ${(impact * 100).toFixed(1)} percent: ${parts} smaller swaps, some ledgers apart, let it recover between them`,
    );
  }
  return WARNING_CODES.flatMap((code) => (found.has(code) ? [{ code, message: found.get(code)! }] : []));
}

type Warn = (code: Warning['code'], message: string) => void;

function ofSender(
  state: State,
  { source, destination, sender }: SwapRequest,
  quote: Quote,
  warn: Warn,
): void {
  const name = tokenName(state, source);
  for (const token of [source, destination])
    if (isGlobalFrozen(state, token))
      warn('token_frozen', `The issuer of ${tokenName(state, token)} froze all of it`);
  const funds = sender === undefined ? { m: 0n, e: 0 } : fundsOf(state, sender, source);
  if (funds && compareDecimal(funds, decimalOfAmount(quote.in)) < 0)
    warn('insufficient_balance', `The source account can spend ${decimalText(funds)} ${name}`);
  if (sender === undefined || source === XRP || sender === state.tokens.issuer(source)) return;
  if (isLineFrozen(state, sender, source) || isDeepFrozen(state, sender, source))
    warn('line_frozen', `The issuer froze the source account's ${name}`);
  else if (forbidsRipple(state, sender, source))
    warn('line_frozen', `The issuer lets the source account's ${name} not ripple`);
}

/** What an account can spend, if it is not frozen; undefined: as much as it likes, being the issuer. */
function fundsOf(state: State, account: number, token: number): Decimal | undefined {
  const { accounts, lines, tokens } = state;
  if (token === XRP) return { m: accounts.spendableDrops(account), e: XRP_EXPONENT };
  if (account === tokens.issuer(token)) return undefined;
  const line = lines.find(account, token);
  if (line === undefined) return { m: 0n, e: 0 };
  const held = tokens.decimal(token, ...lines.balanceRaw(line, token));
  return held.m > 0n ? held : { m: 0n, e: 0 };
}

function ofReceiver(state: State, request: SwapRequest, quote: Quote, warn: Warn): void {
  const { destination, receiver, destinationAccount } = request;
  const isOther = destinationAccount !== undefined;
  const who = isOther ? 'The destination account' : 'The source account';
  const { accounts, lines, tokens } = state;
  if (receiver === undefined || !accounts.exists(receiver)) {
    if (isOther) warn('recipient_unverified', `${who} is not on the ledger`);
    return;
  }
  if (isOther && (accounts.flags[receiver]! & AccountFlag.depositAuth) !== 0)
    warn('recipient_not_authorized', `${who} takes payments only of accounts that it authorised`);
  if (destination === XRP || receiver === tokens.issuer(destination)) return;
  const name = tokenName(state, destination);
  const line = lines.find(receiver, destination);
  if (line === undefined) {
    if (isOther) warn('recipient_no_trustline', `${who} has no trust line for ${name}`);
    return;
  }
  const held = tokens.decimal(destination, ...lines.balanceRaw(line, destination));
  if (!isAuthorized(state, receiver, destination) && held.m === 0n)
    warn('recipient_not_authorized', `The issuer did not authorise ${who.toLowerCase()} to hold ${name}`);
  if (isDeepFrozen(state, receiver, destination) || lines.frozenByHolder(line, destination))
    warn(
      isOther ? 'recipient_line_frozen' : 'line_frozen',
      `${who} cannot receive ${name}: its line is frozen`,
    );
  else if (forbidsRipple(state, receiver, destination))
    warn(
      isOther ? 'recipient_line_frozen' : 'line_frozen',
      `The issuer lets ${name} not ripple to ${who.toLowerCase()}`,
    );
  const room = subDecimal(tokens.decimal(destination, ...lines.limitRaw(line, destination)), held);
  if (compareDecimal(room, decimalOfAmount(quote.out)) < 0)
    warn(
      isOther ? 'recipient_limit_low' : 'dest_limit_low',
      `${who} accepts ${decimalText(room.m > 0n ? room : { m: 0n, e: 0 })} ${name} more`,
    );
}
