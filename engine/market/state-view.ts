/** What the market part asks of the state. `engine/state` satisfies it; tests may hand in something smaller. */

/** The parts of the state that trades are named by. Ids are dense; 0 and undefined both mean "none". */
export interface TradeNames {
  readonly accounts: { intern(bytes: Uint8Array, at: number): number };
  readonly tokens: {
    /** Token id of the Amount at `at`; interns it. XRP is 0. */
    ofAmount(bytes: Uint8Array, at: number): number;
    /** Token id of an Issue of `length` bytes: 20 XRP, 40 issued, 44 MPT; 24 for an MPTokenIssuanceID. */
    ofIssue(bytes: Uint8Array, at: number, length: number): number;
    kind(token: number): number;
  };
  readonly pools: {
    byAccount(account: number): number | undefined;
    asset1(pool: number): number;
    asset2(pool: number): number;
  };
}
