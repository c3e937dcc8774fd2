/** Flags, sides and raw amounts of trust lines and MPT holdings, as the table of lines has them. */

/** RippleState flags, shifted right by 16. https://xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/ripplestate */
export const LineFlag = {
  lowReserve: 0x0001,
  highReserve: 0x0002,
  lowAuth: 0x0004,
  highAuth: 0x0008,
  lowNoRipple: 0x0010,
  highNoRipple: 0x0020,
  lowFreeze: 0x0040,
  highFreeze: 0x0080,
  ammNode: 0x0100,
  lowDeepFreeze: 0x0200,
  highDeepFreeze: 0x0400,
} as const;

/** MPToken flags. */
export const HoldingFlag = { locked: 0x0001, authorized: 0x0002 } as const;

/** Sides of a line, as bits. */
export const LOW = 1;
export const HIGH = 2;

/** Bit of the upper word of a raw issued amount that is set where it is above zero. */
export const SIGN = 0x40000000;
/** Upper word of a raw issued amount of zero. */
export const ISSUED_ZERO = 0x80000000;

export function isZeroIssued(hi: number, lo: number): boolean {
  return (hi & 0x3fffff) === 0 && lo === 0;
}
