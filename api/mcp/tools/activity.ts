/** The tool about what happens on the network, with its breakdowns. */
import { DROPS_PER_XRP, wholeDrops } from '../../../engine/codec/amount.ts';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { transactionHash } from '../../../engine/codec/hash.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { HourSum, Moved, NetworkActivity } from '../../../engine/metrics/network-activity.ts';
import { DAY_MS, unixMs } from '../../../engine/ripple-time.ts';
import { busy } from '../../../requests/errors.ts';
import type { Values } from '../../../requests/param-reader.ts';
import { Best } from '../../../views/best.ts';
import { dayText } from '../../../views/date-text.ts';
import type { JsonObject } from '../json-rpc.ts';
import { timeSpan } from '../time-span.ts';
import { flag, type ToolContext, tool } from '../tool.ts';
import { inWholeDrops } from '../whole-drops.ts';

/** Ends of the ages of accounts, days. */
const AGES = [1, 7, 30, 365] as const;

const number = { type: 'number' };
const integer = { type: 'integer' };
const list = { type: 'array' };

/** Breakdowns of which the answer says how many rows there are where it has not all. */
const CUT = [
  'created_by',
  'failed_senders',
  'most_transactions',
  'token_payments',
  'top_senders',
  'exchange_flows',
] as const;

export const activityTools = [
  tool({
    name: 'get_network_activity',
    title: 'What happens on the network',
    about:
      'Transactions, failures, fees, payments, trades of a time, and each breakdown that is asked for. XRP. Reads at most 200,000 transactions, newest first: from says how far, truncated that there are more.',
    routes: ['GET /ledger', 'GET /whale-activity/feed'],
    cost: 20,
    units: { net: 'XRP' },
    params: {
      hours: { kind: 'float', about: 'How far back', default: 24, min: 0.1, max: 720 },
      since: { kind: 'time', about: 'Instead of hours' },
      until: { kind: 'time', endsSpan: true, about: 'Default: the newest ledger; a date: its whole day' },
      by: { kind: 'enum', about: 'Rows of sums', values: ['type', 'hour', 'day'], default: 'type' },
      active_age: flag('Senders by age of account'),
      dex_by_hour: flag('Trades by hour'),
      cross_currency: flag('Payments that exchange'),
      census: flag('What the ledger holds now'),
      created_by: flag('Who created accounts'),
      daily: flag('Sums by day'),
      dex_traders_days: flag('Traders of each day'),
      failed_senders: flag('Who failed most'),
      most_transactions: flag('Who sent most'),
      token_payments: flag('Payments by token'),
      drains: flag('Accounts that sent nearly all they had'),
      top_senders: { kind: 'enum', about: 'Ranking of senders', values: ['fees', 'transactions'] },
      large_transfers: flag('Largest payments of XRP'),
      largest_trades: flag('Largest trades'),
      exchange_flows: flag('XRP into and out of exchanges (accounts that ask for destination tags)'),
      limit: { kind: 'int', about: 'Rows of each list', default: 15, min: 1, max: 100 },
    },
    counts: Object.fromEntries(CUT.map((name) => [name, `totals.${name}`])),
    answer: {
      properties: {
        totals: {},
        from: {},
        until: {},
        ledgers: integer,
        transactions: integer,
        failed: integer,
        fees: number,
        payments: {},
        trades: integer,
        senders: integer,
        types: list,
        truncated: {},
      },
    },
    run: async (input, context) => {
      const { network, closeTime } = context;
      const { from, until } = timeSpan(input, closeTime);
      const read = await network.views.activity.of(from, until);
      if (!read) throw busy();
      const { activity } = read;
      const { transactions, failed, fees, payments, xrp, trades } = activity;
      const isByType = input.by === 'type';
      return {
        from: new Date(read.from).toISOString(),
        until: new Date(read.until).toISOString(),
        ledgers: read.ledgers,
        transactions,
        failed,
        fees: wholeDrops(fees),
        payments: { count: payments, xrp: wholeDrops(xrp), crossCurrency: activity.cross },
        trades,
        senders: activity.senders.size,
        ...(isByType
          ? { types: typesOf(activity, network.engine) }
          : { [`by_${String(input.by)}`]: hoursOf(activity, input.by) }),
        ...(await breakdowns(input, activity, context)),
        ...(read.isCut && { truncated: true }),
      };
    },
  }),
];

/** Those that are asked for, by the names of their parameters. */
async function breakdowns(
  input: Values,
  activity: NetworkActivity,
  context: ToolContext,
): Promise<JsonObject> {
  const { engine } = context.network;
  const most = input.limit as number;
  const address = (id: number) => (id === 0 ? null : engine.state.accounts.text(id));
  const moved = (rows: readonly Moved[]) => rows.slice(0, most).map((one) => movedRow(one, engine));
  const totals: Record<string, number> = {};
  const cut = <T>(name: (typeof CUT)[number], rows: readonly T[]): readonly T[] => {
    totals[name] = rows.length;
    return rows.slice(0, most);
  };
  const ranked = <T>(name: (typeof CUT)[number], all: ReadonlyMap<number, T>, of: (one: T) => number) => {
    const { total, first } = largest(all, of, most);
    totals[name] = total;
    return first;
  };
  const senders = (name: (typeof CUT)[number], of: 'fees' | 'transactions' | 'failed') =>
    ranked(name, activity.senders, (sums) => sums[of]).map(([id, sums]) => ({
      account: address(id),
      ...inWholeDrops(sums, ['fees']),
    }));
  const made: Record<string, () => unknown> = {
    active_age: () => ages(activity, context),
    dex_by_hour: () => hoursOf(activity, 'hour').map(({ time, trades }) => ({ time, trades })),
    cross_currency: () => ({
      payments: activity.cross,
      ofAllPct: activity.payments === 0 ? 0 : (100 * activity.cross) / activity.payments,
    }),
    census: () => census(engine),
    created_by: () =>
      ranked('created_by', activity.creators, Number).map(([id, accounts]) => ({
        account: address(id),
        accounts,
      })),
    daily: () => hoursOf(activity, 'day'),
    dex_traders_days: () =>
      [...activity.traders]
        .sort(([a], [b]) => a - b)
        .map(([day, traders]) => ({ day: dayText(day * 1000), traders: traders.size })),
    failed_senders: () => senders('failed_senders', 'failed'),
    most_transactions: () => senders('most_transactions', 'transactions'),
    token_payments: () =>
      ranked('token_payments', activity.tokens, Number).map(([id, count]) => ({
        token: engine.state.tokens.md5(id),
        payments: count,
      })),
    drains: () => moved(activity.drains),
    top_senders: () => senders('top_senders', input.top_senders as 'fees' | 'transactions'),
    large_transfers: () => moved(activity.transfers),
    largest_trades: () => largestTrades(context, most),
    exchange_flows: () =>
      cut(
        'exchange_flows',
        [...activity.exchanges]
          .map(([id, flow]) => {
            const net = flow.received - flow.sent;
            return { account: address(id), ...inWholeDrops({ ...flow, net }, ['received', 'sent', 'net']) };
          })
          .sort((a, b) => b.received + b.sent - (a.received + a.sent)),
      ),
  };
  const found: Record<string, unknown> = {};
  for (const [name, make] of Object.entries(made))
    if (input[name] !== undefined && input[name] !== false) found[name] = await make();
  const isCut = Object.values(totals).some((total) => total > most);
  return isCut ? { ...found, totals } : found;
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Those with the largest figures above zero, and how many have one: there may be a hundred thousand. */
function largest<T>(
  all: ReadonlyMap<number, T>,
  of: (one: T) => number,
  most: number,
): { readonly total: number; readonly first: [id: number, one: T][] } {
  const best = new Best(most);
  let total = 0;
  for (const [id, one] of all) {
    const figure = of(one);
    if (!(figure > 0)) continue;
    total++;
    best.offer(id, figure);
  }
  return { total, first: Array.from(best.ids, (id) => [id, all.get(id)!]) };
}

function typesOf({ types }: NetworkActivity, { reader }: Engine): JsonObject[] {
  const names = reader.definitions.transactionTypes;
  return [...types]
    .map(([type, sums]) => ({ type: names.get(type) ?? 'Unknown', ...sums }))
    .sort((a, b) => b.count - a.count);
}

interface TimeSum extends Omit<HourSum, 'hour'> {
  readonly time: string;
}

/** Sums by hour or by day (UTC), the oldest first. */
function hoursOf({ hours }: NetworkActivity, by: unknown): TimeSum[] {
  const length = by === 'day' ? 10 : 13;
  const groups = Map.groupBy(hours.values(), ({ hour }) => iso(hour * 1000).slice(0, length));
  const rows = [...groups].map(([time, ones]) => {
    const sum = (of: 'transactions' | 'failed' | 'payments' | 'trades') =>
      ones.reduce((all, one) => all + one[of], 0);
    return {
      time: by === 'day' ? time : `${time}:00Z`,
      transactions: sum('transactions'),
      failed: sum('failed'),
      payments: sum('payments'),
      trades: sum('trades'),
    };
  });
  return rows.sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** Senders by the age of their account; those of before the first ledger here are of an unknown age. */
function ages({ senders }: NetworkActivity, { network, closeTime }: ToolContext): JsonObject[] {
  const { firstSeen } = network.engine.state.accounts;
  const names = ['unknown', ...AGES.map((days) => `at most ${days} d`), `more than ${AGES.at(-1)} d`];
  const counts = names.map(() => 0);
  for (const id of senders.keys()) {
    const days = (closeTime - unixMs(firstSeen[id]!)) / DAY_MS;
    const at = AGES.findIndex((end) => days <= end);
    const place = firstSeen[id] === 0 ? 0 : at < 0 ? names.length - 1 : at + 1;
    counts[place]!++;
  }
  return names.map((age, at) => ({ age, senders: counts[at] }));
}

function census({ state }: Engine): JsonObject {
  const { accounts, lines, books, fees } = state;
  return {
    accounts: accounts.existing,
    trustLines: lines.existing - lines.holdings,
    offers: books.existing,
    xrp: Number(fees.totalDrops) / DROPS_PER_XRP,
  };
}

function movedRow({ ledger, tx, time, from, to, xrp }: Moved, engine: Engine): JsonObject {
  const { accounts } = engine.state;
  const packed = engine.ledgerBytes(ledger);
  return {
    time: iso(time * 1000),
    from: from === 0 ? null : accounts.text(from),
    ...(to !== 0 && { to: accounts.text(to) }),
    xrp,
    ...(packed && { hash: hexOf(transactionHash(packed.tx(tx))) }),
  };
}

async function largestTrades({ call }: ToolContext, limit: number): Promise<unknown> {
  const { events } = await call('GET /whale-activity/feed', { limit: 200 });
  const rows = (events ?? []) as JsonObject[];
  return rows.toSorted((a, b) => Number(b.xrp) - Number(a.xrp)).slice(0, limit);
}
