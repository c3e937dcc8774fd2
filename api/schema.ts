/**
 * JSON Schemas in short form, for the `response` of route rows. Each carries the type that it describes, so that the
 * compiler checks a handler's answer against its row. Answers that are joined from bytes are checked by the tests
 * (`test/api/openapi.test.ts`).
 */
import type { JsonSchema } from '../requests/param.ts';

declare const type: unique symbol;

/** A schema of `T`. At run time it is only the JSON Schema. */
export type Schema<T = unknown> = JsonSchema & { readonly [type]?: T };

/** The type that a schema describes. */
export type Static<S extends Schema> = S extends { readonly [type]?: infer T } ? T : never;

export const string: Schema<string> = { type: 'string' };
export const number: Schema<number> = { type: 'number' };
export const integer: Schema<number> = { type: 'integer' };
export const boolean: Schema<boolean> = { type: 'boolean' };
/** An object whose members are not listed. */
export const anyObject: Schema<object> = { type: 'object' };

/** Adds a description. */
export const describe = <T>(schema: Schema<T>, description: string): Schema<T> => ({
  ...schema,
  description,
});

export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, { type: 'null' }] });

export const list = <T>(items: Schema<T>): Schema<readonly T[]> => ({ type: 'array', items });

/** An object whose members are all alike, under names that differ from answer to answer. */
export const mapOf = <T>(members: Schema<T>): Schema<Readonly<Record<string, T>>> => ({
  type: 'object',
  additionalProperties: members,
});

export const oneOf = <const T extends string>(values: readonly T[]): Schema<T> => ({ enum: values });

type Members = Readonly<Record<string, Schema>>;

/** Members whose name ends in `?` may be absent. */
type ObjectOf<M extends Members> = {
  readonly [K in keyof M as K extends `${string}?` ? never : K]: Static<M[K]>;
} & {
  readonly [K in keyof M as K extends `${infer Name}?` ? Name : never]?: Static<M[K]> | undefined;
};

/** Members whose name ends in `?` may be absent. Further members are allowed: the contract grows by adding. */
export function object<const M extends Members>(members: M): Schema<ObjectOf<M>> {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(members)) {
    const optional = name.endsWith('?');
    const bare = optional ? name.slice(0, -1) : name;
    properties[bare] = schema;
    if (!optional) required.push(bare);
  }
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

const ledgerCounts = {
  totalAddresses: describe(integer, 'Accounts that exist'),
  totalOffers: describe(integer, 'Open offers'),
  totalTrustLines: integer,
};

/** `exch`, `H24` and `global`, as every market answer carries them. */
export const marketSummary = {
  exch: describe(
    object({ 'USD?': number, 'EUR?': number, 'JPY?': number, 'CNY?': number }),
    'XRP per 1 unit of fiat; absent: no rate is known',
  ),
  H24: describe(
    object({
      _id: string,
      transactions24H: integer,
      tradedXRP24H: describe(number, 'Volume, XRP'),
      tradedTokens24H: describe(integer, 'Tokens that were traded'),
      activeAddresses24H: integer,
      uniqueTraders24H: integer,
      globalBuy24hxrp: describe(number, 'XRP paid for tokens'),
      globalSell24hxrp: describe(number, 'XRP got for tokens'),
      ...ledgerCounts,
      totalTVL: describe(number, 'Locked in pools, XRP'),
      lastUpdated: describe(string, 'Close time of the newest ledger, ISO 8601'),
      updateStatus: string,
      'xrpPro24h?': describe(number, 'Change of the price of XRP in USD, percent; absent: no rate is known'),
    }),
    'Figures of the last 24 hours',
  ),
  global: describe(
    object({
      _id: string,
      total: describe(integer, 'Tokens that are listed'),
      gMarketcap: number,
      'gMarketcapPro?': number,
      gDexVolume: number,
      'gDexVolumePro?': number,
      gStableVolume: number,
      'gStableVolumePro?': number,
      gMemeVolume: number,
      'gMemeVolumePro?': number,
      gTVL: describe(number, 'Locked in pools'),
      'gTVLPro?': number,
      'gXRPdominance?': describe(number, 'XRP in the market cap of XRP and all tokens, percent'),
      'gXRPdominancePro?': number,
      'sentimentScore?': describe(number, '0 to 100'),
      'avgRSI?': describe(number, '0 to 100'),
      ...ledgerCounts,
    }),
    'Market-wide figures, XRP, volumes of 24 hours (of stablecoins and memes: of the running hour and the 23 before); ...Pro: percent against the hour that was 24 hours ago (of stablecoins and memes: of the last 24 whole hours against the 24 before), absent until it is known',
  ),
};
