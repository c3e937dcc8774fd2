/**
 * A tool, declared once: a row of data. Most of them are a route under the tool's own names; what they take, what they
 * answer, what they cost and which window they count in then comes from the row of the route.
 *
 * How to add a tool
 *
 * 1. Put a row into the file of its subject, `api/mcp/tools/<subject>.ts`, with `tool({...})`.
 * 2. `routes` names the routes that it needs, by method and path. While one of them is not in the table, the tool is not
 *    listed. The first one gives cost and window, and the parameters that others are named after.
 * 3. `params`: a text is the name of a parameter of that first route; `{ of, ... }` the same with another default or
 *    description; anything with a `kind` is one of the tool's own.
 * 4. Without `run` the first route is called with these values, and `fields` are the members that are kept of its answer.
 *    With `run`, it is called with what was read, clamped as everywhere, and calls the routes itself.
 */
import { isJsonObject } from '../../engine/codec/values.ts';
import type { Identity } from '../../requests/identity.ts';
import type { JsonSchema, Param } from '../../requests/param.ts';
import type { Values } from '../../requests/param-reader.ts';
import type { Network } from '../../views/network.ts';
import { valueSchema } from '../openapi.ts';
import type { Route, Service } from '../route.ts';
import { argumentReader, clampedOf } from './arguments.ts';
import type { Jobs } from './jobs.ts';
import type { JsonObject } from './json-rpc.ts';
import type { Sharing } from './pages.ts';
import { filledPath, type RouteCalls, type RouteValues } from './route-calls.ts';

type Without<P, K extends string> = P extends unknown ? Omit<P, K> : never;

/** A parameter of the tool's own. */
type OwnParam = Without<Param, 'in'>;

/** A parameter of the first route, under another name or with another default. */
interface RouteParam {
  readonly of: string;
  readonly default?: string | number | boolean;
  readonly max?: number;
  readonly about?: string;
  readonly required?: true | undefined;
}

type ToolParam = string | RouteParam | OwnParam;

/** What `run` gets beside its input. */
export interface ToolContext {
  /** Calls a route that the row names. @throws ApiError */
  call(key: string, values: RouteValues, fields?: readonly string[]): Promise<JsonObject>;
  /** For reads that must fit together (pages.ts). */
  readonly sharing: Sharing;
  readonly identity: Identity;
  readonly calls: RouteCalls;
  /** Calls that go on after their answer. */
  readonly jobs: Jobs;
  /** All tools that are listed. */
  readonly listed: () => readonly Tool[];
  /** That of the request. @throws ApiError where it is not open */
  readonly network: Network;
  readonly service: Service;
  /** Unix ms of the newest ledger's close; 0: none has been read */
  readonly closeTime: number;
}

export interface ToolRow {
  readonly name: string;
  readonly title: string;
  /** What it gives, in a sentence or two, with units. */
  readonly about: string;
  readonly routes: readonly string[];
  readonly params: Readonly<Record<string, ToolParam>>;
  /** Parameters that leave others without a meaning: a call that sends both is refused. */
  readonly excludes?: Readonly<Record<string, readonly string[]>>;
  /** Further values for the first route. */
  readonly fixed?: RouteValues;
  readonly fields?: readonly string[];
  /**
   * Which member counts all rows of which list, where only some are shown. Default: `total`, `count` or `length`, of the one
   * list of an answer.
   */
  readonly counts?: Readonly<Record<string, string>>;
  /** Units of members that other tools use for something else, by name. */
  readonly units?: Readonly<Record<string, string>>;
  /** Where the rest of a list is that is cut, as api_get takes it. Default: the first route, where it skips rows. */
  rest?(input: Values, shown: number): string;
  /** What to do where nothing is found. */
  readonly ifNone?: string;
  /** Of rows with `run`: what they answer, where it is not what the first route answers. */
  readonly answer?: JsonSchema;
  /** It changes the caller's own notes; nothing else is written by tools. */
  readonly writes?: true;
  /** Credits, where it is not what the first route costs. */
  readonly cost?: number;
  /**
   * How often a call asks its first route, where that depends on the arguments: it costs as much each time, and counts each
   * time in the window of that route. Default: once.
   */
  times?(input: Values): number;
  /** The route that a call is for, where that depends on its arguments: it then costs what that one costs. */
  routeFor?(sent: JsonObject, calls: RouteCalls): Route | undefined;
  run?(input: Values, context: ToolContext): Promise<JsonObject> | JsonObject;
}

/** A tool whose routes are there. */
export interface Tool {
  readonly row: ToolRow;
  readonly name: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Names of its parameters. */
  readonly takes: readonly string[];
  /** Largest `limit`; 0: there is none. */
  readonly limitMax: number;
  /** Path and query of the rows after those that were shown; undefined: no address has them. */
  restPath(input: Values, shown: number): string | undefined;
  readonly cost: number;
  readonly bucket: string;
  /** How often a call with these arguments asks its first route: it costs so many times, and counts as so many requests. */
  timesOf(sent: unknown): number;
  /** The answer follows from the arguments and the version of the views. */
  readonly isKept: boolean;
  /** What it answers may come from outside of this service: a ledger node. */
  readonly isOpen: boolean;
  /** @throws ApiError for what is missing, unknown, or cannot be read */
  read(sent: JsonObject): Values;
  /** Numbers of its input that are not those that were sent, which are not allowed; undefined: there are none. */
  clamped(sent: JsonObject, input: Values): JsonObject | undefined;
  run(input: Values, context: ToolContext): Promise<JsonObject> | JsonObject;
}

/** Checks the type of a row. */
export const tool = (row: ToolRow): ToolRow => row;

/** A parameter that is false unless sent. */
export const flag = (about: string) => ({ kind: 'bool', about, default: false }) as const;

/** Window of what is no route. */
export const TOOL_BUCKET = '/mcp';

/** The tool of a row; undefined: a route that it needs, or a parameter of that, is not in the table. */
export function toolOf(row: ToolRow, routeOf: (key: string) => Route | undefined): Tool | undefined {
  const routes = row.routes.map(routeOf);
  if (routes.some((one) => one === undefined)) return undefined;
  const [first] = routes;
  const found = Object.entries(row.params).map(([name, param]) => [name, resolved(param, first)] as const);
  if (found.some(([, param]) => param === undefined)) return undefined;
  const params = Object.fromEntries(found) as Record<string, Param>;
  const read = argumentReader(row.name, params, row.excludes);
  const [key = ''] = row.routes;
  const cost = row.cost ?? first?.cost ?? 1;
  return {
    row,
    name: row.name,
    inputSchema: inputSchema(params),
    outputSchema: row.answer ? { type: 'object', ...row.answer } : outputSchema(first),
    takes: Object.keys(params),
    limitMax: params.limit?.kind === 'int' ? (params.limit.max ?? 0) : 0,
    restPath: (input, shown) => row.rest?.(input, shown) ?? restOf(row, first, input, shown),
    cost,
    timesOf: (sent) => timesOf(row, sent, read),
    bucket: first?.bucket ?? TOOL_BUCKET,
    isKept: routes.length > 0 && routes.every((one) => one?.method === 'GET' && one.cache === 'ledger'),
    isOpen: row.routeFor !== undefined || routes.some((one) => one?.unavailable === true),
    read,
    clamped: (sent, input) => clampedOf(params, sent, input),
    run: (input, context) => row.run?.(input, context) ?? callFirst(row, key, input, context),
  };
}

/** Arguments that are none are refused later, and cost as one call. */
function timesOf(row: ToolRow, sent: unknown, read: (sent: JsonObject) => Values): number {
  if (!row.times || !isJsonObject(sent)) return 1;
  try {
    return row.times(read(sent));
  } catch {
    return 1;
  }
}

function callFirst(row: ToolRow, key: string, input: Values, { call }: ToolContext): Promise<JsonObject> {
  return call(key, routeValues(row, input), row.fields);
}

/** Values for the first route, by the names of its parameters. */
function routeValues(row: ToolRow, input: Values): Record<string, unknown> {
  const values: Record<string, unknown> = { ...row.fixed };
  for (const [name, param] of Object.entries(row.params)) {
    const of = typeof param === 'string' ? param : 'of' in param ? param.of : undefined;
    if (of !== undefined && input[name] !== undefined) values[of] = input[name];
  }
  return values;
}

function restOf(row: ToolRow, route: Route | undefined, input: Values, shown: number): string | undefined {
  if (row.run || route?.method !== 'GET' || !('offset' in route.params)) return undefined;
  const values = { ...routeValues(row, input), offset: shown };
  return pathOf(route.path, { ...values, ...(row.fields && { fields: row.fields.join() }) });
}

/** @param path with parameters in braces; what is not in it goes into the query */
export function pathOf(path: string, values: RouteValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !path.includes(`{${name}}`)) query.set(name, String(value));
  return `${filledPath(path, values)}?${query.toString().replaceAll('%2C', ',')}`;
}

/** undefined: the route does not have that parameter. */
function resolved(param: ToolParam, route: Route | undefined): Param | undefined {
  if (typeof param !== 'string' && 'kind' in param) return { ...param, in: 'body' } as Param;
  const { of, ...more } = typeof param === 'string' ? { of: param } : param;
  const named = route?.params[of];
  // A larger bound by another parameter is that of the route: here the other one may have another name, or be absent.
  const { maxWith: _, ...found } = (named ?? {}) as { readonly in?: string; readonly maxWith?: unknown };
  return (
    named && ({ ...found, ...(found.in === 'path' && { required: true }), ...more, in: 'body' } as Param)
  );
}

function inputSchema(params: Readonly<Record<string, Param>>): JsonSchema {
  const required = Object.entries(params).filter(([, param]) => param.required);
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(params).map(([name, param]) => [
        name,
        { ...valueSchema(param), description: param.about },
      ]),
    ),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    additionalProperties: false,
  };
}

/**
 * The schema of a route's answer, one level deep: lists of tools are read by models, to whom each word costs. Nothing is
 * required, since tools keep only some members.
 */
function outputSchema(route: Route | undefined): JsonSchema {
  const properties = (route?.response.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const types = Object.entries(properties).map(([name, { type }]) => [
    name,
    typeof type === 'string' ? { type } : {},
  ]);
  return { type: 'object', properties: Object.fromEntries(types) };
}
