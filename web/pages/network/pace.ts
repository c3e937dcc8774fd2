/** How fast ledgers close, and what they hold. */

/** Of a ledger's header; times in seconds of the Ripple epoch. */
interface Timed {
  readonly close_time: number;
  readonly parent_close_time: number;
  readonly txn_count: number;
}

interface Pace {
  readonly ledgers: number;
  /** That these ledgers took together. */
  readonly seconds: number;
  readonly transactions: number;
}

/** Each ledger by its own time after the one before: among those that are held some may be missing. */
export function paceOf(headers: readonly Timed[]): Pace {
  let [ledgers, seconds, transactions] = [0, 0, 0];
  for (const { close_time, parent_close_time, txn_count } of headers) {
    // The first ledger of a network closed at no time.
    if (parent_close_time === 0) continue;
    ledgers++;
    seconds += close_time - parent_close_time;
    transactions += txn_count;
  }
  return { ledgers, seconds, transactions };
}
