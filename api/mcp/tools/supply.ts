/** Tools about XRP itself: how it is spread among accounts, and what escrows lock. */
import { DROPS_PER_XRP, wholeDrops } from '../../../engine/codec/amount.ts';
import { currencyName } from '../../../engine/codec/currency.ts';
import { isJsonObject, type Json } from '../../../engine/codec/values.ts';
import { type Escrow, isReady, nextTime, unlockCalendar } from '../../../engine/metrics/escrow-calendar.ts';
import { DAY_MS, unixMs } from '../../../engine/ripple-time.ts';
import { XRP } from '../../../engine/state/tokens.ts';
import { badRequest } from '../../../requests/errors.ts';
import type { Values } from '../../../requests/param-reader.ts';
import { resolveIssue, resolveToken } from '../../../views/identity.ts';
import type { Network } from '../../../views/network.ts';
import { nodeRead } from '../../ledger/node-reads.ts';
import type { JsonObject } from '../json-rpc.ts';
import { flag, type ToolContext, tool } from '../tool.ts';

/** Entries of a page, and most pages that are read of a node for one answer. */
const PAGE = 400;
const PAGES_MAX = 25;
/** Transactions of an account in which ended escrows are looked for. */
const HISTORY_MAX = 200;
/** Letters of a currency in hex. */
const HEX_CODE = 40;

const number = { type: 'number' };
const integer = { type: 'integer' };
const list = { type: 'array' };

export const supplyTools = [
  tool({
    name: 'get_xrp_distribution',
    title: 'Who holds XRP',
    about:
      'Accounts and XRP by powers of ten; the median account, the largest, sums by their names, accounts above an amount or without transactions for years. XRP; may be a minute old.',
    routes: ['GET /holders/list/{id}', 'POST /account/names'],
    params: {
      min_xrp: { kind: 'float', about: 'Counts accounts with at least this', min: 0 },
      by_label: flag('Sums of the largest by name'),
      median: { kind: 'bool', about: 'The middle account', default: true },
      list: flag('The largest accounts'),
      inactive_years: {
        kind: 'float',
        about: 'Counts accounts that sent nothing for so long',
        min: 0.1,
        max: 20,
      },
      limit: { kind: 'int', about: 'Rows of list and by_label', default: 25, min: 1, max: 200 },
    },
    counts: { largest: 'accounts', labels: 'names' },
    answer: {
      properties: {
        accounts: integer,
        xrp: number,
        median: number,
        buckets: list,
        largest: list,
        names: integer,
        labels: list,
      },
    },
    run: async ({ min_xrp, by_label, median, list, inactive_years, limit }, context) => {
      const { xrp } = context.network.views;
      const all = await xrp.all();
      const largest =
        by_label || list ? await largestOf(context, by_label ? LARGEST : (limit as number)) : [];
      return {
        accounts: all.accounts,
        xrp: all.total,
        ...(median === true && all.median !== undefined && { median: all.median }),
        buckets: all.buckets,
        ...(min_xrp !== undefined && { above: { xrp: min_xrp, ...(await xrp.above(min_xrp as number)) } }),
        ...(inactive_years !== undefined && {
          inactive: { years: inactive_years, ...(await xrp.inactive(inactive_years as number)) },
        }),
        ...(list === true && { largest: largest.slice(0, limit as number) }),
        ...(by_label === true && labelsOf(largest, limit as number)),
      };
    },
  }),
  tool({
    name: 'get_escrows',
    title: 'Escrows and when they unlock',
    about:
      'Escrows of an account, or of the network as far as it can be read in one call: amounts, times, what may be finished now, and the calendar of unlocks by month.',
    routes: ['POST /rpc', 'GET /account/tx/{account}', 'POST /account/names'],
    params: {
      account: { kind: 'text', about: 'Address; without it, of all', maxLength: 50 },
      role: {
        kind: 'enum',
        about: 'Of the account',
        values: ['either', 'owner', 'destination'],
        default: 'either',
      },
      currency: {
        kind: 'text',
        about: 'XRP, a code (of any issuer), or a token: md5, issuer-currency, MPT id',
        default: 'XRP',
        maxLength: 80,
      },
      sort: {
        kind: 'enum',
        about: 'next: what is due first; ready: what may be finished now first',
        values: ['next', 'amount', 'ready'],
        default: 'next',
      },
      within_days: { kind: 'float', about: 'Only those that unlock within this', min: 0 },
      exclude_name: { kind: 'text', about: 'None of owners with this in their name', maxLength: 50 },
      history_days: { kind: 'int', about: 'And those of the account that ended lately', min: 1, max: 365 },
      limit: { kind: 'int', about: 'Rows', default: 20, min: 1, max: 100 },
      offset: { kind: 'int', about: 'Rows that are skipped', default: 0, min: 0 },
    },
    counts: { escrows: 'total' },
    answer: {
      properties: {
        total: integer,
        amount: number,
        ready: {},
        calendar: list,
        escrows: list,
        ended: list,
        truncated: {},
      },
    },
    run: async (input, context) => {
      const { account, history_days, limit, offset, sort } = input;
      if (history_days !== undefined && account === undefined)
        throw badRequest('history_days needs an account', 'Send account, too');
      const { network, closeTime: now } = context;
      const read = await escrowsOf(network, account as string | undefined);
      const isOfCurrency = currencyAsked(network, String(input.currency));
      const asked = read.escrows.filter((one) => isOfCurrency(one) && isAsked(one, input, now));
      const names = await namesOf(context, asked, input.exclude_name !== undefined);
      const excluded = String(input.exclude_name ?? '').toLowerCase();
      const found = asked.filter(
        ({ owner }) => excluded === '' || !(names.get(owner) ?? '').toLowerCase().includes(excluded),
      );
      const ready = found.filter((one) => isReady(one, now));
      const isXrp = found.every(({ token }) => token === XRP);
      const exact = (amount: number) => (isXrp ? wholeDrops(amount) : amount);
      const sum = (ones: readonly Escrow[]) => exact(ones.reduce((all, { amount }) => all + amount, 0));
      const from = offset as number;
      const page = sorted(found, sort, now).slice(from, from + (limit as number));
      return {
        currency: input.currency,
        total: found.length,
        amount: sum(found),
        ready: { escrows: ready.length, amount: sum(ready) },
        calendar: unlockCalendar(found, now).map((one) => ({ ...one, amount: exact(one.amount) })),
        escrows: page.map((one) => shown(one, names, now)),
        ...(history_days !== undefined && {
          ended: await endedOf(context, account, now - (history_days as number) * DAY_MS),
        }),
        ...(read.isCut && { truncated: true }),
      };
    },
  }),
];

/** Accounts whose names are summed. */
const LARGEST = 200;
const NAMES_A_CALL = 50;

function labelsOf(rows: readonly JsonObject[], limit: number): JsonObject {
  const labels = byName(rows);
  return { names: labels.length, labels: labels.slice(0, limit) };
}

async function largestOf({ call }: ToolContext, count: number): Promise<JsonObject[]> {
  const { richList } = await call('GET /holders/list/{id}', { id: 'XRP', limit: count }, [
    'account',
    'balance',
    'holding',
    'name',
  ]);
  return richList as JsonObject[];
}

function byName(rows: readonly JsonObject[]): { name: string; accounts: number; xrp: number }[] {
  return [...Map.groupBy(rows, ({ name }) => (typeof name === 'string' ? name : 'no name'))]
    .map(([name, ones]) => ({
      name,
      accounts: ones.length,
      xrp: wholeDrops(ones.reduce((sum, { balance }) => sum + Number(balance), 0)),
    }))
    .sort((a, b) => b.xrp - a.xrp);
}

interface ListedEscrow extends Escrow {
  /** As the ledger writes it; of an MPT its id. */
  readonly currency: string;
  /** undefined: XRP, or an MPT. */
  readonly issuer: string | undefined;
  /** undefined: not known here. */
  readonly token: number | undefined;
  readonly sequence: unknown;
}

/** Of an account, or of all as far as pages are read. @throws ApiError 503 without a node */
async function escrowsOf(
  network: Network,
  account: string | undefined,
): Promise<{ readonly escrows: readonly ListedEscrow[]; readonly isCut: boolean }> {
  const escrows: ListedEscrow[] = [];
  const command =
    account === undefined
      ? { command: 'ledger_data', type: 'escrow', limit: PAGE }
      : { command: 'account_objects', account, type: 'escrow', limit: PAGE };
  let marker: Json | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await nodeRead(network, { ...command, ...(marker !== undefined && { marker }) });
    const { result, state, account_objects } = answer;
    if (isJsonObject(result))
      throw badRequest(`The ledger node answers ${String(result.error)}`, 'Check the address');
    const rows = state ?? account_objects;
    for (const row of Array.isArray(rows) ? rows : []) {
      const one = isJsonObject(row) && row.LedgerEntryType === 'Escrow' ? escrowOf(network, row) : undefined;
      if (one) escrows.push(one);
    }
    marker = answer.marker;
    if (marker === undefined || marker === null) return { escrows, isCut: false };
  }
  return { escrows, isCut: true };
}

function escrowOf({ engine }: Network, row: JsonObject): ListedEscrow | undefined {
  const { Account, Destination, Amount, FinishAfter, CancelAfter, Condition, Sequence } = row;
  const of = isJsonObject(Amount) ? Amount : undefined;
  const currency = of ? String(of.currency ?? of.mpt_issuance_id) : 'XRP';
  const issuer = of?.issuer === undefined ? undefined : String(of.issuer);
  const { state } = engine;
  const token = resolveIssue(state, currency, issuer);
  // MPTs are written in their smallest unit.
  const places = state.tokens.mptPlaces(currency);
  const amount = of
    ? Number(`${of.value}${places > 0 ? `e-${places}` : ''}`)
    : Number(Amount) / DROPS_PER_XRP;
  if (!Number.isFinite(amount)) return undefined;
  return {
    owner: String(Account),
    destination: String(Destination),
    amount,
    currency,
    issuer,
    token,
    finishAfter: timeOf(FinishAfter),
    cancelAfter: timeOf(CancelAfter),
    hasCondition: Condition !== undefined,
    sequence: Sequence,
  };
}

const timeOf = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' ? unixMs(seconds) : undefined;

/** One token, or every one with that code, which may be written as it reads. */
function currencyAsked({ engine }: Network, asked: string): (one: ListedEscrow) => boolean {
  const wanted = resolveToken(engine.state, asked);
  if (wanted !== undefined) return ({ token }) => token === wanted;
  const code = asked.length === HEX_CODE ? asked.toUpperCase() : asked;
  return ({ currency }) => currency === code || currencyName(currency) === asked;
}

function isAsked(one: ListedEscrow, { account, role, within_days }: Values, now: number): boolean {
  if (account !== undefined && role === 'owner' && one.owner !== account) return false;
  if (account !== undefined && role === 'destination' && one.destination !== account) return false;
  return within_days === undefined || (one.finishAfter ?? now) <= now + (within_days as number) * DAY_MS;
}

function sorted(escrows: readonly ListedEscrow[], sort: unknown, now: number): ListedEscrow[] {
  const next = (one: Escrow) => nextTime(one, now) ?? Number.POSITIVE_INFINITY;
  const due = (a: Escrow, b: Escrow) => {
    const [first, second] = [next(a), next(b)];
    return first === second ? b.amount - a.amount : first - second;
  };
  const order = {
    next: due,
    amount: (a: Escrow, b: Escrow) => b.amount - a.amount,
    ready: (a: Escrow, b: Escrow) => Number(isReady(b, now)) - Number(isReady(a, now)) || due(a, b),
  };
  return escrows.toSorted(order[sort as keyof typeof order]);
}

function shown(one: ListedEscrow, names: ReadonlyMap<string, string>, now: number): JsonObject {
  const { finishAfter, cancelAfter, hasCondition, owner } = one;
  const name = names.get(owner);
  return {
    owner,
    ...(name !== undefined && { ownerName: name }),
    destination: one.destination,
    amount: one.amount,
    ...(one.issuer !== undefined && { issuer: one.issuer }),
    ...(finishAfter !== undefined && { finishAfter: new Date(finishAfter).toISOString() }),
    ...(cancelAfter !== undefined && { cancelAfter: new Date(cancelAfter).toISOString() }),
    ...(hasCondition && { hasCondition }),
    ready: isReady(one, now),
    ...(typeof one.sequence === 'number' && { sequence: one.sequence }),
  };
}

/** Names of owners; only where they are asked for. */
async function namesOf(
  { call }: ToolContext,
  escrows: readonly Escrow[],
  isWanted: boolean,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const owners = isWanted ? [...new Set(escrows.map(({ owner }) => owner))] : [];
  for (let at = 0; at < owners.length; at += NAMES_A_CALL) {
    const found = await call('POST /account/names', { accounts: owners.slice(at, at + NAMES_A_CALL) });
    for (const [address, one] of Object.entries((found.names ?? {}) as JsonObject)) {
      const name = typeof one === 'object' && one !== null ? (one as JsonObject).name : one;
      if (typeof name === 'string') names.set(address, name);
    }
  }
  return names;
}

/** Escrows of an account that were finished or cancelled since, newest first. */
async function endedOf({ call }: ToolContext, account: unknown, since: number): Promise<JsonObject[]> {
  const types = ['EscrowFinish', 'EscrowCancel'];
  const { txs } = await call('GET /account/tx/{account}', { account, types, limit: HISTORY_MAX });
  return (txs as JsonObject[]).flatMap(({ tx_json, meta, close_time_iso, hash }) => {
    const { TransactionType, Owner, OfferSequence } = tx_json as JsonObject;
    const isDone = (meta as JsonObject | undefined)?.TransactionResult === 'tesSUCCESS';
    if (!isDone || Date.parse(String(close_time_iso)) < since) return [];
    const how = TransactionType === 'EscrowFinish' ? 'finished' : 'cancelled';
    return [{ time: close_time_iso, how, owner: Owner, sequence: OfferSequence, hash }];
  });
}
