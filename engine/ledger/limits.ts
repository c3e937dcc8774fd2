/**
 * Every limit of the ledger sources, in one place. What a node sends is hostile until it is proved, so everything
 * it can make us wait for, hold or repeat has a bound. Times in milliseconds, sizes in bytes.
 */
export interface Limits {
  /** A ledger closes every 3 to 5 s; after this long without one the subscription is taken for lost. */
  readonly silence: number;
  /**
   * Bounds of the time-out of a request, which follows the endpoint's own response times (response-time.ts). An honest
   * node answers a ledger in under a second; 3.5 s leaves time to ask another within 5 s. A node that needs up to 20 s is
   * waited for where there is no other: ledgers are asked for side by side, so it still keeps up.
   */
  readonly requestTimeout: number;
  readonly requestTimeoutMost: number;
  /** Response time assumed of an endpoint that has not answered yet. */
  readonly latencyGuess: number;
  /** With no answer for so long another endpoint is asked for the same ledger: a hung node costs a second, not a ledger. */
  readonly hedge: number;
  /** Opening a socket with TLS across the world takes well under 2 s. */
  readonly connectTimeout: number;
  /** A binary ledger_data page of 2,048 entries from a busy node can take several seconds. */
  readonly snapshotTimeout: number;
  /** First pause after a failure; it doubles with each further one, jittered. */
  readonly backoffFirst: number;
  /** Longest such pause: a node that was restarted is back in use within a minute. */
  readonly backoffMost: number;
  /** An endpoint that told an untruth is left alone this long: it is broken or hostile, not busy. */
  readonly lieBackoff: number;
  /**
   * The same while no other endpoint is up: what it costs to ask a liar again is a connection and a few requests, and
   * leaving it alone costs every ledger until then. It doubles with each untruth in a row, up to the second figure.
   */
  readonly lieBackoffAlone: number;
  readonly lieBackoffAloneMost: number;
  /** What one recent fault weighs in the score, in ms of latency. */
  readonly faultWeight: number;
  /** Faults that are counted at most. */
  readonly faultsMost: number;
  /** Announced ledgers without a further one after which a fault is forgotten: about a minute. */
  readonly forgivenAfter: number;
  /** An endpoint that was up for so long before it told an untruth has told none in a row. What it delivered meanwhile
   * says nothing: a false chain is delivered as readily as the true one. */
  readonly lieForgivenAfter: number;
  /**
   * An endpoint that claims ledgers and delivers none for so long, asked so often, told an untruth. Nodes behind one name
   * may be a few seconds apart; ten is two ledgers.
   */
  readonly claimGrace: number;
  readonly claimMisses: number;
  /**
   * What an endpoint that delivers works off of the time it did not, a ms: who is late with every ledger, but for less
   * than a third of the time, stays out of debt.
   */
  readonly debtDecay: number;
  /** First and longest pause before such an endpoint is asked for that ledger again; it doubles with each time. */
  readonly claimPauseFirst: number;
  readonly claimPauseMost: number;
  /**
   * Largest message taken: the largest mainnet ledgers are about 4 MB as hex, a snapshot page about 2 MB. The runtime
   * itself cuts a connection off at 128 MB, so that much is the most a frame can make us hold.
   */
  readonly messageBytes: number;
  /** How deep brackets may lie in a message: ledgers and metadata have about ten. */
  readonly nesting: number;
  /** Answers awaited from one endpoint at once: public nodes throttle readers that ask for more. */
  readonly requestsInFlight: number;
  /** Messages that tell nothing (unknown id or type, a repeated ledger) between two ledgers, before an endpoint is
   * taken for broken. */
  readonly strayMessages: number;
  /** Transactions of one ledger: the protocol's open ledger never comes near. */
  readonly transactions: number;
  /** Ranges read of `complete_ledgers`; a node with many holes lists hundreds. */
  readonly ranges: number;
  /** Announced ledger hashes remembered for each endpoint: a few minutes, to compare what endpoints say. */
  readonly announcements: number;
  /** Entries of one ledger_data page: rippled and Clio give at most 2,048 of them in binary. */
  readonly pageEntries: number;
  /** Largest ledger entry; the largest known (directories, NFT pages, oracles) are below 20 KB. */
  readonly entryBytes: number;
  /** Times one snapshot page is asked for again before the snapshot fails. */
  readonly pageAttempts: number;
}

export const LIMITS: Limits = {
  silence: 10_000,
  requestTimeout: 3_500,
  requestTimeoutMost: 20_000,
  latencyGuess: 500,
  hedge: 1_000,
  connectTimeout: 3_500,
  snapshotTimeout: 20_000,
  backoffFirst: 250,
  backoffMost: 30_000,
  lieBackoff: 60_000,
  lieBackoffAlone: 2_000,
  lieBackoffAloneMost: 15_000,
  faultWeight: 2_000,
  faultsMost: 16,
  forgivenAfter: 16,
  lieForgivenAfter: 60_000,
  claimGrace: 10_000,
  claimMisses: 3,
  debtDecay: 0.5,
  claimPauseFirst: 50,
  claimPauseMost: 5_000,
  messageBytes: 32 * 1024 * 1024,
  nesting: 64,
  requestsInFlight: 16,
  strayMessages: 1_000,
  transactions: 10_000,
  ranges: 4_096,
  announcements: 64,
  pageEntries: 2_048,
  entryBytes: 1024 * 1024,
  pageAttempts: 8,
};

/** The follow loop's own waits, in ms. */
export const FOLLOW_LIMITS = {
  /** First and longest pause before a ledger is asked for again. Short: the source has its own back-off. */
  retryFirst: 50,
  retryMost: 1_000,
  /** With no word from the source, how often to look whether it knows more. */
  idle: 1_000,
  /** The log says that a ledger is waited for after so long, and again each time that has doubled. */
  loudAfter: 30_000,
} as const;
