/** The pieces of sentences, and how writers put them together (words.ts). */
import { type AmountJson, type AssetJson, type Fields, isAmount, isAsset, type Meta } from './json.ts';

export type Piece =
  | string
  | { readonly account: string }
  | { readonly amount: AmountJson }
  | { readonly asset: AssetJson }
  /** Identifier of an entry or an NFT. */
  | { readonly id: string }
  /** What a stranger wrote. */
  | { readonly text: string };

type Given = Piece | number | undefined | readonly Piece[];
export type Writer = (tx: Fields, meta: Meta) => readonly Piece[];

// Fields are checked: a transaction may be one that a node sent, of any form.
export const isText = (of: unknown): of is string => typeof of === 'string' && of !== '';
export const account = (address: unknown): Piece => (isText(address) ? { account: address } : 'an account');
export const amount = (value: unknown): Piece => (isAmount(value) ? { amount: value } : 'an amount');
export const asset = (of: unknown): Piece => (isAsset(of) ? { asset: of } : 'an asset');
export const id = (of: unknown): Piece => (isText(of) ? { id: of } : '');
export const text = (of: unknown): Piece => ({ text: String(of ?? '') });
export const whole = (of: unknown): string => (Number.isSafeInteger(of) ? String(of) : '?');
export const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Pieces of a template; what is undefined is left out. */
export function say(words: TemplateStringsArray, ...given: readonly Given[]): readonly Piece[] {
  return words.flatMap((word, i): Piece[] => {
    const value = given[i];
    const piece = typeof value === 'number' ? [String(value)] : value === undefined ? [] : [value].flat();
    return word ? [word, ...(piece as Piece[])] : (piece as Piece[]);
  });
}

/** Words where a condition holds. */
export const when = (holds: unknown, words: () => readonly Piece[]): readonly Piece[] | undefined =>
  holds ? words() : undefined;

export const amounts = (...all: readonly unknown[]): readonly Piece[] =>
  all
    .filter((one) => one !== undefined)
    .flatMap((one, i): Piece[] => (i === 0 ? [amount(one)] : [' and ', amount(one)]));
/** `1 token`, `2 tokens`. */
export const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
