/** The OpenAPI 3.1 document, made from the route table. */
import { errorCodes } from '../requests/errors.ts';
import type { JsonSchema, Param } from '../requests/param.ts';
import { namesOf, needText } from '../requests/param-reader.ts';
import { addsLedgerIndex, isOfLedger, MIN_LEDGER_WAIT_MS } from './ledger-answers.ts';
import { mcpOperation } from './mcp/openapi-operation.ts';
import { methodology } from './methodology.ts';
import {
  gateStatuses,
  limitHeaderRefs,
  limitHeaders,
  securityOf,
  securitySchemes,
} from './openapi-security.ts';
import type { Route, Service } from './route.ts';
import { TABLE_TYPES } from './table-formats.ts';

/** Names of the contract's sections. The reference page groups routes by them. */
const sections: Readonly<Record<string, string>> = {
  '1': 'Service',
  '4.1': 'Tokens and charts',
  '4.2': 'Trading',
  '4.3': 'Accounts',
  '4.4': 'Ledger, submit, node',
  '4.5': 'NFT',
  '4.6': 'Scams',
  '4.7': 'Launch, promotion, bridge',
  '4.8': 'Keys, billing, users',
  '4.9': 'News, chat and the rest',
  '4.10': 'The test network',
  adapters: 'Formats of other programs',
};

/** Section 4.11, which has no rows. */
const TOOLS = 'Tools for language models';

const sectionOf = (row: Route) => sections[row.section] ?? `Section ${row.section}`;

export function openapiDocument(service: Service, baseUrl: string): JsonSchema {
  const { routes } = service;
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of routes) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operation(row) };
  }
  paths['/mcp'] = { post: mcpOperation(TOOLS) };
  const used = new Set([...routes.map(sectionOf), TOOLS]);
  return {
    openapi: '3.1.0',
    info: {
      title: `${service.name} API`,
      version: service.version,
      summary: 'Live market, account and token analytics from the proved ledgers of the XRP Ledger',
      description: about(service.name),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'Canonical base; /api serves the same' }],
    tags: [...used].map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorSchema },
      responses: errorResponses(),
      securitySchemes,
      headers: limitHeaders,
      parameters: { fields: fieldsParameter, min_ledger: minLedgerParameter },
    },
  };
}

const about = (name: string) =>
  `Numbers out of range are clamped, unknown enum values become the default, and the effective value is echoed. ` +
  `Times are Unix milliseconds unless a field says otherwise; amounts that must stay exact are strings. ` +
  `Show a visible, clickable "Data by ${name}" beside the data.\n\n# Methodology\n\n` +
  methodology()
    .map(({ name, text }) => `## ${name}\n\n\`\`\`text\n${text}\n\`\`\``)
    .join('\n\n');

const errorSchema: JsonSchema = {
  type: 'object',
  required: ['success', 'error', 'code', 'message', 'docs', 'requestId'],
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'What is wrong' },
    code: { enum: Object.keys(errorCodes) },
    message: { type: 'string', description: 'What to do about it' },
    docs: { type: 'string' },
    requestId: { type: 'string' },
    retryAfter: {
      type: 'integer',
      description: 'Seconds; with 429, with 503 where it is known, and with 409 of /submit',
    },
    bucket: {
      type: 'string',
      description: 'With 429: the window that is full, as in RateLimit-Policy: a path prefix, minute, ...',
    },
    window: { type: 'number', description: 'With 429: the length of that window, seconds' },
    retryAfterSeconds: { type: 'integer', description: 'With 429 of /faucet: as retryAfter' },
    hash: { type: 'string', description: 'With 409 of /submit: the transaction' },
    status: { type: 'string', description: 'Of /keys/verify-payment: what became of the payment' },
    invoiceId: { type: 'string', description: 'With 402 of /keys/verify-payment' },
    missing: { type: 'string', description: 'With 402 of /keys/verify-payment: XRP' },
    warnings: {
      type: 'array',
      description: 'Of /dex/quote: why there is none',
      items: { type: 'object', properties: { code: { type: 'string' }, message: { type: 'string' } } },
    },
    s: { const: 'error', description: 'Of /udf, as the charting library reads it' },
    errmsg: { type: 'string', description: 'Of /udf, as the charting library reads it' },
  },
};

const fieldsParameter: JsonSchema = {
  name: 'fields',
  in: 'query',
  description: 'Only these members: of the answer, or else of its rows',
  schema: { type: 'array', items: { type: 'string' } },
  style: 'form',
  explode: false,
};

const minLedgerParameter: JsonSchema = {
  name: 'min_ledger',
  in: 'query',
  description: `Answer once this ledger has been applied; 503 when it has not after ${MIN_LEDGER_WAIT_MS / 1000} s`,
  schema: { type: 'integer' },
};

/** One response for each status, named `Error404` and so on. */
function errorResponses(): Record<string, JsonSchema> {
  const byStatus = new Map<number, string[]>();
  for (const [code, { status, about }] of Object.entries(errorCodes))
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${about}`]);
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => [
      `Error${status}`,
      {
        description: lines.join('. '),
        ...(status === 429 && {
          headers: {
            'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
            ...limitHeaderRefs,
          },
        }),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

function operation(row: Route): JsonSchema {
  const body = Object.entries(row.params).filter(([, param]) => param.in === 'body');
  const statuses = statusesOf(row, body.length > 0);
  return {
    operationId: operationId(row),
    summary: row.summary,
    description: operationText(row),
    'x-auth': row.auth,
    'x-tier': row.tier,
    ...(row.needs && { 'x-needs': row.needs }),
    tags: [sectionOf(row)],
    security: securityOf(row),
    parameters: [
      ...Object.entries(row.params)
        .filter(([, param]) => param.in !== 'body')
        .map(([name, param]) => parameter(row, name, param)),
      ...(row.bare ? [] : [{ $ref: '#/components/parameters/fields' }]),
      ...(isOfLedger(row) ? [{ $ref: '#/components/parameters/min_ledger' }] : []),
    ],
    ...(body.length > 0 && { requestBody: requestBody(row, body) }),
    responses: {
      200: { description: 'OK', headers: limitHeaderRefs, content: content(row) },
      ...(isForBothReaders(row) && { 302: { description: 'Browsers are sent to /reference' } }),
      ...(row.cache !== undefined && { 304: { description: 'Not modified: the ETag sent is current' } }),
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

/** Programs get JSON; browsers are sent to a page. */
const isForBothReaders = ({ produces }: Route) =>
  produces?.includes('text/html') === true && produces.includes('application/json');

/** Without 405: a declared method never gets it. */
function statusesOf(row: Route, hasBody: boolean): number[] {
  const statuses = [400, 404, 406, 500, ...gateStatuses(row)];
  if (hasBody) statuses.push(413);
  if (row.auth !== 'none' && row.method !== 'GET') statuses.push(403, 409);
  if (row.unavailable || isOfLedger(row)) statuses.push(503);
  if (row.refusals) statuses.push(...row.refusals);
  return [...new Set(statuses)].sort((a, b) => a - b);
}

function operationText(row: Route): string {
  const needs = (row.needs ?? []).map(
    (need) => ` Needs ${need.onlyOne ? 'exactly one of ' : ''}${needText(need)}.`,
  );
  const credits = `${row.cost} credit${row.cost === 1 ? '' : 's'} a call`;
  const tier = row.tier === 'anonymous' ? '' : ` Of the ${row.tier} tier or above.`;
  return `${credits}. Rate bucket \`${row.bucket}\`.${tier}${needs.join('')}`;
}

const operationId = (row: Route) =>
  `${row.method.toLowerCase()}${row.path === '/' ? 'Index' : row.path.replace(/[^A-Za-z0-9]+([A-Za-z0-9]?)/g, (_, next: string) => next.toUpperCase())}`;

function parameter(row: Route, name: string, param: Param): JsonSchema {
  const parsed = param.kind === 'json';
  return {
    name,
    in: param.in,
    required: param.in === 'path' || param.required === true,
    description: description(row, name, param),
    ...exampleValue(row, name, param),
    ...(parsed
      ? { content: { 'application/json': { schema: valueSchema(param) } } }
      : { schema: valueSchema(param) }),
    ...(param.kind === 'list' && param.in === 'query' && { style: 'form', explode: false }),
  };
}

function description(row: Route, name: string, param: Param): string {
  const others = namesOf(row, name).slice(1);
  if (name === 'offset' && !('page' in row.params))
    others.push(`page (from ${'firstPage' in param ? param.firstPage : 0}, times limit)`);
  const outside =
    'outside' in param && param.outside === 'default' ? '; out of range becomes the default' : '';
  const also = others.length > 0 ? `. Also read as: ${others.join(', ')}` : '';
  return `${param.about}${outside}${also}`;
}

/** The value of the row's example. A JSON parameter would need its example at the media type; no row has one. */
function exampleValue(row: Route, name: string, param: Param): JsonSchema {
  const value = row.example[name];
  return value === undefined || param.kind === 'json' ? {} : { example: value };
}

/** Out-of-range numbers are clamped and unknown enum values become the default: the schema lists the effective values. */
export function valueSchema(param: Param): JsonSchema {
  switch (param.kind) {
    case 'int':
    case 'float':
      return {
        type: param.kind === 'int' ? 'integer' : 'number',
        ...(param.default !== undefined && { default: param.default }),
        ...(param.min !== undefined && { minimum: param.min }),
        ...(param.max !== undefined && { maximum: param.max }),
      };
    case 'bool':
      return { type: 'boolean', ...(param.default !== undefined && { default: param.default }) };
    case 'text':
      return {
        type: 'string',
        ...(param.default !== undefined && { default: param.default }),
        ...(param.minLength !== undefined && { minLength: param.minLength }),
        ...(param.maxLength !== undefined && { maxLength: param.maxLength }),
        ...(param.pattern !== undefined && { pattern: param.pattern }),
      };
    case 'enum':
      return {
        type: 'string',
        enum: [...param.values],
        ...(param.default !== undefined && { default: param.default }),
      };
    case 'list': {
      const one = param.values && { type: 'string', enum: [...param.values] };
      const list = {
        type: 'array',
        items: one ?? param.items ?? { type: 'string' },
        maxItems: param.maxItems,
      };
      return one ? { anyOf: [one, list] } : list;
    }
    case 'time':
      return {
        anyOf: [
          { type: 'integer' },
          { type: 'string', format: 'date-time' },
          { type: 'string', format: 'date' },
        ],
        description: 'Unix ms or ISO date',
      };
    case 'json':
      return {};
  }
}

function requestBody(row: Route, body: readonly (readonly [string, Param])[]): JsonSchema {
  const required = body.filter(([, param]) => param.required).map(([name]) => name);
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(
            body.map(([name, param]) => [
              name,
              { ...valueSchema(param), description: description(row, name, param) },
            ]),
          ),
          ...(required.length > 0 && { required }),
        },
        example: Object.fromEntries(body.map(([name]) => [name, row.example[name]])),
      },
    },
  };
}

function content(row: Route): JsonSchema {
  const schema = row.bare ? row.response : enveloped(row);
  const types = Object.fromEntries((row.produces ?? ['application/json']).map((type) => [type, { schema }]));
  if (!row.table) return types;
  const text = { schema: { type: 'string', description: `The rows of ${row.table.rows}, one a line` } };
  return { ...types, ...Object.fromEntries(Object.values(TABLE_TYPES).map((type) => [type, text])) };
}

/**
 * The handler's answer with the members that the reply layer adds. `fields` removes members at any depth: only the
 * envelope is always present. All other members are required only in the complete answer, the first of the two
 * alternatives.
 */
function enveloped(row: Route): JsonSchema {
  const flag = row.successAs ? { [row.successAs]: { const: 'success' } } : { success: { const: true } };
  const envelope = {
    ...flag,
    attribution: { type: 'string', description: 'Absent on paid tiers' },
    took: { type: 'integer', description: 'Milliseconds' },
    ...(addsLedgerIndex(row) && {
      ledger_index: { type: 'integer', description: 'The ledger that the answer is of' },
    }),
  };
  const { properties, required, ...rest } = row.response;
  const whole = { ...(properties ? { properties } : {}), ...(required ? { required } : {}) };
  return {
    type: 'object',
    ...rest,
    properties: { ...envelope, ...(withoutRequired(properties ?? {}) as JsonSchema) },
    required: [...Object.keys(flag), 'took'],
    ...(required !== undefined && {
      anyOf: [
        { title: 'Without `fields`', ...whole },
        { title: 'With `fields`', description: 'Only the members asked for, at any depth' },
      ],
    }),
  };
}

/** A schema, or a part of one, without `required` at any depth. A member itself may be named `required`. */
function withoutRequired(schema: unknown, isNames = true): unknown {
  if (Array.isArray(schema)) return schema.map((one) => withoutRequired(one, false));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => isNames || name !== 'required')
      .map(([name, inner]) => [name, withoutRequired(inner, !isNames && name === 'properties')]),
  );
}
