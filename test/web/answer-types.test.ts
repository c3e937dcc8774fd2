/** The types by which the pages know the service are those of the OpenAPI document as it is now. */
import { expect, test } from 'bun:test';
import { answerTypes, documentOfAllRoutes, WEB_TYPES } from './answer-types.ts';

test('web/api-types.d.ts is what test/web/answer-types.ts writes', async () => {
  const now = await answerTypes(documentOfAllRoutes());
  expect(await Bun.file(WEB_TYPES).text(), 'run: bun test/web/answer-types.ts').toBe(now);
});

test('members that an answer always has are required, others optional', async () => {
  const schema = {
    type: 'object',
    properties: { success: { const: true }, rows: { type: 'array', items: { type: 'string' } } },
    required: ['success'],
  };
  const paths = { '/rows': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } };
  const text = await answerTypes({ paths });
  expect(text.replaceAll(/\s+/g, ' ')).toContain('"GET /rows": { success: true rows?: string[] }');
});
