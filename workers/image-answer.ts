/**
 * What the process of one image answers: a length, JSON of that many bytes, then the forms one after another. The reader
 * trusts none of it: a decoder that was taken over writes it.
 */
import { isDifferenceHash } from '../engine/metrics/difference-hash.ts';
import { type EncodedImage, FORM_BYTES_MAX, IMAGE_SIDE, THUMB_WIDTHS } from '../platform/images.ts';
import { isWebp } from './webp.ts';

/** Pixels of a file, before any are decoded: 64 MB of memory. */
export const PIXELS_MAX = 4096 * 4096;

const SIDES: readonly number[] = [IMAGE_SIDE, ...THUMB_WIDTHS];
const HEADER_MAX = 1024;
export const ANSWER_MAX = 4 + HEADER_MAX + SIDES.length * FORM_BYTES_MAX;

export type ImageAnswer =
  | { readonly refused: string }
  | {
      readonly width: number;
      readonly height: number;
      readonly likeness: string;
      readonly forms: readonly [number, Uint8Array][];
    };

interface Header {
  readonly refused?: unknown;
  readonly width?: unknown;
  readonly height?: unknown;
  readonly likeness?: unknown;
  /** Lengths, in the order of SIDES. */
  readonly lengths?: unknown;
}

export function packAnswer(answer: ImageAnswer): Uint8Array<ArrayBuffer> {
  const forms = 'forms' in answer ? answer.forms.map(([, bytes]) => bytes) : [];
  const { forms: _, ...rest } = { forms: undefined, ...answer };
  const header = Buffer.from(JSON.stringify({ ...rest, lengths: forms.map(({ length }) => length) }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return new Uint8Array(Buffer.concat([length, header, ...forms]));
}

/** @returns why it was refused; undefined: not an answer */
export function readAnswer(bytes: Buffer): EncodedImage | string | undefined {
  const header = headerOf(bytes);
  if (!header) return undefined;
  const { refused, width, height, likeness, lengths } = header.json;
  if (typeof refused === 'string') return refused.slice(0, 100);
  if (!isDifferenceHash(likeness)) return undefined;
  if (!isSide(width) || !isSide(height) || !Array.isArray(lengths) || lengths.length !== SIDES.length)
    return undefined;
  const forms = new Map<number, Uint8Array>();
  let at = header.end;
  for (const [i, side] of SIDES.entries()) {
    const form = new Uint8Array(bytes.subarray(at, at + Number(lengths[i])));
    if (form.length !== lengths[i] || form.length > FORM_BYTES_MAX || !isWebp(form)) return undefined;
    forms.set(side, form);
    at += form.length;
  }
  return { width, height, forms, likeness };
}

function headerOf(bytes: Buffer): { json: Header; end: number } | undefined {
  if (bytes.length < 4) return undefined;
  const end = 4 + bytes.readUInt32LE(0);
  if (end > 4 + HEADER_MAX || end > bytes.length) return undefined;
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8', 4, end));
    return typeof json === 'object' && json !== null ? { json: json as Header, end } : undefined;
  } catch {
    return undefined;
  }
}

function isSide(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= IMAGE_SIDE;
}
