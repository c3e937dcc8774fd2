/** Creates a transaction's three forms from any one of them. */
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { decodeTransaction, encodeTransaction } from '../protocol/encode.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import type { ParsedTransaction } from './environment.ts';

/** From the signed bytes. @throws FieldError when they are not a transaction. */
export function transactionOfBlob(blob: Uint8Array): ParsedTransaction {
  return { fields: decodeTransaction(blob), blob, hash: hexOf(transactionHash(blob)) };
}

/** From its fields; also for the inner transactions of a batch. */
export function transactionOfFields(fields: Readonly<Fields | TransactionFields>): ParsedTransaction {
  const blob = encodeTransaction(fields as TransactionFields);
  return { fields: fields as TransactionFields, blob, hash: hexOf(transactionHash(blob)) };
}
