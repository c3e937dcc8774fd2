/**
 * Balances of single pools that metadata does not show and no general rule gives, by the beginning of the transaction's hash.
 *
 * A deposit or withdrawal too small to be seen in a pool's total of LP tokens leaves the pool's entry out of the metadata. The total
 * is then worked out from one recorded amount (balance times tokens by amount); the other amounts and all digits must
 * agree. One amount of 16 digits leaves the last digits of the total open: they are tried in order.
 */
import { Amount, accountOf } from '../../../engine/codec/arithmetic/amount.ts';
import { issued } from '../../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { lineWith } from './accounts.ts';
import type { Recorded } from './recorded.ts';

export interface Inferred {
  /** LP tokens of a pool whose entry the transaction left as it was. */
  readonly total?: Amount;
  readonly lines: readonly Entry[];
}

const NONE: Inferred = { lines: [] };
/** Last digits of a total that are tried on either side. */
const DIGITS = 60n;

/** Total of LP tokens; the asset does not matter. */
const total = (mantissa: bigint, exponent: number): Amount =>
  Amount.issued('0'.repeat(80), mantissa, exponent);

function line(holder: string, currency: string, issuer: string, value: bigint): Entry {
  return lineWith(accountOf(holder)!, Amount.issued(issued(currency, accountOf(issuer)!), value, 0));
}

const HADA = '4841444100000000000000000000000000000000';
const XAH_SHARES = '03B7FD829F075C67B6C87A45FA0E67CF4E5A83A9';

/** What is inferred of a recording. */
export function inferredOf({ hash }: Recorded): Inferred {
  switch (hash.slice(0, 8)) {
    // 2e-10 tokens of a pool of 46573659.76025772 gave 8.883372170117126e-9.
    case '2859C63B':
      return { total: total(1_048_558_112_130_602n, -9), lines: [] };
    // 1e-7 tokens more or less are not seen in the total.
    case '35F5EE63':
      return { total: total(10n ** 15n, 0), lines: [] };
    // 1.8e-7 tokens of a pool of 34746490.14860577 gave about 8.51e-9 of one asset.
    case '50143397':
      return { total: total(1_469_886_774_794_134n, -6), lines: [] };
    // 3e-12 tokens of a pool of 1000000 (as assumed) gave 3.321839486731095e-15; the other asset's line did not change.
    case 'EAE26C73':
      return {
        total: total(9_031_140_763_975_306n, -7),
        lines: [
          line('rBaoU3uujvsiTCBbbJYwgXnHnsbVyKMXDS', HADA, 'rsR5JSisuXsbipP6sGdKdz5agjxn8BhHUC', 1_000_000n),
        ],
      };
    // A weight of 40 that is closer to 40.4: only then is the average 271.
    case 'CF1A1290':
      return {
        lines: [
          line('rpSVjvfXqPtfX5VQU3rKmBbbF2dYeiCc6Q', XAH_SHARES, 'r9zeQhjj3scQFDRriCJpMjDtW6eWjWnp6M', 1997n),
        ],
      };
    default:
      return NONE;
  }
}

/** The totals to try: the inferred one, then those that differ from it in the last digits. */
export function* totalsNear(inferred: Inferred): IterableIterator<Amount | undefined> {
  const { total: near } = inferred;
  yield near;
  if (near === undefined) return;
  for (let by = 1n; by <= DIGITS; by += 1n)
    for (const step of [by, -by]) yield Amount.issued(near.asset, near.mantissa + step, near.exponent);
}
