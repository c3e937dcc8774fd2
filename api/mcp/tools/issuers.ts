/** Tools about those who issue and hold tokens: what an issuer did, who came in when, how risky an account is. */
import { wholeDrops } from '../../../engine/codec/amount.ts';
import { isJsonObject, type Json } from '../../../engine/codec/values.ts';
import { type CohortHolder, holderCohorts } from '../../../engine/metrics/holder-cohorts.ts';
import {
  ISSUER_ACTIONS,
  ISSUER_TYPES,
  type IssuerAction,
  type IssuerEffects,
  issuerAction,
} from '../../../engine/metrics/issuer-actions.ts';
import { paymentFlows } from '../../../engine/metrics/payment-flows.ts';
import { walletRisk } from '../../../engine/metrics/wallet-risk.ts';
import { DAY_MS, unixMs } from '../../../engine/ripple-time.ts';
import { minus, plus, shifted } from '../../../explain/decimal.ts';
import { clawedBack, deliveredBy, isUnfreezing } from '../../../explain/effects.ts';
import type { Meta } from '../../../explain/json.ts';
import { ApiError } from '../../../requests/errors.ts';
import type { Network } from '../../../views/network.ts';
import { isExchangeAddress } from '../../../views/token-facts.ts';
import { transactionsOf, xrpPayments } from '../account-transactions.ts';
import type { JsonObject } from '../json-rpc.ts';
import { pages } from '../pages.ts';
import { flag, type ToolContext, tool } from '../tool.ts';

const TX = 'GET /account/tx/{account}';
/** Transactions a page, and most pages of one answer. */
const PAGE = 200;
const PAGES_MAX = 10;
/** Tokens that are looked through for issuers that nobody controls, by market cap. */
const TOKENS_MAX = 1000;
/** Holders that are put into groups, the largest. */
const HOLDERS_MAX = 1000;
const HOLDERS_PAGE = 200;
/** Newest transactions of an account that its risk is judged by. */
const JUDGED = 400;

const text = { type: 'string' };
const integer = { type: 'integer' };
const list = { type: 'array' };

export const issuerTools = [
  tool({
    name: 'get_issuer_actions',
    title: 'What an issuer did',
    about:
      'Freezes, clawbacks, authorisations, locks, keys and settings of an issuer, newest first; supply: tokens made and redeemed, too. blackholed, without account: tokens whose issuer nobody can sign for.',
    routes: [TX, 'GET /tokens'],
    params: {
      account: { kind: 'text', about: 'The issuer, r...', maxLength: 50 },
      blackholed: flag('Tokens of issuers without keys'),
      supply: flag('Payments that made or ended tokens'),
      holder: { kind: 'text', about: 'Only what concerns this account', maxLength: 50 },
      action: { kind: 'enum', about: 'Only these', values: ISSUER_ACTIONS },
      since: { kind: 'time', about: 'Not before this' },
      limit: { kind: 'int', about: 'Rows', default: 50, min: 1, max: 200 },
    },
    excludes: { account: ['blackholed'], blackholed: ['supply', 'holder', 'action', 'since'] },
    counts: { actions: 'total' },
    answer: {
      properties: { account: text, total: integer, actions: list, supply: list, tokens: list, truncated: {} },
    },
    run: async ({ account, blackholed, supply, holder, action, since, limit }, context) => {
      if (account === undefined) {
        if (!blackholed)
          throw new ApiError('missing_parameter', 'Missing parameter: account', {
            hint: 'Send account, or blackholed: true',
          });
        return tokensWithoutKeys(context, limit as number);
      }
      const { found, isCut } = await actionsOf(context, String(account), {
        supply: supply === true || action === 'issue' || action === 'redeem',
        since: since as number | undefined,
      });
      const asked = found.filter(
        (one) =>
          (action === undefined || one.action === action) && (holder === undefined || one.holder === holder),
      );
      return {
        account,
        ...(blackholed === true && {
          blackholed: isWithoutKeys(context.network, String(account)) ?? 'not known',
        }),
        total: asked.length,
        actions: asked.slice(0, limit as number),
        ...(supply === true && { supply: supplyOf(asked) }),
        ...(isCut && { truncated: true }),
      };
    },
  }),
  tool({
    name: 'get_holder_cohorts',
    title: 'Holders by entry and profit',
    about:
      'The largest 1,000 holders in groups: when they first traded the token, and whether they are ahead (XRP, realised and unrealised). Narrowed by profit, first trade and size.',
    routes: ['GET /holders/list/{id}', 'GET /token/{id}'],
    params: {
      id: { of: 'id', about: 'Token: md5, issuer-currency, MPT id or slug' },
      profit: { kind: 'enum', about: 'Only those ahead, or behind', values: ['ahead', 'behind'] },
      bought_within_days: { kind: 'float', about: 'Only those that first traded within this', min: 0 },
      above_tokens: { kind: 'float', about: 'Only those with more tokens than this', min: 0 },
    },
    answer: {
      properties: { holders: integer, compared: integer, selected: integer, byAge: list, byProfit: list },
    },
    run: async ({ id, profit, bought_within_days, above_tokens }, context) => {
      const { closeTime: now } = context;
      const { holders, total } = await cohortHolders(context, id);
      const since = bought_within_days === undefined ? 0 : now - (bought_within_days as number) * DAY_MS;
      const selected = holders.filter(
        (one) =>
          (profit === undefined || (profit === 'ahead' ? (one.profit ?? 0) > 0 : (one.profit ?? 0) < 0)) &&
          (since === 0 || (one.firstTrade ?? 0) >= since) &&
          one.tokens > ((above_tokens as number | undefined) ?? -1),
      );
      return {
        holders: total,
        compared: holders.length,
        selected: selected.length,
        ...holderCohorts(selected, now),
        // As lists of holders call it: profit is there what was realised.
        largest: selected.slice(0, 10).map(({ profit: pnl, ...row }) => ({ ...row, pnl })),
      };
    },
  }),
  tool({
    name: 'get_wallet_risk',
    title: 'Risk of an account',
    about:
      'How risky it is to deal with an account: score 0 to 100 with the points of each factor (age, origin, accounts it made, wash trading, money passed on, cash-outs, failures). A hint, no proof.',
    routes: [
      'GET /account/balance/{account}',
      TX,
      'GET /account/ancestry/{account}',
      'GET /traders/{account}',
    ],
    params: { account: { of: 'account', about: 'Address, r...' } },
    answer: { properties: { account: text, score: integer, level: text, factors: list, facts: {} } },
    run: async ({ account }, context) => {
      const facts = await walletFacts(context, String(account));
      return { account, ...walletRisk(facts), facts };
    },
  }),
];

type Found = IssuerAction & { readonly time: unknown; readonly hash: unknown };

/** Newest first. @throws ApiError for what is no account */
async function actionsOf(
  { call, network }: ToolContext,
  issuer: string,
  { supply, since = 0 }: { supply: boolean; since: number | undefined },
): Promise<{ readonly found: readonly Found[]; readonly isCut: boolean }> {
  const types = supply ? [...ISSUER_TYPES, 'Payment'] : ISSUER_TYPES;
  const found: Found[] = [];
  let marker: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { txs, hasMore, marker: next } = await call(TX, { account: issuer, types, limit: PAGE, marker });
    for (const { tx_json, meta, close_time_iso, hash } of txs as JsonObject[]) {
      if (Date.parse(String(close_time_iso)) < since) return { found, isCut: false };
      if (!isJsonObject(meta) || meta.TransactionResult !== 'tesSUCCESS' || !isJsonObject(tx_json)) continue;
      for (const effects of effectsOf(tx_json, meta)) {
        const action = issuerAction(tx_json, effects, issuer);
        if (action) found.push({ time: close_time_iso, ...inTokens(action, network), hash });
      }
    }
    if (hasMore !== true) return { found, isCut: false };
    marker = next;
  }
  return { found, isCut: true };
}

/** One, or one for each token that was clawed back. */
function effectsOf(tx: JsonObject, meta: JsonObject): IssuerEffects[] {
  const of = meta as unknown as Meta;
  const effects = {
    delivered: deliveredBy(tx, of) as Json | undefined,
    isUnfreezing: isUnfreezing(tx, of),
  };
  const clawed = clawedBack(tx, of) as readonly Json[];
  return clawed.length === 0 ? [effects] : clawed.map((one) => ({ ...effects, clawed: one }));
}

function inTokens(action: IssuerAction, { engine }: Network): IssuerAction {
  const { currency, amount } = action;
  if (amount === undefined) return action;
  return { ...action, amount: shifted(amount, engine.state.tokens.mptPlaces(String(currency))) };
}

/** What was made and redeemed of each currency, in the actions that were read. */
function supplyOf(actions: readonly Found[]): JsonObject[] {
  const moved = actions.filter(({ action }) => action === 'issue' || action === 'redeem');
  return [...Map.groupBy(moved, ({ currency }) => currency)].map(([currency, ones]) => {
    const sum = (name: string) =>
      ones.filter(({ action }) => action === name).reduce((all, { amount = '0' }) => plus(all, amount), '0');
    const [issued, redeemed] = [sum('issue'), sum('redeem')];
    return { currency, issued, redeemed, net: minus(issued, redeemed) };
  });
}

/** undefined: not known. */
function isWithoutKeys({ engine }: Network, address: string): boolean | undefined {
  const { accounts } = engine.state;
  const id = accounts.findText(address);
  return id === undefined ? undefined : accounts.isBlackholed(id);
}

async function tokensWithoutKeys(
  { call, sharing, network }: ToolContext,
  limit: number,
): Promise<JsonObject> {
  const names = ['md5', 'name', 'issuer', 'marketcap', 'holders'];
  const page = async (offset: number, size: number) =>
    (await call('GET /tokens', { sort: 'marketcap', limit: size, offset }, names)).tokens as JsonObject[];
  const foundAmong = (rows: readonly JsonObject[]) =>
    rows.filter(({ issuer }) => isWithoutKeys(network, String(issuer)) === true);
  const isEnough = (rows: readonly JsonObject[]) => foundAmong(rows).length >= limit;
  const read = await pages(sharing, page, { most: TOKENS_MAX, isEnough });
  const found = foundAmong(read.rows);
  const isCut = read.isCut || found.length > limit;
  return { tokens: found.slice(0, limit), ...(isCut && { truncated: true }) };
}

/** The largest holders with what they did; pools are none. */
async function cohortHolders(
  { call, sharing, network }: ToolContext,
  id: unknown,
): Promise<{ readonly holders: readonly (CohortHolder & { account: string })[]; readonly total: number }> {
  const { token } = await call('GET /token/{id}', { id }, ['md5']);
  const { state, traders } = network.engine;
  const row = state.tokens.byMd5(String((token as JsonObject).md5)) ?? 0;
  const members = ['length', 'account', 'balance', 'pnl', 'isAMM'];
  let total = 0;
  const page = async (offset: number, limit: number) => {
    const { richList, length } = await call('GET /holders/list/{id}', { id, offset, limit }, members);
    total = Number(length);
    return richList as JsonObject[];
  };
  const { rows } = await pages(sharing, page, { size: HOLDERS_PAGE, most: HOLDERS_MAX });
  const holders = rows
    .filter(({ isAMM }) => isAMM !== true)
    .map(({ account, balance, pnl }) => {
      const position = traders.positions.find(state.accounts.findText(String(account)) ?? 0, row);
      const first = position === 0 ? 0 : traders.positions.first[position]!;
      return {
        account: String(account),
        tokens: Number(balance),
        profit: typeof pnl === 'number' ? pnl : undefined,
        firstTrade: first === 0 ? undefined : unixMs(first),
      };
    });
  return { holders, total };
}

async function walletFacts(context: ToolContext, account: string) {
  const { call, network, closeTime } = context;
  const { inception, parent } = await call('GET /account/balance/{account}', { account });
  const read = await transactionsOf(context, account, JUDGED);
  const flows = paymentFlows(account, xrpPayments(read));
  const sum = (of: (flow: (typeof flows)[number]) => number) =>
    wholeDrops(flows.reduce((all, flow) => all + of(flow), 0));
  const own = read.transactions.filter((one) => one.account === account);
  const failed = own.filter(({ isSuccess }) => !isSuccess).length;
  const { stats } = await call('GET /account/ancestry/{account}', { account, limit: 1 });
  const children = (stats as JsonObject | undefined)?.childrenCount;
  return {
    ageDays: typeof inception === 'number' ? (closeTime - inception) / DAY_MS : undefined,
    isFundedByExchange: typeof parent === 'string' ? isExchangeAddress(network, parent) : undefined,
    created: typeof children === 'number' ? children : 0,
    washTradingScore: await washScoreOf(context, account),
    received: sum(({ received }) => received),
    sent: sum(({ sent }) => sent),
    toExchanges: sum(({ account: other, sent }) => (isExchangeAddress(network, other) ? sent : 0)),
    transactions: own.length,
    failedPct: own.length === 0 ? 0 : (100 * failed) / own.length,
  };
}

/** undefined: it has not traded. */
async function washScoreOf({ call }: ToolContext, account: string): Promise<number | undefined> {
  try {
    const { washTradingScore } = await call('GET /traders/{account}', { account });
    return typeof washTradingScore === 'number' ? washTradingScore : undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
