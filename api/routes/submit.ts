/** Section 4.4: signed transactions on their way to the network, and what is needed to make one. */
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { ReaderError } from '../../engine/codec/json.ts';
import { nodeSpelling } from '../../engine/codec/node-spelling.ts';
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import { SourceError } from '../../engine/ledger/source.ts';
import { AccountFlag } from '../../engine/state/accounts.ts';
import { ApiError, badRequest, busy, notConfigured, unavailable } from '../../requests/errors.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import type { Network } from '../../views/network.ts';
import { account } from '../common.ts';
import { samples } from '../examples.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';
import { askNodeObject, nodeRead } from '../ledger/node-reads.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { anyObject, boolean, describe, integer, number, object, orNull, string } from '../schema.ts';
import { existing, namedId } from './account-schemas.ts';

/** Section 8.3: 131 KB of hex. */
const BLOB_MAX = 131 * 1024;
/** Of JSON around the longest blob, and of a transaction as JSON. */
const BODY_MAX = 4 * BLOB_MAX;
/** A payment of the embedded network. */
const EXAMPLE =
  '120000210000CBC822000000002400000045201B0000004A6140000000000F424068400000000000000C7321ED2C97BA8206' +
  '4DBF16680D47C50CC2CA171C873990B85443D4779FD3C02118D853744073ED99247B3E389A9E7DF50ADF17F1CF97AD55A55A' +
  'CEC5CDC2D329715D672CFC0CB9C75E001967F087C975828BCCF1B522EC0EBD868B9D5699B8E8BE78F73609811431C7D95E32' +
  'EF536DB5E2F1D19601A4DC037AD3198314D4996133918C5B39DCCDDC1191A2D65DD27BF8E1';
/** Payments that are looked at, the newest first, and transactions among which they are. */
const INBOUND_SAMPLE = 200;
/** Percent of the payments with a tag, from which senders should send one; of that many at least. */
const TAGS_EXPECTED = 50;
const TAGS_SAMPLE_LEAST = 5;

const shared = { section: '4.4', auth: 'none', tier: 'anonymous', cost: 2, bucket: '/submit' } as const;

const blobParam = {
  in: 'body',
  kind: 'text',
  // A byte more than may be: a longer text is cut there, and what was cut must not be taken for what was sent.
  maxLength: BLOB_MAX + 2,
  pattern: '^([0-9A-Fa-f]{2})+$',
  about: `The signed transaction, hex: ${BLOB_MAX} digits at most`,
} as const;

interface Blob {
  readonly tx: JsonObject;
  readonly hash: string;
}

/** @throws ApiError 400 for what is no transaction */
function readBlob(blob: string, { reader }: Engine): Blob {
  if (!/^([0-9A-Fa-f]{2})+$/.test(blob)) throw badRequest('tx_blob is not hex');
  if (blob.length > BLOB_MAX) throw badRequest(`tx_blob is longer than ${BLOB_MAX} hex digits`);
  const bytes = bytesOf(blob.toUpperCase());
  try {
    const tx = nodeSpelling(reader.decode(bytes), reader.definitions);
    if (typeof tx.TransactionType !== 'string' || typeof tx.Account !== 'string')
      throw badRequest('tx_blob is not a transaction', 'It names no TransactionType or no Account');
    return { tx, hash: hexOf(transactionHash(bytes)) };
  } catch (error) {
    if (error instanceof ReaderError || error instanceof RangeError)
      throw badRequest('tx_blob is not a transaction', error.message);
    throw error;
  }
}

const noNode = () =>
  notConfigured(
    'Transactions are handed to a ledger node, and none is followed',
    'Start with --source <node>',
  );

export const submit = route({
  ...shared,
  method: 'POST',
  path: '/submit',
  refusals: [409],
  example: { tx_blob: EXAMPLE },
  summary: 'Hands a signed transaction to the network. What became of it: GET /submit/tx/{hash}',
  params: {
    tx_blob: { ...blobParam, required: true },
    fail_hard: {
      in: 'body',
      kind: 'bool',
      default: false,
      about: 'Do not retry or relay it where it fails at first',
    },
  },
  unavailable: true,
  maxBody: BODY_MAX,
  response: object({
    engine_result: describe(string, 'Of the node, for the ledger that is open: not final'),
    engine_result_code: integer,
    engine_result_message: string,
    tx_json: anyObject,
    hash: string,
    accepted: boolean,
    applied: boolean,
    broadcast: boolean,
    kept: boolean,
    queued: boolean,
    account_sequence_available: integer,
    account_sequence_next: integer,
    validated_ledger_index: integer,
    'outcome?': describe(
      object({ validated: boolean, ledger_index: integer, result: string }),
      'Where it is in a validated ledger already: its final result',
    ),
  }),
  handler: async ({ tx_blob, fail_hard }, context) => {
    const { engine, network, service } = context;
    const blob = readBlob(tx_blob, engine);
    const wait = network.submissions.take(blob.hash, service.now());
    if (wait === undefined) throw busy();
    if (wait > 0)
      throw new ApiError('conflict', 'This transaction was submitted less than 30 s ago', {
        hint: `GET /submit/tx/${blob.hash} shows what became of it`,
        extra: { hash: blob.hash, retryAfter: Math.ceil(wait / 1000) },
      });
    const answer = await handOver(network, blob.hash, { tx_blob: tx_blob.toUpperCase(), fail_hard });
    return {
      ...submitted(answer, engine),
      tx_json: { ...blob.tx, hash: blob.hash },
      hash: blob.hash,
      ...outcomeOf(blob.hash, engine),
    };
  },
});

/** Sends it to one node, once. @throws ApiError 503; the transaction counts as submitted where it may have been */
async function handOver(
  { source, submissions }: Network,
  hash: string,
  sent: { readonly tx_blob: string; readonly fail_hard: boolean },
): Promise<JsonObject> {
  if (!source?.requestOnce) {
    submissions.forget(hash);
    throw noNode();
  }
  try {
    const answer = await source.requestOnce({ command: 'submit', ...sent });
    if (typeof answer.engine_result === 'string') return answer as JsonObject;
    submissions.forget(hash);
    // The node did not take it: it is malformed for it, or it takes none now.
    const message = String(
      answer.error_message ?? answer.error_exception ?? answer.error ?? 'no reason given',
    );
    if (answer.error === 'invalidTransaction' || answer.error === 'invalidParams')
      throw badRequest('The node refuses the transaction', message);
    throw unavailable('The node takes no transactions now', message);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.code !== 'unreachable')
      throw unavailable(
        'The node was lost after the transaction had been sent: whether it took it is not known',
        `GET /submit/tx/${hash} shows it when it is in a ledger`,
      );
    submissions.forget(hash);
    throw unavailable('No ledger node answers; nothing was submitted', 'Try again shortly');
  }
}

/** The node's members, each of its type: an absent one is the value that says least. */
function submitted(answer: JsonObject, engine: Engine) {
  const flag = (name: string) => answer[name] === true;
  const whole = (name: string, otherwise = 0) =>
    Number.isSafeInteger(answer[name]) ? (answer[name] as number) : otherwise;
  return {
    engine_result: String(answer.engine_result),
    engine_result_code: whole('engine_result_code'),
    engine_result_message: String(answer.engine_result_message ?? ''),
    accepted: flag('accepted'),
    applied: flag('applied'),
    broadcast: flag('broadcast'),
    kept: flag('kept'),
    queued: flag('queued'),
    account_sequence_available: whole('account_sequence_available'),
    account_sequence_next: whole('account_sequence_next'),
    validated_ledger_index: whole('validated_ledger_index', engine.head?.index),
  };
}

/** Of a transaction that is in a validated ledger already, as one that is sent again often is. */
function outcomeOf(hash: string, engine: Engine) {
  const at = engine.findTransaction(bytesOf(hash));
  const packed = at && engine.ledgerBytes(at.ledger);
  if (!packed) return {};
  const { TransactionResult } = engine.reader.decode(packed.meta(at.tx));
  return { outcome: { validated: true, ledger_index: at.ledger, result: String(TransactionResult) } };
}

const preview = route({
  ...shared,
  method: 'POST',
  path: '/submit/preview',
  example: {
    tx_json: { TransactionType: 'AccountSet', Account: samples.account },
  },
  summary: 'What a transaction would do to the ledger that is open: nothing is signed or submitted',
  params: {
    tx_json: { in: 'body', kind: 'json', about: 'The transaction; this or tx_blob' },
    tx_blob: { ...blobParam, about: `The same as hex, signed or not: ${BLOB_MAX} digits at most` },
  },
  needs: [{ anyOf: [['tx_json'], ['tx_blob']], onlyOne: true }],
  unavailable: true,
  maxBody: BODY_MAX,
  response: object({
    engine_result: string,
    'engine_result_code?': integer,
    engine_result_message: string,
    'meta?': describe(anyObject, 'What it would change; absent where it would not be in a ledger'),
    tx_json: describe(anyObject, 'With the fields that the node filled in'),
    sender_after: describe(
      orNull(object({ balance: string, reserve: string, spendable: string })),
      'The sender’s XRP afterwards, drops; null where it would not change',
    ),
  }),
  handler: async ({ tx_json, tx_blob }, { engine, network }) => {
    const tx = tx_blob === undefined ? tx_json : readBlob(tx_blob, engine).tx;
    if (!isJsonObject(tx) || typeof tx.TransactionType !== 'string')
      throw badRequest('tx_json is not a transaction', 'It names no TransactionType');
    const answer = await nodeRead(network, {
      command: 'simulate',
      ledger_index: undefined,
      tx_json: unsigned(tx),
    });
    const { result, engine_result } = answer;
    if (isJsonObject(result)) throw badRequest('The node refuses the transaction', reasonOf(result));
    if (typeof engine_result !== 'string')
      throw unavailable('The ledger node answers something else', 'Try again shortly');
    return {
      engine_result,
      ...(Number.isSafeInteger(answer.engine_result_code) && {
        engine_result_code: answer.engine_result_code as number,
      }),
      engine_result_message: String(answer.engine_result_message ?? ''),
      ...(isJsonObject(answer.meta) && { meta: answer.meta }),
      tx_json: isJsonObject(answer.tx_json) ? answer.tx_json : tx,
      sender_after: senderAfter(tx.Account, answer.meta, engine),
    };
  },
});

const reasonOf = ({ error_message, error }: JsonObject) => String(error_message ?? error);

/** Nothing is simulated that is signed (rippled `Simulate.cpp`); the keys stay, so that the node checks whether they may sign. */
function unsigned({ TxnSignature: _1, hash: _2, ...tx }: JsonObject): JsonObject {
  if (!Array.isArray(tx.Signers)) return tx;
  return { ...tx, Signers: tx.Signers.map(unsignedSigner) };
}

function unsignedSigner(each: Json): Json {
  if (!isJsonObject(each) || !isJsonObject(each.Signer)) return each;
  const { TxnSignature: _, ...Signer } = each.Signer;
  return { Signer };
}

/** From the sender's account among the nodes that would be changed. Amounts are drops. */
function senderAfter(sender: Json | undefined, meta: Json | undefined, { state }: Engine) {
  if (!isJsonObject(meta) || !Array.isArray(meta.AffectedNodes)) return null;
  for (const affected of meta.AffectedNodes) {
    if (!isJsonObject(affected)) continue;
    const [[action, node] = []] = Object.entries(affected);
    if (!isJsonObject(node) || node.LedgerEntryType !== 'AccountRoot') continue;
    const fields = node.FinalFields;
    if (!isJsonObject(fields) || fields.Account !== sender || !/^\d{1,17}$/.test(String(fields.Balance)))
      continue;
    if (action === 'DeletedNode') return { balance: '0', reserve: '0', spendable: '0' };
    const balance = BigInt(String(fields.Balance));
    const { reserveBaseDrops, reserveIncrementDrops } = state.fees;
    const owned = Number.isSafeInteger(fields.OwnerCount) ? (fields.OwnerCount as number) : 0;
    const reserve = BigInt(reserveBaseDrops) + BigInt(reserveIncrementDrops) * BigInt(owned);
    const spendable = balance > reserve ? balance - reserve : 0n;
    return { balance: `${balance}`, reserve: `${reserve}`, spendable: `${spendable}` };
  }
  return null;
}

const fee = route({
  ...shared,
  method: 'GET',
  path: '/submit/fee',
  example: {},
  summary: 'What a transaction costs now, and how full the open ledger and its queue are. Fees are drops',
  params: {},
  unavailable: true,
  response: object({
    base_fee: string,
    median_fee: string,
    minimum_fee: string,
    open_ledger_fee: describe(string, 'What is needed to be in the next ledger rather than in the queue'),
    current_ledger: integer,
    current_queue_size: integer,
    max_queue_size: integer,
  }),
  handler: async (_, { network }) => {
    const answer = await nodeRead(network, { command: 'fee', ledger_index: undefined });
    const drops = answer.drops;
    const drop = (name: string) => {
      const value = isJsonObject(drops) ? drops[name] : undefined;
      if (typeof value === 'string' && /^\d{1,18}$/.test(value)) return value;
      throw unavailable('The ledger node does not say what transactions cost', 'Try again shortly');
    };
    const count = (name: string) => Number(answer[name] ?? 0) || 0;
    return {
      base_fee: drop('base_fee'),
      median_fee: drop('median_fee'),
      minimum_fee: drop('minimum_fee'),
      open_ledger_fee: drop('open_ledger_fee'),
      current_ledger: count('ledger_current_index'),
      current_queue_size: count('current_queue_size'),
      max_queue_size: count('max_queue_size'),
    };
  },
});

const sequence = route({
  ...shared,
  method: 'GET',
  path: '/submit/account/{address}/sequence',
  example: { address: samples.account },
  summary: 'The sequence of the next transaction of an account, with what signing it needs',
  params: { address: account },
  unavailable: true,
  response: object({
    sequence: integer,
    ledger_index: integer,
    balance: describe(string, 'drops'),
    ownerCount: integer,
    flags: integer,
    regularKey: describe(orNull(string), 'null: it has none'),
    'cached?': boolean,
  }),
  handler: async ({ address: text }, context) => {
    const { engine, views } = context;
    const { id, address } = existing(text, views);
    const { accounts } = engine.state;
    return {
      sequence: accounts.sequence[id]!,
      ledger_index: engine.head?.index ?? 0,
      balance: `${accounts.balanceDrops(id)}`,
      ownerCount: accounts.ownerCount[id]!,
      flags: accounts.flags[id]!,
      regularKey: await regularKeyOf(address, context),
    };
  },
});

/** Columns know only what kind of key it is: the entry itself is in the ledgers stored here, else the node has it. */
async function regularKeyOf(address: string, { engine, network }: RouteContext): Promise<string | null> {
  const found = findEntryJson(engine, entryIndexBy.account_root!(address));
  if (typeof found === 'object') return keyIn(found.node);
  const answer = await askNodeObject(network, { command: 'account_info', account: address });
  const data = answer?.account_data;
  if (!isJsonObject(data)) throw unavailable('The regular key of the account is not known here');
  return keyIn(data);
}

const keyIn = ({ RegularKey: key }: JsonObject): string | null => (typeof key === 'string' ? key : null);

const inboundTags = route({
  ...shared,
  method: 'GET',
  path: '/submit/account/{address}/inbound-tags',
  example: { address: samples.account },
  summary: 'Whether payments to an account usually name a destination tag',
  params: { address: account },
  unavailable: true,
  cache: 'ledger',
  response: object({
    account: string,
    sampleSize: describe(integer, `Payments to it among the newest ${INBOUND_SAMPLE} that affected it`),
    tagged: integer,
    taggedPct: describe(number, 'Percent'),
    distinctSenders: integer,
    tagsExpected: describe(
      boolean,
      `The account demands one, or ${TAGS_EXPECTED} percent of at least ${TAGS_SAMPLE_LEAST} payments have one`,
    ),
  }),
  handler: async ({ address: text }, { engine, views }) => {
    const { id, address } = existing(text, views);
    const payment = [...engine.reader.definitions.transactionTypes].find(([, name]) => name === 'Payment');
    const { transactions } = views.accounts;
    const { txs } = await transactions.page({
      account: namedId(address, engine),
      limit: INBOUND_SAMPLE,
      forward: false,
      first: 0,
      last: 0xffffffff,
      types: new Set([payment![0]]),
    });
    const inbound = txs
      .map(({ tx_json }) => tx_json as JsonObject)
      .filter((tx) => tx.Destination === address && tx.Account !== address);
    const tagged = inbound.filter(({ DestinationTag: tag }) => tag !== undefined).length;
    const share = inbound.length === 0 ? 0 : Math.round((tagged / inbound.length) * 1e4) / 100;
    const demands = (engine.state.accounts.flags[id]! & AccountFlag.requireDestTag) !== 0;
    return {
      account: address,
      sampleSize: inbound.length,
      tagged,
      taggedPct: share,
      distinctSenders: new Set(inbound.map(({ Account }) => Account)).size,
      tagsExpected: demands || (inbound.length >= TAGS_SAMPLE_LEAST && share >= TAGS_EXPECTED),
    };
  },
});

export const submitRoutes: Route[] = [submit, preview, fee, sequence, inboundTags];
