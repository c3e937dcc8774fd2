/** The table of token fields: what follows from one entry, and that it is what clients were promised. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { tokenRow } from '../../api/token-schema.ts';
import type { Engine } from '../../engine/engine.ts';
import { field, integer, LIGHT } from '../../views/token-fields/field.ts';
import { TOKEN_FIELDS, TokenFields, type TokenSort } from '../../views/token-fields.ts';
import { Views } from '../../views/views.ts';
import { choiceOf, jsonObject } from '../../ws/streams/field-choice.ts';
import { embedded } from '../embedded.ts';
import { wholeWorld } from './world.ts';

const LEDGERS = 600;

let engines: Engine[];
beforeAll(async () => {
  engines = [await wholeWorld(), (await embedded(LEDGERS)).engine];
});

const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;

describe('one entry more', () => {
  const extra = field({
    name: 'idSquared',
    about: 'The square of the token id',
    unit: 'ids',
    schema: integer,
    sizes: LIGHT,
    presets: ['price'],
    sort: (_, token) => token * token,
    sortNames: ['square'],
    value: ({ token }) => token * token,
  });
  const table = new TokenFields([...TOKEN_FIELDS.all, extra]);

  test('is in full and light rows, and leaves every other field as it was', () => {
    for (const engine of engines) {
      const before = new Views(engine);
      const after = new Views(engine, { fields: table });
      for (let token = 0; token < engine.state.tokens.count; token++) {
        for (const size of ['full', 'light'] as const) {
          const { idSquared, ...rest } = parse(after.tokens.row(token, size));
          expect(idSquared).toBe(token * token);
          expect(JSON.stringify(rest)).toBe(JSON.stringify(parse(before.tokens.row(token, size))));
        }
        expect(parse(after.tokens.row(token, 'line'))).toEqual(parse(before.tokens.row(token, 'line')));
      }
    }
  });

  test('is in its preset of the stream and in the full one, and can be chosen by name', () => {
    const [engine] = engines;
    const { tokens } = new Views(engine!, { fields: table });
    const shown = (fields: string) => tokens.texts(3, choiceOf(fields, table)!.names).get('idSquared');
    for (const fields of ['price', 'full', 'idSquared']) expect(shown(fields), fields).toBe('9');
    for (const fields of ['ticker', 'trading', 'md5']) expect(shown(fields), fields).toBeUndefined();
  });

  test('sorts lists', () => {
    const [engine] = engines;
    const { tokens } = new Views(engine!, { fields: table });
    expect(table.sorts).toContain('idSquared');
    expect(table.sortNames).toMatchObject({ square: 'idSquared' });
    const query = { sort: 'idSquared' as TokenSort, ascending: false, offset: 0, limit: 1000 };
    const { ids } = tokens.list(query);
    expect(ids.length).toBeGreaterThan(10);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  test('is in the schema of the rows that show it', () => {
    const described = { type: 'integer', description: 'The square of the token id (ids)' };
    expect(tokenRow('full', table.all).properties).toMatchObject({ idSquared: described });
    expect(tokenRow('light', table.all).properties).toMatchObject({ idSquared: described });
    expect(tokenRow('line', table.all).properties).not.toHaveProperty('idSquared');
  });

  test('of a name that is taken is refused', () => {
    expect(() => new TokenFields([...TOKEN_FIELDS.all, { ...extra, name: 'usd' }])).toThrow('same name');
  });
});

/** Transcribed from the contract and from what clients send. */
const SORTS = {
  contract: `vol24hxrp marketcap pro5m pro1h pro24h pro7d exch holders tvl trendingScore assessmentScore dateon`,
  clients: 'pro30d vol24htx supply trustlines name vol6hxrp vol7dxrp uniqueTraders24h',
  signals: 'creatorHoldingPercent tvlChange24h rsi15m rsi1h rsi4h rsi24h rsi7d rsi30d rsi90d views24h',
  service: 'verified kyc xVerified description',
  launches: 'origin',
};
const PRICE = 'md5 exch usd pro5m pro1h pro24h pro7d pro30d maxMin24h athDistance';
const PRESET_FIELDS = {
  ticker: 'md5 name exch usd pro24h vol24hxrp marketcap',
  price: PRICE,
  trading: `${PRICE} vol24hxrp vol24htx vol24h vol6hxrp vol7dxrp vol24hAMM vol24hOrderbook buy24hxrp sell24hxrp
    buy24htx sell24htx buyerPressure uniqueTraders24h uniqueBuyers24h uniqueSellers24h deposit24hxrp deposit24htx
    withdraw24hxrp withdraw24htx marketcap tvl tvlChange24h liquidityRatio depthPlus2 depthMinus2 tradingFee amount
    supply holders holders24h trustlines dom`,
};
const words = (text: string) => text.split(/\s+/).toSorted();

describe('the table', () => {
  test('sorts by what the contract names and what clients send', () => {
    expect(TOKEN_FIELDS.sorts.toSorted()).toEqual(words(Object.values(SORTS).join(' ')) as TokenSort[]);
    const { sortNames } = TOKEN_FIELDS;
    expect(sortNames).toMatchObject({
      volume: 'vol24hxrp',
      price: 'exch',
      date: 'dateon',
      amount: 'supply',
      nginxScore: 'views24h',
    });
    for (const name of Object.keys(sortNames)) expect(TOKEN_FIELDS.sorts).not.toContain(name as TokenSort);
  });

  for (const [preset, names] of Object.entries(PRESET_FIELDS)) {
    test(`preset ${preset}`, () => {
      expect(TOKEN_FIELDS.preset(preset as keyof typeof PRESET_FIELDS).toSorted()).toEqual(words(names));
    });
  }

  test('a row is its fields, one after another; a choice of them is a part of it', () => {
    for (const engine of engines) {
      const { tokens } = new Views(engine);
      for (let token = 0; token < engine.state.tokens.count; token++) {
        const row = new TextDecoder().decode(tokens.row(token));
        expect(jsonObject(tokens.texts(token))).toBe(row);
        const whole = JSON.parse(row);
        const chosen = JSON.parse(jsonObject(tokens.texts(token, ['md5', 'usd', 'tags', 'holders'])));
        const { md5, usd, tags, holders } = whole;
        expect(chosen).toEqual(JSON.parse(JSON.stringify({ md5, usd, tags, holders })));
      }
    }
  });

  test('names of prototypes and fields that rows do not show choose nothing', () => {
    const { tokens } = new Views(engines[0]!);
    const names = ['constructor', 'toString', '__proto__', 'description', 'no such field'];
    expect(tokens.texts(1, names).size).toBe(0);
  });

  test('every field of a row is described, and has the type that is described', () => {
    const types = {
      string: 'string',
      integer: 'number',
      number: 'number',
      object: 'object',
      array: 'object',
    };
    const seen = new Set<string>();
    const properties = tokenRow('full').properties as Record<string, { type: keyof typeof types }>;
    for (const engine of engines) {
      const { tokens } = new Views(engine);
      for (let token = 0; token < engine.state.tokens.count; token++) {
        for (const [name, value] of Object.entries(parse(tokens.row(token)))) {
          seen.add(name);
          const wanted = [properties[name]!.type].flat().map((type) => types[type]);
          expect(wanted, name).toContain(typeof value as never);
          if (properties[name]!.type === 'integer') expect(Number.isInteger(value), name).toBe(true);
        }
      }
    }
    expect(seen.size).toBeGreaterThan(50);
  });
});
