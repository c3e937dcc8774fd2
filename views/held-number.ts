/** How much of a token a line holds, as a number: the definition for every answer that shows or values it. */
import { decimalNumber } from '../engine/codec/amount.ts';
import type { State } from '../engine/state/state.ts';

/**
 * The number nearest to the exact amount, so the same as that of the text in other answers. `Lines.balanceNumber`, which
 * rankings use, is faster, and another one in the last digit for one amount in thirty.
 */
export function heldNumber({ lines, tokens }: State, line: number, token: number): number {
  return decimalNumber(tokens.decimal(token, ...lines.balanceRaw(line, token)));
}
