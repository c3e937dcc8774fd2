/**
 * The fields that a transaction or a ledger entry must, may and must not have: the formats that ripple-binary-codec
 * ships, which are rippled's `TxFormats` and `LedgerFormats` (`SOTemplate`).
 */
import { SHIPPED } from '../../engine/codec/definitions.ts';
import type { Fields } from './fields.ts';
import { checkInnerFormats } from './inner-formats.ts';

/** Whether a field is required in its object; values as rippled's `SOEStyle`. */
const REQUIRED = 0;

interface FieldRule {
  readonly name: string;
  readonly optionality: number;
}

interface Format {
  readonly required: readonly string[];
  readonly known: ReadonlySet<string>;
}

type RawFormats = Readonly<Record<string, readonly FieldRule[]>>;

const RAW = SHIPPED.raw as unknown as {
  readonly TRANSACTION_FORMATS: RawFormats;
  readonly LEDGER_ENTRY_FORMATS: RawFormats;
};

function formatsOf(raw: RawFormats): ReadonlyMap<string, Format> {
  const common = raw.common ?? [];
  return new Map(
    Object.entries(raw)
      .filter(([name]) => name !== 'common')
      .map(([name, own]) => {
        const rules = [...common, ...own];
        return [
          name,
          {
            required: rules.filter(({ optionality }) => optionality === REQUIRED).map((rule) => rule.name),
            known: new Set(rules.map((rule) => rule.name)),
          },
        ];
      }),
  );
}

const FORMATS = {
  transaction: formatsOf(RAW.TRANSACTION_FORMATS),
  entry: formatsOf(RAW.LEDGER_ENTRY_FORMATS),
} as const;

/** What is wrong with an object's fields. */
export type FormatProblem =
  | { readonly kind: 'type'; readonly type: string | undefined }
  | { readonly kind: 'missing' | 'unknown' | 'default'; readonly field: string };

/**
 * The first violation of the fields' format by their type, including objects in a transaction's arrays;
 * undefined when there is none. Values are not checked.
 * An entry's `index` is not a field.
 */
export function checkFormat(fields: Fields, of: 'transaction' | 'entry'): FormatProblem | undefined {
  const type = of === 'transaction' ? fields.TransactionType : fields.LedgerEntryType;
  const format = type === undefined ? undefined : FORMATS[of].get(type);
  if (format === undefined) return { kind: 'type', type };
  const held = fields as Readonly<Record<string, unknown>>;
  for (const field of format.required) if (held[field] === undefined) return { kind: 'missing', field };
  for (const field in held)
    if (held[field] !== undefined && !format.known.has(field) && !(of === 'entry' && field === 'index'))
      return { kind: 'unknown', field };
  return of === 'transaction' ? checkInnerFormats(held) : undefined;
}

/** The problem in rippled's words (`STObject::applyTemplate`). */
export function formatProblemText(problem: FormatProblem): string {
  switch (problem.kind) {
    case 'type':
      return 'Invalid transaction type';
    case 'missing':
      return `Field '${problem.field}' is required but missing.`;
    case 'unknown':
      return `Field '${problem.field}' found in disallowed location.`;
    case 'default':
      return `Field '${problem.field}' may not be explicitly set to default.`;
  }
}

/** Transaction types that have a format. */
export const TRANSACTION_TYPES: readonly string[] = [...FORMATS.transaction.keys()].sort();
