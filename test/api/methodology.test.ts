import { describe, expect, test } from 'bun:test';
import { docstring, methodology } from '../../api/methodology.ts';
import { fixture } from './fixture.ts';

describe('methodology', () => {
  test('has a text of every entry, in the documents and on the reference page', async () => {
    const { get } = fixture([]);
    const docs = (await (await get('/v1/docs')).json()) as { methodology: ReturnType<typeof methodology> };
    expect(docs.methodology).toEqual(methodology() as never);
    expect(new Set(docs.methodology.map(({ name }) => name)).size).toBe(docs.methodology.length);
    const { info } = (await (await get('/v1/openapi.json')).json()) as { info: { description: string } };
    for (const { name, text, fields } of docs.methodology) {
      expect(fields.length, name).toBeGreaterThan(0);
      expect(text.length, name).toBeGreaterThan(100);
      expect(text, name).not.toMatch(/^\s*\*/m);
      expect(info.description).toContain(text);
    }
  });

  test('reads the docstring of a symbol, or that of the file', () => {
    const source = [
      '/** Of the file. */',
      "import x from 'y';",
      '/**',
      ' * A mean.',
      ' *',
      ' *     sum / count',
      ' *',
      ' * @param values any number',
      ' */',
      'export function mean(values) {}',
      'export function bare() {}',
    ].join('\n');
    expect(docstring(source)).toBe('Of the file.');
    expect(docstring(source, 'mean')).toBe('A mean.\n\n    sum / count');
    expect(() => docstring(source, 'bare')).toThrow('bare');
    expect(() => docstring(source, 'missing')).toThrow('missing');
    expect(() => docstring('const x = 1;')).toThrow('file');
  });
});
