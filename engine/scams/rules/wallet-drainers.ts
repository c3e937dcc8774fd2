/**
 * Wallet drainers: an account that was talked into giving another one its regular key is emptied by it.
 *
 *     SetRegularKey: victim -> key of K        within a day: payments of the victim, signed by that key, to K
 *       (grant: what the victim has)     ----> 80 % of it taken -> K drained one
 *                                              K drained two accounts, or passes half of it on -> K is listed
 *
 * Who gives a key to another account of their own, and moves all to it, does the first half: that alone lists nobody. A
 * thief who has the secret of an account itself cannot be told from its owner by the ledger: not found.
 *
 * Cost: of most payments a look into a small set; grants leave after a day.
 */
import { hexOf, readU32, sameBytes } from '../../codec/bytes.ts';
import { AccountNode, type Changes, EntryType, Node, Tx } from '../../codec/changes.ts';
import { HASH_BYTES } from '../../codec/hash.ts';
import { accountOfKey } from '../../codec/public-keys.ts';
import type { RowSteps } from '../../event-loop.ts';
import { DAY } from '../../ripple-time.ts';
import { Table } from '../../state/table.ts';
import { blobBytes } from '../../state/texts.ts';
import { TableId } from '../../table-ids.ts';
import type { ScamActors } from '../actors.ts';
import type { ScamRule, ScamTransaction } from '../rule.ts';
import { xrpDrops } from './dust-spam.ts';

const PAYMENT = 0;
const SET_REGULAR_KEY = 5;
const ACCOUNT_BYTES = 20;
/** Within which a drainer acts, from the grant on. */
const ACTS_WITHIN = DAY;
const TAKEN_SHARE = 0.8;
const PASSED_SHARE = 0.5;

export const WALLET_DRAINERS: ScamRule = {
  number: 3,
  name: 'wallet drainer',
  category: 'wallet_drainer',
  isVerified: true,
  definition:
    'An account gets the right to sign for others (SetRegularKey), and within 24 hours signs payments of 80 % or more of their XRP ' +
    'to itself: of two accounts within 30 days, or of one and passes half of it on within those 24 hours',
  source: 'https://nextmoney.jp/?p=51541',
  accounts: 2,
  window: 30 * DAY,
};

interface Accounts {
  find(bytes: Uint8Array, at: number): number | undefined;
}

export class WalletDrainers {
  readonly table: Table;
  readonly #time: Uint32Array;
  readonly #victim: Uint8Array;
  readonly #key: Uint8Array;
  /** Drops: what the victim had, what was taken of it, and what was passed on of that. */
  readonly #had: Float64Array;
  readonly #taken: Float64Array;
  readonly #passed: Float64Array;
  readonly #hash: Uint8Array;
  readonly #link: Uint32Array;
  readonly #actors: ScamActors;
  readonly #accounts: Accounts;
  /** First words of the victims and keys of all grants: few payments have one. Derived, as are the next two. */
  readonly #words = new Map<number, number>();
  readonly #rows = new Set<number>();

  constructor(capacity: number, actors: ScamActors, accounts: Accounts) {
    const table = new Table(TableId.scamGrants, 'scam grants', capacity);
    this.table = table;
    this.#time = table.u32('time');
    this.#victim = table.u8('victim', ACCOUNT_BYTES);
    this.#key = table.u8('key', ACCOUNT_BYTES);
    this.#had = table.f64('had');
    this.#taken = table.f64('taken');
    this.#passed = table.f64('passed');
    this.#hash = table.u8('hash', HASH_BYTES);
    this.#link = table.u32('link');
    table.linkThrough(this.#link);
    this.#actors = actors;
    this.#accounts = accounts;
  }

  /** Whether a transaction may matter: a quick look. */
  concerns(bytes: Uint8Array, changes: Changes, row: number): boolean {
    const type = changes.tx(row, Tx.type);
    if (type !== PAYMENT) return type === SET_REGULAR_KEY;
    return this.#words.size > 0 && this.#words.has(readU32(bytes, changes.tx(row, Tx.accountAt)));
  }

  take(transaction: ScamTransaction, changes: Changes): void {
    if (!this.concerns(transaction.bytes, changes, transaction.row)) return;
    const isPayment = changes.tx(transaction.row, Tx.type) === PAYMENT;
    if (isPayment) this.#payment(transaction, changes);
    else this.#grant(transaction, changes);
  }

  /** Forgets the grants of more than a day ago. */
  sweep(closeTime: number): void {
    for (const row of this.#rows) if (closeTime - this.#time[row]! > ACTS_WITHIN) this.#remove(row);
  }

  *rebuilding(): RowSteps {
    this.#rows.clear();
    this.#words.clear();
    for (let row = 1; row < this.table.count; row++) if (this.#time[row] !== 0) this.#remember(row);
    yield this.table.count;
  }

  #grant({ bytes, row, closeTime, hash }: ScamTransaction, changes: Changes): void {
    const first = changes.tx(row, Tx.firstNode);
    const victimAt = changes.tx(row, Tx.accountAt);
    for (const known of this.#rows) if (this.#is(this.#victim, known, bytes, victimAt)) this.#remove(known);
    for (let node = first; node < first + changes.tx(row, Tx.nodes); node++) {
      if (changes.node(node, Node.entryType) !== EntryType.AccountRoot) continue;
      const accountAt = changes.node(node, AccountNode.accountAt);
      const keyAt = changes.node(node, AccountNode.regularKeyAt);
      const balanceAt = changes.node(node, AccountNode.balanceAt);
      if (accountAt === 0 || keyAt === 0 || balanceAt === 0) continue;
      if (!sameBytes(bytes, accountAt, bytes, victimAt, ACCOUNT_BYTES)) continue;
      this.#add(bytes, {
        victimAt,
        keyAt,
        had: xrpDrops(bytes, balanceAt) ?? 0,
        time: closeTime,
        hash: hash(),
      });
    }
  }

  #add(
    bytes: Uint8Array,
    grant: { victimAt: number; keyAt: number; had: number; time: number; hash: Uint8Array },
  ): void {
    if (this.#rows.size >= this.table.capacity - 1) return;
    const row = this.table.add();
    this.#time[row] = grant.time;
    this.#victim.set(bytes.subarray(grant.victimAt, grant.victimAt + ACCOUNT_BYTES), row * ACCOUNT_BYTES);
    this.#key.set(bytes.subarray(grant.keyAt, grant.keyAt + ACCOUNT_BYTES), row * ACCOUNT_BYTES);
    this.#had[row] = grant.had;
    this.#hash.set(grant.hash, row * HASH_BYTES);
    this.#remember(row);
  }

  #payment(transaction: ScamTransaction, changes: Changes): void {
    const { bytes, row } = transaction;
    const amountAt = changes.tx(row, Tx.amountAt);
    const drops =
      amountAt === 0 || changes.tx(row, Tx.sendMaxAt) !== 0 ? undefined : xrpDrops(bytes, amountAt);
    if (drops === undefined) return;
    const senderAt = changes.tx(row, Tx.accountAt);
    for (const grant of [...this.#rows].sort((a, b) => a - b)) {
      if (this.#is(this.#victim, grant, bytes, senderAt)) this.#takes(transaction, changes, grant, drops);
      else if (this.#is(this.#key, grant, bytes, senderAt)) this.#passesOn(transaction, grant, drops);
    }
  }

  /** A payment of the victim. */
  #takes(
    { bytes, row, closeTime, hash }: ScamTransaction,
    changes: Changes,
    grant: number,
    drops: number,
  ): void {
    const destinationAt = changes.tx(row, Tx.destinationAt);
    const signingAt = changes.tx(row, Tx.signingKeyAt);
    if (destinationAt === 0 || signingAt === 0) return;
    if (!this.#is(this.#key, grant, bytes, destinationAt)) return;
    const key = hexOf(this.#key, grant * ACCOUNT_BYTES, ACCOUNT_BYTES);
    if (accountOfKey(hexOf(blobBytes(bytes, signingAt))) !== key) return;
    const before = this.#taken[grant]!;
    this.#taken[grant] = before + drops;
    this.table.markDirty(grant);
    const enough = this.#had[grant]! * TAKEN_SHARE;
    if (before >= enough || before + drops < enough) return;
    const actor = this.#accounts.find(this.#key, grant * ACCOUNT_BYTES) ?? 0;
    if (actor === 0) return;
    const granted = this.#hash.slice(grant * HASH_BYTES, (grant + 1) * HASH_BYTES);
    const otherAt = changes.tx(row, Tx.accountAt);
    this.#actors.act({
      rule: WALLET_DRAINERS,
      actor,
      bytes,
      otherAt,
      closeTime,
      drops: before + drops,
      hash: () => granted,
    });
    this.#actors.addEvidence(this.#actors.find(WALLET_DRAINERS, actor), hash());
  }

  /** A payment of who got the key. */
  #passesOn({ actor, closeTime, hash }: ScamTransaction, grant: number, drops: number): void {
    const taken = this.#taken[grant]!;
    if (taken < this.#had[grant]! * TAKEN_SHARE) return;
    const before = this.#passed[grant]!;
    this.#passed[grant] = before + drops;
    this.table.markDirty(grant);
    if (before >= taken * PASSED_SHARE || before + drops < taken * PASSED_SHARE) return;
    const row = this.#actors.find(WALLET_DRAINERS, actor);
    if (row === 0) return;
    this.#actors.addEvidence(row, hash());
    this.#actors.list(row, closeTime);
  }

  #is(column: Uint8Array, row: number, bytes: Uint8Array, at: number): boolean {
    return sameBytes(column, row * ACCOUNT_BYTES, bytes, at, ACCOUNT_BYTES);
  }

  #remember(row: number): void {
    this.#rows.add(row);
    for (const word of this.#wordsOf(row)) this.#words.set(word, (this.#words.get(word) ?? 0) + 1);
  }

  #remove(row: number): void {
    for (const word of this.#wordsOf(row)) {
      const left = this.#words.get(word)! - 1;
      if (left === 0) this.#words.delete(word);
      else this.#words.set(word, left);
    }
    this.#rows.delete(row);
    this.table.remove(row);
  }

  #wordsOf(row: number): [number, number] {
    return [readU32(this.#victim, row * ACCOUNT_BYTES), readU32(this.#key, row * ACCOUNT_BYTES)];
  }
}
