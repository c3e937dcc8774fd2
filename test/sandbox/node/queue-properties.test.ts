/** The queue under random load: nothing is lost, limits hold, accounts stay in order, no transaction is stuck. */
import { expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import type { ParsedTransaction } from '../../../sandbox/apply/environment.ts';
import { BASE_LEVEL } from '../../../sandbox/apply/fee-metrics.ts';
import { levelOf, type Queued } from '../../../sandbox/apply/queue.ts';
import { transactionOfFields } from '../../../sandbox/apply/transaction.ts';
import type { TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { isTef, isTel, isTem, isTer } from '../../../sandbox/protocol/results.ts';
import type { TestAccount } from '../rig.ts';
import { drawsOf, seedOf } from '../seed.ts';
import { GENESIS, NetworkRig } from './network-rig.ts';

const seed = seedOf('queue properties');
const FEW = { minimumPerLedger: 3, targetPerLedger: 3, ledgersInQueue: 3, queueMinimum: 12 };
const ACCOUNT_MAX = 10;

const proxyOf = ({ fields }: ParsedTransaction): string =>
  `${fields.Account} ${fields.TicketSequence === undefined ? `s${fields.Sequence}` : `t${fields.TicketSequence}`}`;

class Load {
  readonly rig = new NetworkRig({ feeSettings: FEW, verify: () => true });
  readonly accounts: TestAccount[];
  /** Hashes with the result `terQUEUED` or `tesSUCCESS` that have not been accounted for. */
  readonly pending = new Map<string, ParsedTransaction>();
  /** Those that were seen waiting as local ones only. */
  readonly local = new Set<string>();
  readonly closed = new Map<string, number>();
  /** Last sequence of each account in a ledger. */
  readonly lastSequence = new Map<string, number>();
  counts = { queued: 0, direct: 0, paidFor: 0, replaced: 0, evicted: 0, expired: 0, past: 0 };

  constructor(readonly random: (below: number) => number) {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) {
      this.rig.time += 4;
      const payment = this.rig.inSeries(GENESIS, {
        TransactionType: 'Payment',
        Destination: this.rig.account(name).address,
        Amount: '100000000',
      });
      this.rig.network.build([payment], this.rig.time);
    }
    this.accounts = names.map((name) => this.rig.account(name));
    for (const one of this.accounts) {
      this.rig.submit(one, { TransactionType: 'TicketCreate', TicketCount: 12 });
      this.rig.close();
    }
  }

  get queue() {
    return this.rig.network.queue;
  }

  transaction(): ParsedTransaction {
    const { random, rig } = this;
    const account = this.accounts[random(this.accounts.length)]!;
    const next = rig.network.nextSequence(account.id);
    const ticket = random(5) === 0;
    const fields: Partial<TransactionFields> = {
      TransactionType: 'AccountSet',
      Account: account.id,
      Fee: Amount.drops(BigInt(10 + (random(16) === 0 ? random(40) ** 3 : random(30)))),
      SigningPubKey: account.publicKey,
      TxnSignature: 'AB',
      NetworkID: rig.network.networkId,
      // Mostly the next number; else one that is already queued, or a future one.
      Sequence: ticket
        ? 0
        : next - (random(4) === 0 ? random(4) : 0) + (random(12) === 0 ? 1 + random(3) : 0),
    };
    if (ticket) fields.TicketSequence = Math.max(1, rig.root(account.id) - random(30));
    if (random(4) === 0) fields.LastLedgerSequence = rig.network.open.index + random(6);
    const kind = random(25);
    if (kind === 0) {
      fields.TransactionType = 'TicketCreate';
      fields.TicketCount = 1 + random(3);
    } else if (kind === 1) fields.SetFlag = 4;
    return transactionOfFields(fields as TransactionFields);
  }

  /** An account's waiting transactions, without those whose number has been used in the meantime. */
  waiting(account: string): Queued[] {
    return this.queue
      .of(account)
      .filter(({ transaction: { fields } }) =>
        fields.TicketSequence === undefined ? fields.Sequence >= this.rig.root(account) : true,
      );
  }

  /** Ten of an account, more only to fill a gap before others. */
  #mayWait({ fields }: ParsedTransaction, waiting: readonly Queued[]): boolean {
    if (waiting.length < ACCOUNT_MAX || fields.TicketSequence !== undefined)
      return waiting.length < ACCOUNT_MAX;
    return waiting.some(({ transaction: { fields: other } }) => other.Sequence > fields.Sequence);
  }

  submit(): void {
    const { network } = this.rig;
    const transaction = this.transaction();
    const waiting = this.waiting(transaction.fields.Account);
    const replaces = waiting.some((other) => proxyOf(other.transaction) === proxyOf(transaction));
    const before = new Map(this.queue.all().map((entry) => [entry.transaction.hash, entry]));
    const wasFull = this.queue.full;
    const { result, applied, queued } = network.submit(transaction);
    expect(applied || queued || isTel(result) || isTer(result) || isTef(result) || isTem(result)).toBe(true);
    expect(queued).toBe(result === 'terQUEUED');
    if (applied) this.counts.direct += 1;
    if (queued) this.counts.queued += 1;
    if (queued && !replaces) expect(this.#mayWait(transaction, waiting)).toBe(true);
    const after = new Set(this.queue.all().map((entry) => entry.transaction.hash));
    expect(after.has(transaction.hash)).toBe(queued || (before.has(transaction.hash) && !applied));
    const left = [...before.values()].filter((entry) => !after.has(entry.transaction.hash));
    const unpaid = left.filter((entry) => !this.#paidFor(entry, transaction, applied));
    this.counts.paidFor += left.length - unpaid.length;
    const gone = unpaid.filter((entry) => !this.#replacedByHeld(entry, transaction, before, applied));
    this.counts.replaced += unpaid.length - gone.length;
    for (const entry of unpaid) if (!gone.includes(entry)) this.pending.delete(entry.transaction.hash);
    expect(gone.length).toBeLessThanOrEqual(1);
    for (const entry of gone) this.#displaced(entry, transaction, applied || queued, wasFull);
    if (applied || queued) this.pending.set(transaction.hash, transaction);
  }

  /** A waiting one was applied with a later one of its account that paid for both. */
  #paidFor({ transaction }: Queued, by: ParsedTransaction, applied: boolean): boolean {
    if (!applied || !this.rig.network.open.has(transaction.hash)) return false;
    const { Account, Sequence } = transaction.fields;
    return Account === by.fields.Account && Sequence < by.fields.Sequence;
  }

  /** A held one of the account, whose sequence came with the one applied, was queued in the place of a waiting one. */
  #replacedByHeld(
    { transaction }: Queued,
    by: ParsedTransaction,
    before: ReadonlyMap<unknown, Queued>,
    applied: boolean,
  ): boolean {
    if (!applied || transaction.fields.Account !== by.fields.Account) return false;
    return this.queue
      .of(by.fields.Account)
      .some(
        (other) => !before.has(other.transaction.hash) && proxyOf(other.transaction) === proxyOf(transaction),
      );
  }

  /** A waiting one was dropped: its sequence was taken, or the queue was full and its fee was lower. */
  #displaced(entry: Queued, by: ParsedTransaction, tookPlace: boolean, wasFull: boolean): void {
    this.pending.delete(entry.transaction.hash);
    expect(tookPlace).toBe(true);
    if (proxyOf(entry.transaction) === proxyOf(by)) {
      this.counts.replaced += 1;
      return;
    }
    this.counts.evicted += 1;
    expect([wasFull, entry.transaction.fields.Account === by.fields.Account]).toEqual([true, false]);
  }

  close(): void {
    const { network } = this.rig;
    const ledger = this.rig.close();
    for (const { fields, hashText } of ledger.transactions) {
      this.closed.set(hashText, ledger.index);
      this.pending.delete(hashText);
      if (fields.TicketSequence !== undefined) continue;
      expect(fields.Sequence).toBeGreaterThan(this.lastSequence.get(fields.Account) ?? 0);
      this.lastSequence.set(fields.Account, fields.Sequence);
    }
    const waiting = new Set(this.queue.all().map(({ transaction }) => transaction.hash));
    const local = new Set(network.local.all().map((transaction) => transaction.hash));
    for (const [hash, one] of this.pending) {
      const { fields } = one;
      if (waiting.has(hash) || network.open.has(hash)) continue;
      // Left out when the ledger was built, and not queued: tried again with each of the next ledgers.
      if (local.has(hash)) {
        this.local.add(hash);
        continue;
      }
      const last = fields.LastLedgerSequence;
      if (last !== undefined && last <= ledger.index) this.counts.expired += 1;
      else {
        // Its sequence was taken, by another that was applied or by one that was tried again; or the queue filled up with
        // those that were tried again; or it failed as a local one. There is no other reason to drop it.
        const { Account: account, Sequence: sequence, TicketSequence: ticket } = fields;
        const taken =
          ticket === undefined ? sequence < this.rig.root(account) : !this.rig.hasTicket(account, ticket);
        const again = this.queue.of(account).some((other) => proxyOf(other.transaction) === proxyOf(one));
        expect([hash, taken || again || this.queue.full || this.local.has(hash)]).toEqual([hash, true]);
        this.counts.past += 1;
      }
      this.pending.delete(hash);
    }
    // The first of its account, if not even tried, pays too little.
    const required = network.queue.requiredLevel(network.open);
    for (const { id } of this.accounts) {
      const [first] = this.queue.of(id);
      if (first && first.lastResult === undefined) expect(first.level).toBeLessThan(required);
    }
  }

  check(): void {
    const all = this.queue.all();
    expect(all.length).toBe(this.queue.size);
    expect(this.queue.size).toBeLessThanOrEqual(this.queue.metrics.queueSize);
    expect(all.every(({ level }) => level >= BASE_LEVEL)).toBe(true);
    for (let i = 1; i < all.length; i += 1) expect(all[i]!.level).toBeLessThanOrEqual(all[i - 1]!.level);
    for (const { id } of this.accounts) {
      const list = this.queue.of(id);
      expect(new Set(list.map(({ transaction }) => proxyOf(transaction))).size).toBe(list.length);
      const sequences = list.flatMap(({ transaction: { fields } }) =>
        fields.TicketSequence === undefined ? [fields.Sequence] : [],
      );
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      const waiting = this.waiting(id);
      if (waiting.some(({ blocker }) => blocker)) expect(waiting.length).toBe(1);
      for (const { level, transaction } of list)
        expect(level).toBe(levelOf(this.rig.network.open.view, transaction));
    }
  }
}

test.each([0, 1, 2, 3])(`random load, series %p (seed ${seed})`, (series) => {
  const random = drawsOf(seed + series);
  const load = new Load(random);
  for (let round = 0; round < 25; round += 1) {
    for (let i = random(60); i > 0; i -= 1) load.submit();
    load.check();
    load.close();
    load.check();
  }
  expect(load.counts.queued).toBeGreaterThan(15);
  // Without new load it empties: no transaction is stuck.
  for (let i = 0; i < 40 && load.queue.size + load.rig.network.local.size > 0; i += 1) load.close();
  load.close();
  expect(load.queue.all().map(({ lastResult }) => lastResult)).toEqual([]);
  expect([...load.pending.keys()].filter((hash) => !load.rig.network.open.has(hash))).toEqual([]);
  console.log(JSON.stringify(load.counts));
});
