/** Checks answers against the OpenAPI document, and generates requests of every kind that its operations accept. */
import { createRequire } from 'node:module';
import { samples } from '../../api/examples.ts';
import type { JsonSchema } from '../../requests/param.ts';

// The validator that the OpenAPI validator itself is made of.
const inner = createRequire(Bun.resolveSync('@seriousme/openapi-schema-validator', import.meta.dir));
// biome-ignore lint/suspicious/noExplicitAny: it is not a dependency of ours, so its types are not either
const Ajv: any = inner('ajv/dist/2020.js').default;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: schemas of any shape
type Schema = Record<string, any>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Readonly<Record<string, Schema>>;
  /** Groups of parameters of which one must be sent completely. */
  readonly needs: readonly { readonly anyOf: readonly (readonly string[])[] }[];
  readonly responses: Readonly<Record<string, Schema>>;
}

/** What a request asks; path as it is sent, below the prefix. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Values that mean something to the service under test. */
export interface Known {
  readonly md5: string;
  readonly account: string;
  readonly index: string;
  readonly hash: string;
}

export class Document {
  readonly operations: readonly Operation[];
  readonly #document: Schema;
  // Most schemas check a few answers each: optimizing their code costs more than it saves.
  readonly #ajv = new Ajv({
    strict: false,
    validateFormats: false,
    allErrors: true,
    code: { optimize: false },
  });

  constructor(document: JsonSchema) {
    this.#document = document as Schema;
    this.#ajv.addSchema(document, 'doc');
    this.operations = Object.entries(this.#document.paths as Record<string, Schema>).flatMap(([path, item]) =>
      Object.entries(item).map(([method, one]) => this.#operation(method.toUpperCase(), path, one)),
    );
  }

  /**
   * What is wrong with an answer, in words; empty when nothing is.
   * @param hasFields whether `fields` was sent: then only what remains is looked at.
   */
  async faults(operation: Operation, response: Response, hasFields: boolean): Promise<string[]> {
    const text = await response.text();
    const declared = operation.responses[response.status];
    if (!declared) return [`status ${response.status} is not declared: ${text.slice(0, 200)}`];
    if (!declared.content) return text === '' ? [] : [`status ${response.status} has a body`];
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const schema: Schema | undefined = declared.content[type]?.schema;
    if (!schema) return [`content type ${type} is not declared`];
    if (type !== 'application/json') return [];
    const answer = JSON.parse(text);
    const undeclared = [...this.#undeclared([schema], answer)].map((name) => `${name} is not declared`);
    // The first alternative is the answer without `fields`.
    const wanted = schema.anyOf && !hasFields ? [schema, schema.anyOf[0]] : [schema];
    return [...wanted.flatMap((one) => this.#against(one, answer)), ...new Set(undeclared)];
  }

  /** Members that no alternative of the schemas names; of an object whose members are not listed there are none. */
  *#undeclared(schemas: readonly Schema[], value: unknown, at = ''): Generator<string> {
    if (typeof value !== 'object' || value === null) return;
    const all = schemas.flatMap((one) => this.#alternatives(one));
    if (Array.isArray(value)) {
      const items = all.flatMap((one) => one.items ?? []);
      if (items.length > 0) for (const one of value) yield* this.#undeclared(items, one, `${at}[]`);
      return;
    }
    const isOpen = (one: Schema) => one.additionalProperties === true;
    if (all.some(isOpen) || !all.some((one) => one.properties ?? one.additionalProperties)) return;
    for (const [name, member] of Object.entries(value)) {
      const others = all.flatMap((one) => one.additionalProperties || []);
      const named = all.flatMap((one) => one.properties?.[name] ?? []);
      const found = named.length > 0 ? named : others;
      if (found.length === 0) yield `${at}.${name}`;
      else yield* this.#undeclared(found, member, `${at}.${name}`);
    }
  }

  /** A schema and those that it is put together from. */
  #alternatives(schema: Schema): Schema[] {
    const one = this.#real(schema);
    const parts = [...(one.anyOf ?? []), ...(one.oneOf ?? []), ...(one.allOf ?? [])];
    return [one, ...parts.flatMap((part: Schema) => this.#alternatives(part))];
  }

  #against(schema: Schema, answer: unknown): string[] {
    // By its reference: it is compiled once, as long as the same validator is asked.
    const validate = schema.$ref ? this.#ajv.getSchema(`doc${schema.$ref}`) : this.#ajv.compile(schema);
    if (validate(answer)) return [];
    return validate.errors.map((error: Schema) => `${error.instancePath} ${error.message}`).slice(0, 5);
  }

  #operation(method: string, path: string, one: Schema): Operation {
    const body = one.requestBody?.content['application/json'].schema.properties ?? {};
    const responses = Object.fromEntries(
      Object.entries(one.responses as Record<string, Schema>).map(([status, schema]) => [
        status,
        this.#real(schema),
      ]),
    );
    const parameters = (one.parameters as Schema[]).map((schema) => this.#real(schema) as Parameter);
    return { method, path, parameters, body, needs: one['x-needs'] ?? [], responses };
  }

  #real(schema: Schema): Schema {
    if (!schema.$ref) return schema;
    return (schema.$ref as string)
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name], this.#document);
  }
}

const TIME = '1700000000000';

/** A value that a parameter is made for. */
function good(name: string, known: Known): string {
  if (/account|address|owner|issuer|watchlist/i.test(name)) return known.account;
  if (/^(hash|check|payment_channel|nft_page)$/.test(name)) return known.hash;
  if (/time|abn/.test(name)) return TIME;
  if (/currency/.test(name)) return 'USD';
  return name === 'index' ? known.index : known.md5;
}

/** Values of every sort for a schema: each that is listed, both bounds and beyond, and what cannot be read. */
function values(name: string, schema: Schema, known: Known): string[] {
  const out = ['', 'abc', '-1', '0', '1e400', good(name, known)];
  for (const bound of [schema.minimum, schema.maximum])
    if (bound !== undefined) out.push(String(bound), String(bound - 1), String(bound + 1));
  for (const one of schema.enum ?? []) out.push(String(one));
  if (schema.type === 'boolean') out.push('true', 'yes', 'false');
  if (schema.type === 'array') out.push(`${known.md5},${known.account},x`);
  if (name === 'fields') out.push('count', 'total,md5,account,name', 'nothing');
  return out;
}

/** A value of an example, with the service's own identifiers instead of those of the public network. */
export function ownValue(value: unknown, known: Known): unknown {
  if (Array.isArray(value)) return value.map((one) => ownValue(one, known));
  if (value === samples.token) return known.md5;
  if (value === samples.account) return known.account;
  return value === samples.transaction ? known.hash : value;
}

/** The plain request of an operation, its example, then one request for each value of each parameter. */
export function* asks(operation: Operation, known: Known): Generator<Ask> {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => good(name, known));
  const example = exampleQuery(operation, known);
  const plain = plainQuery(operation, example);
  const body: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(operation.body))
    body[name] = schema.type === 'array' ? [Number(TIME)] : schema.type === 'integer' ? 3 : 'a';
  const hasBody = Object.keys(body).length > 0;
  const ask = (query: URLSearchParams, sent = body, at = path): Ask => ({
    method: operation.method,
    path: `${at}${query.size > 0 ? `?${query}` : ''}`,
    ...(hasBody && { body: JSON.stringify(sent) }),
  });
  yield ask(plain);
  yield ask(example);
  yield ask(new URLSearchParams(), {});
  for (const { name, in: place, schema = {} } of operation.parameters)
    for (const value of values(name, schema, known)) {
      if (place === 'path')
        yield ask(plain, body, operation.path.replace(/\{\w+\}/g, encodeURIComponent(value || '-')));
      else yield ask(withOne(plain, name, value));
    }
  for (const [name, schema] of Object.entries(operation.body))
    for (const value of values(name, schema, known)) yield ask(plain, { ...body, [name]: value });
}

function withOne(query: URLSearchParams, name: string, value: string): URLSearchParams {
  const all = new URLSearchParams(query);
  all.set(name, value);
  return all;
}

/** The query of the operation's example. */
function exampleQuery({ parameters }: Operation, known: Known): URLSearchParams {
  const query = new URLSearchParams();
  for (const { name, in: place, example } of parameters)
    if (place === 'query' && example !== undefined) query.set(name, String(ownValue(example, known)));
  return query;
}

/** The part of the example that is required, or that names a token or an account (only identifiers have a pattern). */
function plainQuery({ parameters, needs }: Operation, example: URLSearchParams): URLSearchParams {
  const needed = needs.flatMap(
    ({ anyOf }) => anyOf.find((names) => names.every((name) => example.has(name))) ?? [],
  );

  const query = new URLSearchParams();
  for (const { name, required, schema } of parameters)
    if (example.has(name) && (required || needed.includes(name) || schema?.pattern !== undefined))
      query.set(name, example.get(name)!);
  return query;
}
