/** Section 4.10: the node of the test network, what is submitted to it, and what lives there. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { isJsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { notConfigured, notFound, unavailable } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { findEntryJson } from '../../views/ledger/entry-json.ts';
import { account } from '../common.ts';
import { samples } from '../examples.ts';
import { entryIndexBy } from '../ledger/entry-index.ts';
import { nodeRead } from '../ledger/node-reads.ts';
import { type Route, route } from '../route.ts';
import { anyObject, boolean, describe, integer, list, number, object, orNull, string } from '../schema.ts';
import { findTransaction } from './ledger.ts';
import { rpc } from './rpc.ts';
import { submit } from './submit.ts';
import { shared } from './testnet-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const fixtures = route({
  ...shared,
  path: '/testnet/fixtures',
  example: {},
  summary:
    'What lives on the embedded test network: accounts, tokens and collections by their role, and a transaction of each kind',
  params: {},
  response: object({
    network_id: integer,
    generated_at: describe(integer, 'Unix ms'),
    age_seconds: integer,
    population: anyObject,
    accounts: object({ issuer: string, holders: list(string), trader: string, busy: list(string) }),
    tokens: list(anyObject),
    more_tokens: describe(list(anyObject), 'Tokens without a role'),
    projects: describe(list(anyObject), 'Tokens with a creator, holders and markets of their own'),
    collections: list(anyObject),
    nft: orNull(string),
    objects: anyObject,
    catalogue: list(anyObject),
    weeks: describe(anyObject, 'Seconds of a week, the number of the present one, how many are kept'),
    scenarios: describe(
      list(anyObject),
      'What was played in the first week and in those kept, with its transactions; times in Unix seconds',
    ),
  }),
  handler: async (_, { network }) => {
    const found = await nodeRead(network, { command: 'sandbox_fixtures', ledger_index: undefined });
    const error = isJsonObject(found.result) ? found.result.error : undefined;
    if (error !== undefined && error !== 'unknownCmd')
      throw unavailable('The ledger node does not say it now', 'Try again shortly');
    if (!isJsonObject(found.accounts))
      throw notConfigured(
        'The node of this test network keeps no fixtures',
        'The embedded network does, unless it was created with --sandbox-interval 0: start with --testnet sandbox',
      );
    return found as never;
  },
});

const stage = object({
  ledger: describe(integer, 'The newest that was applied'),
  at: describe(integer, 'Unix ms of its close'),
  lag: describe(integer, 'Ledgers that the node is ahead'),
});

const health = route({
  ...shared,
  path: '/testnet/health',
  example: {},
  summary: 'Whether the test network is followed, and how far',
  params: {},
  response: object({
    ok: boolean,
    validated: describe(integer, 'Index of the newest validated ledger that the node has named; 0: none'),
    node: object({
      state: describe(string, 'Of the node; unreachable: it does not answer'),
      networkId: integer,
      ledgers: describe(string, 'That the node has'),
    }),
    stages: object({ tokens: stage, nfts: stage }),
  }),
  handler: async (_, { network, engine }) => {
    const info = await nodeRead(network, { command: 'server_info', ledger_index: undefined }).catch(
      () => undefined,
    );
    const { server_state, complete_ledgers } = (isJsonObject(info?.info) ? info.info : {}) as Record<
      string,
      unknown
    >;
    const head = engine.head;
    // Tokens and NFTs are read from a ledger together.
    const applied = { ledger: head?.index ?? 0, at: head ? unixMs(head.closeTime) : 0, lag: network.behind };
    return {
      ok: network.ready,
      validated: network.source?.latest()?.index ?? applied.ledger,
      node: {
        state: typeof server_state === 'string' ? server_state : 'unreachable',
        networkId: engine.networkId ?? 0,
        ledgers: typeof complete_ledgers === 'string' ? complete_ledgers : '',
      },
      stages: { tokens: applied, nfts: applied },
    };
  },
});

const address = route({
  ...shared,
  path: '/testnet/{address}',
  example: { address: samples.account },
  summary: 'XRP and settings of an account of the test network',
  params: { address: account },
  response: object({
    address: string,
    activated: boolean,
    balance: describe(string, 'Drops'),
    balanceXRP: number,
    reserve: object({
      baseReserveXRP: number,
      ownerReserveXRP: describe(number, 'For each object that it owns'),
      ownerCount: integer,
      totalReserveXRP: number,
    }),
    available: object({ drops: string, xrp: number }),
    sequence: describe(orNull(integer), 'null: it is not activated'),
    domain: orNull(string),
    domainHex: orNull(string),
    flags: integer,
    ledgerIndex: integer,
  }),
  handler: ({ address: text }, { views, engine }) => {
    const { accounts, fees } = engine.state;
    const address = addressOf(text);
    const id = views.accounts.balances.find(address);
    const now = id === undefined ? undefined : views.accounts.balances.now(id);
    const domain = id === undefined ? undefined : accounts.domain(id);
    const baseReserveXRP = Number(fees.reserveBaseDrops) / DROPS_PER_XRP;
    const drops = now?.spendableDrops ?? '0';
    return {
      address,
      activated: now !== undefined,
      balance: now?.balanceDrops ?? '0',
      balanceXRP: now?.total ?? 0,
      reserve: {
        baseReserveXRP,
        ownerReserveXRP: Number(fees.reserveIncrementDrops) / DROPS_PER_XRP,
        ownerCount: now?.ownerCount ?? 0,
        totalReserveXRP: now?.reserve ?? baseReserveXRP,
      },
      available: { drops, xrp: now?.balance ?? 0 },
      sequence: now?.sequence ?? null,
      domain: domain ?? null,
      domainHex: domainHex(address, domain, engine),
      flags: now?.flags ?? 0,
      ledgerIndex: engine.head?.index ?? 0,
    };
  },
});

/** Of the entry, where the stored ledgers show it: a domain may be bytes that are no text. */
function domainHex(address: string, text: string | undefined, engine: Engine): string | null {
  const found = findEntryJson(engine, entryIndexBy.account_root!(address));
  if (typeof found === 'object') return typeof found.node.Domain === 'string' ? found.node.Domain : null;
  return text === undefined ? null : hexOf(Buffer.from(text));
}

const transaction = route({
  ...shared,
  path: '/testnet/tx/{hash}',
  example: { hash: samples.transaction },
  summary: 'A transaction of the test network; 404 while its node has not seen it',
  params: {
    hash: { in: 'path', kind: 'text', maxLength: 80, pattern: patterns.txHash, about: '64 hex digits' },
  },
  response: object({
    validated: boolean,
    ledger: integer,
    result: describe(string, 'Its result code'),
    transaction: anyObject,
    meta: anyObject,
  }),
  handler: async ({ hash }, context) => {
    const { tx_json: tx, meta, ledger_index: ledger, validated } = await findTransaction(hash, context);
    const result = isJsonObject(meta) ? meta.TransactionResult : undefined;
    if (!isJsonObject(tx) || !isJsonObject(meta) || typeof result !== 'string' || typeof ledger !== 'number')
      throw notFound('The transaction is not in a ledger yet', 'Ask again after the next ledger');
    const transaction = { ...tx, hash: hash.toUpperCase() };
    return { validated: validated === true, ledger, result, transaction, meta };
  },
});

/** The same as on the main network. */
const ofTestNetwork = (row: Route, path: string): Route => ({
  ...row,
  path,
  section: shared.section,
  bucket: shared.bucket,
  cost: shared.cost,
  ofTestNetwork: true,
});

export const testnetNodeRoutes: Route[] = [
  fixtures,
  health,
  transaction,
  ofTestNetwork(rpc, '/testnet/rpc'),
  ofTestNetwork(submit, '/testnet/submit'),
  address,
];
