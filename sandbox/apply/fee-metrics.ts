/**
 * How full ledgers are, and the fee to get into the open one (rippled `TxQ::FeeMetrics`).
 *
 * A fee is compared as a level: 256 for exactly the base fee, whatever the transaction. Up to the expected number of
 * transactions a ledger costs 256; beyond it, with n transactions in a ledger that expected e, the median level of the
 * last ledger times n² / e².
 */

/** Level of a transaction that pays its base fee. */
export const BASE_LEVEL = 256n;

export interface FeeSettings {
  /** A ledger of up to this many transactions is never full. rippled: 32 in a network, 1,000 standing alone. */
  readonly minimumPerLedger: number;
  /** A ledger with more than this raises the expected size of the next ones. */
  readonly targetPerLedger: number;
  /** Ledgers that the queue has room for, and whose sizes are remembered. */
  readonly ledgersInQueue: number;
  /** Minimum capacity of the queue, in transactions. */
  readonly queueMinimum: number;
}

export const FEE_SETTINGS: FeeSettings = {
  minimumPerLedger: 1000,
  targetPerLedger: 1000,
  ledgersInQueue: 20,
  queueMinimum: 2000,
};

/** Percent by which an exceeded size is raised. */
const RAISE_PERCENT = 20;
/** Minimum escalation multiplier: the first transaction beyond the expected size costs 500 base fees. */
const MULTIPLIER_MIN = BASE_LEVEL * 500n;
/** Weight, in tenths, of the previous expectation when ledgers get smaller. */
const KEEP_TENTHS = 9;

/**
 * The level of a fee.
 * @param base the minimum fee of this transaction, drops. @param usual the minimum fee of a usual transaction with the same
 * signers: where the minimum fee is zero (a free key reset), the fee paid counts on top of that.
 */
export function feeLevel(paid: bigint, base: bigint, usual = 1n): bigint {
  if (base <= 0n) return ((paid + usual) * BASE_LEVEL) / usual;
  return (paid * BASE_LEVEL) / base;
}

export class FeeMetrics {
  readonly #settings: FeeSettings;
  readonly #recent: number[] = [];
  #expected: number;
  #multiplier = MULTIPLIER_MIN;

  constructor(settings: FeeSettings = FEE_SETTINGS) {
    this.#settings = settings;
    this.#expected = settings.minimumPerLedger;
  }

  /** Transactions the open ledger takes at the base fee. */
  get expected(): number {
    return this.#expected;
  }

  /** Median fee level of the last ledger, at least 500 base levels. */
  get multiplier(): bigint {
    return this.#multiplier;
  }

  /** Transactions the queue has room for. */
  get queueSize(): number {
    return Math.max(this.#expected * this.#settings.ledgersInQueue, this.#settings.queueMinimum);
  }

  /** Updates from a closed ledger. @param levels fee levels of its transactions, in any order */
  update(levels: readonly bigint[]): void {
    const { minimumPerLedger, targetPerLedger, ledgersInQueue } = this.#settings;
    const sorted = [...levels].sort((a, b) => (a < b ? -1 : Number(a > b)));
    const size = sorted.length;
    if (size > this.#expected || size > targetPerLedger) {
      this.#recent.push(Math.floor((size * (100 + RAISE_PERCENT)) / 100));
      if (this.#recent.length > ledgersInQueue) this.#recent.shift();
      const most = Math.max(...this.#recent);
      this.#expected =
        most >= this.#expected ? most : Math.floor((this.#expected * KEEP_TENTHS + most) / (KEEP_TENTHS + 1));
      this.#expected = Math.max(this.#expected, minimumPerLedger);
    }
    if (size === 0) {
      this.#multiplier = MULTIPLIER_MIN;
      return;
    }
    const [low, high] = [sorted[(size - 1) >> 1]!, sorted[size >> 1]!];
    const median = (low + high + 1n) / 2n;
    this.#multiplier = median > MULTIPLIER_MIN ? median : MULTIPLIER_MIN;
  }

  /** The level required to get into an open ledger with `count` transactions. */
  required(count: number): bigint {
    if (count <= this.#expected) return BASE_LEVEL;
    return (this.#multiplier * BigInt(count) * BigInt(count)) / BigInt(this.#expected) ** 2n;
  }

  /** The total level that a series must pay to get into an open ledger with `count` transactions that is full. */
  requiredTogether(count: number, size: number): bigint {
    let squares = 0n;
    for (let n = BigInt(count); n < BigInt(count + size); n++) squares += n * n;
    return (this.#multiplier * squares) / BigInt(this.#expected) ** 2n;
  }
}
