/**
 * How many rows each table can hold. A table reserves address space for all its rows when it is made; memory is
 * committed as rows are added, so a generous limit costs nothing until it is used. A full table is an
 * error that names the limit: raising it here is all it takes (blocks already stored stay valid).
 *
 * Figures of the main network at the end of 2025, for scale: about 7 million accounts, 8 million trust lines,
 * 250,000 offers, 20,000 pools.
 */
export interface StateLimits {
  readonly accounts: number;
  readonly currencies: number;
  readonly tokens: number;
  readonly lines: number;
  readonly domains: number;
  readonly offers: number;
  readonly pools: number;
  readonly oracles: number;
  readonly lineQualities: number;
  readonly depositPreauths: number;
}

export const STATE_LIMITS: StateLimits = {
  /** Ids are never reused (history refers to them): every account ever seen, four times today's number. */
  accounts: 2 ** 25,
  /** Distinct 20-byte currency codes, never reused; a code costs two fees of 10 drops to make up and leave behind. */
  currencies: 2 ** 23,
  /** Ids are never reused: every token ever seen. */
  tokens: 2 ** 22,
  /** Trust lines and MPT holdings that exist at one moment; rows are reused. */
  lines: 2 ** 25,
  /** Permissioned domains that have been named by an offer, never reused; making one up costs three fees. */
  domains: 2 ** 22,
  /** Offers open at one moment; rows are reused. Peak of history: below 2 million. */
  offers: 2 ** 22,
  /** Ids are never reused: every pool ever created. */
  pools: 2 ** 18,
  /** One row for each fiat price of each oracle. */
  oracles: 2 ** 18,
  /** Trust lines with qualities that exist at one moment, each of which locks a reserve; rows are reused. */
  lineQualities: 2 ** 22,
  /** Authorisations that exist at one moment, each of which locks a reserve; rows are reused. */
  depositPreauths: 2 ** 22,
};
