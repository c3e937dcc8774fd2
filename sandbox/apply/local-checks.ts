/**
 * Checks that a node makes before the rules of the type: form of memos, no pseudo-transactions, MPT amounts only where
 * the type allows them. Texts are those of rippled `STTx.cpp` (`passesLocalChecks`).
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { isMpt } from '../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../protocol/amendments.ts';
import { encodeFields } from '../protocol/encode.ts';
import type { Fields, TransactionFields } from '../protocol/fields.ts';

/** Serialised bytes of all memos together. */
const MEMOS_BYTES_MAX = 1024;
/** Characters of RFC 3986, which memo types and formats may contain. */
const URL_TEXT = /^[0-9A-Za-z\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const PSEUDO: ReadonlySet<string> = new Set(['EnableAmendment', 'SetFee', 'UNLModify']);

/** Amount and asset fields that may hold an MPT issuance, by type. */
const MPT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Payment: ['Amount', 'SendMax', 'DeliverMin'],
  Clawback: ['Amount'],
  EscrowCreate: ['Amount'],
  VaultCreate: ['Asset'],
  VaultDeposit: ['Amount'],
  VaultWithdraw: ['Amount'],
  VaultClawback: ['Amount'],
};

const text = (hex: string): string => {
  let out = '';
  for (let at = 0; at < hex.length; at += 2)
    out += String.fromCharCode(Number.parseInt(hex.slice(at, at + 2), 16));
  return out;
};

function memoProblem(memos: readonly Fields[]): string | undefined {
  if (encodeFields({ Memos: memos }).length > MEMOS_BYTES_MAX) {
    return 'The memo exceeds the maximum allowed size.';
  }
  for (const element of memos) {
    if (element.Memo === undefined) return 'A memo array may contain only Memo objects.';
    for (const [name, value] of Object.entries(element.Memo)) {
      if (name !== 'MemoType' && name !== 'MemoData' && name !== 'MemoFormat') {
        return 'A memo may contain only MemoType, MemoData or MemoFormat fields.';
      }
      if (name !== 'MemoData' && !URL_TEXT.test(text(value as string))) {
        return 'The MemoType and MemoFormat fields may only contain characters that are allowed in URLs under RFC 3986.';
      }
    }
  }
  return undefined;
}

function hasForeignMpt(tx: Readonly<TransactionFields>): boolean {
  const allowed = MPT_FIELDS[tx.TransactionType] ?? [];
  return Object.entries(tx).some(([name, value]) => {
    const ofMpt =
      value instanceof Amount
        ? value.isMpt
        : (name === 'Asset' || name === 'Asset2') && isMpt(value as string);
    return ofMpt && !allowed.includes(name);
  });
}

/** Why a node rejects the transaction before its rules, in rippled's words; undefined when it does not. */
export function localProblem(tx: Readonly<TransactionFields>, rules: Rules): string | undefined {
  if (tx.Memos !== undefined) {
    const problem = memoProblem(tx.Memos);
    if (problem !== undefined) return problem;
  }
  if (PSEUDO.has(tx.TransactionType)) return 'Cannot submit pseudo transactions.';
  if (!rules.enabled('MPTokensV2') && hasForeignMpt(tx)) return 'Amount can not be MPT.';
  return undefined;
}
