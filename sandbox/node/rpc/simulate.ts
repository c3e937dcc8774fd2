/** `simulate`: what a transaction would do in the open ledger, without signatures (rippled `Simulate.cpp`). */
import { hexOf } from '../../../engine/codec/bytes.ts';
import { isJsonObject, type JsonObject } from '../../../engine/codec/values.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import { decodeFields, encodeFields, toJson } from '../../protocol/encode.ts';
import type { Command, CommandContext } from './command.ts';
import { expectedField, invalidField, RpcError } from './errors.ts';
import { SECRETS } from './secrets.ts';
import { filled } from './signing.ts';
import { metadataJson, resultMembers } from './transaction-json.ts';
import { blobBytes, jsonParam } from './transaction-param.ts';

/** The transaction of the request, as JSON. @throws RpcError */
function asked(params: JsonObject): JsonObject {
  const { tx_blob: blob, tx_json: json } = params;
  for (const name of SECRETS) if (params[name] !== undefined) throw invalidField(name);
  if (blob !== undefined && json !== undefined)
    throw new RpcError('invalidParams', 'Can only include one of `tx_blob` and `tx_json`.');
  if (json !== undefined) {
    if (!isJsonObject(json)) throw expectedField('tx_json', 'object');
    return json;
  }
  if (blob === undefined) throw new RpcError('invalidParams', 'Neither `tx_blob` nor `tx_json` included.');
  try {
    return toJson(decodeFields(blobBytes(blob)), 'node');
  } catch {
    throw invalidField('tx_blob');
  }
}

/** @throws RpcError when there are signatures: a simulated transaction has none */
function checkUnsigned(json: JsonObject): void {
  const signers = json.Signers ?? [];
  if (!Array.isArray(signers)) throw invalidField('tx.Signers');
  for (const [i, each] of signers.entries()) {
    const signer = isJsonObject(each) ? each.Signer : undefined;
    if (!isJsonObject(signer)) throw invalidField(`tx.Signers[${i}]`);
    signer.SigningPubKey ??= '';
    signer.TxnSignature ??= '';
    if (signer.TxnSignature !== '') throw new RpcError('transactionSigned');
  }
  if (json.TxnSignature !== undefined && json.TxnSignature !== '') throw new RpcError('transactionSigned');
}

const WOULD_SUCCEED = 'The simulated transaction would have been applied.';

function simulationJson(
  transaction: ParsedTransaction,
  binary: boolean,
  { network }: CommandContext,
): JsonObject {
  const { result, applied, metadata } = network.simulate(transaction);
  const { fields, blob, hash } = transaction;
  return {
    applied,
    ...resultMembers(result),
    ...(result === 'tesSUCCESS' && { engine_result_message: WOULD_SUCCEED }),
    ledger_index: network.open.index,
    ...(binary
      ? { tx_blob: hexOf(blob), ...(metadata ? { meta_blob: hexOf(encodeFields(metadata)) } : {}) }
      : {
          // Its fields unchanged, in every version: nothing was submitted, so a Payment has no `DeliverMax`.
          tx_json: { ...toJson(fields, 'node'), hash },
          ...(metadata ? { meta: metadataJson({ fields, metaFields: metadata }) } : {}),
        }),
  };
}

export const simulate: Command = {
  name: 'simulate',
  run(params, context) {
    const { binary = false } = params;
    if (typeof binary !== 'boolean') throw invalidField('binary');
    const json = structuredClone(asked(params));
    checkUnsigned(json);
    if (json.TransactionType === 'Batch') throw new RpcError('notImpl');
    return simulationJson(
      jsonParam(filled({ TxnSignature: '', ...json }, context.network, { called: 'tx' })),
      binary,
      context,
    );
  },
};
