import { DAY, HOUR } from '../ripple-time.ts';

/** A transaction as this reads it. Accounts and tokens are the ids of the state; 0: not known. */
export interface ActivityTransaction {
  readonly ledger: number;
  /** Its place in the ledger. */
  readonly tx: number;
  /** Unix seconds. */
  readonly time: number;
  readonly type: number;
  readonly isSuccess: boolean;
  readonly isPayment: boolean;
  readonly sender: number;
  readonly destination: number;
  /** XRP. */
  readonly fee: number;
  /** XRP that a payment delivered; undefined: it delivered a token, or is none. */
  readonly xrp: number | undefined;
  /** What a payment delivered, where it is a token. */
  readonly token: number;
  /** A payment that was sent in another currency than it delivered. */
  readonly isCross: boolean;
  /** It took offers, or passed through a pool: there was a trade. */
  readonly isTrade: boolean;
  /** Accounts that it created. */
  readonly created: readonly number[];
  /** XRP that the sender had before; undefined: its balance did not change. */
  readonly before: number | undefined;
  /** XRP that the sender has after. */
  readonly after: number;
}

export interface HourSum {
  /** Unix seconds of its beginning. */
  readonly hour: number;
  transactions: number;
  failed: number;
  payments: number;
  trades: number;
}

interface Sender {
  transactions: number;
  failed: number;
  fees: number;
}

/** A payment, or an account that was emptied: where it is, and how much XRP. */
export interface Moved {
  readonly ledger: number;
  readonly tx: number;
  readonly time: number;
  readonly from: number;
  readonly to: number;
  readonly xrp: number;
}

/** An account was drained where it had this much, and a twentieth or less is left. */
const DRAINED_MIN = 1000;
const DRAINED_LEFT = 0.05;
/** Rows of each list of the largest that are kept. */
const LARGEST = 100;

/**
 * What happened on the network in a time: sums and rankings of everything that tools break it down by, in one pass over
 * the transactions. Failed ones count as transactions and pay fees; what they would have moved is not counted.
 *
 *     cross currency  sent in another currency than delivered
 *     trade           the transaction took offers, or passed through a pool
 *     drain           an account that had 1,000 XRP or more and kept at most a twentieth after its own transaction
 */
export class NetworkActivity {
  transactions = 0;
  failed = 0;
  fees = 0;
  payments = 0;
  xrp = 0;
  cross = 0;
  trades = 0;
  readonly types = new Map<number, { count: number; failed: number }>();
  readonly hours = new Map<number, HourSum>();
  readonly senders = new Map<number, Sender>();
  readonly tokens = new Map<number, number>();
  /** Accounts created, by who created them. */
  readonly creators = new Map<number, number>();
  /** Who traded, by day (Unix seconds of its beginning). */
  readonly traders = new Map<number, Set<number>>();
  /** XRP that came in and went out, by account that exchanges are. */
  readonly exchanges = new Map<number, { received: number; sent: number }>();
  #transfers: Moved[] = [];
  #drains: Moved[] = [];
  readonly #isExchange: (account: number) => boolean;

  constructor(isExchange: (account: number) => boolean) {
    this.#isExchange = isExchange;
  }

  add(one: ActivityTransaction): void {
    this.transactions++;
    this.fees += one.fee;
    if (!one.isSuccess) this.failed++;
    const type = entry(this.types, one.type, () => ({ count: 0, failed: 0 }));
    type.count++;
    if (!one.isSuccess) type.failed++;
    const sender = entry(this.senders, one.sender, () => ({ transactions: 0, failed: 0, fees: 0 }));
    sender.transactions++;
    sender.fees += one.fee;
    if (!one.isSuccess) sender.failed++;
    const at = one.time - (one.time % HOUR);
    const hour = entry(this.hours, at, () => ({
      hour: at,
      transactions: 0,
      failed: 0,
      payments: 0,
      trades: 0,
    }));
    hour.transactions++;
    if (!one.isSuccess) hour.failed++;
    if (one.isSuccess) this.#addDone(one, hour);
  }

  /** The largest first. */
  get transfers(): readonly Moved[] {
    return largest(this.#transfers);
  }

  get drains(): readonly Moved[] {
    return largest(this.#drains);
  }

  #addDone(one: ActivityTransaction, hour: HourSum): void {
    if (one.isPayment) {
      this.payments++;
      hour.payments++;
      if (one.isCross) this.cross++;
      if (one.token !== 0) this.tokens.set(one.token, (this.tokens.get(one.token) ?? 0) + 1);
      if (one.xrp !== undefined) this.#addXrp(one, one.xrp);
    }
    if (one.isTrade) {
      this.trades++;
      hour.trades++;
      entry(this.traders, one.time - (one.time % DAY), () => new Set<number>()).add(one.sender);
    }
    if (one.created.length > 0)
      this.creators.set(one.sender, (this.creators.get(one.sender) ?? 0) + one.created.length);
    const { before, after } = one;
    if (before !== undefined && before >= DRAINED_MIN && after <= before * DRAINED_LEFT)
      this.#drains = kept(this.#drains, { ...movedOf(one), xrp: before - after });
  }

  #addXrp(one: ActivityTransaction, xrp: number): void {
    this.xrp += xrp;
    if (one.sender === one.destination) return;
    this.#transfers = kept(this.#transfers, { ...movedOf(one), xrp });
    const [from, to] = [this.#isExchange(one.sender), this.#isExchange(one.destination)];
    if (from === to) return;
    const flow = entry(this.exchanges, from ? one.sender : one.destination, () => ({ received: 0, sent: 0 }));
    if (from) flow.sent += xrp;
    else flow.received += xrp;
  }
}

const movedOf = ({ ledger, tx, time, sender, destination }: ActivityTransaction) => ({
  ledger,
  tx,
  time,
  from: sender,
  to: destination,
});

const largest = (rows: readonly Moved[]): Moved[] =>
  rows.toSorted((a, b) => b.xrp - a.xrp || a.ledger - b.ledger || a.tx - b.tx).slice(0, LARGEST);

/** Sorted out only when twice as many have come together. */
function kept(rows: Moved[], one: Moved): Moved[] {
  rows.push(one);
  return rows.length < 2 * LARGEST ? rows : largest(rows);
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
