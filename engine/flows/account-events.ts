/**
 * The events of accounts: who got how much of a token from whom, and everything that creators and issuers do.
 *
 *     balance changes of a ledger, by transaction --> transfers: sent and received tokens, of every account
 *                                                \-> trades and liquidity, of watched accounts (creators.ts)
 *     transactions of the ledger -----------------> XRP that watched accounts send and receive, their checks and rejected
 *                                                   attempts; XRP that anyone sends with a tag to an account that
 *                                                   requires tags (an exchange's, mostly)
 *
 * Each event is a record (event-record.ts) of the family accountEvents, under its account: both ends of a transfer have one.
 * Trades and liquidity of other accounts are in the history of trades. Balances that only ripple through an account make
 * no event, except of watched ones. What an escrow locks is sent to its receiver when it is locked, and received by them when it is
 * finished.
 *
 * Cost: O(1) for each change of a balance and each transaction; 99 bytes in the store for each event. Events that are not
 * durable yet are kept in memory.
 */
import { AssetKind, amountKind, amountRawOffset, DROPS_PER_XRP, rawNumber } from '../codec/amount.ts';
import { readU32, wordAt } from '../codec/bytes.ts';
import { AccountNode, type Changes, EntryType, EscrowNode, isSent, Node, Tx } from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { amountDifference } from '../market/amount-difference.ts';
import { AccountFlag } from '../state/accounts.ts';
import type { State } from '../state/state.ts';
import { XRP } from '../state/tokens.ts';
import type { Batch } from '../store.ts';
import { type BalanceChanges, ChangeKind } from './balance-changes.ts';
import type { Creators } from './creators.ts';
import {
  EVENT_BYTES,
  EventBuffer,
  type EventOrigin,
  EventSide,
  EventType,
  type NewEvent,
} from './event-record.ts';
import { poolClawbackOf } from './pool-clawback.ts';

/** What attempts of these types would have been. */
const ATTEMPTS: Readonly<Record<number, EventSide>> = {
  [EventType.Payment]: EventSide.out,
  [EventType.CheckCreate]: EventSide.checkCreate,
  [EventType.CheckCash]: EventSide.checkReceive,
  [EventType.CheckCancel]: EventSide.checkCancel,
  [EventType.Clawback]: EventSide.clawback,
  [EventType.AMMClawback]: EventSide.clawback,
  [EventType.AMMCreate]: EventSide.ammCreate,
  [EventType.AMMDeposit]: EventSide.deposit,
  [EventType.AMMWithdraw]: EventSide.withdraw,
};

/** Types with events even where no line changed: see `#addTransaction`. */
const WITHOUT_LINES: ReadonlySet<number> = new Set([
  EventType.Payment,
  EventType.CheckCreate,
  EventType.CheckCash,
  EventType.CheckCancel,
]);

/** Transactions that lock tokens for somebody, and unlock them. */
const OF_ESCROWS: ReadonlySet<number> = new Set([
  EventType.EscrowCreate,
  EventType.EscrowFinish,
  EventType.EscrowCancel,
]);

/** Transactions by which issuers take back what others hold: of vaults and covers of loans, their accounts. */
const CLAWBACKS: ReadonlySet<number> = new Set([
  EventType.Clawback,
  EventType.VaultClawback,
  EventType.LoanBrokerCoverClawback,
]);

/** What the other end of a transfer sees. */
const MIRRORED: Readonly<Partial<Record<EventSide, EventSide>>> = {
  [EventSide.in]: EventSide.out,
  [EventSide.out]: EventSide.in,
  [EventSide.checkReceive]: EventSide.checkSend,
  [EventSide.checkSend]: EventSide.checkReceive,
};

const TES_SUCCESS = 0;

/** A row of the ring of balance changes that the ledger added. */
interface Change {
  readonly row: number;
  readonly tx: number;
  readonly token: number;
}

/** Events of one ledger that is not durable yet. */
interface PendingLedger {
  readonly ledger: number;
  readonly bytes: Uint8Array;
}

export interface EventPrices {
  price(token: number): number | undefined;
}

export class AccountEvents {
  /** Of the last ledger. */
  readonly buffer = new EventBuffer();
  readonly #state: State;
  readonly #creators: Creators;
  readonly #ring: BalanceChanges;
  readonly #prices: EventPrices;
  readonly #pending: PendingLedger[] = [];
  /** Of this ledger, by transaction, ascending. */
  readonly #changes: Change[] = [];
  readonly #amount = new Uint32Array(2);
  readonly #origin: { -readonly [K in keyof EventOrigin]: EventOrigin[K] } = {
    ledger: 0,
    closeTime: 0,
    tx: 0,
    hash: new Uint8Array(32),
    type: 0,
    result: 0,
  };
  #sender = 0;
  #destination = 0;
  /** Whose tokens an escrow locks; 0 in other transactions. */
  #escrowOwner = 0;
  #tag: number | undefined;

  constructor(state: State, creators: Creators, ring: BalanceChanges, prices: EventPrices) {
    this.#state = state;
    this.#creators = creators;
    this.#ring = ring;
    this.#prices = prices;
  }

  /** Before the balance changes of a ledger are taken. */
  begin(): void {
    this.buffer.count = 0;
    this.#changes.length = 0;
    this.#creators.begin();
  }

  /** The ring has a new row. */
  changed(row: number, tx: number, token: number): void {
    this.#changes.push({ row, tx, token });
  }

  /** After them: makes the events of the ledger. */
  apply(packed: PackedLedger, changes: Changes, batch: Batch): void {
    let next = 0;
    for (let tx = 0; tx < changes.transactions; tx++) {
      const first = next;
      while (next < this.#changes.length && this.#changes[next]!.tx === tx) next++;
      if (!isSent(changes, tx)) continue;
      // Most transactions place and cancel offers, and change no line.
      if (first === next && !this.#mayHaveEvents(changes, tx)) continue;
      this.#read(packed, changes, tx);
      if (this.#origin.result !== TES_SUCCESS) this.#addAttempt(packed, changes, tx);
      else if (this.#origin.type === EventType.AMMClawback)
        this.#addPoolClawback(packed, changes, tx, this.#changes.slice(first, next));
      else {
        for (let i = first; i < next; i++) this.#addChange(this.#changes[i]!, first, next);
        this.#addTransaction(packed, changes, tx);
      }
    }
    const { bytes, count } = this.buffer;
    for (let i = 0; i < count; i++)
      this.#store(batch, bytes.subarray(i * EVENT_BYTES, (i + 1) * EVENT_BYTES));
    if (count > 0)
      this.#pending.push({ ledger: packed.ledgerIndex, bytes: bytes.slice(0, count * EVENT_BYTES) });
  }

  /** Ledgers whose events may not be in the store yet, oldest first: EVENT_BYTES an event. */
  get pending(): readonly PendingLedger[] {
    return this.#pending;
  }

  durable(ledger: number): void {
    const kept = this.#pending.findIndex((one) => one.ledger > ledger);
    this.#pending.splice(0, kept < 0 ? this.#pending.length : kept);
  }

  clear(): void {
    this.#pending.length = 0;
  }

  #store(batch: Batch, bytes: Uint8Array): void {
    const account = wordAt(bytes, 48);
    batch.record('accountEvents', [account, wordAt(bytes, 0), wordAt(bytes, 4), wordAt(bytes, 8)], bytes);
  }

  /** Whether a transaction that changed no balance of a token can have an event. */
  #mayHaveEvents(changes: Changes, tx: number): boolean {
    return changes.tx(tx, Tx.result) !== TES_SUCCESS || WITHOUT_LINES.has(changes.tx(tx, Tx.type));
  }

  #read(packed: PackedLedger, changes: Changes, tx: number): void {
    const { accounts } = this.#state;
    const origin = this.#origin;
    origin.ledger = packed.ledgerIndex;
    origin.closeTime = packed.closeTime;
    origin.tx = tx;
    origin.type = changes.tx(tx, Tx.type);
    origin.result = changes.tx(tx, Tx.result);
    origin.hash = changes.hash(tx);
    const destinationAt = changes.tx(tx, Tx.destinationAt);
    const tagAt = changes.tx(tx, Tx.destinationTagAt);
    this.#sender = accounts.find(packed.bytes, changes.tx(tx, Tx.accountAt)) ?? 0;
    this.#destination = destinationAt === 0 ? 0 : (accounts.find(packed.bytes, destinationAt) ?? 0);
    this.#tag = tagAt === 0 ? undefined : readU32(packed.bytes, tagAt);
    this.#escrowOwner = OF_ESCROWS.has(origin.type) ? this.#ownerOfEscrow(packed, changes, tx) : 0;
  }

  #ownerOfEscrow({ bytes }: PackedLedger, changes: Changes, tx: number): number {
    const first = changes.tx(tx, Tx.firstNode);
    const end = first + changes.tx(tx, Tx.nodes);
    for (let node = first; node < end; node++)
      if (changes.node(node, Node.entryType) === EntryType.Escrow)
        return this.#state.accounts.find(bytes, changes.node(node, EscrowNode.accountAt)) ?? 0;
    return 0;
  }

  #addChange(change: Change, first: number, end: number): void {
    const { row, token } = change;
    const ring = this.#ring;
    const { tokens, pools } = this.#state;
    const account = ring.account[row]!;
    if (pools.isAccount(account)) return;
    if (tokens.pools[token] !== 0) {
      this.#addShares(change, first, end);
      return;
    }
    const sign = this.#difference(change);
    if (sign > 0) this.#creators.held(token, account);
    const kind = ring.kind[row]!;
    const isWatched = this.#creators.isWatched(account);
    if (kind !== ChangeKind.transfer && !isWatched) return;
    const isParty = account === this.#sender || account === this.#destination;
    if (this.#origin.type === EventType.Payment && kind === ChangeKind.transfer && !isParty && !isWatched)
      return;
    if (this.#origin.type === EventType.AMMCreate)
      this.#creators.openedPool(token, account, this.#origin.closeTime);
    const issuer = tokens.issuer(token);
    const [hi, lo] = [this.#amount[0]!, this.#amount[1]!];
    const counterparty = kind === ChangeKind.transfer ? this.#counterparty(change, sign, first, end) : 0;
    const event = {
      token,
      hi,
      lo,
      drops: ring.worth[row]!,
      side: this.#sideOf(kind, sign),
    };
    this.#add({ ...event, account, counterparty, tag: account === this.#sender ? this.#tag : undefined });
    // An issuer has no line of its own token: its event follows from the holder's.
    if (counterparty !== issuer) return;
    const tag = issuer === this.#sender ? this.#tag : undefined;
    this.#add({
      ...event,
      account: issuer,
      counterparty: account,
      side: MIRRORED[event.side] ?? event.side,
      tag,
    });
  }

  /**
   * Liquidity of XRP alone, or of an issuer's own token: only the account's LP tokens show it. It is an event of the pool's
   * token, with what the pool has more or less of it.
   */
  #addShares(shares: Change, first: number, end: number): void {
    const ring = this.#ring;
    const { tokens, pools } = this.#state;
    const kind = ring.kind[shares.row]!;
    const account = ring.account[shares.row]!;
    if (kind !== ChangeKind.liquidity || !this.#creators.isWatched(account)) return;
    const pool = tokens.poolOf(shares.token)!;
    const [one, two] = [pools.asset1(pool), pools.asset2(pool)];
    const token = one === XRP ? two : one;
    const moved = this.#changes
      .slice(first, end)
      .filter((other) => other.token === one || other.token === two);
    if (moved.some(({ row }) => ring.account[row] === account)) return;
    const side = this.#sideOf(kind, -this.#difference(shares));
    const inPool = moved.find(({ row, token: other }) => {
      return other === token && ring.account[row] === pools.accounts[pool];
    });
    if (inPool) this.#difference(inPool);
    const [hi, lo] = inPool ? [this.#amount[0]!, this.#amount[1]!] : [0, 0];
    this.#add({ account, counterparty: 0, token, hi, lo, drops: ring.worth[shares.row]!, side });
  }

  /** Events of both ends, as of a Clawback; what went to the holder is liquidity that it took out. */
  #addPoolClawback({ bytes }: PackedLedger, changes: Changes, tx: number, moved: readonly Change[]): void {
    const { account: accounts } = this.#ring;
    const found = poolClawbackOf(this.#state, accounts, bytes, changes, tx, moved);
    if (!found) return;
    const { holder, pool, clawed } = found;
    for (const change of moved) {
      const { row, token } = change;
      const isClawed = clawed.includes(token);
      if (accounts[row] !== (isClawed ? pool : holder) || this.#state.tokens.pools[token] !== 0) continue;
      this.#difference(change);
      const [hi, lo] = [this.#amount[0]!, this.#amount[1]!];
      const named = { token, hi, lo, drops: this.#worthOf(token, hi, lo) };
      if (!isClawed) this.#addWatched(holder, 0, named, EventSide.withdraw);
      else
        for (const [account, counterparty] of [
          [holder, this.#sender],
          [this.#sender, holder],
        ] as const)
          this.#add({ account, counterparty, ...named, side: EventSide.clawback });
    }
  }

  /** The sign of a change; its size is in `#amount` then. */
  #difference({ row, token }: Change): number {
    const ring = this.#ring;
    return amountDifference(
      this.#state.tokens.kind(token),
      ring.afterHi[row]!,
      ring.afterLo[row]!,
      ring.beforeHi[row]!,
      ring.beforeLo[row]!,
      this.#amount,
    );
  }

  #sideOf(kind: number, sign: number): EventSide {
    const { type } = this.#origin;
    if (sign < 0 && CLAWBACKS.has(type)) return EventSide.clawback;
    if (kind === ChangeKind.trade) return sign > 0 ? EventSide.buy : EventSide.sell;
    if (kind === ChangeKind.liquidity) {
      if (type === EventType.AMMCreate) return EventSide.ammCreate;
      return sign > 0 ? EventSide.withdraw : EventSide.deposit;
    }
    if (type === EventType.CheckCash) return sign > 0 ? EventSide.checkReceive : EventSide.checkSend;
    return sign > 0 ? EventSide.in : EventSide.out;
  }

  /** The other end of a transfer: of a payment the other party, else who changed most the other way, else the issuer. */
  #counterparty({ row, token }: Change, sign: number, first: number, end: number): number {
    const ring = this.#ring;
    const account = ring.account[row]!;
    const { type } = this.#origin;
    if (OF_ESCROWS.has(type)) return this.#otherOfEscrow(account);
    if (type === EventType.Payment) {
      if (account === this.#sender && this.#destination !== 0) return this.#destination;
      if (account === this.#destination) return this.#sender;
    }
    let [found, mostHi, mostLo] = [0, 0, 0];
    for (let i = first; i < end; i++) {
      const other = this.#changes[i]!;
      if (other.token !== token || this.#difference(other) !== -sign) continue;
      const [hi, lo] = [this.#amount[0]!, this.#amount[1]!];
      if (found !== 0 && (hi < mostHi || (hi === mostHi && lo <= mostLo))) continue;
      [found, mostHi, mostLo] = [ring.account[other.row]!, hi, lo];
    }
    return found === 0 ? this.#state.tokens.issuer(token) : found;
  }

  /** Tokens leave their owner when they are locked, for who is to have them; what is cancelled comes back from nobody. */
  #otherOfEscrow(account: number): number {
    const { type } = this.#origin;
    if (type === EventType.EscrowCancel) return 0;
    const other = type === EventType.EscrowCreate ? this.#destination : this.#escrowOwner;
    return other === account ? 0 : other;
  }

  /** What a successful transaction did that changes no line: XRP that moved, checks that were written or cancelled. */
  #addTransaction(packed: PackedLedger, changes: Changes, tx: number): void {
    const { type } = this.#origin;
    if (type === EventType.Payment || type === EventType.CheckCash) {
      const at = changes.tx(tx, Tx.deliveredAt) || changes.tx(tx, Tx.amountAt);
      if (at !== 0 && amountKind(packed.bytes[at]!) === AssetKind.xrp) this.#addXrp(packed, changes, tx, at);
    } else if (type === EventType.CheckCreate) {
      const named = this.#named(packed, changes.tx(tx, Tx.sendMaxAt));
      this.#addWatched(this.#sender, this.#destination, named, EventSide.checkCreate);
      this.#addWatched(this.#destination, this.#sender, named, EventSide.checkIncoming);
    } else if (type === EventType.CheckCancel)
      this.#addWatched(this.#sender, 0, { token: XRP, hi: 0, lo: 0, drops: 0 }, EventSide.checkCancel);
  }

  #addXrp(packed: PackedLedger, changes: Changes, tx: number, at: number): void {
    const named = this.#named(packed, at);
    if (this.#origin.type === EventType.CheckCash) {
      const writer = this.#payerOf(packed, changes, tx, named);
      this.#addWatched(this.#sender, writer, named, EventSide.checkReceive);
      this.#addWatched(writer, this.#sender, named, EventSide.checkSend);
      return;
    }
    const sender = this.#sender;
    const destination = this.#destination;
    if (destination === 0 || sender === destination) return;
    const { flags } = this.#state.accounts;
    const isDeposit = this.#tag !== undefined && (flags[destination]! & AccountFlag.requireDestTag) !== 0;
    if (isDeposit || this.#creators.isWatched(sender))
      this.#add({
        account: sender,
        counterparty: destination,
        ...named,
        side: EventSide.out,
        tag: this.#tag,
      });
    this.#addWatched(destination, sender, named, EventSide.in);
  }

  /** Who had that much XRP less after a transaction that someone else sent; 0: nobody. */
  #payerOf({ bytes, view }: PackedLedger, changes: Changes, tx: number, { hi, lo }: Named): number {
    const first = changes.tx(tx, Tx.firstNode);
    const end = first + changes.tx(tx, Tx.nodes);
    for (let node = first; node < end; node++) {
      if (changes.node(node, Node.entryType) !== EntryType.AccountRoot) continue;
      const before = changes.node(node, AccountNode.prevBalanceAt);
      const after = changes.node(node, AccountNode.balanceAt);
      if (before === 0 || after === 0) continue;
      const raw = (offset: number) => [view.getUint32(offset), view.getUint32(offset + 4)] as const;
      const sign = amountDifference(AssetKind.xrp, ...raw(before), ...raw(after), this.#amount);
      const account = this.#state.accounts.find(bytes, changes.node(node, AccountNode.accountAt)) ?? 0;
      const isPayer = sign > 0 && this.#amount[0] === hi && this.#amount[1] === lo;
      if (isPayer && account !== this.#sender) return account;
    }
    return 0;
  }

  /** A rejected attempt of a watched account. */
  #addAttempt(packed: PackedLedger, changes: Changes, tx: number): void {
    const { type } = this.#origin;
    if (!this.#creators.isWatched(this.#sender)) return;
    if (type === EventType.OfferCreate) {
      const gets = this.#named(packed, changes.tx(tx, Tx.takerGetsAt));
      const pays = this.#named(packed, changes.tx(tx, Tx.takerPaysAt));
      const isBuy = gets.token === XRP;
      this.#add({
        account: this.#sender,
        counterparty: 0,
        ...(isBuy ? pays : gets),
        side: isBuy ? EventSide.buy : EventSide.sell,
      });
      return;
    }
    const side = ATTEMPTS[type];
    if (side === undefined) return;
    const at = changes.tx(tx, Tx.amountAt) || changes.tx(tx, Tx.sendMaxAt);
    // Of tokens of trust lines, the amount of a Clawback names the holder in place of the issuer.
    const issuer = type === EventType.Clawback ? this.#sender : undefined;
    this.#addWatched(this.#sender, this.#destination, this.#named(packed, at, issuer), side);
  }

  #addWatched(account: number, counterparty: number, named: Named, side: EventSide): void {
    if (account === 0 || !this.#creators.isWatched(account)) return;
    const tag = account === this.#sender ? this.#tag : undefined;
    this.#add({ account, counterparty, ...named, side, tag });
  }

  #add(event: NewEvent): void {
    this.buffer.add(this.#origin, event);
  }

  /** The amount at an offset, and what it is worth at the token's price. @param issuer in place of the one that it names */
  #named({ bytes }: PackedLedger, at: number, issuer?: number): Named {
    if (at === 0) return { token: XRP, hi: 0, lo: 0, drops: 0 };
    const kind = amountKind(bytes[at]!);
    const token = kind === AssetKind.xrp ? XRP : (findToken(this.#state, bytes, at, kind, issuer) ?? XRP);
    const raw = at + amountRawOffset(kind);
    const [hi, lo] = [readU32(bytes, raw), readU32(bytes, raw + 4)];
    if (token === XRP && kind !== AssetKind.xrp) return { token: XRP, hi: 0, lo: 0, drops: 0 };
    return { token, hi, lo, drops: this.#worthOf(token, hi, lo) };
  }

  /** At the token's price, drops. */
  #worthOf(token: number, hi: number, lo: number): number {
    const price = token === XRP ? 1 : (this.#prices.price(token) ?? 0);
    const amount =
      token === XRP ? rawNumber(AssetKind.xrp, hi, lo) : this.#state.tokens.number(token, hi, lo);
    const drops = Math.round(amount * price * DROPS_PER_XRP);
    return Number.isFinite(drops) ? drops : 0;
  }
}

interface Named {
  readonly token: number;
  readonly hi: number;
  readonly lo: number;
  readonly drops: number;
}

/** The token of an issued or MPT amount; undefined where the state has never seen it. Gives no ids. */
function findToken(
  state: State,
  bytes: Uint8Array,
  at: number,
  kind: AssetKind,
  issuer = kind === AssetKind.issued ? state.accounts.find(bytes, at + 28) : undefined,
): number | undefined {
  const { currencies, tokens } = state;
  if (kind === AssetKind.mpt)
    return tokens.byMptId(Buffer.from(bytes.subarray(at + 9, at + 33)).toString('hex'));
  const currency = currencies.find(bytes, at + 8);
  return issuer === undefined || currency === 0 ? undefined : tokens.findPair(issuer, currency) || undefined;
}
