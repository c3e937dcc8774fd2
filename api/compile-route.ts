/**
 * Compiles a route row to a function that answers its requests: admission, Accept, parameters, cache, handler, envelope,
 * cache, encoding. It is synchronous if the handler is. Everything that is thrown becomes the one error body here.
 */

import type { Engine } from '../engine/engine.ts';
import { HeavyReadsBusyError } from '../engine/heavy-reads.ts';
import type { Log } from '../engine/log.ts';
import { PlatformError } from '../platform/store.ts';
import type { Admit } from '../requests/admission.ts';
import { ApiError, busy, notOpen, unavailable } from '../requests/errors.ts';
import type { Callers, Identity } from '../requests/identity.ts';
import { paramReader, type Values } from '../requests/param-reader.ts';
import { writeStamp } from '../requests/stamp.ts';
import type { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import type { Views } from '../views/views.ts';
import { acceptsWithoutParsing, checkAccept } from './accept.ts';
import type { AnswerTally } from './answer-tally.ts';
import { type AnswerCache, StoredAnswer } from './cache.ts';
import { fieldsOf, onlyFields } from './fields.ts';
import type { WalletProofs } from './gate/wallet-proofs.ts';
import { addsLedgerIndex, isOfLedger, minLedgerOf, waitForLedger } from './ledger-answers.ts';
import type { Metrics } from './metrics.ts';
import { PICTURE_TYPE } from './pictures.ts';
import {
  creditIn,
  creditMember,
  DEPENDS_ON,
  envelope,
  etagOf,
  JSON_TYPE,
  send,
  sendError,
  withCommonHeaders,
} from './reply.ts';
import {
  loggedTargetOf,
  prefixLength,
  type RequestIds,
  readBody,
  splitTarget,
  takesBody,
  targetOf,
} from './request.ts';
import { type Answer, Picture, type Route, type RouteContext, type Service } from './route.ts';
import { asTable, TABLE_TYPES, tableFormatOf } from './table-formats.ts';

/** What all rows of a mount share. */
export interface ApiParts {
  readonly mount: Mount;
  readonly log: Log;
  readonly service: Service;
  readonly cache: AnswerCache;
  readonly ids: RequestIds;
  /** Text of the `attribution` member; undefined leaves it out. */
  readonly attribution: string | undefined;
  /** Link in error bodies. */
  readonly docs: string;
  readonly metrics: Metrics;
  /** Counts requests that match no row. */
  readonly unrouted: AnswerTally;
  /** Counts HTTP answers of the streams' addresses. */
  readonly sockets: AnswerTally;
  /** Called before every answer, cached ones included. */
  readonly admit: Admit;
  readonly callers: Callers;
  /** Says which wallet signed a request. */
  readonly proofs: WalletProofs;
}

/** A request, and who sent it. */
interface Asked {
  readonly request: Request;
  readonly requestId: string;
  readonly identity: Identity;
}

/** The same, without its parameters. */
interface RequestContext extends Asked {
  /** r-address of the wallet that signed; '' where none had to. */
  readonly wallet: string;
  /** Members of the answer that the client selects; undefined: all. */
  readonly fields: readonly string[] | undefined;
}

export type CompiledRoute = (request: Request) => Response | Promise<Response>;

/** Compiles a row. */
export function compileRoute(row: Route, parts: ApiParts): CompiledRoute {
  const read = paramReader(row);
  const readsBody = takesBody(row);
  const isCached = row.method === 'GET' && row.cache !== undefined;
  const [canWait, addsIndex] = [isOfLedger(row), addsLedgerIndex(row)];
  const { mount } = parts;
  /** Whose network it is about. */
  const shown = shownBy(row, parts);
  const tally = parts.metrics.tally(mount.name, row.method, row.path);
  return (request) => {
    const started = performance.now();
    const requestId = parts.ids.of(request);
    const identity = parts.callers.of(request);
    const failed = (error: unknown) =>
      answerError(tally, { request, requestId, identity }, started, error, parts);
    try {
      const refused = parts.admit('request', row, identity);
      if (refused) throw refused;
      if (!shown.network && !row.whileNotOpen) throw notOpen(shown.reason);
      const { segments, query } = splitTarget(pathBelow(targetOf(request), mount));
      checkAccept(row, request.headers.get('accept'), query);
      const asked = { request, requestId, identity, fields: row.bare ? undefined : fieldsOf(query) };
      const minLedger = canWait ? minLedgerOf(query) : 0;
      const answer = (wallet = '') => {
        const context = { ...asked, wallet };
        if (readsBody)
          return readBody(request, row).then((body) => run(read({ segments, query, body }), context));
        const values = read({ segments, query, body: undefined });
        // What is kept for seconds may be of an earlier ledger than the one that is waited for.
        if (!isCached || (minLedger > 0 && row.cache !== 'ledger')) return run(values, context);
        return findOrRun(row, values, context, parts, run);
      };
      const signed = proofOf(row, request, identity, shown, parts);
      if (signed) return catchAsync(signed.then(answer), failed);
      const waits = minLedger > 0 ? waitForLedger(shown.network!, minLedger) : undefined;
      return catchAsync(waits ? waits.then(() => answer()) : answer(), failed);
    } catch (error) {
      return failed(error);
    }

    function run(
      values: Values,
      context: RequestContext,
      keys?: readonly string[],
    ): Response | Promise<Response> {
      const { version } = mount;
      const ledgerIndex = addsIndex ? shown.network?.ledgerIndex : undefined;
      const finish = (answer: Answer) => {
        const took = performance.now() - started;
        const format = row.table && tableFormatOf(values.format);
        const made = { answer, took, ledgerIndex, version, format, viewed: handlerContext.token };
        const response = buildResponse(row, tally, made, context, keys, parts);
        tally.observe(response.status, performance.now() - started);
        return response;
      };
      checkOwner(row, values, context.wallet);
      const handlerContext = new HandlerContext(shown, parts.service, context);
      const answer = row.handler(values, handlerContext);
      return answer instanceof Promise ? answer.then(finish) : finish(answer);
    }
  };
}

function shownBy({ ofTestNetwork, ofService }: Route, { mount, service }: ApiParts): Mount {
  if (ofTestNetwork) return service.testMount;
  return ofService ? service.ownMount : mount;
}

/** What a handler gets. Its network is looked up when it is read: it may be closed while a handler waits. */
class HandlerContext implements RouteContext {
  readonly mount: Mount;
  readonly service: Service;
  readonly request: Request;
  readonly requestId: string;
  readonly identity: Identity;
  readonly wallet: string;
  /** The token of which the answer is a page. */
  token: string | undefined;

  constructor(
    mount: Mount,
    service: Service,
    { request, requestId, identity, wallet }: Omit<RequestContext, 'fields'>,
  ) {
    this.mount = mount;
    this.service = service;
    this.request = request;
    this.requestId = requestId;
    this.identity = identity;
    this.wallet = wallet;
  }

  /** @throws ApiError unavailable */
  get network(): Network {
    const { network, reason } = this.mount;
    if (!network) throw notOpen(reason);
    return network;
  }

  get engine(): Engine {
    return this.network.engine;
  }

  viewed(md5: string): void {
    this.token = md5;
  }

  get views(): Views {
    return this.network.views;
  }
}

/**
 * Resolves with the wallet that signed the request; undefined: the row needs none, or the admin's key is there instead.
 * Rejects with ApiError 401, 403, 429, 503.
 */
function proofOf(
  { auth, method, needsPublicKey }: Route,
  request: Request,
  identity: Identity,
  { network }: Mount,
  { service, proofs }: ApiParts,
): Promise<string> | undefined {
  if (auth !== 'wallet' && auth !== 'admin') return undefined;
  if (auth === 'admin' && identity.kind === 'admin') return undefined;
  const isWrite = method !== 'GET';
  const { engine } = network!;
  const asking = { engine, ip: identity.ip, isWrite, needsPublicKey, now: service.now() };
  return proofs.prove(request, asking).then((wallet) => {
    if (auth === 'admin' && !service.isAdmin(wallet))
      throw new ApiError('forbidden', 'This wallet is not the admin of the service');
    return wallet;
  });
}

/** @throws ApiError 403 where the row belongs to another wallet than the one that signed */
function checkOwner({ owner }: Route, values: Values, wallet: string): void {
  const named = owner !== undefined ? values[owner] : undefined;
  if (named !== undefined && named !== wallet)
    throw new ApiError('forbidden', 'This belongs to another wallet than the one that signed');
}

/** Path and query below the prefixes of the table and of the mount. */
function pathBelow(target: string, mount: Mount): string {
  return target.slice(prefixLength(target) + mount.prefix.length);
}

function catchAsync(
  response: Response | Promise<Response>,
  failed: (error: unknown) => Response,
): Response | Promise<Response> {
  return response instanceof Promise ? response.catch(failed) : response;
}

/** Second cache level: the key is made of the values read, so it does not depend on how the request spells them. */
function findOrRun(
  row: Route,
  values: Values,
  context: RequestContext,
  parts: ApiParts,
  run: (values: Values, context: RequestContext, keys: readonly string[]) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { cache, mount, service } = parts;
  const { request, requestId, fields, identity } = context;
  const canonical = `${row.path} ${JSON.stringify(values)}${fields ? ` ${fields.join()}` : ''}`;
  const now = service.now();
  const found = cache.find(canonical, mount.version, now);
  if (!found) return run(values, context, [canonical, request.url]);
  cache.share(request.url, canonical);
  return sendCached(found, parts, { request, requestId, identity });
}

/** Sends a cached answer, and counts it like any other. */
function sendCached(
  answer: StoredAnswer,
  parts: ApiParts,
  { request, requestId, identity }: Asked,
): Response {
  parts.cache.hits++;
  if (answer.viewed !== undefined) countView(answer.viewed, parts, request, identity);
  const response = send(answer, request, requestId, identity);
  answer.tally.count(response.status);
  return response;
}

function countView(token: string, { mount }: ApiParts, request: Request, identity: Identity): void {
  const { network } = mount;
  if (request.method !== 'GET' || !network) return;
  network.tokenData.views.view(token, identity.ip, network.engine.head?.closeTime ?? 0);
}

/** An answer as its handler made it. */
interface Made {
  readonly answer: Answer;
  /** ms */
  readonly took: number;
  /** To be shown; undefined: it has one of its own, or none. */
  readonly ledgerIndex: number | undefined;
  /** Of the views, when it was begun. */
  readonly version: number;
  /** undefined: JSON. */
  readonly format: ReturnType<typeof tableFormatOf>;
  /** The token of which it is a page. */
  readonly viewed: string | undefined;
}

function buildResponse(
  row: Route,
  tally: AnswerTally,
  { answer, took, ledgerIndex, version, format, viewed }: Made,
  context: RequestContext,
  keys: readonly string[] | undefined,
  parts: ApiParts,
): Response {
  const { request, requestId, identity, fields } = context;
  if (answer instanceof Response) {
    const response = withCommonHeaders(answer, requestId);
    response.headers.append('Vary', DEPENDS_ON);
    writeStamp(identity.stamp, response.headers);
    return response;
  }
  if (answer instanceof Picture) return sendPicture(row, tally, answer, version, context, keys, parts);
  const { attribution } = parts;
  const whole = envelope(row, answer, { took, attribution, ledgerIndex });
  // The members of rows that are arrays are chosen by the names of columns, which stand beside them.
  const chosen = fields && !(format && row.table?.columns) ? onlyFields(whole, fields) : whole;
  const bytes = format && row.table ? asTable(chosen, row.table, format, fields) : chosen;
  const type = format ? `${TABLE_TYPES[format]}; charset=utf-8` : JSON_TYPE;
  // What is sent once, to a client that pays nothing, is sent as it is.
  const isCredited = !row.bare && attribution !== undefined && (keys || identity.isPaid);
  const credit = isCredited ? creditIn(bytes, creditMember(attribution)) : undefined;
  if (viewed !== undefined) countView(viewed, parts, request, identity);
  if (!keys) {
    const once = new StoredAnswer(bytes, type, 'no-store', undefined, row, tally, undefined, credit);
    return send(once, request, requestId, identity);
  }
  const seconds = typeof row.cache === 'number' ? row.cache : 0;
  const control = seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
  const stored = new StoredAnswer(bytes, type, control, etagOf(row, bytes), row, tally, viewed, credit);
  const { cache, service } = parts;
  const now = service.now();
  cache.misses++;
  cache.keep(keys[0]!, stored, version, seconds > 0 ? now + seconds * 1000 : Infinity, now);
  cache.share(keys[1]!, keys[0]!);
  return send(stored, request, requestId, identity);
}

/** Kept like any answer that depends on the views. */
function sendPicture(
  row: Route,
  tally: AnswerTally,
  { bytes, cacheControl }: Picture,
  version: number,
  { request, requestId, identity }: RequestContext,
  keys: readonly string[] | undefined,
  { cache }: ApiParts,
): Response {
  const stored = new StoredAnswer(bytes, PICTURE_TYPE, cacheControl, etagOf(row, bytes), row, tally);
  if (keys) {
    cache.misses++;
    cache.keep(keys[0]!, stored, version, Infinity);
    cache.share(keys[1]!, keys[0]!);
  }
  return send(stored, request, requestId, identity);
}

function answerError(
  tally: AnswerTally,
  { request, requestId, identity }: Asked,
  started: number,
  error: unknown,
  parts: ApiParts,
): Response {
  const reported = publicError(error, request, requestId, parts.log);
  const response = sendError(reported, requestId, parts.docs);
  writeStamp(identity.stamp, response.headers);
  // A refusal may be for a window that is none of those of the client's tier: it shows that one.
  for (const [name, value] of Object.entries(reported.details.headers ?? {}))
    response.headers.set(name, value);
  tally.observe(response.status, performance.now() - started);
  return response;
}

/** Returns an ApiError unchanged. Anything else is logged with the request id and becomes a 500 without details. */
export function publicError(error: unknown, request: Request, requestId: string, log: Log): ApiError {
  if (error instanceof ApiError) return error;
  const isBusy = error instanceof PlatformError && error.code === 'busy';
  if (isBusy || error instanceof HeavyReadsBusyError) return busy();
  const target = loggedTargetOf(request);
  log.error({ err: error, requestId, method: request.method, target }, 'request failed');
  if (error instanceof PlatformError) {
    const hint = 'Its operator sees this in the log';
    if (error.code === 'collection-full')
      return unavailable('The service has no room for another of these', hint);
    if (error.code === 'disk-full' || error.code === 'read-only')
      return unavailable('The service cannot store this now', hint);
  }
  return new ApiError('internal', 'Internal server error', { hint: `Quote the request id ${requestId}` });
}

/**
 * First cache level, before any routing: the answer that is kept for exactly this address, of whichever mount it is. Taking the
 * address apart to learn that costs as much as looking it up. undefined: the router must answer.
 */
export function cachedResponse(request: Request, mounted: readonly ApiParts[]): Response | undefined {
  if (request.method !== 'GET' || !acceptsWithoutParsing(request.headers.get('accept'))) return undefined;
  const { url } = request;
  const now = mounted[0]!.service.now();
  for (const parts of mounted) {
    const found = parts.cache.find(url, parts.mount.version, now);
    if (found) return admitted(found, request, parts);
  }
  return undefined;
}

/** Sends a kept answer to a client that may have it. */
function admitted(found: StoredAnswer, request: Request, parts: ApiParts): Response {
  const requestId = parts.ids.of(request);
  const identity = parts.callers.of(request);
  const refused = parts.admit('request', found.row, identity);
  if (!refused) return sendCached(found, parts, { request, requestId, identity });
  found.tally.count(refused.status);
  const response = sendError(refused, requestId, parts.docs);
  writeStamp(identity.stamp, response.headers);
  return response;
}
