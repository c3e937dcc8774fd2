/** Which fields of a token a socket wants: a preset of the table of token fields, or a list of names. */

import { PRESETS } from '../../views/token-fields/field.ts';
import { type FieldTexts, TOKEN_FIELDS, type TokenFields } from '../../views/token-fields.ts';
import { CloseCode, Refusal } from '../limits.ts';

export interface FieldChoice {
  /** Equal for equal choices. */
  readonly key: string;
  /** Name of the preset, or `custom`. */
  readonly name: string;
  /** undefined: all. */
  readonly names: readonly string[] | undefined;
}

/** More names than a token row has fields make no sense. */
const NAMES_MAX = 200;

export const FIELDS_FORM = 'fields must be a preset or a comma list of token fields';

/** @throws Refusal 4024 for names that cannot be names */
export function fieldsOf(text: string): FieldChoice {
  const choice = choiceOf(text);
  if (!choice) throw new Refusal(CloseCode.fields, FIELDS_FORM);
  return choice;
}

/** undefined: these cannot be names. Unknown names are kept: they are absent from rows. */
export function choiceOf(text: string, fields: TokenFields = TOKEN_FIELDS): FieldChoice | undefined {
  const wanted = text.trim();
  if (wanted === '' || wanted === 'full' || wanted === 'all')
    return { key: wanted || 'full', name: wanted || 'full', names: undefined };
  const preset = PRESETS.find((name) => name === wanted);
  if (preset) return { key: preset, name: preset, names: fields.preset(preset) };
  const names = [...new Set(wanted.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0 || names.length > NAMES_MAX || names.some((name) => !/^\w{1,40}$/.test(name)))
    return undefined;
  const sorted = ['md5', ...names.filter((name) => name !== 'md5').sort()];
  return { key: sorted.join(','), name: 'custom', names: sorted };
}

/** Fields whose text differs, with null for those that are gone; undefined when none does. */
export function changedTexts(before: FieldTexts, after: FieldTexts): FieldTexts | undefined {
  const changed = new Map<string, string>();
  for (const [name, text] of after) if (before.get(name) !== text) changed.set(name, text);
  for (const name of before.keys()) if (!after.has(name)) changed.set(name, 'null');
  return changed.size > 0 ? changed : undefined;
}

/** The JSON object of these fields. */
export function jsonObject(texts: FieldTexts): string {
  return `{${Array.from(texts, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
