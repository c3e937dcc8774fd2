/** A store in memory, lost with the process: for tests and dry runs. */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import {
  checkBatch,
  type HolderQuery,
  type LedgerBatch,
  type Location,
  type NftQuery,
  nftSortKey,
  type SandboxStore,
  type StateEntry,
  type StoredLedger,
  type TransactionQuery,
} from './store.ts';

/** Ledger and position as one sortable number: positions are below 65,536. */
const rank = ({ ledger, position }: Location): number => ledger * 65_536 + position;

/** A page of a list of locations in ascending order. */
function pageOf(locations: readonly Location[], query: TransactionQuery): Location[] {
  const { first, last, forward, after, limit } = query;
  const wanted = locations.filter(
    (location) =>
      location.ledger >= first &&
      location.ledger <= last &&
      (after === undefined || (forward ? rank(location) > rank(after) : rank(location) < rank(after))),
  );
  if (!forward) wanted.reverse();
  return wanted.slice(0, limit);
}

export class MemoryStore implements SandboxStore {
  readonly #ledgers = new Map<number, PackedLedger>();
  readonly #indices = new Map<Hex, number>();
  readonly #entries = new Map<Hex, Uint8Array>();
  readonly #transactions = new Map<Hex, Location>();
  readonly #accounts = new Map<AccountId, Location[]>();
  readonly #nfts = new Map<Hex, Location[]>();
  readonly #texts = new Map<string, string>();
  readonly #holders = new Map<Hex, Set<AccountId>>();
  #first: number | undefined;
  #last: number | undefined;

  head(): { index: number; hash: Hex } | undefined {
    const packed = this.#last === undefined ? undefined : this.#ledgers.get(this.#last);
    return packed && { index: packed.ledgerIndex, hash: hexOf(packed.hash) };
  }

  range(): { first: number; last: number } | undefined {
    return this.#first === undefined ? undefined : { first: this.#first, last: this.#last! };
  }

  commit(batch: LedgerBatch): void {
    checkBatch(batch, this.range());
    for (const ledger of batch.dropped ?? []) this.#drop(ledger);
    for (const { packed, transactions } of batch.ledgers) {
      const ledger = packed.ledgerIndex;
      this.#ledgers.set(ledger, packed);
      this.#indices.set(hexOf(packed.hash), ledger);
      this.#first ??= ledger;
      this.#last = ledger;
      for (const [position, { hash, accounts, nfts }] of transactions.entries()) {
        const location = { ledger, position };
        this.#transactions.set(hash, location);
        for (const account of accounts) push(this.#accounts, account, location);
        for (const nft of nfts) push(this.#nfts, nft, location);
      }
    }
    for (const { key, bytes } of batch.changes) {
      if (bytes === undefined) this.#entries.delete(key);
      else this.#entries.set(key, bytes);
    }
    for (const [name, text] of batch.texts ?? []) this.#texts.set(name, text);
    for (const { issuance, holder, holds } of batch.holders) {
      const known = this.#holders.get(issuance) ?? new Set();
      this.#holders.set(issuance, known);
      if (holds) known.add(holder);
      else known.delete(holder);
    }
  }

  text(name: string): string | undefined {
    return this.#texts.get(name);
  }

  #drop({ packed, transactions }: StoredLedger): void {
    const index = packed.ledgerIndex;
    this.#ledgers.delete(index);
    this.#indices.delete(hexOf(packed.hash));
    for (const { hash, accounts, nfts } of transactions) {
      this.#transactions.delete(hash);
      for (const account of accounts) dropFrom(this.#accounts.get(account), index);
      for (const nft of nfts) dropFrom(this.#nfts.get(nft), index);
    }
    this.#first = index + 1;
  }

  *state(): Generator<StateEntry, void, undefined> {
    for (const key of [...this.#entries.keys()].sort()) yield { key, bytes: this.#entries.get(key)! };
  }

  ledger(index: number): PackedLedger | undefined {
    return this.#ledgers.get(index);
  }

  ledgerIndexOf(hash: Hex): number | undefined {
    return this.#indices.get(hash);
  }

  ledgerAt(closeTime: number): number | undefined {
    let found: number | undefined;
    for (const [index, packed] of this.#ledgers) if (packed.closeTime <= closeTime) found = index;
    return found;
  }

  transaction(hash: Hex): Location | undefined {
    return this.#transactions.get(hash);
  }

  accountTransactions(account: AccountId, query: TransactionQuery): Location[] {
    return pageOf(this.#accounts.get(account) ?? [], query);
  }

  nftTransactions(nft: Hex, query: TransactionQuery): Location[] {
    return pageOf(this.#nfts.get(nft) ?? [], query);
  }

  nftsOf(issuer: AccountId, { taxon, after, limit }: NftQuery): Hex[] {
    return [...this.#nfts.keys()]
      .map((id) => ({ id, sort: nftSortKey(id) }))
      .filter(({ sort }) => sort.startsWith(issuer))
      .filter(({ sort }) => taxon === undefined || Number.parseInt(sort.slice(40, 48), 16) === taxon)
      .filter(({ sort }) => after === undefined || sort > nftSortKey(after))
      .sort((a, b) => (a.sort < b.sort ? -1 : 1))
      .slice(0, limit)
      .map(({ id }) => id);
  }

  mptHolders(issuance: Hex, { after, limit }: HolderQuery): AccountId[] {
    return [...(this.#holders.get(issuance) ?? [])]
      .sort()
      .filter((holder) => after === undefined || holder > after)
      .slice(0, limit);
  }

  close(): void {}
}

function push<Key>(lists: Map<Key, Location[]>, key: Key, location: Location): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [location]);
  else list.push(location);
}

/** Removes the locations of the oldest ledger from a list. */
function dropFrom(list: Location[] | undefined, ledger: number): void {
  const kept = list?.findIndex((location) => location.ledger > ledger) ?? 0;
  list?.splice(0, kept < 0 ? list.length : kept);
}
