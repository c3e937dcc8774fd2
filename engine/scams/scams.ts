/**
 * Scams: accounts that the ledgers themselves show as such, by the rules in rules/, each with the transactions that show it.
 *
 *     transactions with memos  -> dust spam, phishing memos    -.
 *     keys given, and payments -> wallet drainers                +-> actors (candidate -> listed, for good)
 *     NFT offers for nothing   -> fake airdrops, sell traps, copies -'
 *     new tokens, their lines  -> impersonation
 *
 * Goals: nobody is listed who only does what honest people do: thresholds are far above it, and where a rule cannot tell, it
 * says so (`isVerified`). Non-goals: what no ledger shows (stolen secrets, promises in chats); judging by what somebody reports
 * or a public list has: that is the service's own data.
 *
 * All of it follows from the ledgers. Applied after the state, the market and the NFTs. Only successful transactions count. A store of an
 * earlier version is filled from the ledgers that it holds, but for impersonation and prices, which are of the moment.
 *
 * Cost: of most transactions a look at three cells; a few microseconds for one with a memo.
 */
import { amountKind, amountRawOffset, DROPS_PER_XRP } from '../codec/amount.ts';
import { readU32, sameBytes } from '../codec/bytes.ts';
import { Changes, EntryType, isSent, NftOfferNode, Node, NodeAction, Tx } from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES, transactionHash } from '../codec/hash.ts';
import { memoText, plainText } from '../codec/memos.ts';
import { NftIdAt } from '../codec/nft-id.ts';
import { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import { type RowSteps, runToEnd } from '../event-loop.ts';
import { persistTables, type TableBatch } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import { XRP } from '../state/tokens.ts';
import { type StoreReads, TextKind } from '../store.ts';
import { ScamActors } from './actors.ts';
import { SCAM_LIMITS, type ScamLimits } from './limits.ts';
import { lures } from './lures.ts';
import type { ScamRule, ScamTransaction } from './rule.ts';
import { DUST_MEMOS, DUST_SPAM, dustTo } from './rules/dust-spam.ts';
import { asksNothing, FAKE_AIRDROPS, isLure } from './rules/fake-airdrops.ts';
import { Impersonation, type ImpersonationState } from './rules/impersonation.ts';
import { NFT_COPIES } from './rules/nft-copies.ts';
import { leavesLittle, NFT_TRAPS } from './rules/nft-traps.ts';
import { luredAt, PHISHING_MEMOS } from './rules/phishing-memos.ts';
import { WalletDrainers } from './rules/wallet-drainers.ts';
import { scamRule } from './rules.ts';

const TES_SUCCESS = 0;
/** TransactionType codes. */
const NFTOKEN_MINT = 25;
const NFTOKEN_CREATE_OFFER = 27;
const NFTOKEN_ACCEPT_OFFER = 29;
/** lsfSellNFToken */
const SELL = 1;
const ACCOUNT_BYTES = 20;

interface ScamState extends ImpersonationState {
  readonly accounts: ImpersonationState['accounts'] & {
    find(bytes: Uint8Array, at: number): number | undefined;
  };
  readonly tokens: ImpersonationState['tokens'] & {
    number(token: number, hi: number, lo: number): number;
  };
  readonly texts: {
    set(kind: number, id: number, value: string): void;
    get(kind: number, id: number): string | undefined;
  };
}

/** XRP for one of a token; undefined: it has no price. */
type PriceOf = (token: number) => number | undefined;

interface ScamNfts {
  readonly nfts: { find(id: Uint8Array, at: number): number };
  uri(nft: number): string | undefined;
}

export class Scams implements Domain<'scams', undefined> {
  readonly name = 'scams';
  readonly events = undefined;
  readonly actors: ScamActors;
  readonly drainers: WalletDrainers;
  readonly impersonation: Impersonation;
  readonly tables: readonly Table[];
  readonly #state: ScamState;
  readonly #nfts: ScamNfts;
  readonly #priceOf: PriceOf;

  constructor(state: ScamState, nfts: ScamNfts, priceOf: PriceOf, limits: ScamLimits = SCAM_LIMITS) {
    this.#state = state;
    this.#nfts = nfts;
    this.#priceOf = priceOf;
    this.actors = new ScamActors(limits);
    this.drainers = new WalletDrainers(limits.grants, this.actors, state.accounts);
    this.impersonation = new Impersonation(limits.tokens, limits.actors, state);
    const { actors, drainers, impersonation } = this;
    this.tables = [actors.table, actors.pairs, drainers.table, impersonation.names, impersonation.fakes];
    actors.table.onNew((store) => this.#fill(store));
    // The others are filled with it.
    for (const table of [actors.pairs, drainers.table]) table.onNew(() => undefined);
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** A memo, or the URI of an NFT, of the transaction that listed an account; undefined: it had none. */
  sample(row: number): string | undefined {
    return this.#state.texts.get(TextKind.scamMemo, row);
  }

  applyLedger(packed: PackedLedger, changes: Changes): void {
    this.#apply(packed, changes);
    if (!this.impersonation.isBehind) runToEnd(this.impersonation.reading(packed, changes));
  }

  /** After a snapshot, and in a store of an earlier version, there are many names to read. */
  *settling(packed: PackedLedger, changes: Changes): RowSteps {
    if (this.impersonation.isBehind) yield* this.impersonation.reading(packed, changes);
  }

  /** What is listed stays; candidates go on with the next ledger. */
  gap(): void {}

  persist(batch: TableBatch, openedAt = 0): void {
    persistTables(batch, this.tables, openedAt);
  }

  restoring(): RowSteps {
    return this.rebuilding();
  }

  *rebuilding(): RowSteps {
    yield* this.actors.rebuilding();
    yield* this.drainers.rebuilding();
    yield* this.impersonation.rebuilding();
  }

  /** Without the tables of impersonation: how many rows they have depends on when this version opened the store, too. */
  digest(): string {
    const digest = new Digest();
    const { actors, drainers } = this;
    for (const table of [actors.table, actors.pairs, drainers.table]) digest.table(table);
    return digest.text;
  }

  /** For a store of a version without scams: from the ledgers that it holds, oldest first. */
  #fill(store: Pick<StoreReads, 'ledger' | 'ledgerRanges'>): void {
    for (const [first, last] of store.ledgerRanges()) {
      for (let index = first; index <= last; index++) {
        const packed = new PackedLedger(store.ledger(index)!);
        // The hashes of the transactions, which cost most, are made only of those that are found.
        this.#apply(packed, new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES))));
      }
    }
  }

  #apply(packed: PackedLedger, changes: Changes): void {
    const { closeTime, ledgerIndex } = packed;
    for (let row = 0; row < changes.transactions; row++) {
      if (changes.tx(row, Tx.result) !== TES_SUCCESS || !isSent(changes, row)) continue;
      const type = changes.tx(row, Tx.type);
      const isOffer = type === NFTOKEN_MINT || type === NFTOKEN_CREATE_OFFER || type === NFTOKEN_ACCEPT_OFFER;
      const memosAt = changes.tx(row, Tx.memosAt);
      const concernsKeys = this.drainers.concerns(packed.bytes, changes, row);
      const isMessage = memosAt !== 0 && changes.tx(row, Tx.destinationAt) !== 0;
      if (isMessage || isOffer || concernsKeys) this.#take(packed, changes, row, memosAt);
    }
    this.drainers.sweep(closeTime);
    this.actors.sweep(ledgerIndex, closeTime, (rule) => scamRule(rule).window);
  }

  #take(packed: PackedLedger, changes: Changes, row: number, memosAt: number): void {
    const { bytes, closeTime } = packed;
    const end = packed.txOffset(row) + packed.txLength(row);
    let memo = memosAt === 0 ? '' : undefined;
    const { accounts, tokens } = this.#state;
    const actor = accounts.find(bytes, changes.tx(row, Tx.accountAt)) ?? 0;
    if (actor === 0) return;
    const transaction: ScamTransaction = {
      bytes,
      closeTime,
      row,
      actor,
      memo: () => {
        memo ??= memoText(bytes, memosAt, end);
        return memo;
      },
      worth: (at) => this.#worth(bytes, at),
      isOwn: (at) => {
        const token = tokens.findAmount(bytes, at);
        return token !== undefined && token !== XRP && tokens.issuer(token) === actor;
      },
      domain: () => accounts.domain(actor),
      hash: () => transactionHash(packed.tx(row)),
    };
    this.drainers.take(transaction, changes);
    const dustAt = dustTo(transaction, changes);
    if (dustAt !== 0)
      this.#act(lures(transaction.memo()) ? DUST_SPAM : DUST_MEMOS, transaction, dustAt, transaction.memo);
    this.#act(PHISHING_MEMOS, transaction, luredAt(transaction, changes), transaction.memo);
    const first = changes.tx(row, Tx.firstNode);
    for (let node = first; node < first + changes.tx(row, Tx.nodes); node++)
      if (changes.node(node, Node.entryType) === EntryType.NFTokenOffer)
        this.#takeOffer(transaction, changes, node);
  }

  /** Drops that an Amount is worth now; 0: of a token without a price. */
  #worth(bytes: Uint8Array, at: number): number {
    const { tokens } = this.#state;
    const token = tokens.findAmount(bytes, at);
    const raw = at + amountRawOffset(amountKind(bytes[at]!));
    const price = token === undefined ? undefined : this.#priceOf(token);
    if (token === undefined || price === undefined) return 0;
    return tokens.number(token, readU32(bytes, raw), readU32(bytes, raw + 4)) * price * DROPS_PER_XRP;
  }

  /** An offer for an NFT that the transaction made or ended. */
  #takeOffer(transaction: ScamTransaction, changes: Changes, node: number): void {
    const { bytes, row } = transaction;
    const idAt = changes.node(node, NftOfferNode.nftIdAt);
    const destinationAt = changes.node(node, NftOfferNode.destinationAt);
    const ownerAt = changes.node(node, NftOfferNode.ownerAt);
    const flagsAt = changes.node(node, NftOfferNode.flagsAt);
    if (idAt === 0 || destinationAt === 0 || ownerAt === 0 || flagsAt === 0) return;
    if ((bytes[flagsAt + 3]! & SELL) === 0 || !asksNothing(bytes, changes, node)) return;
    const isEnded = changes.node(node, Node.action) === NodeAction.deleted;
    if (isEnded && changes.tx(row, Tx.type) === NFTOKEN_ACCEPT_OFFER && leavesLittle(transaction, changes))
      this.#act(NFT_TRAPS, transaction, ownerAt, () => '');
    if (changes.node(node, Node.action) !== NodeAction.created) return;
    if (this.#isGiftOfIssuer(transaction, changes, idAt, ownerAt))
      this.#act(NFT_COPIES, transaction, destinationAt, () => '');
    const uri = this.#nfts.uri(this.#nfts.nfts.find(bytes, idAt)) ?? '';
    if (isLure(uri)) this.#act(FAKE_AIRDROPS, transaction, destinationAt, () => plainText(uri));
  }

  /** Who issued an NFT offers it. Those that are known to do so are not followed further. */
  #isGiftOfIssuer(
    { actor, bytes, row }: ScamTransaction,
    changes: Changes,
    idAt: number,
    ownerAt: number,
  ): boolean {
    const signerAt = changes.tx(row, Tx.accountAt);
    if (!sameBytes(bytes, ownerAt, bytes, signerAt, ACCOUNT_BYTES)) return false;
    if (!sameBytes(bytes, idAt + NftIdAt.issuer, bytes, signerAt, ACCOUNT_BYTES)) return false;
    const known = this.actors.find(NFT_COPIES, actor);
    return known === 0 || this.actors.listed[known] === 0;
  }

  /** @param otherAt 0: the rule does not see one. @param sample what listed accounts are shown with */
  #act(
    rule: ScamRule,
    { actor, bytes, closeTime, hash }: ScamTransaction,
    otherAt: number,
    sample: () => string,
  ): void {
    if (otherAt === 0) return;
    const row = this.actors.act({ rule, actor, bytes, otherAt, closeTime, hash });
    if (row === 0 || this.actors.listed[row] !== closeTime) return;
    const text = sample();
    if (text !== '') this.#state.texts.set(TextKind.scamMemo, row, text);
  }
}
