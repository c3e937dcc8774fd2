/**
 * What the metadata of an MPT issuance contains: JSON by XLS-89, with long keys or the one- and two-letter ones.
 * https://github.com/XRPLF/XRPL-Standards/tree/master/XLS-0089-multi-purpose-token-metadata-schema
 * The issuer writes every byte: control characters are taken out, lengths are bounded, nothing is fetched.
 */
import { cutText } from '../codec/cut-text.ts';
export interface MptMetadata {
  readonly ticker?: string;
  readonly name?: string;
  readonly description?: string;
  readonly icon?: string;
  /** rwa, memes, wrapped, gaming, defi, other. */
  readonly assetClass?: string;
  readonly assetSubclass?: string;
  readonly issuerName?: string;
  /** Link of the category `website`. */
  readonly website?: string;
}

/** MPTokenMetadata holds at most 1024 bytes. */
const TEXT_MAX = 1024;

/** undefined when the text is not a JSON object. */
export function mptMetadata(text: string | undefined): MptMetadata | undefined {
  if (!text) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const fields = parsed as Record<string, unknown>;
  const pick = (...keys: string[]) => {
    for (const key of keys) if (Object.hasOwn(fields, key)) return clean(fields[key]);
    return undefined;
  };
  const all = {
    ticker: pick('ticker', 't'),
    name: pick('name', 'n'),
    description: pick('desc', 'd'),
    icon: pick('icon', 'i'),
    assetClass: pick('asset_class', 'ac'),
    assetSubclass: pick('asset_subclass', 'as'),
    issuerName: pick('issuer_name', 'in'),
    website: websiteOf(fields.uris ?? fields.us),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Whether an issuance is declared as a meme: by its asset class or subclass. */
export function isMemeMetadata(text: string | undefined): boolean {
  const { assetClass, assetSubclass } = mptMetadata(text) ?? {};
  return [assetClass, assetSubclass].some((word) => word?.toLowerCase() === 'memes');
}

const clean = (value: unknown) => cleanText(value, TEXT_MAX);

function websiteOf(links: unknown): string | undefined {
  if (!Array.isArray(links)) return undefined;
  for (const link of links) {
    if (typeof link !== 'object' || link === null) continue;
    const { uri, u, category, c } = link as Record<string, unknown>;
    if ((category ?? c) === 'website') return clean(uri ?? u);
  }
  return undefined;
}

/** A text for readers: without characters that control, reorder or hide text, and halves of characters; undefined where nothing is left. */
export function cleanText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = cutText(value.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '').trim(), max);
  return text === '' ? undefined : text;
}
