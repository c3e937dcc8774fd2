import { describe, expect, test } from 'bun:test';
import { docstring, methodology, withValues } from '../../api/methodology.ts';
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

  test('has a definition of the figures of traders, pools and windows', () => {
    const named = new Set(methodology().flatMap(({ fields }) => fields));
    for (const field of [
      'winRate',
      'avgROI',
      'totalRoi',
      'unrealizedPnl',
      'apy',
      'apr',
      'depthPlus2',
      'pro7d',
    ])
      expect(named, field).toContain(field);
    for (const field of ['gMarketcapPro', 'gStableVolume', 'gMemeVolume', 'activeAddresses24H', 'holders24h'])
      expect(named, field).toContain(field);
    for (const field of [
      'tvlChange24h',
      'lpBurnedPercent',
      'uniqueTraders24h',
      'ilPercent',
      'flips',
      'floor',
    ])
      expect(named, field).toContain(field);
  });

  test('says the value of every constant that a text names', () => {
    const named = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;
    const texts = methodology().map(({ name, text }) => [name, text] as const);
    for (const [name, text] of texts)
      for (const [constant] of text.matchAll(named)) expect(text, name).toContain(`${constant} = `);
    const price = new Map(texts).get('Price')!;
    expect(price).toContain('DUST_DROPS = 1000');
    expect(price).toContain('MARKET_MAX_AGE = 30 days');
    // What a price of rule 3 and the value of a trade of two tokens are made of.
    expect(new Map(texts).get('Value of a trade')).toContain('DERIVED_MAX_DROPS = 1e13');
    expect(new Map(texts).get('Reference assets')).toContain('DEEP_POOL_DROPS = 1e10');
    const source = 'const MOST = 2 * EACH_ONE;\nexport const EACH_ONE = 20_000;\nconst LONGEST = DAY;\n';
    expect(withValues('At most MOST XRP in LONGEST.', source)).toBe(
      'At most MOST XRP in LONGEST.\n\nMOST = 2 * EACH_ONE, EACH_ONE = 20000, LONGEST = 1 day',
    );
    expect(withValues('XRP of a DAY.', source)).toBe('XRP of a DAY.');
    expect(() => withValues('At most OTHER_MOST.', source)).toThrow('OTHER_MOST');
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
