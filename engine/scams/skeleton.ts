/**
 * Names that look the same, by the Unicode tables: UTS 39, section 4 (https://www.unicode.org/reports/tr39/#Confusable_Detection).
 *
 *     "USDМ" (Cyrillic М) -> NFD, prototypes of confusables.txt, NFD -> "USDrn"? case is folded -> the same as of "USDM"
 *
 * Goals: one text for all spellings that a reader takes for one another, in any case. Non-goals: similar words (one letter
 * more), which are not confusable; characters whose prototype is not ASCII letters or digits: they stay as they are
 * (confusables.json has all others of Unicode 17, 1,520 of 6,565). Two steps are ours: case is folded, since a reader of a ticker does not
 * trust its case; and because capital I looks like l, i counts as l, too.
 *
 * Cost: about 1 us for a name. The table is made at the first import: 1,500 entries.
 */
import { domainToUnicode } from 'node:url';
import confusables from './confusables.json';

const PROTOTYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(confusables.codePointsByPrototype).flatMap(([prototype, codePoints]) =>
    codePoints
      .split(' ')
      .map((codePoint): [string, string] => [
        String.fromCodePoint(Number.parseInt(codePoint, 16)),
        prototype,
      ]),
  ),
);

/** Default-ignorable and combining characters: they change what a name is compared with, not what a reader sees. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Mn}]/gu;

function prototypes(text: string): string {
  let out = '';
  for (const character of text) out += PROTOTYPES.get(character) ?? character;
  return out;
}

/** Equal for texts that look the same. Not a text to be shown. */
export function skeleton(text: string): string {
  const seen = text.normalize('NFD').replace(UNSEEN, '');
  // Lower case first gives I and i one prototype; a second time, since prototypes have capitals.
  return prototypes(prototypes(seen).toLowerCase()).toLowerCase().replaceAll('i', 'l').normalize('NFD');
}

/** The same of a domain: one with other letters than ASCII is mostly written in its ASCII form (xn--), which hides what it looks like. */
export function domainSkeleton(domain: string): string {
  return skeleton((domain.includes('xn--') && domainToUnicode(domain)) || domain);
}
