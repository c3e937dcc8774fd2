/** What the rows of section 4.3 share: parameters, parts of answers, and how an account is found. */
import type { Engine } from '../../engine/engine.ts';
import { badRequest, notFound } from '../../requests/errors.ts';
import type { Param } from '../../requests/param.ts';
import { assetFault } from '../../views/identity.ts';
import type { Views } from '../../views/views.ts';
import { boolean, describe, integer, number, object, orNull, string } from '../schema.ts';
import { addressOf } from './trader-schemas.ts';

export const shared = { method: 'GET', section: '4.3', auth: 'none', tier: 'anonymous' } as const;
export const ofAccount = { ...shared, cost: 2, bucket: '/account' } as const;

/** r-addresses in the body. */
export const addresses = <const M extends number>(maxItems: M) =>
  ({ in: 'body', kind: 'list', maxItems, required: true, about: 'r-addresses' }) as const satisfies Param;

/** An account that exists. @throws ApiError 400 for what is no address, 404 */
export function existing(text: string, { accounts: { balances } }: Views): { id: number; address: string } {
  const address = addressOf(text);
  const id = balances.find(address);
  if (id === undefined)
    throw notFound('Account not found', 'It is not activated, or none of the ledgers read shows it');
  return { id, address };
}

/** Id of an account that ledgers have named, exists or not; 0: none has. */
export function namedId(text: string, { state }: Pick<Engine, 'state'>): number {
  return state.accounts.findText(addressOf(text)) ?? 0;
}

/** Refuses what can be no asset. @throws ApiError 400 */
export function checkAsset(currency: string, issuer: string): void {
  const fault = assetFault(currency, issuer);
  if (fault) throw badRequest(fault.message, fault.hint);
}

export const balanceMembers = {
  account: string,
  balance: describe(number, 'XRP that can be spent: what is above the reserve'),
  total: describe(number, 'XRP'),
  balanceDrops: string,
  spendableDrops: string,
  ownerCount: integer,
  sequence: integer,
  flags: integer,
  reserve: describe(number, 'XRP'),
  reserveDrops: string,
};

export const originMembers = {
  inception: describe(orNull(integer), 'Unix ms of its activation; null: before the first ledger read'),
  parent: describe(orNull(string), 'Who activated it'),
};

export const amountMembers = { issuer: string, currency: string, name: string, value: string };
export const amountSchema = object(amountMembers);

export const pairSide = object({
  currency: string,
  issuer: string,
  value: string,
  hasTrustline: boolean,
});

/** A token of an issuer, as views/accounts/accounts.ts writes it. */
export const issuedToken = object({
  md5: string,
  name: string,
  currency: string,
  'user?': describe(string, 'Display name of the issuer'),
  supply: string,
  holders: integer,
  'usd?': describe(number, 'Price in USD; absent: not known'),
  'marketcap?': describe(number, 'XRP; absent: not known'),
});

/** An open offer, as views/accounts/offers.ts writes it. */
export const offerRow = object({
  _id: string,
  account: string,
  seq: integer,
  flags: integer,
  gets: describe(amountSchema, 'What its owner gives'),
  pays: describe(amountSchema, 'What its owner wants'),
  pair: string,
  'expire?': describe(integer, 'Unix ms'),
  funded: describe(boolean, 'Its owner has some of what it gives, and it has not expired'),
  distPct: describe(orNull(number), 'What it wants against what it gives at prices of now, percent'),
});
