/** A transaction's three forms from any one of them. */
import { hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { decodeTransaction, encodeTransaction } from '../protocol/encode.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';
import type { ParsedTransaction } from './environment.ts';

/** From the bytes that were signed. @throws FieldError when they are no transaction. */
export function transactionOfBlob(blob: Uint8Array): ParsedTransaction {
  return { fields: decodeTransaction(blob), blob, hash: hexOf(transactionHash(blob)) };
}

/** From its fields, those of a batch's inner transaction among them. */
export function transactionOfFields(fields: Readonly<Fields | TransactionFields>): ParsedTransaction {
  const blob = encodeTransaction(fields as TransactionFields);
  return { fields: fields as TransactionFields, blob, hash: hexOf(transactionHash(blob)) };
}
