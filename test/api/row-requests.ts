/** Requests of the rows of the table, over a real engine that has applied recorded transactions. */
import { type Api, type ApiOptions, createApi } from '../../api/app.ts';
import type { Route } from '../../api/route.ts';
import { accountNodeRoutes } from '../../api/routes/account-node.ts';
import { routes } from '../../api/routes/index.ts';
import { rpcRoutes } from '../../api/routes/rpc.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { decodeObject } from '../../engine/codec/json.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { relaidChain } from '../../support/chain.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Mount } from '../../views/mount.ts';
import { Network } from '../../views/network.ts';
import { ownValue } from './document.ts';
import { LoggedErrors } from './fixture.ts';

/** Rows that ask for what a store holds or not: the recorded ledgers here hold no pool of that pair, no whole day, not that NFT. */
const UNHELD: readonly string[] = [
  '/amm/info',
  '/platform-report',
  '/account/snapshot/{account}',
  '/submit/ledger-entry/check/{checkId}',
  '/account-thumb/{address}',
  '/nft-thumb/{hash}',
  '/nft-collection-thumb/{hash}',
  '/nft/{nftId}',
  '/nft/{nftId}/offers',
  '/nft/offers/buy/{nftId}',
  '/nft/offers/sell/{nftId}',
  '/nft/history/{nftId}',
  '/nft/holders/{slug}',
  '/nft/holders/{slug}/distribution',
  '/nft/collections/resolve',
  '/nft/collections/{slug}',
  '/nft/collections/{slug}/nfts',
  '/nft/analytics/collection/{slug}/traders',
  '/nft/analytics/rotations/{cid}',
  '/nft/collections/{slug}/metrics',
  '/nft/collections/{slug}/traits',
  '/nft/collections/{slug}/traders',
  '/nft/collections/{slug}/orderbook',
  '/nft/collections/{slug}/history',
  '/nft/collections/{slug}/ohlc',
  '/nft/collections/{slug}/ohlc/{date}/sales',
  '/nft/collections/{slug}/sparkline',
  '/nft/collections/{slug}/ownership',
  '/nft/collections/{slug}/listings/distribution',
  '/nft/collections/{slug}/mints',
  '/nft/collections/{slug}/related',
  '/nft/collections/{slug}/floor/history',
  '/nft/floor/history/{cid}',
  '/nft/collections/{slug}/listings/history',
  '/nft/collections/{slug}/holders/history',
  '/testnet/amm/{account}',
  '/testnet/nft/collections/{id}',
  '/testnet/nft/collections/{id}/nfts',
  '/testnet/nft/{id}',
  '/testnet/nft/{id}/offers',
];

export const bodyOf = (row: Route, body: object) => (row.method === 'GET' ? undefined : JSON.stringify(body));

/** Rows that the node answers that ledgers come from: these ledgers come from none. */
const OF_A_NODE: ReadonlySet<Route> = new Set([
  ...accountNodeRoutes,
  ...rpcRoutes,
  ...routes.filter(({ path }) =>
    ['/submit', '/submit/preview', '/submit/fee', '/testnet/submit', '/testnet/rpc'].includes(path),
  ),
  // Of the embedded network's node.
  ...routes.filter(({ path }) => ['/testnet/fixtures', '/faucet'].includes(path)),
  // Of an IPFS node, which is not configured here.
  ...routes.filter(({ path }) => path.startsWith('/nft/pin')),
  // Of a store beside the ledgers, which this network has not.
  ...routes.filter(({ path }) => path === '/scams/report'),
]);

/** Rows of payments, none of which are configured here. */
const OF_PAYMENTS = ['/keys/purchase', '/keys/verify-payment', '/keys/xrp/', '/keys/card/'];

/** Rows that answer 503 here. */
export const isUnavailable = (row: Route): boolean =>
  OF_A_NODE.has(row) || OF_PAYMENTS.some((path) => row.path.startsWith(path));

/** Who writes must sign, and examples do not. Reads that need a key are refused by the service's admission, not here. */
export const isRefused = ({ auth, method, section }: Route): boolean =>
  auth !== 'none' && !(auth === 'key' && method === 'GET' && (section === '4.3' || section === '4.5'));

/** The status of a row's example. */
export const statusOf = (row: Route) =>
  isRefused(row) ? 401 : UNHELD.includes(row.path) ? 404 : isUnavailable(row) ? 503 : 200;

/** What is sent beside the path. */
export interface Sent {
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

export class RowRequests {
  readonly log = new LoggedErrors();
  readonly engine = new Engine({ store: new MemoryStore(), log: this.log });
  readonly api: Api;
  /** Values that mean something to this engine. */
  readonly known = { md5: '', account: '', index: '', hash: '' };

  constructor(options: Partial<ApiOptions> = {}) {
    const mounts = [Mount.of(new Network({ engine: this.engine }))];
    this.api = createApi({ mounts, log: this.log, routes, ...options });
  }

  /** Applies the ledgers. */
  async open(): Promise<void> {
    const { engine, known, api } = this;
    for (const packed of relaidChain({ ledgers: 12, transactionsPerLedger: 40 })) {
      const made = prepared(packed, prepare(packed.bytes, false));
      if (made.fault) throw new Error(made.fault);
      await engine.applyLedger(made, false);
    }
    await engine.drain();
    known.index = String(engine.head!.index);
    const transactions = engine.ledgerBytes(engine.head!.index)!;
    known.hash = hexOf(transactionHash(transactions.tx(0)));
    known.account = String(decodeObject(transactions.tx(0)).Account);
    const listed = await api.fetch(new Request('http://localhost/v1/tokens?limit=1'));
    known.md5 = ((await listed.json()) as { tokens: { md5: string }[] }).tokens[0]!.md5;
    engine.version++; // nothing of this is kept
  }

  async ask(
    row: Route,
    prefix: string,
    path: string,
    query: URLSearchParams | string,
    body?: string,
  ): Promise<Response> {
    const search = String(query);
    const url = `http://localhost${prefix}${path}${search ? `?${search}` : ''}`;
    return this.api.fetch(new Request(url, { method: row.method, ...(body !== undefined && { body }) }));
  }

  /** The row's example with what this engine holds in place of the samples. */
  exampleOf(row: Route): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(row.example).map(([name, value]) => [name, ownValue(value, this.known)]),
    );
  }

  /** A path that finds something. */
  goodPath(row: Route): string {
    const example = this.exampleOf(row);
    return row.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(example[name])));
  }

  /** The example, page size and place left to the row unless `whole`. */
  needed(row: Route, whole = false): Sent {
    const query = new URLSearchParams();
    const body: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(this.exampleOf(row))) {
      if (!whole && (name === 'limit' || name === 'offset')) continue;
      const place = row.params[name]!.in;
      if (place === 'query') query.set(name, String(value));
      if (place === 'body') body[name] = value;
    }
    return { query, body };
  }
}
