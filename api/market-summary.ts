/** The market-wide members of many answers, from the bytes that the views keep for each ledger. */
import type { Views } from '../views/views.ts';

/** `"exch":{...},"H24":{...},"global":{...}` as parts of a fragment. */
export function marketSummaryParts(views: Views): (Uint8Array | string)[] {
  return ['"exch":', views.market.exch(), ',"H24":', views.market.h24(), ',"global":', views.market.global()];
}
