/**
 * All limits of the ledger sources. Data of a node may be hostile until it is proved, so everything that a node can
 * make us wait for, store or repeat has a bound. Times in milliseconds, sizes in bytes.
 */
export interface Limits {
  /** A ledger closes every 3 to 5 s; after this time without one the subscription is assumed to be lost. */
  readonly silence: number;
  /**
   * Bounds of the time-out of a request, which follows the endpoint's own response times (response-time.ts). An honest
   * node answers in less than a second; 3.5 s leaves time to request the ledger from another within 5 s. A node that needs
   * up to 20 s is used where there is no other: ledgers are requested in parallel, so it can still be followed.
   */
  readonly requestTimeout: number;
  readonly requestTimeoutMax: number;
  /** Assumed response time of an endpoint that has not answered yet. */
  readonly latencyGuess: number;
  /** After this time without an answer the ledger is also requested from another endpoint. */
  readonly hedge: number;
  /** Opening a socket with TLS across the world takes well under 2 s. */
  readonly connectTimeout: number;
  /** A binary ledger_data page of 2,048 entries from a busy node can take several seconds. */
  readonly snapshotTimeout: number;
  /** First pause after a failure; it doubles with each further failure, with jitter. */
  readonly backoffFirst: number;
  /** Longest such pause: a restarted node is used again within a minute. */
  readonly backoffMax: number;
  /** Pause after an endpoint sent false data: it is broken or hostile, not busy. */
  readonly distrustPause: number;
  /**
   * The same while no other endpoint is up: connecting again costs a few requests, while waiting delays every ledger. It
   * doubles each time in a row that the endpoint sends false data, up to the second value.
   */
  readonly distrustPauseAlone: number;
  readonly distrustPauseAloneMax: number;
  /**
   * From this time on, false data of a connection that has ended counts as that of the present one: an endpoint that closes
   * each connection before its data is proved would be connected to several times a second, with a line in the log each time.
   */
  readonly falseAfterEndMax: number;
  /** What one recent fault adds to the score, in ms of latency. */
  readonly faultWeight: number;
  /** Maximum number of counted faults. */
  readonly faultsMax: number;
  /** A fault is forgotten after this many announced ledgers without a further fault: about a minute. */
  readonly faultForgottenAfter: number;
  /**
   * When an endpoint was up for this time before it sent false data, the count "in a row" begins again. What it delivered
   * during that time does not matter: the ledgers of a false chain are delivered too.
   */
  readonly distrustResetAfter: number;
  /**
   * Claims without delivery count as false data after this time and this many requests. Nodes behind one host name may be
   * a few seconds apart; ten seconds are two ledgers.
   */
  readonly claimGrace: number;
  readonly claimMisses: number;
  /**
   * By how much each ms without doubt reduces the debt (claims.ts): an endpoint that is late with every ledger, but for
   * less than a third of the time, has no lasting debt.
   */
  readonly debtDecay: number;
  /** First and longest pause before a doubted ledger is requested again; it doubles each time. */
  readonly claimPauseFirst: number;
  readonly claimPauseMax: number;
  /**
   * Largest accepted message: the largest mainnet ledgers are about 4 MB as hex, a snapshot page about 2 MB. The runtime
   * itself closes a connection at 128 MB, so a frame cannot use more memory than that.
   */
  readonly messageBytes: number;
  /**
   * What one connection may have received while the thread that reads it was busy: four times the requests in flight with
   * the largest ledgers, and more announcements than a node sends in an hour.
   */
  readonly unreadMessages: number;
  readonly unreadBytes: number;
  /** Maximum nesting of brackets in a message: ledgers and metadata have about ten levels. */
  readonly nesting: number;
  /** Maximum number of requests in flight on one endpoint: public nodes throttle clients that send more. */
  readonly requestsInFlight: number;
  /** Messages without use (unknown id or type, a repeated ledger) between two ledgers, above which an endpoint counts as
   * broken. */
  readonly unexpectedMessages: number;
  /**
   * Values in a message: parsing a value costs up to some microseconds. The largest ledger that is read has 100,000, and an
   * answer that is passed on to a client is one of the same ledger with its fields spelled out.
   */
  readonly values: number;
  /**
   * Characters of messages that answer no request, within `unrequestedTime`, and for how many a value in them counts: parsing
   * them takes the main thread a second at worst. A node needs a kilobyte a ledger, and one that makes its history closes
   * hundreds a second; sixteen large ledgers that come too late fit, too.
   */
  readonly unrequestedBytes: number;
  readonly unrequestedValueBytes: number;
  readonly unrequestedTime: number;
  /** Transactions of one ledger: far more than a real ledger has. */
  readonly transactions: number;
  /** Ranges read from `complete_ledgers`; a node with many gaps lists hundreds. */
  readonly ranges: number;
  /** Announced ledger hashes kept for each endpoint: a few minutes, to compare endpoints with each other. */
  readonly announcements: number;
  /** Entries of one ledger_data page: rippled and Clio give at most 2,048 of them in binary. */
  readonly pageEntries: number;
  /**
   * Entries of a whole state, six times those of the main network; and how many of them may be further along than their place
   * in the key space says. Keys are hashes, so entries lie evenly but for the pages of one owner or book, of which some
   * 100,000 follow one another at most: a state without end is refused after a million entries, not when the tables are full.
   */
  readonly stateEntries: number;
  readonly stateEntriesAhead: number;
  /** Largest ledger entry; the largest known (directories, NFT pages, oracles) are below 20 KB. */
  readonly entryBytes: number;
  /** Snapshot pages that are requested, or being proved, or wait to be loaded, at most. */
  readonly pagesAhead: number;
  /** Number of attempts for one snapshot page before the snapshot fails. */
  readonly pageAttempts: number;
}

export const LIMITS: Limits = {
  silence: 10_000,
  requestTimeout: 3_500,
  requestTimeoutMax: 20_000,
  latencyGuess: 500,
  hedge: 1_000,
  connectTimeout: 3_500,
  snapshotTimeout: 20_000,
  backoffFirst: 250,
  backoffMax: 30_000,
  distrustPause: 60_000,
  distrustPauseAlone: 2_000,
  distrustPauseAloneMax: 15_000,
  falseAfterEndMax: 3,
  faultWeight: 2_000,
  faultsMax: 16,
  faultForgottenAfter: 16,
  distrustResetAfter: 60_000,
  claimGrace: 10_000,
  claimMisses: 3,
  debtDecay: 0.5,
  claimPauseFirst: 50,
  claimPauseMax: 5_000,
  messageBytes: 32 * 1024 * 1024,
  unreadMessages: 2_000,
  unreadBytes: 256 * 1024 * 1024,
  nesting: 64,
  requestsInFlight: 16,
  unexpectedMessages: 1_000,
  values: 300_000,
  unrequestedBytes: 16 * 1024 * 1024,
  unrequestedValueBytes: 32,
  unrequestedTime: 10_000,
  transactions: 10_000,
  ranges: 4_096,
  announcements: 64,
  pageEntries: 2_048,
  stateEntries: 2 ** 27,
  stateEntriesAhead: 2 ** 20,
  entryBytes: 1024 * 1024,
  pagesAhead: 3,
  pageAttempts: 8,
};

/** Waiting times of the follow loop, in ms. */
export const FOLLOW_LIMITS = {
  /** First and longest pause before a ledger is requested again. Short: the source has its own back-off. */
  retryFirst: 50,
  retryMax: 1_000,
  /** Ledgers ahead are requested when this part of the window (1 / 4) has room. */
  requestedAtOnce: 4,
  /** How often to check the source for new ledgers when it announces none. */
  idle: 1_000,
  /** A warning is logged when a ledger is late by this time, and again each time that has doubled. */
  warnAfter: 30_000,
  /** Gaps that are repaired are logged at most so often: a network that makes its history has several a second. */
  gapLineEvery: 60_000,
} as const;
