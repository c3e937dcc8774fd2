/**
 * From a request to its answer: finds the command, checks who may use it, runs it, and puts result or error into the
 * envelope of the transport.
 *
 *     WebSocket   {id, command, ...}                  -> {id, result, status, type: "response"}
 *     HTTP        {method, params: [{...}]}           -> {result: {..., status}}
 *
 * A request can fail only itself: an exception of a command that is not an RpcError is answered as `internal` and
 * reported.
 */
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/values.ts';
import { after, type FairScheduler, FlowQueue } from './fair-scheduler.ts';
import type { Network } from './network.ts';
import { requestJson } from './request-text.ts';
import type { Command, CommandContext, NodeSelf } from './rpc/command.ts';
import { RpcError } from './rpc/errors.ts';
import { COMMANDS } from './rpc/registry.ts';
import { SECRETS } from './rpc/secrets.ts';
import type { ApiVersion, Session } from './session.ts';

const API_VERSION_DEFAULT: ApiVersion = 1;
/** Requests of one JSON-RPC batch. */
const BATCH_MAX = 100;
/** Characters of all answers of a batch together; after that each call is answered with `slowDown`. */
const BATCH_CHARACTERS_MAX = 4 << 20;
/** JSON-RPC's code; rippled has no other code for a part of a batch that is not a request. */
const METHOD_NOT_FOUND = -32601;

export interface Caller {
  readonly network: Network;
  readonly node: NodeSelf;
  readonly admin: boolean;
  /** Schedules the parts of a batch. */
  readonly scheduler: FairScheduler;
  /** Reports an exception in a command. */
  readonly onFault: (fault: unknown, command: string) => void;
}

function versionOf(value: Json | undefined): ApiVersion | undefined {
  if (value === undefined) return API_VERSION_DEFAULT;
  return value === 1 || value === 2 ? value : undefined;
}

/** Runs a command; the answer to a synchronous command is returned synchronously. */
function run<T>(
  command: Command,
  params: JsonObject,
  context: CommandContext,
  succeeded: (result: JsonObject) => T,
  failed: (fault: unknown) => T,
): T | Promise<T> {
  try {
    if (command.admin && !context.admin) throw new RpcError('noPermission');
    if (command.session && !context.session) throw new RpcError('noEvents');
    const result = command.run(params, context);
    return result instanceof Promise ? result.then(succeeded, failed) : succeeded(result);
  } catch (fault) {
    return failed(fault);
  }
}

/** The members of an error answer, for any exception. */
function errorOf(fault: unknown, name: string, { onFault }: Caller): Record<string, unknown> {
  if (fault instanceof RpcError) return fault.json();
  onFault(fault, name);
  return new RpcError('internal').json();
}

/** Secrets are masked in the echo of a request (rippled `RPCCall`). */
function echoed(request: JsonObject): JsonObject {
  const echo: JsonObject = { ...request };
  for (const secret of SECRETS) if (secret in echo) echo[secret] = '<masked>';
  return echo;
}

/** The answer to one message of a WebSocket. */
export function answerMessage(
  text: string,
  session: Session,
  caller: Caller,
): JsonObject | Promise<JsonObject> {
  const request = requestJson(text);
  if (!isJsonObject(request)) return { type: 'error', error: 'jsonInvalid', value: text.slice(0, 256) };
  const { command: named, method, api_version: version, ...params } = request;
  const { id } = params;
  const name = named ?? method;
  const ours: JsonObject = id === undefined ? {} : { id };
  const head: JsonObject = version === undefined ? ours : { ...ours, api_version: version };
  const failed = (error: Record<string, unknown>): JsonObject => ({
    ...head,
    ...(error as JsonObject),
    request: echoed(request),
    status: 'error',
    type: 'response',
  });
  const apiVersion = versionOf(version);
  if (apiVersion === undefined) return failed({ error: 'invalid_API_version' });
  if (typeof name !== 'string') return failed(new RpcError('commandMissing').json());
  if (named !== undefined && method !== undefined && named !== method)
    return failed(new RpcError('unknownCmd').json());
  const command = COMMANDS.get(name);
  if (command === undefined) return failed(new RpcError('unknownCmd').json());
  return run(
    command,
    params,
    { ...caller, apiVersion, session, id },
    (result): JsonObject => ({ ...head, result, status: 'success', type: 'response' }),
    (fault) => failed(errorOf(fault, name, caller)),
  );
}

interface Call {
  readonly method: string;
  readonly params: JsonObject;
  readonly apiVersion: ApiVersion;
}

/** A request of JSON-RPC that can be run, or why it cannot (the texts of rippled's `ServerHandler`). */
function callOf(call: unknown): Call | string {
  if (!isJsonObject(call)) return 'Method not found';
  const { method, params: list } = call;
  if (method === undefined || method === null) return 'Null method';
  if (typeof method !== 'string') return 'method is not string';
  if (method === '') return 'method is empty';
  if (Array.isArray(list) && list.length > 1) return 'params unparseable';
  const params = (Array.isArray(list) ? list[0] : list) ?? {};
  if (!isJsonObject(params)) return 'params unparseable';
  const apiVersion = versionOf(params.api_version);
  return apiVersion === undefined ? 'invalid_API_version' : { method, params, apiVersion };
}

/** Answers one request of JSON-RPC; a string is the error text of a value that is not a request. */
function answerCall(call: unknown, caller: Caller): JsonObject | string | Promise<JsonObject> {
  const read = callOf(call);
  if (typeof read === 'string') return read;
  const { method, params, apiVersion } = read;
  const { api_version: _, ...rest } = params;
  const envelope: JsonObject = {};
  for (const name of ['id', 'jsonrpc', 'ripplerpc'] as const) {
    const value = (call as JsonObject)[name];
    if (value !== undefined) envelope[name] = value;
  }
  const failed = (error: Record<string, unknown>): JsonObject => ({
    result: { ...(error as JsonObject), request: { ...echoed(params), command: method }, status: 'error' },
    ...envelope,
  });
  const command = COMMANDS.get(method);
  if (command === undefined) return failed(new RpcError('unknownCmd').json());
  return run(
    command,
    rest,
    { ...caller, apiVersion },
    (result): JsonObject => ({ result: { ...result, status: 'success' }, ...envelope }),
    (fault) => failed(errorOf(fault, method, caller)),
  );
}

/** The HTTP response. */
export interface BodyAnswer {
  readonly status: 200 | 400;
  readonly text: string;
}

const badRequest = (why: string): BodyAnswer => ({ status: 400, text: `${why}\r\n` });

/**
 * Answers a body of JSON-RPC; `method: "batch"` with `params: [...]` is rippled's form of many requests at once.
 * @param signal aborts a batch whose client has gone
 */
export function answerBody(
  text: string,
  caller: Caller,
  signal: AbortSignal,
): BodyAnswer | Promise<BodyAnswer> {
  const body = requestJson(text);
  if (!isJsonObject(body)) return badRequest('Unable to parse request');
  if (body.method !== 'batch')
    return after(answerCall(body, caller), (answer: JsonObject | string) =>
      typeof answer === 'string' ? badRequest(answer) : { status: 200, text: JSON.stringify(answer) },
    );
  const { params } = body;
  if (!Array.isArray(params) || params.length > BATCH_MAX) return badRequest('Malformed batch request');
  return answerBatch(params, caller, signal);
}

/** One part of a batch. */
function answerPart(call: Json, caller: Caller): JsonObject | Promise<JsonObject> {
  const { method, ...rest } = isJsonObject(call) ? call : {};
  return after(
    answerCall({ method, params: [rest.params ?? rest] }, caller),
    (answer: JsonObject | string): JsonObject =>
      typeof answer === 'string' ? { error: { code: METHOD_NOT_FOUND, message: answer } } : answer,
  );
}

async function answerBatch(calls: readonly Json[], caller: Caller, signal: AbortSignal): Promise<BodyAnswer> {
  const flow = new FlowQueue();
  const tooLong = { result: { ...new RpcError('slowDown').json(), status: 'error' } };
  const texts: string[] = [];
  let characters = 0;
  for (const call of calls) {
    if (signal.aborted) break;
    const text = await caller.scheduler.run(flow, () =>
      characters > BATCH_CHARACTERS_MAX
        ? JSON.stringify(tooLong)
        : after(answerPart(call, caller), (answer: JsonObject) => JSON.stringify(answer)),
    );
    characters += text.length;
    texts.push(text);
  }
  return { status: 200, text: `[${texts.join()}]` };
}
