/**
 * The ledgers of the embedded network: the newest 256 with their state in memory, the newest million in the store.
 *
 *     close ──► append ──► waiting for the store ──► one commit for `commitEvery` ledgers, or at `flush`
 *               `newest`                                 └──► `validated`, `recent`, every answer
 * Live, every ledger is a commit of its own. While history is made, many ledgers share one. A ledger that is not durable
 * is visible only to the code that builds the next one: if the process were killed, its readers would otherwise hold a
 * chain that no longer exists.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { ledgerHash } from '../../engine/codec/hash.ts';
import { type LedgerHeader, readHeader } from '../../engine/codec/header.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { proveLedger } from '../../engine/ledger/proof.ts';
import { indexed } from '../ledger/indexing.ts';
import { ClosedLedger, rulesIn } from '../ledger/ledger.ts';
import { ShaMap } from '../ledger/shamap.ts';
import { LedgerState, StateItem } from '../ledger/state.ts';
import {
  DamagedStore,
  type HolderChange,
  type Location,
  type SandboxStore,
  type StateChange,
  type StoredLedger,
  type TransactionQuery,
} from '../ledger/store.ts';
import { ClosedTransaction } from '../ledger/transactions.ts';

/** One and a half months with a ledger every four seconds. */
const KEEP_LEDGERS = 1_000_000;
/** Old ledgers deleted for each one stored, so that a smaller bound is reached gradually. */
const DROPPED_PER_LEDGER = 2;
/** Ledgers whose state is kept. */
export const RECENT_LEDGERS = 256;
/** Of these, ledgers whose transactions keep their decoded fields: the ones that are read most. */
const DECODED_LEDGERS = 4;
/** Ledgers read back from the store that stay cached. */
const PAST_CACHED = 64;
/** Type code of an MPToken entry, behind the field code of LedgerEntryType (0x11). */
const MPTOKEN = 0x007f;

/** What every ledger has: header and transactions. The recent ones have a state too. */
export type LedgerRecord = Omit<ClosedLedger, 'view' | 'state' | 'rules' | 'isReleased'>;

/** A ledger read back from the store, without a state. */
export class PastLedger implements LedgerRecord {
  readonly header: LedgerHeader;
  readonly headerBytes: Uint8Array;
  readonly hash: Hex;
  readonly transactions: readonly ClosedTransaction[];
  readonly #packed: PackedLedger;

  /** @throws DamagedStore when the ledger does not prove */
  constructor(packed: PackedLedger) {
    const proof = proveLedger(packed);
    if ('fault' in proof) throw new DamagedStore(`ledger ${packed.ledgerIndex}: ${proof.fault}`);
    this.#packed = packed;
    this.headerBytes = packed.header;
    this.header = readHeader(packed.header);
    this.hash = hexOf(packed.hash);
    this.transactions = Array.from(
      { length: packed.count },
      (_, i) => new ClosedTransaction(hexOf(proof.hashes, i * 32, 32), packed.tx(i), packed.meta(i)),
    );
  }

  get index(): number {
    return this.header.index;
  }

  get closeTime(): number {
    return this.header.closeTime;
  }

  get closeTimeAgreed(): boolean {
    return this.header.closeFlags === 0;
  }

  packed(): PackedLedger {
    return this.#packed;
  }

  release(): void {
    for (const transaction of this.transactions) transaction.releaseFields();
  }
}

export class Ledgers {
  readonly #store: SandboxStore;
  readonly #recent = new Map<number, ClosedLedger>();
  readonly #past = new Map<number, PastLedger>();
  readonly #waiting: ClosedLedger[] = [];
  readonly #onStored: (ledgers: readonly ClosedLedger[]) => void;
  /** The state that the store has. */
  #stored: ShaMap<StateItem>;
  #newest: ClosedLedger | undefined;
  #validated: ClosedLedger | undefined;
  /** Named texts for the next commit. */
  readonly #texts = new Map<string, () => string>();
  /** Ledgers that share a commit. */
  commitEvery = 1;
  /** Ledgers that the store keeps; older ones are deleted as new ones come. */
  keep = KEEP_LEDGERS;

  /** @param onStored called with ledgers as soon as they are durable, ascending */
  constructor(store: SandboxStore, onStored: (ledgers: readonly ClosedLedger[]) => void) {
    this.#store = store;
    this.#onStored = onStored;
    this.#stored = new ShaMap();
    const head = store.head();
    if (head === undefined) return;
    const ledger = loadHead(store, head.index, head.hash);
    this.#stored = ledger.state.tree.snapshot();
    this.#newest = ledger;
    this.#keep([ledger]);
  }

  /** The ledger that the next one is built upon, durable or not. Undefined before the first one. */
  get newest(): ClosedLedger | undefined {
    return this.#newest;
  }

  /** A named text that was stored together with the durable ledgers. */
  text(name: string): string | undefined {
    return this.#store.text(name);
  }

  /** Stores a named text in the same commit as the waiting ledgers. @param text called at the commit */
  setText(name: string, text: () => string): void {
    this.#texts.set(name, text);
  }

  /** The newest durable ledger, which clients see. Undefined before the first one. */
  get validated(): ClosedLedger | undefined {
    return this.#validated;
  }

  /** First and last durable ledger. */
  range(): { readonly first: number; readonly last: number } | undefined {
    return this.#store.range();
  }

  /** @throws storage errors; the ledger then waits for the next flush */
  append(ledger: ClosedLedger): void {
    this.#waiting.push(ledger);
    this.#newest = ledger;
    if (this.#waiting.length >= this.commitEvery) this.flush();
  }

  /** Commits the ledgers that wait. @throws storage errors; the ledgers then still wait */
  flush(): void {
    const last = this.#waiting.at(-1);
    if (last === undefined) return;
    const tree = last.state.tree.snapshot();
    const changes: StateChange[] = [];
    const holders: HolderChange[] = [];
    for (const { key, before, after } of tree.changesSince(this.#stored)) {
      changes.push({ key, bytes: after?.bytes });
      const holder = holderChange(before, after);
      if (holder !== undefined) holders.push(holder);
    }
    const dropped = this.#oldest(last.index);
    const texts = new Map([...this.#texts].map(([name, text]) => [name, text()]));
    this.#store.commit({
      ledgers: this.#waiting.map(asStored),
      changes,
      holders,
      dropped,
      texts,
    });
    this.#texts.clear();
    for (const { packed } of dropped) this.#past.delete(packed.ledgerIndex);
    this.#stored = tree;
    const stored = this.#waiting.splice(0);
    this.#keep(stored);
    this.#onStored(stored);
    this.#release(last.index);
  }

  /** A ledger with its state, one of the newest 256 that are durable. */
  recent(index: number): ClosedLedger | undefined {
    return this.#recent.get(index);
  }

  byIndex(index: number): LedgerRecord | undefined {
    const recent = this.#recent.get(index) ?? this.#past.get(index);
    if (recent !== undefined) return recent;
    const packed = this.#store.ledger(index);
    if (packed === undefined) return undefined;
    const past = new PastLedger(packed);
    this.#past.set(index, past);
    if (this.#past.size > PAST_CACHED) this.#past.delete(this.#past.keys().next().value!);
    return past;
  }

  byHash(hash: Hex): LedgerRecord | undefined {
    for (const ledger of this.#recent.values()) if (ledger.hash === hash) return ledger;
    const index = this.#store.ledgerIndexOf(hash);
    return index === undefined ? undefined : this.byIndex(index);
  }

  /** The newest ledger closed at this time or before it, Ripple epoch seconds. */
  at(closeTime: number): LedgerRecord | undefined {
    const index = this.#store.ledgerAt(closeTime);
    return index === undefined ? undefined : this.byIndex(index);
  }

  transaction(hash: Hex): { ledger: LedgerRecord; transaction: ClosedTransaction } | undefined {
    const location = this.#store.transaction(hash);
    return location && this.resolve(location);
  }

  /** The transaction at a location. */
  resolve({
    ledger: index,
    position,
  }: Location): { ledger: LedgerRecord; transaction: ClosedTransaction } | undefined {
    const ledger = this.byIndex(index);
    const transaction = ledger?.transactions[position];
    return ledger && transaction && { ledger, transaction };
  }

  accountTransactions(account: AccountId, query: TransactionQuery): Location[] {
    return this.#store.accountTransactions(account, query);
  }

  nftTransactions(nft: Hex, query: TransactionQuery): Location[] {
    return this.#store.nftTransactions(nft, query);
  }

  nftsOf(issuer: AccountId, query: Parameters<SandboxStore['nftsOf']>[1]): Hex[] {
    return this.#store.nftsOf(issuer, query);
  }

  mptHolders(issuance: Hex, query: Parameters<SandboxStore['mptHolders']>[1]): AccountId[] {
    return this.#store.mptHolders(issuance, query);
  }

  /** The oldest stored ledgers beyond the number that is kept, never one of the newest 256. */
  #oldest(newest: number): StoredLedger[] {
    const first = this.#store.range()?.first ?? newest;
    const excess = newest - Math.max(this.keep, RECENT_LEDGERS) - first + 1;
    const count = Math.max(0, Math.min(excess, this.#waiting.length * DROPPED_PER_LEDGER));
    return Array.from({ length: count }, (_, i) => asStored(this.byIndex(first + i)!));
  }

  #keep(ledgers: readonly ClosedLedger[]): void {
    for (const ledger of ledgers) {
      this.#validated = ledger;
      this.#recent.set(ledger.index, ledger);
      this.#recent.delete(ledger.index - RECENT_LEDGERS);
    }
  }

  /** Releases fields and packed bytes of ledgers that are stored and no longer the newest. */
  #release(newest: number): void {
    for (let index = newest - DECODED_LEDGERS; ; index--) {
      const ledger = this.#recent.get(index);
      if (ledger === undefined || ledger.isReleased) return;
      ledger.release();
    }
  }
}

const asStored = (ledger: LedgerRecord): StoredLedger => ({
  packed: ledger.packed(),
  transactions: ledger.transactions.map(indexed),
});

/** The newest ledger of a store. @throws DamagedStore when the state does not hash to what its header says */
function loadHead(store: SandboxStore, index: number, hash: Hex): ClosedLedger {
  const packed = store.ledger(index);
  if (packed === undefined) throw new DamagedStore(`ledger ${index} is missing`);
  const past = new PastLedger(packed);
  const found = hexOf(ledgerHash(packed.header));
  if (found !== hash) throw new DamagedStore(`ledger ${index} is ${found}, not ${hash}`);
  const state = new LedgerState();
  for (const { key, bytes } of store.state()) state.tree.set(StateItem.ofBytes(key, bytes));
  const account = hexOf(state.tree.hash());
  if (account !== hexOf(past.header.accountHash))
    throw new DamagedStore(`the state hashes to ${account}, which is not that of ledger ${index}`);
  return new ClosedLedger(past.header, state, past.transactions, rulesIn(state));
}

const isMptoken = ({ bytes }: StateItem): boolean => ((bytes[1]! << 8) | bytes[2]!) === MPTOKEN;

/** Whether an account has started or stopped holding an MPT. */
function holderChange(before: StateItem | undefined, after: StateItem | undefined): HolderChange | undefined {
  if ((before === undefined) === (after === undefined)) return undefined;
  const item = (before ?? after)!;
  if (!isMptoken(item)) return undefined;
  const { MPTokenIssuanceID, Account } = item.entry;
  return { issuance: MPTokenIssuanceID!, holder: Account!, holds: after !== undefined };
}
