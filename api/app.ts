/**
 * The HTTP application: the route table at `/v1` and `/api`, once for each mount; the service's own pages also at the root.
 * Elysia only routes. Reading, clamping, caching and errors are ours (`compile-route.ts`), because its validator answers
 * 422 and its errors expose internal details. Handlers use only `request`, so that Elysia parses nothing.
 */
import { Elysia } from 'elysia';
import type { Log } from '../engine/log.ts';
import type { Billing } from '../platform/billing/billing.ts';
import type { Customers } from '../platform/customers.ts';
import type { ImageEncoder } from '../platform/images.ts';
import { AddressRates, NEW_WALLETS, PICTURES } from '../requests/address-rates.ts';
import { type Admit, admitAll, NO_ROW } from '../requests/admission.ts';
import { type AdmissionSettings, DEFAULT_ADMISSION } from '../requests/admission-settings.ts';
import { ApiError, notFound } from '../requests/errors.ts';
import { Callers, type Identify } from '../requests/identity.ts';
import { writeStamp } from '../requests/stamp.ts';
import { checkMounts, type Mount, mountedAt } from '../views/mount.ts';
import { AnswerCache } from './cache.ts';
import { type ApiParts, cachedResponse, compileRoute, publicError } from './compile-route.ts';
import { WalletProofs } from './gate/wallet-proofs.ts';
import { imagePages } from './image-pages.ts';
import { mcpAt } from './mcp/endpoint.ts';
import { type MetricSample, Metrics, UNROUTED } from './metrics.ts';
import { openapiDocument } from './openapi.ts';
import { referencePages } from './reference.ts';
import { preflight, sendError, withCommonHeaders } from './reply.ts';
import { NO_HOST, prefixes, prefixLength, RequestIds, splitTarget, targetOf } from './request.ts';
import { Fragment, type Route, type Service } from './route.ts';
import { routes as allRoutes } from './routes/index.ts';
import { webAssets } from './web-assets.ts';
import { WebPages } from './web-pages.ts';

/** Version of the contract. */
const API_VERSION = '1.20';

/** Stands in the OpenAPI document for the base address. */
const ANY_BASE = 'https://base.invalid/v1';

/** Bytes of kept answers, of all networks together. */
const CACHE_BYTES = 64 * 1024 * 1024;

export interface ApiOptions {
  /** Where the networks are reached; the first has no prefix. */
  readonly mounts: readonly Mount[];
  /** Whose network `/testnet` shows. Default: the first. */
  readonly testMount?: Mount;
  readonly log: Log;
  /** Requests come in over TLS. */
  readonly isTls?: boolean;
  /** Default: the whole route table. */
  readonly routes?: readonly Route[];
  /** Display name, in `attribution` and the documents. */
  readonly name?: string;
  /** Public base address that ends in `/v1`. Default: the address of each request. */
  readonly baseUrl?: string;
  /** Largest size of all answer caches together, bytes: each mount has an equal part. */
  readonly cacheBytes?: number;
  /** Unix ms. */
  readonly now?: () => number;
  /** Open WebSockets, for /metrics. */
  readonly sockets?: () => number;
  /** Identifies the client of a request. Default: by address alone. */
  readonly identify?: Identify;
  /** Called before every answer, cached ones included. Default: admits every client. */
  readonly admit?: Admit;
  /** Says which wallet signed a request. Default: one that verifies on the calling thread, and forgets at the end. */
  readonly proofs?: WalletProofs;
  /** Default: everybody is answered. */
  readonly admission?: AdmissionSettings;
  /** Keys and credits. Default: none can be made. */
  readonly customers?: Customers;
  /** Invoices and payments. Default: nothing is sold. */
  readonly billing?: Billing;
  /** The key that the pages send, which everybody can read in them. Default: none. */
  readonly pagesKey?: string | undefined;
  /** Encodes images again. Default: none are taken. */
  readonly images?: ImageEncoder;
  /** Further samples of /metrics. */
  readonly metricSamples?: () => readonly MetricSample[];
}

export interface Api {
  readonly app: Elysia;
  /** Answers through the router. */
  fetch(request: Request): Response | Promise<Response>;
  /** What the router would answer to messages of the tool protocol, without it; undefined: it brings none. */
  messages(request: Request): Promise<Response> | undefined;
  /** The cached answer for exactly this path and query, else undefined. */
  cached(request: Request): Response | undefined;
  /** Completes an HTTP answer of a stream's address: it is counted, and has the headers of every answer. */
  streamAnswer(request: Request, response: Response | ApiError): Response;
  /** Identifies clients. Its `server` must be set to the server that receives the requests. */
  readonly callers: Callers;
  /** Logs an error that was thrown outside of any route, and answers 500. */
  internalError(error: unknown): Response;
  /** Prefixes of the mounts. */
  readonly mountPrefixes: readonly string[];
  /** Of each mount, in their order. */
  readonly caches: readonly AnswerCache[];
  /** What the first mount knows of the service. */
  readonly service: Service;
}

/** Pages that are also reachable without a prefix. */
const rootPages: readonly string[] = ['/', '/health', '/metrics', '/docs', '/openapi.json'];

export function createApi(options: ApiOptions): Api {
  const { log } = options;
  const mounted = mountedParts(options);
  const parts = mounted[0]!;
  const { ids, metrics, callers } = parts;
  const at = (request: Request) => {
    const target = targetOf(request);
    return mountedAt(mounted, target, prefixLength(target));
  };
  // The router looks for the path behind 7 letters of an address, or 11: host names of fewer than four letters
  // (`http://api/`) are valid too, but 7 end in the slashes of `https://`.
  const handler = { standardHostname: options.isTls === true };
  // Handlers are composed when they are first used: composing all of them takes half of what is done before the service listens.
  const app = new Elysia({ aot: true, precompile: false, normalize: false, handler });
  // Registered before any route: otherwise a failing route answers with Elysia's own text.
  app.onError(({ error, request }) => {
    const parts = at(request);
    const response = answerUnrouted(request, error, parts);
    parts.unrouted.count(response.status);
    return response;
  });
  app.use(referencePages(parts.service.name, ids, metrics));
  app.use(webAssets(parts.service.pages, ids, metrics));
  const { now, admission } = parts.service;
  const rates = admission.mode === 'open' ? undefined : new AddressRates(PICTURES);
  for (const { mount } of mounted) app.use(imagePages({ mount, ids, metrics, callers, rates, now }));
  const mcp = mounted.map(mcpAt);
  for (const { pages } of mcp) app.use(pages);
  const endpoints = new Map(mcp.flatMap(({ endpoints }) => [...endpoints]));
  for (const parts of mounted) for (const row of parts.service.routes) addRoute(app as never, row, parts);
  app.compile();
  const messages = (request: Request) =>
    request.method === 'POST' ? endpoints.get(targetOf(request))?.answer(request) : undefined;
  return {
    app: app as never,
    fetch: (request) => app.fetch(withHost(request)),
    messages,
    cached: (request) => cachedResponse(request, mounted),
    internalError: (error) => {
      const request = new Request('http://localhost/');
      const requestId = ids.of(request);
      parts.unrouted.count(500);
      return sendError(publicError(error, request, requestId, log), requestId, parts.docs);
    },
    streamAnswer: (request, response) => {
      const { sockets, docs } = at(request);
      sockets.count(response.status);
      const requestId = ids.of(request);
      return response instanceof ApiError
        ? sendError(response, requestId, docs)
        : withCommonHeaders(response, requestId);
    },
    callers,
    mountPrefixes: mounted.map(({ mount }) => mount.prefix),
    caches: mounted.map(({ cache }) => cache),
    service: parts.service,
  };
}

/** What the rows of each mount share; the first mount has no prefix. */
function mountedParts(options: ApiOptions): readonly ApiParts[] {
  const { mounts, log } = options;
  checkMounts(mounts);
  const now = options.now ?? Date.now;
  const name = options.name ?? 'Millrace';
  const cacheBytes = (options.cacheBytes ?? CACHE_BYTES) / mounts.length;
  const measured = mounts.map((mount) => ({ mount, cache: new AnswerCache(cacheBytes) }));
  const metrics = new Metrics({
    mounts: measured,
    now,
    sockets: options.sockets,
    metricSamples: options.metricSamples,
  });
  const started = performance.now();
  const ids = new RequestIds();
  const callers = new Callers(options.identify);
  const proofs = options.proofs ?? new WalletProofs();
  const pages = new WebPages({ key: options.pagesKey });
  const isOpen = (options.admission ?? DEFAULT_ADMISSION).mode === 'open';
  const newWallets = isOpen ? undefined : new AddressRates(NEW_WALLETS);
  return measured.map(({ mount, cache }) => ({
    mount,
    cache,
    log,
    service: serviceOf(mount, options, { name, now, started, metrics, pages, newWallets }),
    ids,
    attribution: `Data by ${name}`,
    docs: `${options.baseUrl ?? '/v1'}${mount.prefix}/docs`,
    metrics,
    unrouted: metrics.tally(mount.name, UNROUTED, UNROUTED),
    sockets: metrics.tally(mount.name, 'GET', '/ws'),
    admit: options.admit ?? admitAll,
    callers,
    proofs,
  }));
}

interface ServiceFacts {
  readonly name: string;
  readonly now: () => number;
  /** performance.now: the clock of the machine may be set while it runs. */
  readonly started: number;
  readonly metrics: Metrics;
  readonly pages: WebPages;
  readonly newWallets: AddressRates | undefined;
}

/** The OpenAPI document without its braces, before and after the base address. */
function documentAround(service: Service): [Uint8Array, Uint8Array] {
  const [before, after] = JSON.stringify(openapiDocument(service, ANY_BASE))
    .slice(1, -1)
    .split(JSON.stringify(ANY_BASE));
  const encoder = new TextEncoder();
  return [encoder.encode(before), encoder.encode(after)];
}

/** What handlers know of the service; addresses are those below the mount. */
function serviceOf(
  { prefix }: Mount,
  options: ApiOptions,
  { name, now, started, metrics, pages, newWallets }: ServiceFacts,
): Service {
  let openapi: readonly [before: Uint8Array, after: Uint8Array] | undefined;
  // Clients choose the Host header: the document is written once, and has the base address of each request put in.
  const documentFor = (baseUrl: string) => {
    openapi ??= documentAround(service);
    return new Fragment([openapi[0], JSON.stringify(baseUrl), openapi[1]]);
  };
  const { admission = DEFAULT_ADMISSION } = options;
  const service: Service = {
    name,
    version: API_VERSION,
    // Those of the test network are the service's, and have one address.
    routes: (options.routes ?? allRoutes).filter((row) => prefix === '' || !row.ofTestNetwork),
    publicHost: options.baseUrl && URL.parse(options.baseUrl)?.hostname,
    baseUrl: (request) => `${options.baseUrl ?? `${originOf(request)}/v1`}${prefix}`,
    openapi: (request) => documentFor(service.baseUrl(request)),
    uptime: () => (performance.now() - started) / 1000,
    now,
    pages,
    admission,
    customers: options.customers,
    newWallets,
    billing: options.billing,
    ownMount: options.mounts[0]!,
    testMount: options.testMount ?? options.mounts[0]!,
    isAdmin: (wallet) => admission.adminWallets.has(wallet),
    images: options.images,
    metrics: () => metrics.text(),
  };
  return service;
}

/** The server's `url` is then a path alone, of which the router would read the end as the address. */
function withHost(request: Request): Request {
  const { url } = request;
  return url.startsWith('/') ? Object.defineProperty(request, 'url', { value: NO_HOST + url }) : request;
}

/** '' if the Host header, which the client writes, is not a host; addresses are then shown without one. */
function originOf(request: Request): string {
  const origin = URL.parse(request.url)?.origin ?? '';
  return origin === NO_HOST ? '' : origin;
}

/** GET rows answer HEAD too. */
function addRoute(app: Elysia, row: Route, parts: ApiParts): void {
  const answer = compileRoute(row, parts);
  const { prefix: mountPrefix } = parts.mount;
  const places = mountPrefix === '' && rootPages.includes(row.path) ? [...prefixes, ''] : prefixes;
  for (const prefix of places) {
    const path = prefix + mountPrefix + routerPath(row.path);
    app.route(row.method, path, ({ request }) => answer(request));
    if (row.method === 'GET') app.route('HEAD', path, ({ request }) => bodiless(answer(request)));
  }
}

/** Names path parameters by position: the router refuses two names at one position. */
function routerPath(path: string): string {
  return path
    .split('/')
    .map((segment, at) => (segment.startsWith('{') ? `:p${at}` : segment))
    .join('/');
}

async function bodiless(answer: Response | Promise<Response>): Promise<Response> {
  const full = await answer;
  const headers = new Headers(full.headers);
  if (full.body) headers.set('Content-Length', String((await full.arrayBuffer()).byteLength));
  return new Response(null, { status: full.status, headers });
}

/** Answers what no route matches: preflights, wrong methods, unknown addresses, and errors of the router itself. */
function answerUnrouted(request: Request, error: unknown, parts: ApiParts): Response {
  const requestId = parts.ids.of(request);
  const target = targetOf(request);
  const methods = methodsOf(target, parts);
  if (request.method === 'OPTIONS') {
    const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    return preflight([...(methods.length > 0 ? methods : all), 'OPTIONS'], requestId);
  }
  const isUnknown = methods.length === 0 || (error as { code?: unknown } | undefined)?.code === 'NOT_FOUND';
  const isWrongMethod = methods.length > 0 && !methods.includes(request.method);
  if (!isUnknown && !isWrongMethod)
    return sendError(publicError(error, request, requestId, parts.log), requestId, parts.docs);
  const path = target.split('?', 1)[0]!.slice(0, 200);
  const identity = parts.callers.of(request);
  const refused = parts.admit('request', NO_ROW, identity);
  const wrong = isWrongMethod
    ? wrongMethod(request.method, path, methods)
    : notFound(`No such address: ${path}`, 'GET /v1/docs lists every address');
  const response = sendError(refused ?? wrong, requestId, parts.docs);
  writeStamp(identity.stamp, response.headers);
  return response;
}

function wrongMethod(method: string, path: string, methods: readonly string[]): ApiError {
  const allow = [...methods, 'OPTIONS'].join(', ');
  return new ApiError('method_not_allowed', `${method} is not allowed for ${path}`, {
    hint: `Allowed: ${allow}`,
    headers: { Allow: allow },
  });
}

/** Methods of the rows whose path matches, HEAD included. */
function methodsOf(target: string, { mount, service }: ApiParts): string[] {
  const length = prefixLength(target);
  const { segments } = splitTarget(target.slice(length + mount.prefix.length));
  const methods = new Set<string>();
  for (const row of service.routes) {
    if (length === 0 && (mount.prefix !== '' || !rootPages.includes(row.path))) continue;
    const pattern = row.path.split('/').slice(1);
    if (pattern.length !== segments.length) continue;
    if (!pattern.every((part, at) => part === segments[at] || (part.startsWith('{') && segments[at] !== '')))
      continue;
    methods.add(row.method);
    if (row.method === 'GET') methods.add('HEAD');
  }
  return [...methods];
}
