/**
 * Reads the metadata of an NFT: JSON as XLS-24d names it, or as ERC-721 and those who extended it do. Strangers write every
 * byte: nothing in it is trusted, and everything is bounded.
 */
import { valuesIn } from '../engine/codec/nesting.ts';
import { isJsonObject } from '../engine/codec/values.ts';
import { cleanText } from '../engine/state/mpt-metadata.ts';
import type { NftAttribute } from '../platform/nft-metadata.ts';
import { OutsideError } from './bounded-fetch.ts';

const NAME_MAX = 256;
const DESCRIPTION_MAX = 2000;
const COLLECTION_MAX = 128;
const TYPE_MAX = 64;
const VALUE_MAX = 256;
/** Collections have 5 to 20. */
const ATTRIBUTES_MAX = 64;
/** Of everything that is there, with what is not read: parsing many small values takes a hundred times as long as a long text. */
const VALUES_MAX = 10_000;

export interface ReadContent {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly collection?: string | undefined;
  readonly attributes: readonly NftAttribute[];
  /** URI of its picture, as it stands there. */
  readonly image?: string | undefined;
}

type Table = Readonly<Record<string, unknown>>;

/** Digits that every number keeps when it is read. */
const DIGITS_KEPT = 15;

/** A number that would be another one when it is read, as it is written: such are identifiers, of which no two are the same trait. */
class WrittenNumber {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

function asWritten(_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  const digits = source.replace(/e.*$/i, '').replace(/[-.]/g, '').length;
  return Number.isFinite(value) && digits <= DIGITS_KEPT ? value : new WrittenNumber(source);
}

/** What pictures begin with that can be taken; other files are no pictures, whatever they are called. */
const PICTURES = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
] as const;

/** Whether a file begins as PNG, JPEG, GIF or WebP. */
export function isPicture(start: Uint8Array): boolean {
  if (PICTURES.some((bytes) => bytes.every((byte, i) => start[i] === byte))) return true;
  const text = Buffer.from(start.subarray(0, 12)).toString('latin1');
  return text.startsWith('RIFF') && text.endsWith('WEBP');
}

/** @throws OutsideError that says why it is none */
export function readContent(bytes: Uint8Array): ReadContent {
  const json = tableIn(bytes);
  const { collection } = json;
  const families = isJsonObject(collection) ? [collection.name, collection.family] : [collection];
  const lists = [json.attributes, json.Attributes, json.traits].map(attributesOf);
  return {
    name: firstText([json.name, json.Name, json.title], NAME_MAX),
    description: firstText([json.description, json.Description], DESCRIPTION_MAX),
    collection: firstText([...families, json.collection_name], COLLECTION_MAX),
    attributes: lists.find(({ length }) => length > 0) ?? [],
    image: textOf(json.image) ?? textOf(json.image_url) ?? textOf(json.Image) ?? textOf(json.image_data),
  };
}

function tableIn(bytes: Uint8Array): Table {
  let json: unknown;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (valuesIn(text, VALUES_MAX) > VALUES_MAX) throw new OutsideError('JSON of too many values');
    json = JSON.parse(text, asWritten);
  } catch (fault) {
    throw fault instanceof OutsideError ? fault : new OutsideError('neither JSON nor a picture');
  }
  if (!isJsonObject(json)) throw new OutsideError('JSON that is no object');
  return json;
}

/** What is blank in one spelling is read in the next one. */
function firstText(spellings: readonly unknown[], max: number): string | undefined {
  for (const one of spellings) {
    const text = cleanText(one, max);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A list of types and values, or an object of them. */
function attributesOf(value: unknown): NftAttribute[] {
  const pairs: (readonly [unknown, unknown])[] = Array.isArray(value)
    ? value
        .slice(0, ATTRIBUTES_MAX)
        .filter(isJsonObject)
        .map((one) => [one.trait_type ?? one.type ?? one.traitType ?? one.name, one.value])
    : isJsonObject(value)
      ? Object.entries(value).slice(0, ATTRIBUTES_MAX)
      : [];
  return pairs.flatMap(([type, value]) => {
    const attribute = { type: cleanText(type, TYPE_MAX), value: cleanText(plain(value), VALUE_MAX) };
    return attribute.type && attribute.value ? [attribute as NftAttribute] : [];
  });
}

/** Numbers and yes or no as they are read; lists and objects are no values. */
function plain(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isRead = typeof value === 'number' || typeof value === 'boolean' || value instanceof WrittenNumber;
  return isRead ? String(value) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
