/**
 * The JSON of requests. What lies deeper than any request needs is refused before it is parsed: parsing, copying and
 * writing it again would each hold the thread or end in an overflow.
 */
import type { Json } from '../../codec/json.ts';

/** rippled's reader refuses deeper JSON too (`Json::Reader::nest_limit`). */
const NESTING_MAX = 25;

const QUOTE = 0x22;
const ESCAPE = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Whether brackets lie at most {@link NESTING_MAX} deep; those within texts do not count. One look at each letter. */
function isShallow(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length; at++) {
        const inner = text.charCodeAt(at);
        if (inner === ESCAPE) at++;
        else if (inner === QUOTE) break;
      }
    } else if (OPENING.has(code)) {
      if (++depth > NESTING_MAX) return false;
    } else if (CLOSING.has(code)) depth--;
  }
  return true;
}

/** Undefined when the text is no JSON, or lies too deep. */
export function requestJson(text: string): Json | undefined {
  if (!isShallow(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
