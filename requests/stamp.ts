/**
 * Headers that show how a client stands, written into each of its answers. Kept answers have their headers ready: what is
 * the same for all clients with the same limits is written once (`fixed`), the rest each time.
 */

/** Names and values. One object for all clients with the same limits. */
export type FixedHeaders = readonly (readonly [string, string])[];

export interface Stamp {
  readonly fixed: FixedHeaders;
  /** Writes the others: always the same names for the same `fixed`. */
  write(headers: Headers): void;
}

/** Writes all of them. */
export function writeStamp(stamp: Stamp, headers: Headers): void {
  for (const [name, value] of stamp.fixed) headers.set(name, value);
  stamp.write(headers);
}
