/** How large the engine's batches may become. */

/** How the engine collects ledgers in durable batches while it catches up. */
export interface BatchLimits {
  readonly ledgers: number;
  readonly bytes: number;
  readonly inFlight: number;
  readonly recentLedgers: number;
}

export const BATCH_LIMITS: BatchLimits = {
  /** A batch is closed at this many ledgers: bounds how many ledgers are read again after a crash. */
  ledgers: 256,
  /** ... or at this many bytes: bounds memory and the writer's longest transaction. */
  bytes: 32 * 1024 * 1024,
  /** Batches handed to the store and not yet durable; the next one waits. */
  inFlight: 2,
  /** Packed ledgers kept in memory after they are durable, for readers of the newest ones. */
  recentLedgers: 32,
};
