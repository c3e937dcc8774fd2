/**
 * The JSON of requests. What lies deeper than any request needs is refused before it is parsed: parsing, copying and
 * writing it again would each hold the thread or end in an overflow.
 */
import type { Json } from '../../engine/codec/json.ts';
import { isShallow } from '../../engine/codec/nesting.ts';

/** rippled's reader refuses deeper JSON too (`Json::Reader::nest_limit`). */
const NESTING_MAX = 25;

/** Undefined when the text is no JSON, or lies too deep. */
export function requestJson(text: string): Json | undefined {
  if (!isShallow(text, NESTING_MAX)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
