/**
 * Calls of routes by tools: the same compiled rows that answer REST, so that both give the same figures. The tool was
 * admitted before, for what its routes cost; here nobody is asked again.
 */
import { isJsonObject } from '../../engine/codec/values.ts';
import { ApiError, type ErrorCode, errorCodes } from '../../requests/errors.ts';
import { Callers, type Identity } from '../../requests/identity.ts';
import { type ApiParts, type CompiledRoute, compileRoute } from '../compile-route.ts';
import { NO_HOST } from '../request.ts';
import type { Route } from '../route.ts';
import type { JsonObject } from './json-rpc.ts';

/** What the reply layer adds, which is no content. */
const ENVELOPE = ['success', 'attribution', 'took'];

export type RouteValues = Readonly<Record<string, unknown>>;

export const keyOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

export class RouteCalls {
  readonly #rows: ReadonlyMap<string, Route>;
  readonly #parts: ApiParts;
  readonly #compiled = new Map<string, CompiledRoute>();
  /** Who each request of ours is made for. */
  readonly #identities = new WeakMap<Request, Identity>();

  constructor(parts: ApiParts) {
    this.#rows = new Map(parts.service.routes.map((row) => [keyOf(row), row]));
    const callers = new Callers((request) => this.#identities.get(request)!);
    this.#parts = { ...parts, admit: () => undefined, callers };
  }

  /** @param key `GET /token/{id}` */
  row(key: string): Route | undefined {
    return this.#rows.get(key);
  }

  get rows(): Iterable<Route> {
    return this.#rows.values();
  }

  /**
   * The members of a route's answer.
   * @param values by the names of its parameters; undefined ones are not sent @param fields members to keep
   * @throws ApiError as the route answers it
   */
  async call(
    key: string,
    values: RouteValues,
    identity: Identity,
    fields?: readonly string[],
  ): Promise<JsonObject> {
    const row = this.#rows.get(key);
    if (!row) throw new ApiError('not_found', `${key} is not there`);
    return this.#answer(row, requestOf(row, this.#parts.mount.prefix, values, fields), identity, fields);
  }

  /**
   * The members of the answer to GET of an address, read as the route reads it: names that have other spellings, of
   * repeated ones the first.
   * @param place path and query below the base address @throws ApiError as the route answers it
   */
  get(row: Route, place: string, identity: Identity): Promise<JsonObject> {
    const url = new URL(`${NO_HOST}/v1${this.#parts.mount.prefix}${place}`);
    const fields = url.searchParams.get('fields')?.split(',');
    return this.#answer(row, new Request(url.href), identity, fields);
  }

  /** @param fields members that the request selects */
  async #answer(
    row: Route,
    request: Request,
    identity: Identity,
    fields: readonly string[] | undefined,
  ): Promise<JsonObject> {
    const key = keyOf(row);
    this.#identities.set(request, identity);
    const response = await this.#compiledRow(key, row)(request);
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      throw new ApiError('not_acceptable', `${key} does not answer JSON`);
    const answer: unknown = JSON.parse(text);
    if (!response.ok) throw errorOf(answer as JsonObject, response);
    if (!isJsonObject(answer)) return { rows: answer };
    const skipped = [...ENVELOPE, ...(row.successAs ? [row.successAs] : [])];
    const members = Object.fromEntries(Object.entries(answer).filter(([name]) => !skipped.includes(name)));
    return fields ? { ...emptyLists(row), ...members } : members;
  }

  #compiledRow(key: string, row: Route): CompiledRoute {
    const known = this.#compiled.get(key);
    if (known) return known;
    const compiled = compileRoute(row, this.#parts);
    this.#compiled.set(key, compiled);
    return compiled;
  }
}

/** Lists that the answer always has: where its members are selected, one without rows is left out. */
function emptyLists({ response }: Route): JsonObject {
  const properties = (response.properties ?? {}) as Readonly<Record<string, JsonObject>>;
  const required = (response.required ?? []) as readonly string[];
  return Object.fromEntries(
    required.filter((name) => properties[name]?.type === 'array').map((name) => [name, []]),
  );
}

/** A path with the values of its parameters; empty where there is none. */
export const filledPath = (path: string, values: RouteValues): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? '')));

function requestOf(row: Route, prefix: string, values: RouteValues, fields?: readonly string[]): Request {
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const param = row.params[name];
    if (value === undefined || !param || param.in === 'path') continue;
    if (param.in === 'body') body[name] = value;
    else
      query.set(
        name,
        typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value),
      );
  }
  if (fields) query.set('fields', fields.join());
  const url = `${NO_HOST}/v1${prefix}${filledPath(row.path, values)}?${query}`;
  const { method } = row;
  return new Request(url, method === 'GET' ? {} : { method, body: JSON.stringify(body) });
}

function errorOf({ error, code, message, retryAfter }: JsonObject, response: Response): ApiError {
  const known =
    typeof code === 'string' && Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : 'internal';
  const seconds = response.headers.get('retry-after');
  return new ApiError(known, String(error), {
    hint: String(message),
    ...(seconds !== null && { headers: { 'Retry-After': seconds }, extra: { retryAfter } }),
  });
}
