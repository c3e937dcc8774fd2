/**
 * Signing for admins: `sign`, `sign_for`, `channel_authorize` and `wallet_propose` (rippled
 * `TransactionSign.cpp`, `ChannelAuthorize.cpp`, `WalletPropose.cpp`). Left out: `build_path`, and a new wallet's
 * words of RFC 1751.
 */
import { decodeSeed, encodeAccountPublic } from 'xrpl';
import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { isJsonObject, type JsonObject } from '../../../engine/codec/values.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import { baseFee } from '../../apply/fees.ts';
import { isNamed } from '../../apply/preflight.ts';
import { transactionOfFields } from '../../apply/transaction.ts';
import type { Entry, Fields, TransactionFields } from '../../protocol/fields.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import {
  claimBytes,
  type KeyPair,
  keyPair,
  multiSigningBytes,
  sign as signBytes,
  signingBytes,
} from '../../protocol/keys.ts';
import { RULES } from '../../transactions/index.ts';
import type { Network } from '../network.ts';
import type { Command, CommandContext } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { accountIdOf, accountParam, booleanParam } from './params.ts';
import { keyTypeParam, proposedSecret, secretParam } from './secrets.ts';
import { transactionJson } from './transaction-json.ts';
import { jsonFields, jsonParam } from './transaction-param.ts';

const UINT64 = /^\d{1,20}$/;

/**
 * `tx_json` with its missing fields filled in from the open ledger. Also used by `simulate`.
 * @param called the name of the transaction in errors, which differs in `simulate`
 * @throws RpcError
 */
export function filled(
  json: JsonObject,
  network: Network,
  { offline = false, called = 'tx_json' }: { offline?: boolean; called?: string } = {},
): JsonObject {
  const { view } = network.open;
  if (json.TransactionType === undefined) throw missingField(`${called}.TransactionType`);
  if (json.Account === undefined) throw missingField(`${called}.Account`);
  const account = accountIdOf(json.Account);
  if (account === undefined) throw new RpcError('srcActMalformed', `Invalid field '${called}.Account'.`);
  const out: JsonObject = { SigningPubKey: '', ...json };
  if (out.Sequence === undefined && out.TicketSequence !== undefined) out.Sequence = 0;
  if (out.Sequence === undefined) {
    if (offline) throw missingField(`${called}.Sequence`);
    if (view.read(keylets.account(account)) === undefined) throw new RpcError('srcActNotFound');
    out.Sequence = network.nextSequence(account);
  }
  if (out.NetworkID === undefined && isNamed(network.networkId)) out.NetworkID = network.networkId;
  if (out.Fee === undefined) {
    if (offline) throw missingField(`${called}.Fee`);
    out.Fee = String(usualFee(out, network));
  }
  return out;
}

/** The fee that the open ledger asks for this transaction, drops. */
function usualFee(json: JsonObject, network: Network): bigint {
  const fields = jsonFields({ ...json, Fee: '0' }) as TransactionFields;
  const rule = RULES.get(fields.TransactionType);
  const { view } = network.open;
  const base = rule === undefined ? view.fees.base : baseFee(view, fields, rule);
  return (base * network.openLedgerCost) / (view.fees.base > 0n ? view.fees.base : 1n);
}

/** @throws RpcError when the key may not sign for the account */
function checkKey(account: Readonly<Entry>, { account: signer }: KeyPair): void {
  if (account.RegularKey === signer) return;
  if (account.Account !== signer) throw new RpcError('badSecret');
  if (hasAny(account.Flags, Lsf.lsfDisableMaster)) throw new RpcError('masterDisabled');
}

/** `tx_json` of a request, signed with its secret. @throws RpcError */
export function signedTransaction(params: JsonObject, { network }: CommandContext): ParsedTransaction {
  const { tx_json: json } = params;
  if (json === undefined) throw missingField('tx_json');
  if (!isJsonObject(json)) throw new RpcError('invalidParams', "Invalid field 'tx_json', not object.");
  if (params.build_path !== undefined) throw new RpcError('notImpl');
  const key = secretParam(params);
  const offline = booleanParam(params, 'offline');
  const { fields } = jsonParam(filled({ ...json, SigningPubKey: key.publicKey }, network, { offline }));
  if (!offline) {
    const account = network.open.view.read(keylets.account(fields.Account));
    if (account === undefined) throw new RpcError('srcActNotFound');
    checkKey(account, key);
  }
  if (fields.Signers !== undefined) throw new RpcError('alreadyMultisig');
  return transactionOfFields({ ...fields, TxnSignature: signBytes(signingBytes(fields), key) });
}

/** A transaction that was signed here or part by part, in the shape of the version (`transactionFormatResultImpl`). */
export function signedJson(
  { fields, blob, hash }: ParsedTransaction,
  { apiVersion }: CommandContext,
): JsonObject {
  const json = transactionJson(fields, apiVersion);
  const tx_blob = hexOf(blob);
  return apiVersion === 1 ? { tx_blob, tx_json: { ...json, hash } } : { hash, tx_blob, tx_json: json };
}

export const sign: Command = {
  name: 'sign',
  admin: true,
  run: (params, context) => signedJson(signedTransaction(params, context), context),
};

/** Adds one signature to a multi-signed transaction. */
export const signFor: Command = {
  name: 'sign_for',
  admin: true,
  run(params, context) {
    const { tx_json: json } = params;
    const member = accountParam(params, 'account', 'srcActMalformed');
    if (json === undefined) throw missingField('tx_json');
    if (!isJsonObject(json)) throw new RpcError('invalidParams', "Invalid field 'tx_json', not object.");
    for (const name of ['Sequence', 'Fee'])
      if (json[name] === undefined) throw missingField(`tx_json.${name}`);
    if (json.SigningPubKey !== undefined && json.SigningPubKey !== '')
      throw new RpcError('invalidParams', "When multi-signing 'tx_json.SigningPubKey' must be empty.");
    const key = secretParam(params);
    const root = context.network.open.view.read(keylets.account(member));
    if (root !== undefined) checkKey(root, key);
    else if (key.account !== member) throw new RpcError('badSecret');
    const { hash: _hash, ...rest } = json;
    const { fields } = jsonParam(filled({ ...rest, SigningPubKey: '' }, context.network));
    if (fields.TxnSignature !== undefined) throw new RpcError('alreadySingleSig');
    const Signer = {
      Account: member,
      SigningPubKey: key.publicKey,
      TxnSignature: signBytes(multiSigningBytes(fields, member), key),
    };
    const others = (fields.Signers ?? []).filter((each) => each.Signer?.Account !== member);
    const Signers = ([...others, { Signer }] as Fields[]).sort((a, b) =>
      (a.Signer?.Account ?? '') < (b.Signer?.Account ?? '') ? -1 : 1,
    );
    return signedJson(transactionOfFields({ ...fields, Signers }), context);
  },
};

/** Signs a claim of a payment channel. */
export const channelAuthorize: Command = {
  name: 'channel_authorize',
  admin: true,
  run(params) {
    const { channel_id: channel, amount } = params;
    if (channel === undefined) throw missingField('channel_id');
    if (amount === undefined) throw missingField('amount');
    const key = secretParam(params);
    if (typeof channel !== 'string' || !/^[0-9A-Fa-f]{64}$/.test(channel))
      throw new RpcError('channelMalformed');
    if (typeof amount !== 'string' || !UINT64.test(amount) || BigInt(amount) >= 1n << 64n)
      throw new RpcError('channelAmtMalformed');
    return { signature: signBytes(claimBytes(channel.toUpperCase(), BigInt(amount)), key) };
  },
};

/** Key pair and address of a secret, or of a new one. */
export const walletPropose: Command = {
  name: 'wallet_propose',
  admin: true,
  run(params, { node }) {
    const key = proposedSecret(params) ?? keyPair(node.entropy(), keyTypeParam(params) ?? 'secp256k1');
    return {
      account_id: addressOf(key.account),
      key_type: key.type,
      master_seed: key.seed,
      master_seed_hex: hexOf(Uint8Array.from(decodeSeed(key.seed).bytes)),
      public_key: encodeAccountPublic(bytesOf(key.publicKey)),
      public_key_hex: key.publicKey,
    };
  },
};
