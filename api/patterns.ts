/** What identifiers look like, as regular expressions for documents; the readers of the engine decide. */

const ADDRESS = 'r[1-9A-HJ-NP-Za-km-z]{24,34}';

export const patterns = {
  account: `^${ADDRESS}$`,
  nftokenId: '^[0-9A-Fa-f]{64}$',
  /** Of a transaction, and the index of a ledger entry. */
  txHash: '^[0-9A-Fa-f]{64}$',
  md5: '^[0-9a-f]{32}$',
  /** Every form of section 2.1; an id of 48 digits also without `mpt-`. */
  token: `^([0-9A-Fa-f]{32}|${ADDRESS}[-_].+|(mpt[-_])?[0-9A-Fa-f]{48}|[Xx][Rr][Pp]([Ll][-_][Xx][Rr][Pp])?)$`,
} as const;
