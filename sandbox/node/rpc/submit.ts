/** `submit` and `submit_multisigned`: transactions that clients have signed (rippled `Submit.cpp`, `TransactionSign.cpp`). */
import { hexOf } from '../../../engine/codec/bytes.ts';
import { isJsonObject, type JsonObject } from '../../../engine/codec/values.ts';
import { batchSignaturesProblem } from '../../apply/batch-checks.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import { localProblem } from '../../apply/local-checks.ts';
import { signatureProblem, signersProblem } from '../../apply/signatures.ts';
import { toJson } from '../../protocol/encode.ts';
import type { TransactionFields } from '../../protocol/fields.ts';
import { checkFormat, formatProblemText } from '../../protocol/formats.ts';
import * as keylets from '../../protocol/keylets.ts';
import { multiSigningBytes } from '../../protocol/keys.ts';
import type { Command, CommandContext } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { signedJson, signedTransaction } from './signing.ts';
import { resultMembers } from './transaction-json.ts';
import { blobParam, jsonParam } from './transaction-param.ts';

/** Submits a transaction to the network. @throws RpcError when it fails checks before the rules apply */
function submitted(transaction: ParsedTransaction, params: JsonObject, network: CommandContext['network']) {
  const became = network.submit(transaction, { failHard: params.fail_hard === true });
  if (became.result === 'temINVALID' || became.result === 'temMALFORMED')
    refuseMalformed(transaction, network);
  return became;
}

/** For a blob rippled shows more than for others, and its fields unchanged, in every version (`doSubmit`). */
function submittedBlob(params: JsonObject, { network }: CommandContext): JsonObject {
  const transaction = blobParam(params.tx_blob);
  const became = submitted(transaction, params, network);
  return {
    accepted: became.accepted,
    account_sequence_available: became.accountSequenceAvailable,
    account_sequence_next: became.accountSequenceNext,
    applied: became.applied,
    broadcast: became.broadcast,
    ...resultMembers(became.result),
    kept: became.kept,
    open_ledger_cost: String(became.openLedgerCost),
    queued: became.queued,
    tx_blob: hexOf(transaction.blob),
    tx_json: { ...toJson(transaction.fields, 'node'), hash: transaction.hash },
    validated_ledger_index: became.validatedLedgerIndex,
  };
}

function submittedHere(
  transaction: ParsedTransaction,
  params: JsonObject,
  context: CommandContext,
): JsonObject {
  const { result } = submitted(transaction, params, context.network);
  return { ...resultMembers(result), ...signedJson(transaction, context) };
}

/** What fails before the rules apply is not a result but an error. @throws RpcError */
function refuseMalformed(
  { fields }: ParsedTransaction,
  { verify, validated }: CommandContext['network'],
): void {
  const format = checkFormat(fields, 'transaction');
  if (format !== undefined)
    throw new RpcError('invalidTransaction', '', { error_exception: formatProblemText(format) });
  const problem =
    signatureProblem(fields, verify) ??
    batchSignaturesProblem(fields, verify) ??
    localProblem(fields, validated.rules);
  if (problem !== undefined)
    throw new RpcError('invalidTransaction', '', { error_exception: `fails local checks: ${problem}` });
}

export const submit: Command = {
  name: 'submit',
  run(params, context) {
    if (params.tx_blob !== undefined) return submittedBlob(params, context);
    // Signing on behalf of others is for admins only.
    if (!context.admin) throw new RpcError('notSupported', 'Signing is not supported by this server.');
    return {
      ...submittedHere(signedTransaction(params, context), params, context),
      deprecated:
        "Signing support in the 'submit' command has been deprecated and will be removed in a future version " +
        'of the server. Please migrate to a standalone signing tool.',
    };
  },
};

/** The checks of a multi-signed transaction. @throws RpcError */
function multisigned({ tx_json: json }: JsonObject, { network }: CommandContext): ParsedTransaction {
  if (json === undefined) throw missingField('tx_json');
  if (!isJsonObject(json)) throw new RpcError('invalidParams', "Invalid field 'tx_json', not object.");
  for (const name of ['TransactionType', 'Account', 'Sequence', 'Fee', 'SigningPubKey'])
    if (json[name] === undefined) throw missingField(`tx_json.${name}`);
  const { hash: _hash, ...rest } = json;
  const transaction = jsonParam(rest);
  const fields: TransactionFields = transaction.fields;
  if (network.open.view.read(keylets.account(fields.Account)) === undefined)
    throw new RpcError('srcActNotFound');
  if (fields.SigningPubKey !== '')
    throw new RpcError('invalidParams', "When multi-signing 'tx_json.SigningPubKey' must be empty.");
  if (fields.TxnSignature !== undefined) throw new RpcError('signingMalformed');
  if (!fields.Fee.isNative || fields.Fee.drops <= 0n)
    throw new RpcError(
      'invalidParams',
      `Invalid Fee field. Fees must be ${fields.Fee.isNative ? 'greater than zero' : 'specified in XRP'}.`,
    );
  if (fields.Signers === undefined) throw missingField('tx_json.Signers');
  if (fields.Signers.length === 0)
    throw new RpcError('invalidParams', 'tx_json.Signers array may not be empty.');
  const problem = signersProblem(
    fields,
    fields.Account,
    (who) => multiSigningBytes(fields, who),
    network.verify,
  );
  if (problem !== undefined)
    throw new RpcError('invalidTransaction', '', { error_exception: `fails local checks: ${problem}` });
  return transaction;
}

export const submitMultisigned: Command = {
  name: 'submit_multisigned',
  run: (params, context) => submittedHere(multisigned(params, context), params, context),
};
