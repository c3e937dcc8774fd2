/**
 * Parses the JSON of requests. Deeper nesting than any request needs is refused before parsing: parsing, copying and
 * writing it again would block the thread or overflow the stack.
 */
import type { Json } from '../../engine/codec/json.ts';
import { isShallow } from '../../engine/codec/nesting.ts';

/** rippled's reader refuses deeper JSON too (`Json::Reader::nest_limit`). */
const NESTING_MAX = 25;

/** Undefined when the text is not JSON, or is nested too deep. */
export function requestJson(text: string): Json | undefined {
  if (!isShallow(text, NESTING_MAX)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
