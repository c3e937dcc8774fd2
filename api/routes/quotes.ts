/** Section 4.2: quotes of swaps. */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { accountBytes } from '../../engine/codec/base58.ts';
import type { Ends } from '../../engine/quotes/ends.ts';
import { isGlobalFrozen } from '../../engine/quotes/line-rules.ts';
import { isQuotable, isRefused } from '../../engine/quotes/strands-of.ts';
import type { State } from '../../engine/state/state.ts';
import { TokenKind, XRP } from '../../engine/state/tokens.ts';
import { ApiError, badRequest, notFound } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { tokenName } from '../../views/identity.ts';
import { swapAmount, WARNING_CODES } from '../../views/quotes/swap-request.ts';
import type { Views } from '../../views/views.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { boolean, describe, integer, list, number, object, oneOf, orNull, string } from '../schema.ts';
import { tokenOf } from './tokens.ts';

/** Tolerance where none is sent: 2 %. */
const SLIPPAGE = 0.02;
const SLIPPAGE_MAX = 0.5;

const amount = object({ currency: string, 'issuer?': string, value: string });
const quoteFields = {
  source_amount: describe(amount, 'What is spent, transfer fees included'),
  destination_amount: describe(amount, 'What is delivered'),
  minimum_received: describe(string, 'Destination amount less the slippage tolerance'),
  execution_rate: describe(number, 'Units of the destination token for one of the source token'),
  price_impact: describe(
    object({ percent: string, 'xrp?': string }),
    'How much worse the rate is than that of a thousandth of the amount: `0.12%`, and in XRP where XRP is spent or received',
  ),
  amm_price_change: describe(
    orNull(number),
    'Percent by which the price of the pool moves: above 0 for buys, below 0 for sells; null unless the route is one exchange with XRP that has a pool',
  ),
  suggested_slippage: describe(number, 'Percent'),
  slippage_tolerance: describe(number, 'Fraction, as sent'),
  from_orderbook: describe(string, 'Part of the destination amount that offers give'),
  from_amm: describe(string, 'Part of the destination amount that pools give'),
  amm_pool_fee: describe(orNull(string), 'What the pools of the first exchange keep: `0.05 XRP`'),
  amm_trading_fee_bps: describe(
    orNull(integer),
    'Fee of the pool in thousandths of a percent, where the route is one exchange',
  ),
  paths: describe(
    list(list(object({ currency: string, 'issuer?': string }))),
    'The Paths of the payment; empty: the default path is enough. The default path must not be excluded (tfNoRippleDirect)',
  ),
  paths_count: describe(integer, 'Routes that are used, the default one included'),
  route: describe(
    list(
      object({
        share: number,
        tokens: list(object({ currency: string, issuer: string, md5: string })),
        poolShares: list(number),
      }),
    ),
    'What each route delivers, percent; its tokens; of each exchange the percent that pools give',
  ),
  partial: describe(boolean, 'The amount asked for is more than can be had: this is all'),
  'destination_account?': describe(string, 'Where it is not the source account'),
};

const quote = route({
  method: 'POST',
  path: '/dex/quote',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: {
    source_account: samples.account,
    destination_token: samples.token,
    source_value: '10',
  },
  summary:
    'What a swap would pay and deliver on the newest ledger, over order books and pools together: direct, through XRP or through up to three tokens',
  params: {
    source_account: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address of who pays',
    },
    destination_token: {
      in: 'body',
      kind: 'text',
      maxLength: 128,
      pattern: patterns.token,
      about: 'Token id of what is to be received',
    },
    destination_value: {
      in: 'body',
      kind: 'text',
      maxLength: 64,
      about: 'Exact output; this or source_value',
    },
    source_value: {
      in: 'body',
      kind: 'text',
      maxLength: 64,
      about: 'Exact input; this or destination_value',
    },
    source_token: {
      in: 'body',
      kind: 'text',
      maxLength: 128,
      pattern: patterns.token,
      about: 'Token id of what is spent; XRP unless sent',
    },
    slippage: {
      in: 'body',
      kind: 'float',
      default: SLIPPAGE,
      min: 0,
      max: SLIPPAGE_MAX,
      about: 'Tolerance, a fraction: 0.02 is 2 percent',
    },
    destination_account: {
      in: 'body',
      kind: 'text',
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address of who receives; the source account unless sent',
    },
    destination_amount: {
      in: 'body',
      kind: 'json',
      about: 'Instead of destination_token and destination_value: { currency, issuer, value }',
    },
    source_currencies: {
      in: 'body',
      kind: 'json',
      about: 'Instead of source_token: [{ currency, issuer }], of which the first is taken',
    },
  },
  needs: [
    { anyOf: [['destination_token'], ['destination_amount']] },
    { anyOf: [['destination_value'], ['source_value'], ['destination_amount']] },
  ],
  response: object({
    requiresTrustline: describe(
      orNull(object({ currency: string, issuer: string })),
      'The trust line that the source account must set before it can receive the token',
    ),
    quote: object({
      ...quoteFields,
      warnings: describe(
        list(object({ code: oneOf(WARNING_CODES), message: string })),
        'What would make the payment fail, or expensive',
      ),
    }),
    alternatives: describe(
      list(object(quoteFields)),
      'Other payments, worse than this one or in need of paths',
    ),
    ledger_index: integer,
  }),
  successAs: 'status',
  cost: 10,
  bucket: '/dex/quote',
  handler: async (input, { views, engine }) => {
    const { state } = engine;
    const destination = destinationOf(views, input.destination_token, input.destination_amount);
    const source = sourceOf(views, input.source_token, input.source_currencies);
    if (source === destination) throw badRequest('Source and destination are the same token');
    const sender = accountOf(state, input.source_account, 'source_account');
    if (!isQuotable(state, source, sender)) throw notQuotable(state, source);
    if (!isQuotable(state, destination)) throw notQuotable(state, destination);
    const { side, value } = sizeOf(input);
    const other = input.destination_account === input.source_account ? undefined : input.destination_account;
    const receiver = other === undefined ? sender : accountOf(state, other, 'destination_account');
    const answer = await views.quotes.swap({
      source,
      destination,
      side,
      amount: amountText(side === 'in' ? source : destination, value),
      sender,
      receiver,
      destinationAccount: other,
      slippage: input.slippage,
    });
    if (!answer) throw notFound('No quote', reasonOfNone(state, { source, destination, sender, receiver }));
    return answer;
  },
});

const reasonOfNone = (state: State, ends: Ends): string =>
  isRefused(state, ends)
    ? 'The source account issues what is to be received, or the destination account what is spent, and both are of one currency: the ledger refuses such payments as loops'
    : 'No order book or pool leads from the one token to the other';

function notQuotable(state: State, token: number): ApiError {
  if (!isGlobalFrozen(state, token)) {
    const { accounts, tokens } = state;
    const isOrphan = tokens.kind(token) === TokenKind.issued && !accounts.exists(tokens.issuers[token]!);
    const reason = isOrphan
      ? 'Its issuer is not on the ledger'
      : 'MPTs, and LP tokens of pools with one, are not quoted';
    return notFound('No quote', `${tokenName(state, token)}: ${reason}`);
  }
  const message = `The issuer of ${tokenName(state, token)} froze all of it`;
  return new ApiError('not_found', 'No quote', {
    hint: message,
    extra: { warnings: [{ code: 'token_frozen', message }] },
  });
}

/** An account by its r-address; undefined: no ledger named it. */
function accountOf(state: State, address: string, name: string): number | undefined {
  const bytes = accountBytes(address);
  if (!bytes) throw badRequest(`Invalid ${name}`, 'Send an r-address');
  return state.accounts.find(bytes, 0);
}

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function issueOf(views: Views, value: unknown, name: string): number {
  const currency = member(value, 'currency');
  const issuer = member(value, 'issuer');
  if (typeof currency !== 'string' || (issuer !== undefined && typeof issuer !== 'string'))
    throw badRequest(`Invalid ${name}`, 'Send { currency, issuer }');
  const token = views.tokens.resolveIssue(currency, issuer);
  if (token === undefined)
    throw notFound('Token not found', `No token ${currency} of ${issuer ?? 'no issuer'}`);
  return token;
}

function destinationOf(views: Views, id: string | undefined, sent: unknown): number {
  return id === undefined ? issueOf(views, sent, 'destination_amount') : tokenOf(views, id);
}

function sourceOf(views: Views, id: string | undefined, sent: unknown): number {
  if (id !== undefined) return tokenOf(views, id);
  if (sent === undefined) return XRP;
  const [first] = Array.isArray(sent) ? sent : [sent];
  return issueOf(views, first, 'source_currencies');
}

interface SentSizes {
  readonly source_value?: string | undefined;
  readonly destination_value?: string | undefined;
  readonly destination_amount?: unknown;
}

/** What is exact, and how much of it. @throws ApiError 400 where that is given twice: which was meant cannot be known */
function sizeOf({
  source_value: source,
  destination_value: destination,
  destination_amount: amount,
}: SentSizes) {
  const inAmount = member(amount, 'value');
  const isInAmount = inAmount !== undefined && inAmount !== null && inAmount !== '';
  if ([source, destination, isInAmount || undefined].filter((one) => one !== undefined).length > 1)
    throw badRequest('More parameters than one say how much', 'Send source_value or destination_value');
  if (source !== undefined) return { side: 'in', value: source } as const;
  return { side: 'out', value: destination ?? valueText(inAmount) } as const;
}

function valueText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw badRequest('Invalid destination_amount', 'Send { currency, issuer, value }');
  return String(value);
}

/** @throws ApiError for what is no amount above zero */
function amountText(token: number, text: string): Amount {
  const value = swapAmount(token, text);
  if (value) return value;
  throw badRequest('Invalid amount', 'Send a number above zero; XRP has six decimals');
}

export const quoteRoutes: Route[] = [quote];
