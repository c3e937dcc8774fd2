/**
 * `POST /mcp`: the tool protocol over HTTP, stateless. A request is a message, or in one version a batch of them, and its
 * answer is JSON; there are no sessions, no streams, and nothing that the service asks of its clients. GET, which would
 * open a stream, and DELETE, which would end a session, are answered 405 as the specification says.
 *
 *     request -> Host and Origin -> body -> message -> era (eras.ts) -> admission, method (methods.ts) -> answer
 *
 * Beside the routes and not one of them: its body may be a list, its errors are those of JSON-RPC.
 */
import { Elysia } from 'elysia';
import { type Guarded, NO_ROW } from '../../requests/admission.ts';
import { ApiError } from '../../requests/errors.ts';
import type { Identity } from '../../requests/identity.ts';
import { writeStamp } from '../../requests/stamp.ts';
import { type ApiParts, publicError } from '../compile-route.ts';
import { preflight, withCommonHeaders } from '../reply.ts';
import { readText } from '../request.ts';
import { Catalogue } from './catalogue.ts';
import { checkBatch, eraOf, isHandshake } from './eras.ts';
import {
  errorText,
  idOf,
  type Message,
  RESULT_END,
  RPC,
  RpcError,
  type RpcId,
  readMessage,
  resultHead,
} from './json-rpc.ts';
import { LISTING, type Members, Methods, NOTIFICATION, standsAlone } from './methods.ts';
import { checkPlace } from './place.ts';
import { RunningCalls } from './running-calls.ts';
import { toolRows } from './tools/index.ts';
import { AnswerScratch, usualCall } from './usual-call.ts';

/** Largest body, bytes. */
const BODY_MAX = 256 * 1024;
/** Most messages of a batch. */
const BATCH_MAX = 20;

const HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** The protocol at one mount: its pages, and what answers a message, by path. */
export interface Mcp {
  readonly pages: Elysia;
  /** Those with nothing behind the path need no router. */
  readonly endpoints: ReadonlyMap<string, Pick<Endpoint, 'answer'>>;
}

export function mcpAt(parts: ApiParts): Mcp {
  const endpoint = new Endpoint(parts);
  const { prefix } = parts.mount;
  const pages = new Elysia();
  const paths = ['', '/v1', '/api'].map((before) => `${before}${prefix}/mcp`);
  for (const path of paths) {
    pages.route('POST', path, ({ request }) => endpoint.answer(request));
    pages.route('OPTIONS', path, ({ request }) => preflight(['POST', 'OPTIONS'], parts.ids.of(request)));
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])
      pages.route(method, path, ({ request }) => endpoint.refuseMethod(request));
  }
  return { pages: pages as never, endpoints: new Map(paths.map((path) => [path, endpoint])) };
}

/** What one message is answered; undefined: nothing, it was a notification. */
interface Answered {
  readonly body: readonly Members[];
  readonly error?: RpcError;
}

interface Asked {
  readonly request: Request;
  readonly identity: Identity;
}

class Endpoint {
  readonly #parts: ApiParts;
  readonly #methods: Methods;
  readonly #running = new RunningCalls();
  /** Those of every answer that is no error. */
  readonly #headers = withCommonHeaders(new Response(null, { headers: HEADERS }), '').headers;
  readonly #scratch = new AnswerScratch();
  readonly #tally: ReturnType<ApiParts['metrics']['tally']>;

  constructor(parts: ApiParts) {
    this.#parts = parts;
    const catalogue = new Catalogue(parts, toolRows);
    this.#methods = new Methods(parts, catalogue, this.#running);
    this.#tally = parts.metrics.tally(parts.mount.name, 'POST', '/mcp');
  }

  /** A request whose answer is kept costs one step after its body has been read. */
  answer(request: Request): Promise<Response> {
    const started = performance.now();
    const asked = { request, identity: this.#parts.callers.of(request) };
    const failed = (error: unknown) => this.#failure(error, asked);
    try {
      checkPlace(request, this.#parts.service);
      return readText(request, BODY_MAX).then(
        (text) => {
          const answer = this.#answered(text, asked);
          if (answer instanceof Response) {
            this.#tally.count(answer.status);
            return this.#stamped(answer, asked);
          }
          return answer.then((made) => {
            this.#tally.observe(made.status, performance.now() - started);
            return this.#stamped(made, asked);
          });
        },
        (error) =>
          failed(error instanceof ApiError ? error : new ApiError('invalid_json', 'The body ended too soon')),
      );
    } catch (error) {
      return Promise.resolve(failed(error));
    }
  }

  refuseMethod(request: Request): Response {
    const error = new RpcError(RPC.refused, `${request.method} is not allowed: messages are sent with POST`, {
      status: 405,
      headers: { Allow: 'POST, OPTIONS' },
    });
    return this.#failure(error, { request, identity: this.#parts.callers.of(request) });
  }

  #stamped(response: Response, { identity }: Asked): Response {
    writeStamp(identity.stamp, response.headers);
    return response;
  }

  /** Of what is no message, or comes from a place that is refused. */
  #failure(error: unknown, asked: Asked): Response {
    const response = this.#single(asked, this.#unread(null, error, asked));
    this.#tally.count(response.status);
    return this.#stamped(response, asked);
  }

  /** What cannot be read counts as what no route answers: else it could be sent without end. */
  #unread(id: RpcId | null, error: unknown, asked: Asked): Answered {
    let fault = this.#rpcError(error, asked.request);
    try {
      this.#methods.admit(NO_ROW, asked);
    } catch (refused) {
      fault = this.#rpcError(refused, asked.request);
    }
    return { body: [errorText(id, fault)], error: fault };
  }

  #answered(text: string, asked: Asked): Response | Promise<Response> {
    try {
      const kept = isHandshake(asked.request.headers) ? this.#kept(text, asked) : undefined;
      if (kept) return kept;
      const body = parsed(text);
      if (Array.isArray(body)) return this.#batch(body, asked);
      const done = this.#message(body, asked);
      return done instanceof Promise
        ? done.then((made) => this.#single(asked, made))
        : this.#single(asked, done);
    } catch (error) {
      return this.#single(asked, this.#unread(null, error, asked));
    }
  }

  /** The answer to a request of the handshake era that is kept, without reading it as JSON. */
  #kept(text: string, asked: Asked): Response | undefined {
    const list = this.#methods.firstPage.answer(text);
    if (list) return this.#refused(LISTING, text, asked) ?? this.#sent(asked.request, list, 200);
    const call = usualCall(text);
    const found = call && this.#methods.keptCall(call.params);
    if (!found) return undefined;
    return (
      this.#refused(found.guard, text, asked) ??
      this.#sent(asked.request, this.#scratch.answer(call.id, found.members), 200)
    );
  }

  #refused(row: Guarded, text: string, asked: Asked): Response | undefined {
    try {
      this.#methods.admit(row, asked);
      return undefined;
    } catch (error) {
      const fault = this.#rpcError(error, asked.request);
      return this.#single(asked, { body: [errorText(idOf(parsed(text)), fault)], error: fault });
    }
  }

  /** @throws RpcError for one that may not be sent */
  #batch(messages: readonly unknown[], asked: Asked): Promise<Response> {
    checkBatch(asked.request.headers);
    if (messages.length === 0 || messages.length > BATCH_MAX || messages.some(standsAlone))
      throw new RpcError(
        RPC.invalidRequest,
        `A batch has 1 to ${BATCH_MAX} messages, none of them initialize`,
      );
    return this.#batchAnswer(messages, asked);
  }

  async #batchAnswer(messages: readonly unknown[], asked: Asked): Promise<Response> {
    const { request } = asked;
    const answers: string[] = [];
    for (const one of messages) {
      const done = await this.#message(one, asked);
      if (done) answers.push(joined(done.body).toString());
    }
    return answers.length === 0 ? this.#accepted(request) : this.#sent(request, `[${answers.join()}]`, 200);
  }

  #message(sent: unknown, asked: Asked): Answered | undefined | Promise<Answered> {
    try {
      return this.#read(readMessage(sent), asked);
    } catch (error) {
      return this.#unread(idOf(sent), error, asked);
    }
  }

  /** @throws RpcError for a request of no version */
  #read(message: Message, asked: Asked): Answered | undefined | Promise<Answered> {
    if (message.kind !== 'request') return this.#heard(message, asked);
    const { request, identity } = asked;
    const { id, method, params } = message;
    const era = eraOf(method, params, request.headers);
    const failed = (error: unknown): Answered => {
      const fault = this.#rpcError(error, request);
      return { body: [errorText(id, fault)], error: fault };
    };
    try {
      const result = this.#methods.answer({ request, identity, id, method, params, era });
      const whole = (members: readonly Members[]): Answered => ({
        body: [resultHead(id), ...members, RESULT_END],
      });
      return result instanceof Promise ? result.then(whole, failed) : whole(result);
    } catch (error) {
      return failed(error);
    }
  }

  /** What asks for nothing is answered only where it is refused. */
  #heard(message: Message, asked: Asked): Answered | undefined {
    try {
      this.#methods.admit(NOTIFICATION, asked);
      if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
        const id = idOf({ id: message.params.requestId });
        if (id !== null) this.#running.cancel(asked, id);
      }
      return undefined;
    } catch (error) {
      const fault = this.#rpcError(error, asked.request);
      return { body: [errorText(null, fault)], error: fault };
    }
  }

  #single({ request }: Asked, answered: Answered | undefined): Response {
    if (!answered) return this.#accepted(request);
    const { body, error } = answered;
    const bytes = joined(body);
    if (!error) return this.#sent(request, bytes, 200);
    return this.#sent(
      request,
      bytes,
      error.details.status ?? statusOf(error, request),
      error.details.headers,
    );
  }

  #accepted(request: Request): Response {
    return withCommonHeaders(new Response(null, { status: 202 }), this.#parts.ids.of(request));
  }

  #sent(
    request: Request,
    body: string | Uint8Array<ArrayBuffer> | Blob,
    status: number,
    more?: Readonly<Record<string, string>>,
  ): Response {
    const id = this.#parts.ids.of(request);
    if (status === 200 && more === undefined) {
      // Made once and copied by the Response.
      this.#headers.set('X-Request-ID', id);
      return new Response(body, { headers: this.#headers });
    }
    const sent = request.method === 'HEAD' ? null : body;
    return withCommonHeaders(new Response(sent, { status, headers: { ...HEADERS, ...more } }), id);
  }

  /** What is no error of the protocol or of admission is logged, and shown without details. */
  #rpcError(error: unknown, request: Request): RpcError {
    if (error instanceof RpcError) return error;
    const { status, message, code } = publicError(
      error,
      request,
      this.#parts.ids.of(request),
      this.#parts.log,
    );
    return new RpcError(status === 500 ? RPC.internal : RPC.refused, message, {
      status,
      data: { code, status },
    });
  }
}

/** One copy of each part: what is kept is bytes already. */
function joined(parts: readonly Members[]): Buffer<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
  const whole = Buffer.allocUnsafeSlow(length) as Buffer<ArrayBuffer>;
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += whole.write(part, at);
    else {
      whole.set(part, at);
      at += part.length;
    }
  }
  return whole;
}

/** @throws RpcError for what is no JSON */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RpcError(RPC.parse, 'The body is not well-formed JSON', { status: 400 });
  }
}

/**
 * The HTTP status of an error. The stateless version names it for each; before that, what a method refuses was an answer
 * like any other, and only what is no message at all was a bad request.
 */
function statusOf({ code }: RpcError, { headers }: Request): number {
  if (code === RPC.headerMismatch || code === RPC.unsupportedVersion || code === RPC.invalidRequest)
    return 400;
  const isStateless = headers.has('mcp-method');
  if (!isStateless) return 200;
  return code === RPC.methodNotFound ? 404 : code === RPC.invalidParams ? 400 : 200;
}
