/**
 * Arguments of tools. Routes answer with the default in place of what they cannot read (param-reader.ts); a model would take
 * that for what it asked for, so that a tool refuses it, and names the parameter and what it takes.
 *
 *     not sent, null, ''                      the default; missing where it is required
 *     of another type, no choice, too long    refused
 *     number below or above                   the nearest that there is, as in routes; the answer says so in `clamped`
 */
import { ApiError } from '../../requests/errors.ts';
import type { Param } from '../../requests/param.ts';
import { paramReader, readNumber, readValue, TEXT_MAX, type Values } from '../../requests/param-reader.ts';
import { cleanText } from './clean-text.ts';
import type { JsonObject } from './json-rpc.ts';

type Params = Readonly<Record<string, Param>>;
type Of<K extends Param['kind']> = Extract<Param, { readonly kind: K }>;

/** Longest arguments of a call, characters of JSON. */
const ARGUMENTS_MAX = 16 * 1024;
/** Names that are no parameters, and wrong values, are repeated so far. */
const SHOWN_MAX = 100;

/**
 * Reads the arguments of one tool. The returned function throws ApiError for what it does not take.
 * @param excludes which parameters leave others without a meaning
 */
export function argumentReader(
  tool: string,
  params: Params,
  excludes: Readonly<Record<string, readonly string[]>> = {},
): (sent: JsonObject) => Values {
  const read = paramReader({ path: '/', params });
  return (sent) => {
    checkNames(tool, Object.keys(params), sent);
    for (const [name, param] of Object.entries(params)) checkSent(name, param, sentOf(sent, name));
    const values = read({ segments: [], query: new URLSearchParams(), body: sent });
    // A flag that is off asks for nothing, nor does a default, which models send along.
    const isAsked = (name: string) =>
      sentOf(sent, name) !== undefined && values[name] !== false && values[name] !== defaultOf(params[name]!);
    for (const [name, others] of Object.entries(excludes))
      for (const other of isAsked(name) ? others : []) if (isAsked(other)) throw excluded(name, other);
    return values;
  };
}

/** Numbers that were taken in place of those that were sent, which are not allowed; undefined: there are none. */
export function clampedOf(params: Params, sent: JsonObject, values: Values): JsonObject | undefined {
  const clamped = Object.entries(params).flatMap(([name, { kind }]) => {
    const asked = kind === 'int' || kind === 'float' ? readNumber(sentOf(sent, name)) : undefined;
    return asked === undefined || asked === values[name] ? [] : [[name, values[name]] as const];
  });
  return clamped.length === 0 ? undefined : Object.fromEntries(clamped);
}

function checkNames(tool: string, takes: readonly string[], sent: JsonObject): void {
  if (JSON.stringify(sent).length > ARGUMENTS_MAX)
    throw new ApiError('invalid_parameter', 'The arguments are too long');
  const unknown = Object.keys(sent).filter((one) => !takes.includes(one));
  if (unknown.length === 0) return;
  throw new ApiError(
    'invalid_parameter',
    `${tool} has no parameter ${cleanText(unknown.join(', '), SHOWN_MAX)}`,
    { hint: takes.length > 0 ? `It takes ${takes.join(', ')}` : 'It takes none' },
  );
}

/** undefined: nothing. Clients send empty values for what they leave out. */
function sentOf(sent: JsonObject, name: string): unknown {
  const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
  return value === null || value === '' ? undefined : value;
}

function checkSent(name: string, param: Param, sent: unknown): void {
  if (sent === undefined) {
    if (param.required) throw missing(name, param);
    return;
  }
  const hint = unreadHint(name, param, sent);
  if (hint !== undefined) throw new ApiError('invalid_parameter', `Invalid parameter: ${name}`, { hint });
}

const defaultOf = (param: Param): unknown => ('default' in param ? param.default : undefined);

const missing = (name: string, { about }: Param) =>
  new ApiError('missing_parameter', `Missing parameter: ${name}`, { hint: `Send ${name}: ${about}` });

const excluded = (name: string, other: string) =>
  new ApiError('invalid_parameter', `Invalid parameter: ${name}`, {
    hint: `${other} has no meaning with it: send one of them`,
  });

/** What the parameter takes, where that is something else; undefined: it can be read, whole. */
function unreadHint(name: string, param: Param, sent: unknown): string | undefined {
  if (readValue(name, param, sent) === undefined) return formOf(param);
  switch (param.kind) {
    case 'int': {
      const number = readNumber(sent)!;
      return Number.isFinite(number) && !Number.isInteger(number) ? formOf(param) : undefined;
    }
    case 'text': {
      const text = String(sent);
      // Half of a character has no place in an address.
      return text.length > (param.maxLength ?? TEXT_MAX) || !text.isWellFormed() ? formOf(param) : undefined;
    }
    case 'list':
      return isReadWhole(param, sent) ? undefined : formOf(param);
    default:
      return undefined;
  }
}

/** Whether each item of a list is one, and there are not too many. */
function isReadWhole(param: Of<'list'>, sent: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(sent) ? sent : String(sent).split(',');
  return (
    items.length <= param.maxItems &&
    items.every((item) => {
      const [one] = readValue('', param, [item]) as readonly string[];
      return one?.isWellFormed() === true;
    })
  );
}

/** In a sentence. */
function formOf(param: Param): string {
  switch (param.kind) {
    case 'int':
    case 'float':
      return `It takes a ${param.kind === 'int' ? 'whole ' : ''}number${rangeOf(param)}`;
    case 'bool':
      return 'It takes true or false';
    case 'text':
      return `It takes a text of at most ${param.maxLength ?? TEXT_MAX} characters`;
    case 'enum':
      return `It takes ${param.values.join(', ')}`;
    case 'list':
      return `It takes ${param.values ? param.values.join(', ') : 'a list of texts'}: at most ${param.maxItems}`;
    case 'time':
      return 'A time is Unix ms, or an ISO date as 2026-11-28 or 2026-11-28T10:30:00Z';
    case 'json':
      return param.about;
  }
}

function rangeOf({ min, max }: Of<'int' | 'float'>): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return `, ${min} or more`;
  return max === undefined ? '' : `, ${max} at most`;
}
