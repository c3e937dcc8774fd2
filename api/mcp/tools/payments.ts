/** Tools about where the money of an account goes, and how it acts. */
import { wholeDrops } from '../../../engine/codec/amount.ts';
import { type Flow, type Payment, paymentFlows } from '../../../engine/metrics/payment-flows.ts';
import { rhythmOf } from '../../../engine/metrics/trade-rhythm.ts';
import { badRequest } from '../../../requests/errors.ts';
import type { Network } from '../../../views/network.ts';
import { isExchangeAddress } from '../../../views/token-facts.ts';
import { transactionsOf, xrpPayments } from '../account-transactions.ts';
import { counted } from '../counted.ts';
import type { JsonObject } from '../json-rpc.ts';
import { flag, type ToolContext, tool } from '../tool.ts';
import { inWholeDrops } from '../whole-drops.ts';

const TX = 'GET /account/tx/{account}';
/** Payments that are read where all of the history is asked for. */
const ALL = 4000;
/** Counterparties that are shown. */
const SHOWN = 20;
/** Recipients whose own payments are followed, the largest, and payments read of each. */
const FOLLOWED = 5;
const FOLLOWED_PAYMENTS = 200;
/** Types that only programs and platforms send often. */
const TYPES_SHOWN = 8;

const account = { kind: 'text', about: 'Address, r...', required: true, maxLength: 50 } as const;
const limit = {
  kind: 'int',
  about: 'Newest transactions that are read',
  default: 200,
  min: 1,
  max: 1000,
} as const;
const allHistory = flag('Up to 4,000 payments');

/** See api/mcp/jobs.ts: the answer is then a job. */
export const background = flag('Answers with a job for get_job');
/** Members of that answer. */
export const jobMembers = { job: {}, state: {}, next: {} };

const number = { type: 'number' };
const list = { type: 'array' };

export const paymentTools = [
  tool({
    name: 'get_payment_flows',
    title: 'Where money came from and went',
    about: 'Payments of an account in XRP, summed by counterparty with name, both ways.',
    routes: [TX, 'POST /account/names'],
    params: { account, limit, all_history: allHistory, background },
    answer: {
      properties: {
        payments: number,
        received: number,
        sent: number,
        total: number,
        flows: list,
        truncated: {},
        ...jobMembers,
      },
    },
    run: async ({ account, limit, all_history }, context) => {
      const { flows, ...rest } = await flowsOf(context, account, all_history ? ALL : (limit as number));
      const shown = flows.slice(0, SHOWN);
      const names = await namesOf(context, shown);
      return {
        account,
        ...rest,
        total: flows.length,
        flows: shown.map((flow) => named(flow, names, context.network)),
      };
    },
  }),
  tool({
    name: 'get_cex_cashouts',
    title: 'Payments to exchanges',
    about:
      'What an account paid in XRP to exchanges (accounts that ask for a destination tag), with names and times.',
    routes: [TX, 'POST /account/names'],
    params: { account, limit, all_history: allHistory, background },
    answer: {
      properties: {
        payments: number,
        cashedOut: number,
        total: number,
        exchanges: list,
        truncated: {},
        ...jobMembers,
      },
    },
    run: async ({ account, limit, all_history }, context) => {
      const { flows, payments, truncated } = await flowsOf(
        context,
        account,
        all_history ? ALL : (limit as number),
      );
      const exchanges = flows.filter(
        ({ account: other, sent }) => sent > 0 && isExchangeAddress(context.network, other),
      );
      const names = await namesOf(context, exchanges);
      const cashedOut = exchanges.reduce((sum, { sent }) => sum + sent, 0);
      const rows = exchanges.slice(0, SHOWN).map((flow) => named(flow, names, context.network));
      const total = exchanges.length;
      const sums = { payments, cashedOut: wholeDrops(cashedOut), total };
      return { account, ...sums, exchanges: rows, ...(truncated && { truncated }) };
    },
  }),
  tool({
    name: 'get_offramp',
    title: 'How money of an account leaves the ledger',
    about:
      'XRP that an account sent to exchanges, directly and over its five largest recipients: of those at most what they received, after they received it.',
    routes: [TX, 'POST /account/names'],
    params: { account, limit },
    answer: { properties: { direct: number, overOthers: number, ways: list, truncated: {} } },
    run: async ({ account, limit }, context) => {
      const { network } = context;
      const own = await flowsOf(context, account, limit as number);
      const sent = own.flows.filter((flow) => flow.sent > 0);
      const ways: JsonObject[] = sent
        .filter(({ account: other }) => isExchangeAddress(network, other))
        .map(({ account: exchange, sent: xrp }) => ({ exchange, xrp }));
      const direct = ways.reduce((sum, { xrp }) => sum + Number(xrp), 0);
      const others = sent
        .filter(({ account: other }) => !isExchangeAddress(network, other))
        .slice(0, FOLLOWED);
      for (const other of others) ways.push(...(await waysOver(context, other)));
      const overOthers = ways.reduce((sum, { xrp }) => sum + Number(xrp), 0) - direct;
      const sums = { direct: wholeDrops(direct), overOthers: wholeDrops(overOthers) };
      return { account, ...sums, ways, ...(own.truncated && { truncated: true }) };
    },
  }),
  tool({
    name: 'describe_bot_activity',
    title: 'Whether an account is run by a program',
    about:
      'How regularly an account acts: time between transactions (s), hours of the day, types, failed ones, source tags. A hint, no proof.',
    routes: [TX],
    params: { account, limit },
    ifNone: 'The account sent nothing that is known here',
    answer: {
      properties: { transactions: number, failedPct: number, rhythm: {}, types: list, sourceTags: list },
    },
    run: async ({ account, limit }, context) => {
      const { transactions } = await transactionsOf(context, account, limit as number);
      const own = transactions.filter((one) => one.account === account);
      const rhythm = rhythmOf(own.map(({ time }) => time));
      const failed = own.filter(({ isSuccess }) => !isSuccess).length;
      return {
        account,
        transactions: own.length,
        failedPct: own.length === 0 ? 0 : (100 * failed) / own.length,
        rhythm: rhythm ?? 'too few transactions to say',
        types: counted(own.map(({ type }) => type)).slice(0, TYPES_SHOWN),
        sourceTags: counted(
          own.flatMap(({ sourceTag }) => (sourceTag === undefined ? [] : [String(sourceTag)])),
        ).slice(0, TYPES_SHOWN),
      };
    },
  }),
];

interface Flows {
  readonly payments: number;
  readonly received: number;
  readonly sent: number;
  readonly flows: readonly Flow[];
  readonly truncated?: true;
}

async function flowsOf(context: ToolContext, account: unknown, most: number): Promise<Flows> {
  if (context.network.engine.state.accounts.findText(String(account)) === undefined)
    throw badRequest('Unknown account', 'find_accounts finds addresses by name');
  const read = await transactionsOf(context, account, most, ['Payment']);
  const payments = xrpPayments(read);
  const flows = paymentFlows(String(account), payments).map((flow) =>
    inWholeDrops(flow, ['received', 'sent']),
  );
  const sum = (of: (flow: Flow) => number) => flows.reduce((all, flow) => all + of(flow), 0);
  return {
    payments: payments.length,
    received: wholeDrops(sum(({ received }) => received)),
    sent: wholeDrops(sum(({ sent }) => sent)),
    flows,
    ...(read.isCut && { truncated: true as const }),
  };
}

/** Payments of a recipient to exchanges after it was paid, oldest first, until what it received is used up. */
async function waysOver(context: ToolContext, { account: over, sent, first }: Flow): Promise<JsonObject[]> {
  const read = await transactionsOf(context, over, FOLLOWED_PAYMENTS, ['Payment']);
  const later = xrpPayments(read)
    .filter(
      ({ from, to, time }: Payment) =>
        from === over && time >= first && isExchangeAddress(context.network, to),
    )
    .sort((a, b) => a.time - b.time);
  let left = sent;
  const byExchange = new Map<string, number>();
  for (const { to, xrp } of later) {
    const part = Math.min(left, xrp);
    left -= part;
    if (part > 0) byExchange.set(to, (byExchange.get(to) ?? 0) + part);
  }
  return [...byExchange].map(([exchange, xrp]) => ({ exchange, over, xrp: wholeDrops(xrp) }));
}

async function namesOf({ call }: ToolContext, flows: readonly Flow[]): Promise<JsonObject> {
  const accounts = flows.slice(0, SHOWN).map(({ account }) => account);
  if (accounts.length === 0) return {};
  const { names } = await call('POST /account/names', { accounts });
  return (names ?? {}) as JsonObject;
}

function named(flow: Flow, names: JsonObject, network: Network): JsonObject {
  const found = names[flow.account];
  const name = typeof found === 'object' && found !== null ? (found as JsonObject).name : found;
  return {
    ...flow,
    ...(typeof name === 'string' && { name }),
    ...(isExchangeAddress(network, flow.account) && { isExchange: true }),
  };
}
