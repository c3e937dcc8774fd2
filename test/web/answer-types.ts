/**
 * Types of the answers that the pages read, written from the OpenAPI document: `bun test/web/answer-types.ts` writes
 * `web/api-types.d.ts`, and a test says when that file is out of date.
 *
 * The pages are a client like any other: they know the service by this document alone, so a field that a route loses
 * or renames is a type error in them.
 */
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { openapiDocument } from '../../api/openapi.ts';
import type { Service } from '../../api/route.ts';
import { routes } from '../../api/routes/index.ts';

export const WEB_TYPES = new URL('../../web/api-types.d.ts', import.meta.url).pathname;

interface Operation {
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema?: object }> }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation | undefined>>>>;
}

/** TypeScript text: `interface Answers` has one property a route, `GET /tokens`, of the type of its JSON answer. */
export async function answerTypes(document: ApiDocument): Promise<string> {
  const answers: Record<string, unknown> = {};
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = operation?.responses['200']?.content?.['application/json']?.schema;
      if (schema) answers[`${method.toUpperCase()} ${path}`] = withoutText(wholeAnswer(schema));
    }
  }
  const shared = new SharedSchemas(answers);
  const root = {
    type: 'object',
    properties: shared.replaced,
    required: Object.keys(answers),
    additionalProperties: false,
    $defs: shared.definitions,
  };
  return compile(root as JSONSchema, 'Answers', {
    additionalProperties: false,
    bannerComment:
      '/** Written by test/web/answer-types.ts from the OpenAPI document. Not edited by hand. */',
    format: false,
  });
}

interface AnswerSchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly AnswerSchema[];
}

/** The pages never ask for a part of an answer (`fields`), so only the whole one is described. */
function wholeAnswer(schema: AnswerSchema): object {
  const whole = schema.anyOf?.[0];
  if (!whole?.properties) return schema;
  const { anyOf: _, ...always } = schema;
  return {
    ...always,
    properties: { ...always.properties, ...whole.properties },
    required: [...(always.required ?? []), ...(whole.required ?? [])],
  };
}

/** Descriptions and examples are for readers of the document. Objects whose members are not declared may hold anything. */
function withoutText(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutText);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, properties, additionalProperties } = schema as Record<string, unknown>;
  if (type === 'object' && !properties && !additionalProperties) return { tsType: 'Record<string, unknown>' };
  const kept = Object.entries(schema).filter(
    ([key, value]) => !(['description', 'example', 'default'].includes(key) && typeof value !== 'object'),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutText(value)]));
}

/** Objects that occur more than once are declared once. */
class SharedSchemas {
  readonly definitions: Record<string, unknown> = {};
  readonly replaced: Record<string, unknown>;
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(schemas: Record<string, unknown>) {
    for (const schema of Object.values(schemas)) this.#count(schema);
    this.replaced = Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, this.#replace(schema, name)]),
    );
  }

  #count(schema: unknown): void {
    if (typeof schema !== 'object' || schema === null) return;
    if (isObjectSchema(schema)) {
      const text = JSON.stringify(schema);
      const seen = this.#counts.get(text) ?? 0;
      this.#counts.set(text, seen + 1);
      if (seen > 0) return;
    }
    for (const value of Object.values(schema)) this.#count(value);
  }

  #replace(schema: unknown, at: string): unknown {
    if (Array.isArray(schema)) return schema.map((value) => this.#replace(value, at));
    if (typeof schema !== 'object' || schema === null) return schema;
    const text = isObjectSchema(schema) ? JSON.stringify(schema) : '';
    if ((this.#counts.get(text) ?? 0) < 2) return this.#members(schema, at);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = this.#nameOf(at);
      this.#names.set(text, name);
      this.definitions[name] = { title: name, ...(this.#members(schema, at) as object) };
    }
    return { $ref: `#/$defs/${name}` };
  }

  #members(schema: object, at: string): unknown {
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [key, this.#replace(value, nounOf(key, at))]),
    );
  }

  #nameOf(at: string): string {
    const noun = at.replace(/[^A-Za-z]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '');
    const name = noun.charAt(0).toUpperCase() + noun.slice(1);
    let free = name;
    for (let n = 2; free in this.definitions || free === 'Answers'; n++) free = `${name}${n}`;
    return free;
  }
}

const isObjectSchema = (schema: object): boolean =>
  (schema as { type?: unknown }).type === 'object' &&
  Object.keys((schema as { properties?: object }).properties ?? {}).length > 1;

/** The word for what stands at a key: a property's name, or what its parent is called. */
const nounOf = (key: string, at: string) =>
  ['type', 'properties', 'items', 'anyOf', 'oneOf', 'additionalProperties', 'required'].includes(key)
    ? at
    : key;

/** The document of the whole route table. */
export function documentOfAllRoutes(): ApiDocument {
  const service = { name: 'Millrace', version: '', routes } as unknown as Service;
  return openapiDocument(service, '/v1') as unknown as ApiDocument;
}

if (import.meta.main) await Bun.write(WEB_TYPES, await answerTypes(documentOfAllRoutes()));
