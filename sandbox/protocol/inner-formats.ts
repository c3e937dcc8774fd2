/**
 * The fields that objects within a transaction's arrays must and may have: rippled's `InnerObjectFormats`, which
 * ripple-binary-codec does not ship. Memos and a batch's inner transactions have no format of their own here: memos may
 * contain anything at this stage, and inner transactions are transactions.
 */
import type { Fields } from './fields.ts';

interface InnerFormat {
  readonly required: readonly string[];
  readonly optional?: readonly string[];
  /** Absent means zero, and zero must be expressed by absence. */
  readonly zeroByAbsence?: readonly string[];
}

const CREDENTIAL: InnerFormat = { required: ['Issuer', 'CredentialType'] };

/** By array: the one kind of object in it, and that object's format. */
const ELEMENTS: Readonly<Record<string, { readonly name: string; readonly format?: InnerFormat }>> = {
  Memos: { name: 'Memo' },
  RawTransactions: { name: 'RawTransaction' },
  Signers: { name: 'Signer', format: { required: ['Account', 'SigningPubKey', 'TxnSignature'] } },
  SignerEntries: {
    name: 'SignerEntry',
    format: { required: ['Account', 'SignerWeight'], optional: ['WalletLocator'] },
  },
  BatchSigners: {
    name: 'BatchSigner',
    format: { required: ['Account'], optional: ['SigningPubKey', 'TxnSignature', 'Signers'] },
  },
  AuthAccounts: { name: 'AuthAccount', format: { required: ['Account'] } },
  PriceDataSeries: {
    name: 'PriceData',
    format: { required: ['BaseAsset', 'QuoteAsset'], optional: ['AssetPrice'], zeroByAbsence: ['Scale'] },
  },
  AcceptedCredentials: { name: 'Credential', format: CREDENTIAL },
  AuthorizeCredentials: { name: 'Credential', format: CREDENTIAL },
  UnauthorizeCredentials: { name: 'Credential', format: CREDENTIAL },
  Permissions: { name: 'Permission', format: { required: ['PermissionValue'] } },
};

/** What is wrong with a field of an inner object. */
export interface InnerProblem {
  readonly kind: 'missing' | 'unknown' | 'default';
  readonly field: string;
}

type Held = Readonly<Record<string, unknown>>;

function problemOf(object: Held, format: InnerFormat): InnerProblem | undefined {
  for (const field of format.required) if (object[field] === undefined) return { kind: 'missing', field };
  for (const field in object) {
    const value = object[field];
    if (value === undefined || format.required.includes(field) || format.optional?.includes(field)) continue;
    if (!format.zeroByAbsence?.includes(field)) return { kind: 'unknown', field };
    if (value === 0) return { kind: 'default', field };
  }
  return undefined;
}

/** The first problem in the arrays of a transaction, and in the objects in them; undefined when there is none. */
export function checkInnerFormats(fields: Held): InnerProblem | undefined {
  for (const array in fields) {
    const elements = fields[array];
    const element = ELEMENTS[array];
    if (element === undefined || !Array.isArray(elements)) continue;
    for (const wrapped of elements as readonly Fields[]) {
      const object = (wrapped as Held)[element.name] as Held | undefined;
      if (object === undefined) return { kind: 'missing', field: element.name };
      const problem = (element.format && problemOf(object, element.format)) ?? checkInnerFormats(object);
      if (problem && element.name !== 'RawTransaction') return problem;
    }
  }
  return undefined;
}
