/** Transactions and metadata as nodes write them in JSON (API version 2). Every member may be missing: types come and go. */

export interface IssuedAmount {
  readonly value: string;
  readonly currency: string;
  readonly issuer: string;
}

export interface MptAmount {
  readonly value: string;
  readonly mpt_issuance_id: string;
}

/** A text is XRP in drops. */
export type AmountJson = string | IssuedAmount | MptAmount;

/** What an amount is of: XRP has no issuer. */
export type AssetJson =
  | { readonly currency: string; readonly issuer?: string }
  | { readonly mpt_issuance_id: string };

// biome-ignore lint/suspicious/noExplicitAny: fields are of any type, and newer ones are not known here
export type Fields = Readonly<Record<string, any>>;

export interface Meta {
  readonly TransactionResult: string;
  readonly TransactionIndex: number;
  readonly AffectedNodes: readonly Fields[];
  readonly delivered_amount?: AmountJson;
  /** Of what a mint made, and of the multi-purpose token that was created. */
  readonly nftoken_id?: unknown;
  readonly mpt_issuance_id?: unknown;
}

export interface PlacedTransaction {
  readonly hash: string;
  readonly tx_json: Fields;
  readonly meta: Meta;
}

export type Action = 'created' | 'changed' | 'removed';

/** An entry of the ledger before and after. */
export interface ChangedEntry {
  readonly action: Action;
  readonly type: string;
  readonly index: string;
  /** Fields after it; of a removed entry, as they were last. */
  readonly fields: Fields;
  /** Values of before, of the fields that changed. */
  readonly previous: Fields;
}

const ACTIONS = { CreatedNode: 'created', ModifiedNode: 'changed', DeletedNode: 'removed' } as const;

/** What has not the form of an entry is none: metadata may be what a node sent. */
export function changedEntries({ AffectedNodes: nodes }: Meta): ChangedEntry[] {
  if (!Array.isArray(nodes)) return [];
  return (nodes as readonly (Fields | null)[]).flatMap((wrapped) =>
    Object.entries(ACTIONS).flatMap(([name, action]) => {
      const node = wrapped?.[name];
      if (!node) return [];
      const { LedgerEntryType: type, LedgerIndex: index } = node;
      const fields = node.FinalFields ?? node.NewFields ?? {};
      return [{ action, type, index, fields, previous: node.PreviousFields ?? {} }];
    }),
  );
}

/** What a table has under a name that came from outside: not what all objects have, as `constructor`. */
export const named = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

/** A number as ledgers and nodes write it. */
export const isDecimal = (of: unknown): of is string =>
  typeof of === 'string' && /^-?\d{1,100}(\.\d{1,100})?(e[+-]?\d{1,3})?$/i.test(of);

export function isAsset(of: unknown): of is AssetJson {
  if (typeof of !== 'object' || of === null) return false;
  const { currency, issuer = '', mpt_issuance_id: mpt } = of as Fields;
  return typeof mpt === 'string' || (typeof currency === 'string' && typeof issuer === 'string');
}

/** A text may also say that an amount is not known. */
export const isAmount = (of: unknown): of is AmountJson =>
  typeof of === 'string' || (isAsset(of) && isDecimal((of as Partial<IssuedAmount>).value));

export const isMpt = (asset: AssetJson): asset is { readonly mpt_issuance_id: string } =>
  'mpt_issuance_id' in asset;

/** Bytes before the name where the first one is 02 (XLS-15). */
const NAME_AT = 8;

/**
 * A currency as people write it: its code, or the text in its 20 bytes, where there is one; named as answers name tokens. Issuers
 * choose it: one that reads as XRP is not called so.
 */
export function currencyText(code: string): string {
  if (code === 'XRP') return code;
  const isHex = /^[0-9A-Fa-f]{40}$/.test(code);
  // The first byte of shares of a pool (XLS-30).
  if (isHex && code.startsWith('03')) return 'LP token';
  const name = isHex ? nameIn(hexBytes(code)) : code;
  if (name === '') return `${code.slice(0, 8)}…`;
  return name.toLowerCase() === 'xrp' ? 'FakeXRP' : name;
}

/** '': it has none, as one that bears interest (first byte 01). */
function nameIn(bytes: readonly number[]): string {
  if (bytes[0] === 0x01) return '';
  const text = bytes[0] === 0x02 ? bytes.slice(NAME_AT) : bytes;
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(text));
    return decoded.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu, '').trim();
  } catch {
    return '';
  }
}

export const hexBytes = (hex: string): number[] =>
  (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));

/** Bytes in hex as UTF-8; the hex digits themselves where they are no text. */
export function hexText(hex: unknown): string {
  if (typeof hex !== 'string' || !/^([0-9A-Fa-f]{2})+$/.test(hex)) return String(hex ?? '');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(hexBytes(hex)));
  } catch {
    return hex;
  }
}
