/** The ends of a payment. */
export interface Ends {
  /** Token ids: XRP or issued tokens. */
  readonly source: number;
  readonly destination: number;
  /** Account ids; undefined: any account that issues neither. */
  readonly sender?: number | undefined;
  readonly receiver?: number | undefined;
}
