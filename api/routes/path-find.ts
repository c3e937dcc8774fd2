/** Section 4.2: what an account could spend to deliver an amount, in the words of rippled's `ripple_path_find`. */
import { Amount, AmountError } from '../../engine/codec/arithmetic/amount.ts';
import { currencyBytes } from '../../engine/codec/currency.ts';
import { assetOf } from '../../engine/quotes/amounts.ts';
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { type ApiError, badRequest, notFound } from '../../requests/errors.ts';
import { isTokenForm, patterns } from '../../requests/identifiers.ts';
import { isAddress, resolveIssue, resolveToken, XRP_ISSUER } from '../../views/identity.ts';
import { NAMED_SOURCES_MAX, type PathAlternative, type SourceChoice } from '../../views/path-find.ts';
import { DEMANDED } from '../../views/quotes/quote-warnings.ts';
import { WARNING_CODES } from '../../views/quotes/swap-request.ts';
import { samples } from '../examples.ts';
import { type Route, route } from '../route.ts';
import { describe, list, object, oneOf, type Schema, string } from '../schema.ts';

type AmountText = string | { currency: string; issuer: string; value: string };

const amountSchema: Schema<AmountText> = {
  anyOf: [{ type: 'string' }, object({ currency: string, issuer: string, value: string })],
  description: 'Drops of XRP, or { currency, issuer, value }',
};

const step = object({
  currency: string,
  'issuer?': describe(string, 'Absent: XRP'),
  type: describe({ enum: [16, 48] } as Schema<number>, '16: XRP, 48: a token'),
});

const pathFind = route({
  method: 'POST',
  path: '/account/path-find',
  section: '4.2',
  auth: 'none',
  tier: 'anonymous',
  example: { source: samples.account, destination: samples.account, amount: '10000000' },
  summary:
    'What an account could spend to deliver an exact amount: the best payment for each token that it has, over books and pools. POST /dex/quote says more of one swap',
  params: {
    source: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address that pays',
      aliases: ['source_account'],
    },
    destination: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: 64,
      pattern: patterns.account,
      about: 'r-address that is paid; the same one for a conversion',
      aliases: ['destination_account'],
    },
    amount: {
      in: 'body',
      kind: 'json',
      required: true,
      about: 'To deliver: drops of XRP as text, or { currency, issuer, value }',
      aliases: ['destination_amount'],
    },
    source_currencies: {
      in: 'body',
      kind: 'json',
      about: `One to ${NAMED_SOURCES_MAX} tokens to spend, [{ currency, issuer? }] or ids of tokens; without an issuer all of the currency. Default: all that the source has`,
    },
  },
  response: object({
    source_account: string,
    destination_account: string,
    destination_amount: amountSchema,
    destination_currencies: describe(
      list(string),
      'Currencies that the destination accepts more of, its own issues among them, and XRP',
    ),
    alternatives: describe(
      list(
        object({
          source_amount: describe(
            amountSchema,
            'What it costs on this ledger; a SendMax a little above leaves room for rounding',
          ),
          paths_computed: describe(list(list(step)), 'Paths of the Payment; empty: it needs none'),
          paths_canonical: describe(list(list(step)), 'Always empty, as rippled answers it'),
        }),
      ),
      'XRP first. Empty: nothing that the source has can deliver the amount, or the destination cannot receive it',
    ),
    warnings: describe(
      list(object({ code: oneOf(WARNING_CODES), message: string })),
      'What the destination asks of these payments, which fail without it',
    ),
    status: oneOf(['success']),
  }),
  cost: 2,
  bucket: '/account/path-find',
  handler: async ({ source, destination, amount: sent, source_currencies }, { engine, views }) => {
    const { state } = engine;
    for (const [name, text] of Object.entries({ source, destination }))
      if (!isAddress(text)) throw badRequest(`Invalid ${name}`, 'Send an r-address');
    const payer = accountOf(state, source);
    if (payer === undefined) throw notFound('Source account not found');
    const { token, amount } = readAmount(state, sent);
    const choices =
      source_currencies === undefined ? undefined : readChoices(state, source, source_currencies);
    const { alternatives, receivable, demands } = await views.paths.find({
      source: payer,
      destination: accountOf(state, destination),
      token,
      amount,
      choices,
    });
    return {
      source_account: source,
      destination_account: destination,
      destination_amount: amountJson(state, token, amount),
      destination_currencies: [...new Set(receivable.map((one) => state.tokens.currencyText(one)))],
      alternatives: alternatives.map((one) => alternativeJson(state, one)),
      warnings: demands.map((demand) => {
        const { code, message } = DEMANDED[demand];
        return { code, message: `The destination account ${message}` };
      }),
      status: 'success' as const,
    };
  },
});

function accountOf({ accounts }: State, address: string): number | undefined {
  const account = accounts.findText(address);
  return account !== undefined && accounts.exists(account) ? account : undefined;
}

/** @throws ApiError */
function readAmount(state: State, sent: unknown): { token: number; amount: Amount } {
  const json = typeof sent === 'number' ? String(sent) : sent;
  if (typeof json === 'object' && json !== null && 'mpt_issuance_id' in json)
    throw badRequest('Invalid amount', 'Multi-purpose tokens are not paid over paths');
  const isIssued = typeof json === 'object' && json !== null && 'currency' in json;
  if (typeof json !== 'string' && !isIssued)
    throw badRequest('Invalid amount', 'Send drops of XRP as text, or { currency, issuer, value }');
  let amount: Amount;
  try {
    amount = Amount.parse(json);
  } catch (error) {
    if (error instanceof AmountError || error instanceof TypeError)
      throw badRequest('Invalid amount', error.message);
    throw error;
  }
  if (amount.mantissa <= 0n) throw badRequest('Invalid amount', 'Send an amount above 0');
  if (amount.isNative) return { token: XRP, amount };
  const { currency, issuer } = json as { currency: string; issuer: string };
  const token = resolveIssue(state, currency, issuer);
  if (token === undefined) throw notFound('Token not found', `No token ${currency} of ${issuer}`);
  return { token, amount: amount.withAsset(assetOf(token)) };
}

/** @throws ApiError where it is no list of currencies, of at most as many; tokens that do not exist are left out */
function readChoices(state: State, source: string, sent: unknown): SourceChoice[] {
  const items: unknown = typeof sent === 'string' ? sent.split(',') : sent;
  if (!Array.isArray(items) || items.length === 0 || items.length > NAMED_SOURCES_MAX)
    throw badRequest(
      'Invalid source_currencies',
      `Send one to ${NAMED_SOURCES_MAX} of { currency, issuer? }, or ids of tokens`,
    );
  return items.flatMap((item: unknown): SourceChoice[] => {
    if (typeof item === 'string') return choiceOfText(state, item.trim());
    const { currency, issuer } = (item ?? {}) as { currency?: unknown; issuer?: unknown };
    if (typeof currency !== 'string') throw badRequest('Invalid source_currencies', 'Each needs a currency');
    // As in rippled, the source itself as issuer stands for any issuer.
    if (issuer === undefined || issuer === '' || issuer === source) return choiceOfText(state, currency);
    if (typeof issuer !== 'string' || !(isAddress(issuer) || issuer === XRP_ISSUER))
      throw badRequest('Invalid source_currencies', `The issuer of ${currency} is not an r-address`);
    if (!isCurrency(currency)) throw notCurrency(currency);
    const token = resolveIssue(state, currency, issuer);
    return token === undefined ? [] : [{ token }];
  });
}

/** A token by its id, or all tokens of a currency. @throws ApiError where it is neither */
function choiceOfText(state: State, text: string): SourceChoice[] {
  const token = resolveToken(state, text);
  if (token !== undefined) return [{ token }];
  if (isTokenForm(text)) return [];
  const code = currencyBytes(text);
  if (!code) throw notCurrency(text);
  const currency = state.currencies.find(code, 0);
  return currency === 0 ? [] : [{ currency }];
}

/** A code, or the id of a multi-purpose token, which no path leads over. */
const isCurrency = (text: string): boolean => currencyBytes(text) !== undefined || isTokenForm(text);

const notCurrency = (text: string): ApiError =>
  badRequest('Invalid source_currencies', `${text} is neither a currency code nor a token id`);

function amountJson({ tokens }: State, token: number, amount: Amount): AmountText {
  if (token === XRP) return amount.text();
  return { currency: tokens.currencyText(token), issuer: tokens.issuerText(token), value: amount.text() };
}

function alternativeJson(state: State, { token, cost, paths }: PathAlternative) {
  const { tokens } = state;
  const stepOf = (one: number) =>
    one === XRP
      ? { currency: 'XRP', type: 16 }
      : { currency: tokens.currencyText(one), issuer: tokens.issuerText(one), type: 48 };
  return {
    source_amount: amountJson(state, token, cost),
    paths_computed: paths.map((path) => path.map(stepOf)),
    paths_canonical: [],
  };
}

export const pathFindRoutes: Route[] = [pathFind];
