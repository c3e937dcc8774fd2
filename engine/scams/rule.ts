/** What every rule says of itself: shown with what it finds. */

/** Categories of the blocklist (contract, section 4.6). */
export const SCAM_CATEGORIES = [
  'wallet_drainer',
  'dust_spam',
  'phishing',
  'impersonation',
  'fake_airdrop',
  'other',
] as const;
export type ScamCategory = (typeof SCAM_CATEGORIES)[number];

export interface ScamRule {
  /** It is stored under this number: never change or reuse one. */
  readonly number: number;
  readonly name: string;
  readonly category: ScamCategory;
  /** Whether what it finds goes on the blocklist; else it is only suspected. */
  readonly isVerified: boolean;
  /** What an account does to be found, thresholds included. */
  readonly definition: string;
  /** Where such scams are described. Thresholds are ours. */
  readonly source: string;
  /** Different accounts that must be acted on within the window. */
  readonly accounts: number;
  /** Seconds, from the first one on. */
  readonly window: number;
}

/** One successful transaction, as the rules see it. Offsets are into `bytes`. */
export interface ScamTransaction {
  readonly bytes: Uint8Array;
  readonly closeTime: number;
  /** Row of the change set. */
  readonly row: number;
  /** Of who signed: its number in the state's accounts. */
  readonly actor: number;
  /** Text of its memos; '': it has none. Made when it is first asked for. */
  memo(): string;
  /** Drops that the Amount at an offset is worth now; 0: of a token without a price. */
  worth(at: number): number;
  /** Whether the Amount at an offset is of a token that its signer issues. */
  isOwn(at: number): boolean;
  /** Domain of its signer's account after the ledger; undefined: it has none. */
  domain(): string | undefined;
  /** Its 32-byte hash. */
  hash(): Uint8Array;
}
