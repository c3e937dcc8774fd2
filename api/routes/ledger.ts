/** Ledgers, transactions and ledger entries (section 4.4). */
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { nodeSpelling } from '../../engine/codec/node-spelling.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import type { JsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import { mapInSlices } from '../../engine/event-loop.ts';
import { rippleSeconds, unixMs } from '../../engine/ripple-time.ts';
import { ApiError, badRequest, notFound, unavailable } from '../../requests/errors.ts';
import { isHashForm, patterns } from '../../requests/identifiers.ts';
import type { Param } from '../../requests/param.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import { headerJson, humanTime } from '../../views/ledger/ledger-json.ts';
import { placedTransactionJson, transactionJson } from '../../views/ledger/transaction-json.ts';
import { samples } from '../examples.ts';
import { askNode } from '../ledger/entry.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';
import { askNodeObject } from '../ledger/node-reads.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { anyObject, boolean, describe, integer, list, object, string } from '../schema.ts';

/** Transactions made into JSON before other work may run: about 5 ms. */
const EXPANDED_A_SLICE = 256;

const noLedger = () => unavailable('No ledger has been read yet', 'Try again when /health says ready');

function headOf(engine: Engine) {
  if (!engine.head) throw noLedger();
  return engine.head;
}

/** The ranges that can be read, for the message of a 404. */
function rangesHint(engine: Engine): string {
  const ranges = engine.ledgerRanges().slice(-5);
  return ranges.length === 0
    ? 'No ledger is stored yet'
    : `Stored ledgers: ${ranges.map(([first, last]) => `${first}-${last}`).join(', ')}`;
}

const ledgerSummary = route({
  method: 'GET',
  path: '/ledger',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  summary: 'The newest validated ledger and the reserves in force',
  params: {},
  unavailable: true,
  response: object({
    ledger_index: integer,
    ledger_hash: string,
    close_time: describe(integer, 'Unix ms'),
    close_time_human: string,
    parent_hash: string,
    total_coins: describe(string, 'drops'),
    txn_count: integer,
    validated: boolean,
    reserve_base_drops: integer,
    reserve_inc_drops: describe(integer, 'Also the Fee of an AccountDelete or AMMCreate'),
  }),
  cost: 2,
  bucket: '/ledger',
  cache: 'ledger',
  handler: (_, { engine }) => {
    const head = headOf(engine);
    const { fees } = engine.state;
    return {
      ledger_index: head.index,
      ledger_hash: head.hash,
      close_time: head.closeTimeMs,
      close_time_human: humanTime(head.closeTime),
      parent_hash: head.parentHash,
      total_coins: head.totalDrops.toString(),
      txn_count: head.txCount,
      validated: true,
      reserve_base_drops: fees.reserveBaseDrops,
      reserve_inc_drops: fees.reserveIncrementDrops,
    };
  },
});

/** @throws ApiError 400 if the text does not name a ledger, 404 if the ledger is not stored. */
function ledgerNamed(engine: Engine, name: string): PackedLedger {
  let index: number;
  if (/^(validated|closed|current)$/i.test(name)) index = headOf(engine).index;
  else if (/^\d{1,10}$/.test(name) && Number(name) <= 0xffffffff) index = Number(name);
  else throw badRequest('index is neither a ledger index nor validated, closed or current');
  const packed = engine.ledgerBytes(index);
  if (!packed) throw notFound(`Ledger ${index} is not stored`, rangesHint(engine));
  return packed;
}

const ledgerByIndex = route({
  method: 'GET',
  path: '/ledger/{index}',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { index: 'validated', transactions: false },
  summary: 'One ledger: header and transactions. Its close times are Ripple epoch seconds, as on the ledger',
  params: {
    index: {
      in: 'path',
      kind: 'text',
      maxLength: 20,
      about: 'Ledger index, or validated, closed, current (all three: the newest validated ledger)',
    },
    transactions: { in: 'query', kind: 'bool', default: true, about: 'List the transactions' },
    expand: { in: 'query', kind: 'bool', default: false, about: 'Transactions in full instead of hashes' },
  },
  unavailable: true,
  response: object({
    ledger_index: integer,
    ledger_hash: string,
    parent_hash: string,
    account_hash: string,
    transaction_hash: string,
    close_time: describe(integer, 'Ripple epoch seconds'),
    close_time_human: string,
    close_time_iso: string,
    close_time_resolution: integer,
    close_flags: integer,
    parent_close_time: describe(integer, 'Ripple epoch seconds'),
    total_coins: describe(string, 'drops'),
    txn_count: integer,
    closed: boolean,
    validated: boolean,
    'transactions?': list({
      anyOf: [string, object({ tx_json: anyObject, meta: anyObject, hash: string })],
    }),
  }),
  cost: 2,
  bucket: '/ledger',
  cache: 'ledger',
  handler: async ({ index, transactions, expand }, { engine }) => {
    const packed = ledgerNamed(engine, index);
    const header = headerJson(packed);
    if (!transactions) return header;
    const places = Array.from({ length: packed.count }, (_, tx) => tx);
    return {
      ...header,
      transactions: expand
        ? await mapInSlices(places, EXPANDED_A_SLICE, (tx) => transactionJson(packed, tx, engine.reader))
        : places.map((tx) => hexOf(transactionHash(packed.tx(tx)))),
    };
  },
});

const ledgerAt = route({
  method: 'GET',
  path: '/ledger/at',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { time: samples.time },
  summary: 'The last ledger that closed at or before a time',
  params: { time: { in: 'query', kind: 'time', required: true, about: 'Unix ms or ISO date' } },
  unavailable: true,
  response: object({
    ledger_index: integer,
    close_time: describe(integer, 'Unix ms'),
    'clampedToHead?': describe(boolean, 'The time is after the newest ledger'),
    'clampedToGenesis?': describe(boolean, 'The time is before the first ledger stored'),
  }),
  cost: 2,
  bucket: '/ledger',
  cache: 'ledger',
  handler: ({ time }, { engine }) => {
    const head = headOf(engine);
    if (time >= head.closeTimeMs) {
      const at = { ledger_index: head.index, close_time: head.closeTimeMs };
      return time > head.closeTimeMs ? { ...at, clampedToHead: true } : at;
    }
    // Times before the Ripple epoch are before every ledger, also before one whose close time is 0.
    const found = time < unixMs(0) ? undefined : lastClosed(engine, rippleSeconds(time));
    if (found) return { ledger_index: found.index, close_time: unixMs(found.closeTime) };
    const first = engine.store.firstLedger() ?? firstInMemory(engine);
    if (!first) throw noLedger();
    return { ledger_index: first.index, close_time: unixMs(first.closeTime), clampedToGenesis: true };
  },
});

/** The store finds durable ledgers; the few newer ones are searched one by one. @param time Ripple epoch seconds. */
function lastClosed(engine: Engine, time: number): { index: number; closeTime: number } | undefined {
  const durable = engine.store.cursor;
  let found = engine.store.ledgerAt(time);
  const first = firstInMemory(engine);
  if (found && found.index !== durable?.index) return found;
  let next = found ? found.index + 1 : first?.index;
  for (; next !== undefined; next++) {
    const packed = engine.ledgerBytes(next);
    if (!packed || packed.closeTime > time) return found;
    found = { index: next, closeTime: packed.closeTime };
  }
  return found;
}

/** First ledger of the ranges that can be read: used before any ledger is durable. */
function firstInMemory(engine: Engine): { index: number; closeTime: number } | undefined {
  const index = engine.ledgerRanges()[0]?.[0];
  const packed = index === undefined ? undefined : engine.ledgerBytes(index);
  return packed && { index: packed.ledgerIndex, closeTime: packed.closeTime };
}

const json = (about: string) =>
  ({ in: 'query', kind: 'text', maxLength: 2000, about }) as const satisfies Param;

const placedEntry = object({
  index: string,
  ledger_index: describe(integer, 'Ledger that the entry is current in'),
  ledger_hash: string,
  node: describe(anyObject, 'The entry'),
  validated: boolean,
});

const ledgerEntry = route({
  method: 'GET',
  path: '/ledger/entry',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { account_root: samples.account },
  summary: 'A ledger entry as of its latest change, by index or by what names it',
  params: {
    index: { ...json('64-hex index of the entry'), pattern: patterns.txHash },
    account_root: { ...json('r-address'), pattern: patterns.account },
    offer: json('Index, or JSON {"account","seq"}'),
    amm: json('Index, or JSON {"asset","asset2"}'),
    check: { ...json('64-hex id'), pattern: patterns.txHash },
    escrow: json('Index, or JSON {"owner","seq"}'),
    directory: json('Index, or JSON {"owner","sub_index"} or {"dir_root","sub_index"}'),
    payment_channel: { ...json('64-hex id'), pattern: patterns.txHash },
    deposit_preauth: json('Index, or JSON {"owner","authorized"}'),
    ticket: json('Index, or JSON {"account","ticket_seq"}'),
    nft_page: { ...json('64-hex id'), pattern: patterns.txHash },
  },
  needs: [{ anyOf: Object.keys(entryIndexBy).map((name) => [name]), onlyOne: true }],
  unavailable: true,
  response: placedEntry,
  cost: 2,
  bucket: '/ledger',
  cache: 'ledger',
  handler: (input, context) => readEntry(entryIndexOf(input), context),
});

/** As of its latest change. @throws ApiError 404 */
async function readEntry(index: Uint8Array, { network, engine }: RouteContext) {
  const head = headOf(engine);
  const found = findEntryJson(engine, index);
  if (typeof found === 'object') {
    return {
      index: hexOf(index),
      ledger_index: head.index,
      ledger_hash: head.hash,
      node: nodeSpelling(found.node, engine.reader.definitions),
      validated: true,
    };
  }
  if (found === 'deleted') throw notFound('The entry was deleted');
  const about = { index: hexOf(index) };
  const command = { command: 'ledger_entry', ...about, ledger_index: 'validated' };
  const answer = await askNode(network, command, about);
  if (answer) return answer;
  throw found === 'unknown'
    ? notFound('No such entry in the ledgers stored here')
    : notFound('The stored ledgers do not hold this entry in full', rangesHint(engine));
}

/** The index of the entry that the one sent parameter identifies. @throws ApiError 400. */
function entryIndexOf(input: Readonly<Record<string, string | undefined>>): Uint8Array {
  const [name, text] = Object.entries(input).find(([, value]) => value !== undefined)!;
  return entryIndexBy[name]!(parsedName(name, text!));
}

/** A text that starts like JSON must be JSON. */
function parsedName(name: string, text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return text.trim();
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError('invalid_json', `${name} is not well-formed JSON`);
  }
}

const placedTransaction = object({
  hash: string,
  ledger_index: integer,
  ledger_hash: string,
  close_time_iso: string,
  date: describe(integer, 'Close time, Ripple epoch seconds'),
  'ctid?': describe(string, 'Ledger, position and network in one text (XLS-37)'),
  tx_json: anyObject,
  meta: anyObject,
  validated: boolean,
});

const transaction = route({
  method: 'GET',
  path: '/tx/{hash}',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { hash: samples.transaction },
  summary: 'A transaction with its metadata',
  params: {
    hash: { in: 'path', kind: 'text', maxLength: 80, pattern: patterns.txHash, about: '64 hex digits' },
  },
  unavailable: true,
  response: placedTransaction,

  cost: 1,
  bucket: '/tx',
  handler: ({ hash }, context) => readTransaction(hash, context),
});

/** @throws ApiError 404 */
async function readTransaction(hash: string, { network, engine }: RouteContext) {
  const stored = storedTransaction(hash, engine);
  if (stored) return stored;
  const about = { hash: hash.toUpperCase() };
  const answer = await askNode(network, { command: 'tx', transaction: about.hash }, about);
  if (answer) return answer;
  throw noTransaction();
}

/** The same, to be read here: one that a node sent may have any form. @throws ApiError 404 */
export async function findTransaction(
  hash: string,
  { network, engine }: Pick<RouteContext, 'network' | 'engine'>,
): Promise<JsonObject> {
  const about = { hash: hash.toUpperCase() };
  const command = { command: 'tx', transaction: about.hash, ledger_index: undefined };
  const found = storedTransaction(hash, engine) ?? (await askNodeObject(network, command, about));
  if (!found) throw noTransaction();
  return found;
}

/** @throws ApiError 400 */
function storedTransaction(hash: string, engine: Engine) {
  if (!isHashForm(hash)) throw badRequest('hash is not 64 hex digits');
  const at = engine.findTransaction(bytesOf(hash.toUpperCase()));
  const packed = at && engine.ledgerBytes(at.ledger);
  return packed && placedTransactionJson(packed, at.tx, engine);
}

export const noTransaction = () =>
  notFound('Transaction not found', 'It is not yet validated, or older than the ledgers stored here');

const hashParam = {
  in: 'path',
  kind: 'text',
  maxLength: 80,
  pattern: patterns.txHash,
  about: '64 hex digits',
} as const;

const submittedTransaction = route({
  method: 'GET',
  path: '/submit/tx/{hash}',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { hash: samples.transaction },
  summary: 'What became of a submitted transaction: as /tx/{hash}; 404 while no node has it',
  params: { hash: hashParam },
  unavailable: true,
  response: placedTransaction,
  cost: 2,
  bucket: '/submit',
  handler: ({ hash }, context) => readTransaction(hash, context),
});

const submittedCheck = route({
  method: 'GET',
  path: '/submit/ledger-entry/check/{checkId}',
  section: '4.4',
  auth: 'none',
  tier: 'anonymous',
  example: { checkId: samples.transaction },
  summary: 'A check by its id, as /ledger/entry?check=',
  params: { checkId: hashParam },
  unavailable: true,
  response: placedEntry,
  cost: 2,
  bucket: '/submit',
  cache: 'ledger',
  handler: ({ checkId }, context) => readEntry(entryIndexOf({ check: checkId }), context),
});

export const ledgerRoutes: Route[] = [
  submittedTransaction,
  submittedCheck,
  ledgerSummary,
  ledgerByIndex,
  ledgerAt,
  ledgerEntry,
  transaction,
];
