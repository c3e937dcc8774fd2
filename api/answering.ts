/**
 * The way of one request through one row: admission, accept, cache, parameters, handler, envelope, cache, encoding. Synchronous
 * all the way where the handler is. Everything that is thrown ends here, as the one error body.
 */

import type { Log } from '../engine/log.ts';
import type { Admit } from '../requests/admission.ts';
import { ApiError } from '../requests/errors.ts';
import type { Callers } from '../requests/identity.ts';
import { paramReader, type Values } from '../requests/param-reader.ts';
import type { Network } from '../views/network.ts';
import { acceptsAtOnce, checkAccept } from './accept.ts';
import { type AnswerCache, StoredAnswer } from './cache.ts';
import { fieldsOf, onlyFields } from './fields.ts';
import type { AnswerTally, Metrics } from './metrics.ts';
import { dress, envelope, etagOf, JSON_TYPE, send, sendError } from './reply.ts';
import { prefixLength, type RequestIds, readBody, splitTarget, takesBody, targetOf } from './request.ts';
import type { Answer, Route, Service } from './route.ts';

/** What all rows share. */
export interface AnswerParts {
  readonly network: Network;
  readonly log: Log;
  readonly service: Service;
  readonly cache: AnswerCache;
  readonly ids: RequestIds;
  /** Text of the `attribution` member; undefined leaves it out. */
  readonly attribution: string | undefined;
  /** Link in error bodies. */
  readonly docs: string;
  readonly metrics: Metrics;
  /** What no row answered is counted here. */
  readonly unrouted: AnswerTally;
  /** Asked before every answer, kept ones included. */
  readonly admit: Admit;
  readonly callers: Callers;
}

/** What a request asks beside its parameters. */
interface Asked {
  readonly request: Request;
  readonly requestId: string;
  /** Members wanted of the answer; undefined: all. */
  readonly fields: readonly string[] | undefined;
}

export type Answering = (request: Request) => Response | Promise<Response>;

/** Compiles a row. */
export function answering(row: Route, parts: AnswerParts): Answering {
  const read = paramReader(row);
  const body = takesBody(row);
  const kept = row.method === 'GET' && row.cache !== undefined;
  const tally = parts.metrics.tally(row.method, row.path);
  return (request) => {
    const started = performance.now();
    const requestId = parts.ids.of(request);
    const failed = (error: unknown) => answerError(tally, request, requestId, started, error, parts);
    try {
      const refused = parts.admit('request', row, parts.callers.of(request));
      if (refused) throw refused;
      const target = targetOf(request);
      const below = target.slice(prefixLength(target));
      const { segments, query } = splitTarget(below);
      checkAccept(row, request.headers.get('accept'), query);
      const asked = { request, requestId, fields: row.bare ? undefined : fieldsOf(query) };
      if (body) {
        return readBody(request, row)
          .then((sent) => run(read({ segments, query, body: sent }), asked))
          .catch(failed);
      }
      const values = read({ segments, query, body: undefined });
      if (!kept) return settle(run(values, asked), failed);
      return settle(answerKept(row, below, values, asked, parts, run), failed);
    } catch (error) {
      return failed(error);
    }

    function run(values: Values, asked: Asked, keys?: readonly string[]): Response | Promise<Response> {
      const { network, service } = parts;
      const { engine, views } = network;
      const { version } = views;
      const context = { network, engine, views, request, requestId, service };
      const finish = (answer: Answer) => {
        const took = performance.now() - started;
        const response = finished(row, tally, answer, took, asked, keys, version, parts);
        parts.metrics.observe(tally, response.status, performance.now() - started);
        return response;
      };
      const made = row.handler(values, context);
      return made instanceof Promise ? made.then(finish) : finish(made);
    }
  };
}

function settle(
  response: Response | Promise<Response>,
  failed: (error: unknown) => Response,
): Response | Promise<Response> {
  return response instanceof Promise ? response.catch(failed) : response;
}

/** Second level: what was read decides, not how it was spelled. */
function answerKept(
  row: Route,
  below: string,
  values: Values,
  asked: Asked,
  parts: AnswerParts,
  run: (values: Values, asked: Asked, keys: readonly string[]) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { cache, network, service } = parts;
  const { request, requestId, fields } = asked;
  const canonical = `${row.path} ${JSON.stringify(values)}${fields ? ` ${fields.join()}` : ''}`;
  const now = service.now();
  const found = cache.find(canonical, network.views.version, now);
  if (!found) return run(values, asked, [canonical, below]);
  cache.share(below, canonical);
  return sendKept(found, cache, request, requestId);
}

/** An answer that is there already: counted like any other. */
function sendKept(answer: StoredAnswer, cache: AnswerCache, request: Request, requestId: string): Response {
  cache.hits++;
  const response = send(answer, request, requestId);
  answer.tally.count(response.status);
  return response;
}

function finished(
  row: Route,
  tally: AnswerTally,
  answer: Answer,
  took: number,
  { request, requestId, fields }: Asked,
  keys: readonly string[] | undefined,
  version: number,
  parts: AnswerParts,
): Response {
  if (answer instanceof Response) return dress(answer, requestId);
  const whole = envelope(row, answer, took, parts.attribution);
  const bytes = fields ? onlyFields(whole, fields) : whole;
  if (!keys)
    return send(new StoredAnswer(bytes, JSON_TYPE, 'no-store', undefined, row, tally), request, requestId);
  const seconds = typeof row.cache === 'number' ? row.cache : 0;
  const control = seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
  const stored = new StoredAnswer(bytes, JSON_TYPE, control, etagOf(row, bytes), row, tally);
  const { cache, service } = parts;
  const until = seconds > 0 ? service.now() + seconds * 1000 : Infinity;
  cache.misses++;
  cache.keep(keys[0]!, stored, version, until);
  cache.share(keys[1]!, keys[0]!);
  return send(stored, request, requestId);
}

function answerError(
  tally: AnswerTally,
  request: Request,
  requestId: string,
  started: number,
  error: unknown,
  parts: AnswerParts,
): Response {
  const response = sendError(publicError(error, request, requestId, parts.log), requestId, parts.docs);
  parts.metrics.observe(tally, response.status, performance.now() - started);
  return response;
}

/** An ApiError as it is; anything else is logged with the request id and told as a bare 500. */
export function publicError(error: unknown, request: Request, requestId: string, log: Log): ApiError {
  if (error instanceof ApiError) return error;
  log.error({ err: error, requestId, method: request.method, target: targetOf(request) }, 'request failed');
  return new ApiError('internal', 'Internal server error', { hint: `Quote the request id ${requestId}` });
}

/**
 * First level, before any routing: an answer that is kept for exactly these bytes of path and query.
 * undefined: take the long way.
 */
export function answerAtOnce(request: Request, parts: AnswerParts): Response | undefined {
  if (request.method !== 'GET' || !acceptsAtOnce(request.headers.get('accept'))) return undefined;
  const target = targetOf(request);
  const { cache, network, service } = parts;
  const found = cache.find(target.slice(prefixLength(target)), network.views.version, service.now());
  if (!found) return undefined;
  const requestId = parts.ids.of(request);
  const refused = parts.admit('request', found.row, parts.callers.of(request));
  if (!refused) return sendKept(found, cache, request, requestId);
  found.tally.count(refused.status);
  return sendError(refused, requestId, parts.docs);
}
