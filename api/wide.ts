/** The market-wide members that many answers carry, from the bytes that the views keep for each ledger. */
import type { Engine } from '../engine/engine.ts';

/** `"exch":{...},"H24":{...},"global":{...}` as parts of a fragment. */
export function marketWideParts({ views }: Engine): (Uint8Array | string)[] {
  return ['"exch":', views.exch(), ',"H24":', views.h24(), ',"global":', views.global()];
}
