/** What the OpenAPI document says of `POST /mcp`: it is no row of the table, since its bodies are messages of JSON-RPC. */
import type { JsonSchema } from '../../requests/param.ts';

const message: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer'] },
    method: {
      type: 'string',
      description: 'initialize, tools/list, tools/call, prompts/*, resources/*, ...',
    },
    params: { type: 'object' },
  },
};

const answer: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['string', 'integer', 'null'] },
    result: { type: 'object' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: { type: 'object' } },
    },
  },
};

const json = (schema: JsonSchema): JsonSchema => ({ 'application/json': { schema } });
const several = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'array', items: schema }] });

/** @param tag the group in which it is shown */
export const mcpOperation = (tag: string): JsonSchema => ({
  operationId: 'postMcp',
  summary: 'Tools for language models: stateless streamable HTTP that carries JSON-RPC 2.0',
  description:
    'Lists of tools, prompts and resources need no key; calls of tools need one on a paid plan where keys are asked for, ' +
    'and cost what the routes behind them cost. `tools/list` describes every tool. Errors are those of JSON-RPC. ' +
    'Rate bucket `/mcp`.',
  'x-auth': 'key',
  'x-tier': 'developer',
  tags: [tag],
  security: [{}, { ApiKey: [] }],
  parameters: [
    {
      name: 'Mcp-Protocol-Version',
      in: 'header',
      required: false,
      description: 'Version of the protocol, as it was agreed',
      schema: { type: 'string' },
    },
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: several(message),
        example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      },
    },
  },
  responses: {
    200: { description: 'The answer', content: json(several(answer)) },
    202: { description: 'A notification was received' },
    ...Object.fromEntries(
      [400, 401, 402, 403, 404, 429].map((status) => [
        status,
        { description: 'An error of JSON-RPC', content: json(answer) },
      ]),
    ),
  },
});
