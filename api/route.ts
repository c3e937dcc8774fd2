/**
 * One route, declared once: a row of data. Clamping, echo, aliases, OpenAPI, the JSON docs, costs, limits and the
 * contract tests all come from the same rows.
 *
 * How to add a route
 *
 * 1. Put a row into the file of its section, `api/routes/<section>.ts`; a new file exports one array
 *    (`export const ledgerRoutes: Route[] = [route({...}), ...]`) that `api/routes/index.ts` joins.
 * 2. Write it with `route({...})`: the handler's input is then typed by the row's parameters. Ready-made parameters
 *    (`offset`, `limit(20, 100)`, `order`, `flag(...)`, `tokenId`, `account`) are in `api/common.ts`, response
 *    schemas in short form in `api/schema.ts`.
 *
 *        route({
 *          method: 'GET', path: '/holders/list/{id}', section: '4.1', cost: 2,
 *          auth: 'none', tier: 'anonymous', example: { id: samples.token, limit: 10 }, bucket: '/holders',
 *          summary: 'Holders of a token, largest first',
 *          params: { id: tokenId, offset, limit: limit(20, 200), sort: { in: 'query', kind: 'enum', ... } },
 *          response: object({ length: integer, richList: list(object({ account: string })) }),
 *          cache: 'ledger',
 *          handler: ({ id, offset, limit }, { views }) => ({ length: 0, richList: [] }),
 *        })
 *
 * 3. A handler never checks ranges: what it gets is clamped already (`requests/param-reader.ts`). It echoes the values it used.
 *    camelCase and snake_case spellings, `sortBy`/`sortType`/`sortOrder`, `start`/`skip`/`page` need no alias.
 *    A default that depends on other parameters is not in the row: `about` describes it, and the handler chooses it.
 * 4. A handler never writes `success`, `attribution` or `took`, and never catches to answer: it throws
 *    `notFound('Unknown token')`, `badRequest(...)` or another `ApiError` (`requests/errors.ts`); anything else thrown is
 *    a 500 that shows the client only the request id.
 * 5. Set `cache: 'ledger'` if the answer depends only on the parameters and the version of the views: a repeated
 *    request then costs one map lookup. Large answers return a `Fragment` of bytes that already exist.
 * 6. Path parameters are named by the row; two rows may name the same position differently.
 *
 * `/openapi.json`, `/docs`, HEAD, OPTIONS, 405, compression and both prefixes follow without further work, and
 * `test/api` runs the contract (clamp, alias, hostile input, prefixes) over every row.
 */
import type { Engine } from '../engine/engine.ts';
import type { Billing } from '../platform/billing/billing.ts';
import type { Customers } from '../platform/customers.ts';
import type { ImageEncoder } from '../platform/images.ts';
import type { AddressRates } from '../requests/address-rates.ts';
import type { Auth, Guarded } from '../requests/admission.ts';
import type { AdmissionSettings } from '../requests/admission-settings.ts';
import type { Identity } from '../requests/identity.ts';
import type { Example, Input, Need, Params } from '../requests/param.ts';
import type { Tier } from '../requests/tiers.ts';
import type { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import type { Views } from '../views/views.ts';
import type { Schema, Static } from './schema.ts';
import type { AnswerTable } from './table-formats.ts';
import type { WebPages } from './web-pages.ts';

/** Facts about the service itself, for the handlers of /docs, /openapi.json, /health and /metrics. */
export interface Service {
  /** Display name: 'Millrace'. */
  readonly name: string;
  /** API version of the contract: '1.20'. */
  readonly version: string;
  readonly routes: readonly Route[];
  /** Host of the configured base address; undefined: none is configured. */
  readonly publicHost: string | undefined;
  /** Base address that ends in `/v1`: the configured one, else that of the request. */
  baseUrl(request: Request): string;
  /** The OpenAPI 3.1 document. */
  openapi(request: Request): Fragment;
  /** Seconds since start. */
  uptime(): number;
  /** Unix ms. */
  now(): number;
  /** Figures of tiers, limits and packages. */
  readonly admission: AdmissionSettings;
  /** Keys and credits; undefined: this service keeps none. */
  readonly customers: Customers | undefined;
  /** Wallets whose first key is made, by address; undefined: any number. */
  readonly newWallets: AddressRates | undefined;
  /** Invoices and payments; undefined: this service sells nothing. */
  readonly billing: Billing | undefined;
  /** Whose network the rows of the service itself are about: the first. */
  readonly ownMount: Mount;
  /** Whose network the rows of the test network are about. */
  readonly testMount: Mount;
  /** Whether a signature of this wallet (r-address) is that of the service's admin. */
  isAdmin(wallet: string): boolean;
  /** What browsers get at `/`. */
  readonly pages: WebPages;
  /** Encodes images again; undefined: none are taken. */
  readonly images: ImageEncoder | undefined;
  /** Prometheus text, version 0.0.4. */
  metrics(): Promise<string>;
}

export interface RouteContext {
  /** Where the request came in. Only rows that are answered `whileNotOpen` need it. */
  readonly mount: Mount;
  /** The network of the request, and its parts that most handlers read. */
  readonly network: Network;
  readonly engine: Engine;
  readonly views: Views;
  readonly request: Request;
  readonly requestId: string;
  /** Who asks: the address, and the key that was sent. */
  readonly identity: Identity;
  /** r-address of the wallet that signed; '' where none had to, or the admin's key was sent in its place. */
  readonly wallet: string;
  readonly service: Service;
  /** The answer is a page of this token: each time that it is sent counts as a view. */
  viewed(md5: string): void;
}

/**
 * What a handler answers. An object is serialised. A `Fragment` holds the members of the JSON object as bytes
 * (without the outer braces), for answers joined from cached row fragments. A `Picture` is sent as its bytes, a Response
 * unchanged.
 * `success`, `attribution` and `took` are spliced in by the reply layer, never written by handlers.
 */
export type Answer = object | Fragment | Picture | Response;

/** The answer of a row whose response has the schema. Only tests can check the content of a Fragment. */
type AnswerOf<S extends Schema> = (Static<S> & object) | Fragment | Picture | Response;

export class Fragment {
  /** @param brackets of the whole: those of an object, or, for rows that are `bare`, of a list */
  constructor(
    readonly parts: readonly (Uint8Array | string)[],
    readonly brackets: '{}' | '[]' = '{}',
  ) {}
}

/** A picture that the service made itself: WebP. Never compressed again. */
export class Picture {
  /** @param cacheControl how long clients may keep it (api/pictures.ts) */
  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    readonly cacheControl: string,
  ) {}
}

export interface Route<P extends Params = Params, S extends Schema = Schema> extends Guarded {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/token/{id}` */
  readonly path: string;
  /** Section of the contract: '4.1'. */
  readonly section: string;
  /** The credential that is required, and the lowest tier that is admitted: `requests/admission.ts` checks both. */
  readonly auth: Auth;
  readonly tier: Tier;
  /** The parameter that must name the wallet that signed (403 else); where it may be left out, it is that wallet. */
  readonly owner?: string & keyof P;
  /** Of a wallet's signature: the public key must be sent, even where the ledger shows it (section 5 of the contract). */
  readonly needsPublicKey?: true;
  /** A typical request: shown in the documents, and run by the tests. */
  readonly example: Example<P>;
  readonly summary: string;
  readonly params: P;
  readonly response: S;
  /** Credits per call (section 8.2). */
  readonly cost: number;
  /** Rate bucket: the path prefix that shares one window (section 8.1). */
  readonly bucket: string;
  /** Needs beyond single required parameters; each is checked before the handler runs. */
  readonly needs?: readonly Need[];
  /** Whether it can answer 503: no ledger has been read yet, or a node does not answer. */
  readonly unavailable?: true;
  /** Statuses of errors that only this row answers, beside those that follow from its other members. */
  readonly refusals?: readonly number[];
  /** Answered while the network is not open, too: the handler reads nothing of the network. Other rows answer 503. */
  readonly whileNotOpen?: true;
  /** About the test network, wherever the request came in: its answers are not kept. */
  readonly ofTestNetwork?: true;
  /** About the service itself: the same at every mount. Wallets are those of the first network, on which is paid, too. */
  readonly ofService?: true;
  /** Largest request body in bytes. */
  readonly maxBody?: number;
  /**
   * 'ledger': the answer depends only on the parameters and on the data of the network's views, so its bytes are cached
   * until that data changes: usually until the next ledger. Number: seconds for which it may be cached.
   */
  readonly cache?: 'ledger' | number;
  /** Answer without the `success`/`took` envelope (e.g. /openapi.json). */
  readonly bare?: true;
  /** The member that reports success if it is not `success: true`: `"result": "success"` or `"status": "success"`. */
  readonly successAs?: 'result' | 'status';
  /** Its answer can be had as a table, too: it then has the parameter `format` (`tableFormat` of table-formats.ts). */
  readonly table?: AnswerTable;
  /** Media types it can answer, for `Accept` (406 otherwise). Default: JSON. */
  readonly produces?: readonly string[];
  /** Declared as a method, so that rows with any parameters and answers fit in one table. */
  handler(input: Input<P>, context: RouteContext): AnswerOf<S> | Promise<AnswerOf<S>>;
}

/** Types a row: the handler's input follows from its parameters, and its answer from the schema. */
export function route<const P extends Params, S extends Schema>(row: Route<P, S>): Route {
  return row;
}
