/** `deposit_authorized`: whether one account may pay another (rippled `DepositAuthorized.cpp`). */

import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { CREDENTIALS_MAX, credentialExpired, sortedKinds } from '../../assets/credentials.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Command } from './command.ts';
import { expectedField, missingField, RpcError } from './errors.ts';
import { chooseState } from './ledger-choice.ts';
import { accountIdOf, HASH } from './params.ts';

/** @throws RpcError */
function partyParam(params: JsonObject, name: string): AccountId {
  const value = params[name];
  if (value === undefined) throw missingField(name);
  if (typeof value !== 'string') throw expectedField(name, 'a string');
  const id = accountIdOf(value);
  if (id === undefined) throw new RpcError('actMalformed');
  return id;
}

/** The keys of the given credentials. @throws RpcError */
function credentialKeys({ credentials }: JsonObject): string[] | undefined {
  if (credentials === undefined) return undefined;
  if (!Array.isArray(credentials) || credentials.length === 0)
    throw expectedField('credentials', 'is non-empty array of CredentialID(hash256)');
  if (credentials.length > CREDENTIALS_MAX) throw expectedField('credentials', 'array too long');
  return credentials.map((key) => {
    if (typeof key !== 'string' || !HASH.test(key))
      throw expectedField('credentials', 'an array of CredentialID(hash256)');
    return key.toUpperCase();
  });
}

/** What is wrong with a credential of `holder`. */
function fault(
  view: ReadView,
  credential: Readonly<Entry> | undefined,
  holder: AccountId,
): string | undefined {
  if (credential?.LedgerEntryType !== 'Credential') return "credentials don't exist";
  if (!hasAny(credential.Flags, Lsf.lsfAccepted)) return "credentials aren't accepted";
  if (credentialExpired(credential, view.header.parentCloseTime)) return 'credentials are expired';
  return credential.Subject === holder ? undefined : "credentials doesn't belong to the root account";
}

/** The kinds of the given credentials, in order. @throws RpcError badCredentials */
function kindsShown(
  view: ReadView,
  keys: readonly string[],
  holder: AccountId,
  members: JsonObject,
): keylets.CredentialKind[] {
  const kinds: keylets.CredentialKind[] = [];
  for (const key of keys) {
    const credential = view.read(key);
    const wrong = fault(view, credential, holder);
    if (wrong !== undefined) throw new RpcError('badCredentials', wrong, members);
    kinds.push({ issuer: credential!.Issuer!, type: credential!.CredentialType! });
  }
  const sorted = sortedKinds(kinds);
  if (sorted === undefined) throw new RpcError('badCredentials', 'duplicates in credentials', members);
  return sorted;
}

export const depositAuthorized: Command = {
  name: 'deposit_authorized',
  run(params, { network }) {
    const source = partyParam(params, 'source_account');
    const destination = partyParam(params, 'destination_account');
    const { view, members } = chooseState(network, params);
    if (view.read(keylets.account(source)) === undefined)
      throw new RpcError('srcActNotFound', undefined, members);
    const root = view.read(keylets.account(destination));
    if (root === undefined) throw new RpcError('dstActNotFound', undefined, members);
    const keys = credentialKeys(params);
    const kinds = keys && kindsShown(view, keys, source, members);
    const guarded = hasAny(root.Flags, Lsf.lsfDepositAuth) && source !== destination;
    const has = (key: string): boolean => view.read(key) !== undefined;
    return {
      ...members,
      ...(keys === undefined ? {} : { credentials: params.credentials! }),
      deposit_authorized:
        !guarded ||
        has(keylets.depositPreauth(destination, source)) ||
        (kinds !== undefined && has(keylets.depositPreauthCredentials(destination, kinds))),
      destination_account: params.destination_account!,
      source_account: params.source_account!,
    };
  },
};
