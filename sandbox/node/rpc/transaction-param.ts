/** Transactions as parameters of commands: `tx_blob` and `tx_json`. */
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { Json } from '../../../engine/codec/json.ts';
import type { ParsedTransaction } from '../../apply/environment.ts';
import { transactionOfBlob, transactionOfFields } from '../../apply/transaction.ts';
import { fromJson } from '../../protocol/encode.ts';
import type { Fields } from '../../protocol/fields.ts';
import { RpcError } from './errors.ts';
import { evenHex } from './params.ts';

/** rippled's `txMaxSizeBytes`. */
const TRANSACTION_BYTES_MAX = 1 << 20;

/** The bytes of a hex parameter. @throws RpcError invalidParams */
export function blobBytes(value: Json | undefined): Uint8Array {
  if (typeof value !== 'string' || !/^[0-9A-Fa-f]+$/.test(value)) throw new RpcError('invalidParams');
  if (value.length > 2 * TRANSACTION_BYTES_MAX) throw new RpcError('invalidParams');
  return bytesOf(evenHex(value));
}

const malformed = (fault: unknown): RpcError =>
  new RpcError('invalidTransaction', '', {
    error_exception: fault instanceof Error ? fault.message : 'malformed',
  });

/** @throws RpcError invalidParams when it is not hex, invalidTransaction when it is not a transaction */
export function blobParam(value: Json | undefined): ParsedTransaction {
  const bytes = blobBytes(value);
  try {
    return wellFormed(transactionOfBlob(bytes));
  } catch (fault) {
    throw malformed(fault);
  }
}

/** Fields from JSON. @throws RpcError invalidParams that names the field */
export function jsonFields(value: Json): Fields {
  try {
    return fromJson(value);
  } catch (fault) {
    throw new RpcError('invalidParams', `tx_json: ${fault instanceof Error ? fault.message : 'malformed'}`);
  }
}

/** @throws RpcError invalidParams when a field is malformed, invalidTransaction when together they are no transaction */
export function jsonParam(value: Json): ParsedTransaction {
  const fields = jsonFields(value);
  try {
    return wellFormed(transactionOfFields(fields));
  } catch (fault) {
    throw malformed(fault);
  }
}

/** Every transaction has these fields, whatever its type (rippled `TxFormats`: common fields). */
function wellFormed(transaction: ParsedTransaction): ParsedTransaction {
  const { fields } = transaction as { fields: Readonly<Fields> };
  for (const name of ['TransactionType', 'Account', 'Fee', 'Sequence', 'SigningPubKey'] as const)
    if (fields[name] === undefined) throw new Error(`Field '${name}' is required but missing.`);
  return transaction;
}
