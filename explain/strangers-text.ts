/** Longest text of strangers that is shown, in characters. */
const LONGEST_TEXT = 80;

/** Names, domains and memos are whatever strangers wrote: cut, without control characters and marks that turn the direction. */
export function strangersText(value: string | null | undefined, longest = LONGEST_TEXT): string {
  if (!value) return '';
  const clean = value.slice(0, longest * 4).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\u2028\u2029]/gu, ' ');
  const characters = [...clean];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : clean;
}
