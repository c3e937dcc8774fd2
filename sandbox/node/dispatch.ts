/**
 * From a request to its answer: finds the command, checks who may use it, runs it, and puts result or error into the
 * envelope of the transport.
 *
 *     WebSocket   {id, command, ...}                  -> {id, result, status, type: "response"}
 *     HTTP        {method, params: [{...}]}           -> {result: {..., status}}
 *
 * Nothing a caller sends ends more than its own request: what a command throws that is no RpcError is told as
 * `internal` and reported.
 */
import type { Json, JsonObject } from '../../engine/codec/json.ts';
import { after, type Desk, Lane } from './desk.ts';
import type { Network } from './network.ts';
import { requestJson } from './request-text.ts';
import type { ApiVersion, Command, CommandContext, NodeSelf } from './rpc/command.ts';
import { RpcError } from './rpc/errors.ts';
import { isObject } from './rpc/params.ts';
import { COMMANDS } from './rpc/registry.ts';
import { SECRETS } from './rpc/secrets.ts';
import type { Session } from './session.ts';

const API_VERSION_DEFAULT: ApiVersion = 1;
/** Requests of one JSON-RPC batch. */
const BATCH_MAX = 100;
/** Letters of a batch's answers, together; behind them each call is told to come again. */
const BATCH_LETTERS_MAX = 4 << 20;
/** JSON-RPC's code; rippled has no other for a part of a batch that is no request. */
const METHOD_NOT_FOUND = -32601;

export interface Caller {
  readonly network: Network;
  readonly node: NodeSelf;
  readonly admin: boolean;
  /** Where the parts of a batch stand in line. */
  readonly desk: Desk;
  /** Tells of a fault in a command. */
  readonly onFault: (fault: unknown, command: string) => void;
}

function versionOf(value: Json | undefined): ApiVersion | undefined {
  if (value === undefined) return API_VERSION_DEFAULT;
  return value === 1 || value === 2 ? value : undefined;
}

/** Runs a command; where that is done at once its answer is there at once. */
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

/** The members of an error, whatever was thrown. */
function errorOf(fault: unknown, name: string, { onFault }: Caller): Record<string, unknown> {
  if (fault instanceof RpcError) return fault.json();
  onFault(fault, name);
  return new RpcError('internal').json();
}

/** Secrets are not given back in the echo of a request (rippled `RPCCall`). */
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
  if (!isObject(request)) return { type: 'error', error: 'jsonInvalid', value: text.slice(0, 256) };
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

/** A request of JSON-RPC that can be run, or why it cannot (the words of rippled's `ServerHandler`). */
function callOf(call: unknown): Call | string {
  if (!isObject(call)) return 'Method not found';
  const { method, params: list } = call;
  if (method === undefined || method === null) return 'Null method';
  if (typeof method !== 'string') return 'method is not string';
  if (method === '') return 'method is empty';
  if (Array.isArray(list) && list.length > 1) return 'params unparseable';
  const params = (Array.isArray(list) ? list[0] : list) ?? {};
  if (!isObject(params)) return 'params unparseable';
  const apiVersion = versionOf(params.api_version);
  return apiVersion === undefined ? 'invalid_API_version' : { method, params, apiVersion };
}

/** One request of JSON-RPC; the text of what is no request. */
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

/** What goes back over HTTP. */
export interface BodyAnswer {
  readonly status: 200 | 400;
  readonly text: string;
}

const noRequest = (why: string): BodyAnswer => ({ status: 400, text: `${why}\r\n` });

/**
 * The answer to a body of JSON-RPC; `method: "batch"` with `params: [...]` is rippled's form of many at once.
 * @param signal ends a batch that nobody waits for any more
 */
export function answerBody(
  text: string,
  caller: Caller,
  signal: AbortSignal,
): BodyAnswer | Promise<BodyAnswer> {
  const body = requestJson(text);
  if (!isObject(body)) return noRequest('Unable to parse request');
  if (body.method !== 'batch')
    return after(answerCall(body, caller), (answer: JsonObject | string) =>
      typeof answer === 'string' ? noRequest(answer) : { status: 200, text: JSON.stringify(answer) },
    );
  const { params } = body;
  if (!Array.isArray(params) || params.length > BATCH_MAX) return noRequest('Malformed batch request');
  return answerBatch(params, caller, signal);
}

/** One part of a batch. */
function answerPart(call: Json, caller: Caller): JsonObject | Promise<JsonObject> {
  const { method, ...rest } = isObject(call) ? call : {};
  return after(
    answerCall({ method, params: [rest.params ?? rest] }, caller),
    (answer: JsonObject | string): JsonObject =>
      typeof answer === 'string' ? { error: { code: METHOD_NOT_FOUND, message: answer } } : answer,
  );
}

async function answerBatch(calls: readonly Json[], caller: Caller, signal: AbortSignal): Promise<BodyAnswer> {
  const lane = new Lane();
  const tooLong = { result: { ...new RpcError('slowDown').json(), status: 'error' } };
  const texts: string[] = [];
  let letters = 0;
  for (const call of calls) {
    if (signal.aborted) break;
    const text = await caller.desk.run(lane, () =>
      letters > BATCH_LETTERS_MAX
        ? JSON.stringify(tooLong)
        : after(answerPart(call, caller), (answer: JsonObject) => JSON.stringify(answer)),
    );
    letters += text.length;
    texts.push(text);
  }
  return { status: 200, text: `[${texts.join()}]` };
}
