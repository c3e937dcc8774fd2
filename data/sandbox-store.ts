/**
 * The embedded network's store on LMDB: implements sandbox/ledger/store.ts.
 *
 * All data of a commit, from state entries to the head, is written in one synchronous transaction: it is on disk when
 * `commit` returns, and a process killed at any moment leaves the ledgers and the state of one commit.
 * The network runs in a thread of its own, so reads and writes are plain calls there.
 */
import { mkdirSync } from 'node:fs';
import type { AccountId, Hex } from '../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf, readU32 } from '../engine/codec/bytes.ts';
import { PackedLedger } from '../engine/codec/packed.ts';
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
} from '../sandbox/ledger/store.ts';
import { checkPages } from './check.ts';
import { dataFile, type Environment, openEnvironment, type Table } from './environment.ts';
import { corrupt, StoreError, storeError } from './errors.ts';
import { type Lock, lock } from './lock.ts';
import { bindNetwork, type Migration, migrate } from './migrations.ts';
import {
  bound,
  closeTimeKey,
  EMPTY,
  HEAD_KEY,
  ledgerKey,
  locationKey,
  readHead,
  readLocation,
  SANDBOX_FAMILY_NAMES,
  SandboxFamily,
  textKey,
  writeHead,
} from './sandbox-keys.ts';

const MIGRATIONS: readonly Migration[] = [
  { to: 1, title: 'the layout of sandbox-keys.ts; nothing to move in an empty store', run: () => undefined },
];
/** Level 1: fast, and a packed ledger shrinks to about half. */
const ZSTD = { level: 1 } as const;
/** Tables that are read completely at start; the state is then proved by its hash. */
const READ_AT_START = ['meta', 'state'];
/** As many pages as can be checked in half a second. */
const CHECK_BYTES_MAX = 256 * 1024 * 1024;
const U32_MAX = 0xffffffff;
const U16_MAX = 0xffff;

export interface SandboxStoreOptions {
  /** Directory of this network's store; created if missing. */
  readonly dir: string;
  /** The network's id. A store of another network is refused. */
  readonly network: number;
}

/** {@link SandboxStore} on LMDB; use {@link openSandboxStore}. */
export class LmdbSandboxStore implements SandboxStore {
  readonly #environment: Environment;
  readonly #lock: Lock;
  #head: { readonly index: number; readonly hash: Hex } | undefined;
  #closing: Promise<void> | undefined;

  constructor(environment: Environment, held: Lock) {
    this.#environment = environment;
    this.#lock = held;
    const head = environment.meta.getBinary(HEAD_KEY);
    this.#head = head && readHead(head);
  }

  head(): { readonly index: number; readonly hash: Hex } | undefined {
    return this.#head;
  }

  range(): { first: number; last: number } | undefined {
    if (this.#head === undefined) return undefined;
    for (const key of this.#table('ledgers').getKeys({ limit: 1 }))
      return { first: readU32(key, 0), last: this.#head.index };
    throw corrupt(this.#environment.dir, 'there is a head and no ledger');
  }

  /** @throws StoreError when it cannot be written; then nothing of the batch is stored */
  commit(batch: LedgerBatch): void {
    checkBatch(batch, this.range());
    const { root, meta, dir } = this.#environment;
    const { packed } = batch.ledgers.at(-1)!;
    const rows = batch.ledgers.map((ledger) => ({ ledger, frame: frameOf(ledger.packed) }));
    const before = this.#head;
    try {
      dataFile(this.#environment);
      root.transactionSync(() => {
        // Another process that wrote in between would mix two histories.
        const found = meta.getBinary(HEAD_KEY);
        if ((found && readHead(found).hash) !== before?.hash)
          throw new StoreError('locked', `${dir}: another process has written to this store`);
        for (const ledger of batch.dropped ?? []) this.#dropLedger(ledger);
        for (const { ledger, frame } of rows) this.#putLedger(ledger, frame);
        this.#putState(batch);
        for (const [name, text] of batch.texts ?? []) meta.putSync(textKey(name), Buffer.from(text));
        meta.putSync(HEAD_KEY, writeHead(packed.ledgerIndex, packed.hash));
      });
    } catch (error) {
      throw storeError(error, dir);
    }
    root.resetReadTxn();
    this.#head = { index: packed.ledgerIndex, hash: hexOf(packed.hash) };
  }

  text(name: string): string | undefined {
    return this.#environment.meta.getBinary(textKey(name))?.toString();
  }

  *state(): Generator<StateEntry, void, undefined> {
    for (const { key, value } of this.#table('state').getRange({}))
      yield { key: hexOf(key), bytes: Uint8Array.from(value) };
  }

  /** @throws StoreError corrupt when the stored data does not unpack to its recorded length */
  ledger(index: number): PackedLedger | undefined {
    const stored = this.#table('ledgers').getBinary(ledgerKey(index));
    if (stored === undefined) return undefined;
    const { dir } = this.#environment;
    try {
      const bytes = Bun.zstdDecompressSync(stored.subarray(4));
      if (bytes.length !== readU32(stored, 0)) throw new RangeError('it has a wrong length');
      return new PackedLedger(new Uint8Array(bytes));
    } catch (error) {
      throw corrupt(dir, `ledger ${index} does not unpack`, error);
    }
  }

  ledgerIndexOf(hash: Hex): number | undefined {
    const bytes = this.#table('hashes').getBinary(bytesOf(hash));
    return bytes && readU32(bytes, 0);
  }

  ledgerAt(closeTime: number): number | undefined {
    const start = closeTimeKey(Math.min(closeTime, U32_MAX), U32_MAX);
    const rows = this.#table('closeTimes').getKeys({ start, reverse: true, limit: 1 });
    for (const key of rows) return readU32(key, 4);
    return undefined;
  }

  transaction(hash: Hex): Location | undefined {
    const bytes = this.#table('transactions').getBinary(bytesOf(hash));
    return bytes && readLocation(bytes);
  }

  accountTransactions(account: AccountId, query: TransactionQuery): Location[] {
    return this.#locations('accounts', account, query);
  }

  nftTransactions(nft: Hex, query: TransactionQuery): Location[] {
    return this.#locations('nfts', nft, query);
  }

  nftsOf(issuer: AccountId, { taxon, after, limit }: NftQuery): Hex[] {
    const prefix = taxon === undefined ? issuer : issuer + taxon.toString(16).padStart(8, '0');
    const width = 56 - prefix.length / 2;
    const start = after === undefined ? bound(prefix, width, 0) : bytesOf(nftSortKey(after));
    return this.#keys('issuers', start, bound(prefix, width, 0xff), after !== undefined, limit).map((key) =>
      hexOf(key, 24, 32),
    );
  }

  mptHolders(issuance: Hex, { after, limit }: HolderQuery): AccountId[] {
    const start = after === undefined ? bound(issuance, 20, 0) : bytesOf(issuance + after);
    return this.#keys('holders', start, bound(issuance, 20, 0xff), after !== undefined, limit).map((key) =>
      hexOf(key, 24, 20),
    );
  }

  /** Resolves when the directory may be opened again. */
  close(): Promise<void> {
    this.#closing ??= this.#environment.root.close().then(() => this.#lock.release());
    return this.#closing;
  }

  #table(name: keyof typeof SandboxFamily): Table {
    return this.#environment.families[SandboxFamily[name]]!;
  }

  #putLedger({ packed, transactions }: StoredLedger, frame: Uint8Array): void {
    const index = packed.ledgerIndex;
    this.#table('ledgers').putSync(ledgerKey(index), frame);
    this.#table('hashes').putSync(packed.hash, ledgerKey(index));
    this.#table('closeTimes').putSync(closeTimeKey(packed.closeTime, index), EMPTY);
    const [hashes, accounts, nftRows] = [
      this.#table('transactions'),
      this.#table('accounts'),
      this.#table('nfts'),
    ];
    for (const [position, transaction] of transactions.entries()) {
      hashes.putSync(bytesOf(transaction.hash), locationKey(EMPTY, index, position));
      for (const account of transaction.accounts)
        accounts.putSync(locationKey(bytesOf(account), index, position), EMPTY);
      for (const nft of transaction.nfts) {
        nftRows.putSync(locationKey(bytesOf(nft), index, position), EMPTY);
        this.#table('issuers').putSync(bytesOf(nftSortKey(nft)), EMPTY);
      }
    }
  }

  /** NFTs stay listed with their issuer, also after the ledgers that minted them are deleted. */
  #dropLedger({ packed, transactions }: StoredLedger): void {
    const index = packed.ledgerIndex;
    this.#table('ledgers').removeSync(ledgerKey(index));
    this.#table('hashes').removeSync(packed.hash);
    this.#table('closeTimes').removeSync(closeTimeKey(packed.closeTime, index));
    for (const [position, { hash, accounts, nfts }] of transactions.entries()) {
      this.#table('transactions').removeSync(bytesOf(hash));
      for (const account of accounts)
        this.#table('accounts').removeSync(locationKey(bytesOf(account), index, position));
      for (const nft of nfts) this.#table('nfts').removeSync(locationKey(bytesOf(nft), index, position));
    }
  }

  #putState({ changes, holders }: LedgerBatch): void {
    const state = this.#table('state');
    for (const { key, bytes } of changes) {
      if (bytes === undefined) state.removeSync(bytesOf(key));
      else state.putSync(bytesOf(key), bytes);
    }
    const table = this.#table('holders');
    for (const { issuance, holder, holds } of holders) {
      if (holds) table.putSync(bytesOf(issuance + holder), EMPTY);
      else table.removeSync(bytesOf(issuance + holder));
    }
  }

  #locations(family: 'accounts' | 'nfts', prefix: Hex, query: TransactionQuery): Location[] {
    const { forward, after, limit } = query;
    if (limit <= 0 || query.first > query.last) return [];
    const id = bytesOf(prefix);
    const low = locationKey(id, Math.max(0, query.first), 0);
    const high = locationKey(id, Math.min(query.last, U32_MAX), U16_MAX);
    let [start, end] = forward ? [low, high] : [high, low];
    let exclusive = false;
    if (after !== undefined) {
      const key = locationKey(id, after.ledger, after.position);
      const further = forward ? Buffer.compare(key, start) >= 0 : Buffer.compare(key, start) <= 0;
      if (further) [start, exclusive] = [key, true];
      const beyond = forward ? Buffer.compare(start, end) > 0 : Buffer.compare(start, end) < 0;
      if (beyond) return [];
    }
    const rows = this.#table(family).getKeys({
      start,
      end,
      inclusiveEnd: true,
      exclusiveStart: exclusive,
      reverse: !forward,
      limit,
    });
    return Array.from(rows, readLocation);
  }

  #keys(
    family: 'issuers' | 'holders',
    start: Uint8Array,
    end: Uint8Array,
    exclusiveStart: boolean,
    limit: number,
  ): Uint8Array[] {
    if (limit <= 0) return [];
    return Array.from(this.#table(family).getKeys({ start, end, inclusiveEnd: true, exclusiveStart, limit }));
  }
}

/** The value of a ledger row: its raw length, which limits the memory for unpacking, and the frame. */
function frameOf({ bytes }: PackedLedger): Uint8Array {
  const frame = Bun.zstdCompressSync(bytes, ZSTD);
  const value = Buffer.allocUnsafe(4 + frame.length);
  value.writeUInt32BE(bytes.length, 0);
  value.set(frame, 4);
  return value;
}

/**
 * Opens the store of an embedded network, creating it if missing.
 * @throws StoreError locked, read-only, corrupt, newer-schema, other-kind, other-network, disk-full, io
 */
export function openSandboxStore({ dir, network }: SandboxStoreOptions): LmdbSandboxStore {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (error) {
    throw storeError(error, dir);
  }
  const held = lock(dir);
  try {
    checkPages(dir, 'network', READ_AT_START, CHECK_BYTES_MAX);
    const environment = openEnvironment(dir, { families: SANDBOX_FAMILY_NAMES });
    try {
      migrate(environment, MIGRATIONS);
      bindNetwork(environment, String(network));
      return new LmdbSandboxStore(environment, held);
    } catch (error) {
      void environment.root.close();
      throw error;
    }
  } catch (error) {
    held.release();
    throw storeError(error, dir);
  }
}
