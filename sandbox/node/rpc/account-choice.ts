/** The account that a command reads, in the ledger it chooses; and entries as JSON. */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { toJson } from '../../protocol/encode.ts';
import type { Entry } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Network } from '../network.ts';
import { invalidField, missingField, RpcError, type RpcToken } from './errors.ts';
import { type ChosenState, chooseState } from './ledger-choice.ts';
import { accountIdOf } from './params.ts';

export interface ChosenAccount extends ChosenState {
  readonly id: AccountId;
  readonly address: string;
  /** The AccountRoot. */
  readonly root: Readonly<Entry>;
}

export interface AccountChoice {
  /** The account may also be given as `ident`, as in old clients. */
  readonly ident?: boolean;
  /** Errors contain the ledger and the account of the request. */
  readonly describesRequest?: boolean;
}

/**
 * The account and the state it is read from.
 * @throws RpcError invalidParams, actMalformed, actNotFound, or that of the choice of the ledger
 */
export function chooseAccount(
  params: JsonObject,
  network: Network,
  { ident = false, describesRequest = false }: AccountChoice = {},
): ChosenAccount {
  const name = ident && params.account === undefined && params.ident !== undefined ? 'ident' : 'account';
  const text = params[name];
  if (text === undefined) throw missingField('account');
  if (typeof text !== 'string') throw invalidField(name);
  const chosen = chooseState(network, params);
  const id = accountIdOf(text);
  if (id === undefined) throw new RpcError('actMalformed', undefined, chosen.members);
  const root = chosen.view.read(keylets.account(id));
  const address = addressOf(id);
  if (root === undefined)
    throw new RpcError(
      'actNotFound',
      undefined,
      describesRequest ? { ...chosen.members, account: address } : {},
    );
  return { ...chosen, id, address, root };
}

/**
 * An optional account that filters the answer; an empty text or null counts as absent, as in rippled.
 * @throws RpcError
 */
export function otherAccountParam(
  params: JsonObject,
  name: string,
  malformed: RpcToken = 'actMalformed',
): AccountId | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === '') return undefined;
  const id = accountIdOf(value);
  if (id === undefined) throw new RpcError(malformed);
  return id;
}

/** An entry as commands show it: with its index, an issuance with its id (rippled `STLedgerEntry::getJson`). */
export function entryJson(entry: Readonly<Entry>): JsonObject {
  const json: JsonObject = { ...toJson(entry, 'node'), index: entry.index };
  if (entry.LedgerEntryType === 'MPTokenIssuance')
    json.mpt_issuance_id = keylets.mptId(entry.Sequence!, entry.Issuer!);
  return json;
}

/** A boolean as rippled's JSON library converts it where the type is not checked: any non-empty value is true. */
export function looseBoolean(params: JsonObject, name: string): boolean {
  const value = params[name];
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}
