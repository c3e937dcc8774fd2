/** Parameters that many rows use. */

import { patterns } from '../requests/identifiers.ts';
import type { Param } from '../requests/param.ts';

/** Rows to skip. `start`, `skip` and `page` (0-based, times `limit`) are read too. */
export const offset = {
  in: 'query',
  kind: 'int',
  default: 0,
  min: 0,
  about: 'Rows to skip',
} as const satisfies Param;

/** `offset` of rows whose answers say their page, the first of which is 1: `page` is read as they say it. */
export const offsetOfPages = { ...offset, firstPage: 1 } as const satisfies Param;

export const limit = <const D extends number>(byDefault: D, max: number) =>
  ({ in: 'query', kind: 'int', default: byDefault, min: 1, max, about: 'Most rows to answer' }) as const;

export const order = {
  in: 'query',
  kind: 'enum',
  values: ['asc', 'desc'],
  default: 'desc',
  about: 'Direction of the sort',
} as const satisfies Param;

/** A boolean that is false unless sent. */
export const flag = (about: string) => ({ in: 'query', kind: 'bool', default: false, about }) as const;

export const tokenId = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  pattern: patterns.token,
  about:
    'Token: md5, <issuer>-<currency>, <issuer>_<currency>, mpt-<48 hex>, or XRP (section 2.1 of the contract)',
} as const satisfies Param;

export const account = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  pattern: patterns.account,
  about: 'r-address of an account',
} as const satisfies Param;

/** A token id in the query. */
export const tokenParam = <const A extends string>(about: A) =>
  ({ in: 'query', kind: 'text', maxLength: 128, pattern: patterns.token, about }) as const;

/** An r-address in the query. */
export const addressParam = <const A extends string>(about: A) =>
  ({ in: 'query', kind: 'text', maxLength: 64, pattern: patterns.account, about }) as const;
