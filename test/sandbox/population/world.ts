/** A population on a network in memory, and its ledgers read with the reference codec. */
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { verify } from '../../../engine/codec/signatures.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import type { SandboxStore } from '../../../sandbox/ledger/store.ts';
import { Network } from '../../../sandbox/node/network.ts';
import { Population } from '../../../sandbox/population/population.ts';
import type { PopulationSize } from '../../../sandbox/population/size.ts';

const WEEK = 7 * 86_400;

/** Start of the network: a midnight (UTC), Ripple epoch seconds. */
export const EPOCH = 830_044_800;
export const STEP = 60;

export type Json = Record<string, unknown>;

export interface ReadTransaction {
  readonly hash: string;
  readonly ledger: number;
  readonly closeTime: number;
  readonly tx: Json;
  readonly meta: { AffectedNodes: Json[]; TransactionResult: string; delivered_amount?: unknown };
}

/** A store of a network whose population began some weeks before its first ledger: so that it starts in a later week. */
export class EarlierStore extends MemoryStore {
  readonly #weeks: number;
  readonly #seed: string;
  readonly #size: PopulationSize;

  constructor(weeks: number, seed: string, size: PopulationSize = 'small') {
    super();
    this.#weeks = weeks;
    this.#seed = seed;
    this.#size = size;
  }

  override text(name: string): string | undefined {
    const stored = {
      seed: this.#seed,
      size: this.#size,
      epoch: EPOCH - this.#weeks * WEEK,
      rows: [],
      facts: {},
    };
    return super.text(name) ?? (name === 'population' ? JSON.stringify(stored) : undefined);
  }
}

export class World {
  readonly store: SandboxStore;
  readonly network: Network;
  readonly population: Population;
  /** Transactions that are not in the ledger they were signed for. */
  readonly refused: string[] = [];
  made = 0;

  constructor({
    seed = 'a seed',
    size = 'small' as PopulationSize,
    store = new MemoryStore() as SandboxStore,
    commitEvery = 64,
  } = {}) {
    this.store = store;
    this.network = new Network({
      store,
      verify,
      startTime: EPOCH,
      now: () => (EPOCH + RIPPLE_EPOCH) * 1_000,
    });
    this.network.ledgers.commitEvery = commitEvery;
    this.population = new Population({ network: this.network, seed, size });
  }

  /** Makes one ledger. @param trusted false: signatures are checked */
  step(seconds = STEP, trusted = true): ClosedLedger {
    const parent = this.network.closed;
    const closeTime = parent.closeTime + seconds;
    const transactions = this.population.transactions(parent, closeTime);
    const { failed, retry, ledger } = this.network.build(transactions, closeTime, { trusted });
    this.made += transactions.length;
    for (const { transaction, result } of [...failed, ...retry])
      this.refused.push(`${ledger.index} ${transaction.fields.TransactionType} ${result}`);
    return ledger;
  }

  /** Makes ledgers until one has this index. */
  until(index: number, seconds = STEP): ClosedLedger {
    while (this.network.closed.index < index) this.step(seconds);
    return this.network.closed;
  }

  /** Makes everything durable, so that it can be read. */
  flush(): void {
    this.network.ledgers.flush();
  }
}

export function read(ledger: Pick<ClosedLedger, 'index' | 'closeTime' | 'transactions'>): ReadTransaction[] {
  return ledger.transactions.map(({ hashText, blob, meta }) => ({
    hash: hashText,
    ledger: ledger.index,
    closeTime: ledger.closeTime,
    tx: decode(hexOf(blob)) as Json,
    meta: decode(hexOf(meta)) as ReadTransaction['meta'],
  }));
}

export interface Node {
  readonly kind: 'created' | 'modified' | 'deleted';
  readonly type: string;
  readonly fields: Json;
  readonly previous: Json;
}

export function nodesOf({ meta }: ReadTransaction): Node[] {
  return meta.AffectedNodes.map((wrapped) => {
    const [[name, node]] = Object.entries(wrapped) as [[string, Json]];
    return {
      kind: name.replace('Node', '').toLowerCase() as Node['kind'],
      type: node.LedgerEntryType as string,
      fields: (node.FinalFields ?? node.NewFields ?? {}) as Json,
      previous: (node.PreviousFields ?? {}) as Json,
    };
  });
}

const valueOfJson = (amount: unknown): number =>
  typeof amount === 'string' ? Number(amount) / 1e6 : Number((amount as { value: string }).value);

export const isXrp = (amount: unknown): boolean => typeof amount === 'string';

/** Change of an account's XRP, including a fee it paid. */
export function xrpChange(transaction: ReadTransaction, address: string): number {
  for (const { type, kind, fields, previous } of nodesOf(transaction)) {
    if (type !== 'AccountRoot' || fields.Account !== address) continue;
    const before =
      kind === 'created'
        ? 0
        : previous.Balance === undefined
          ? valueOfJson(fields.Balance)
          : valueOfJson(previous.Balance);
    return valueOfJson(fields.Balance) - before;
  }
  return 0;
}

/** Change of an account's balance of an issuer's token. */
export function tokenChange(transaction: ReadTransaction, address: string, issuer: string): number {
  for (const { type, kind, fields, previous } of nodesOf(transaction)) {
    if (type !== 'RippleState') continue;
    const low = (fields.LowLimit as Json).issuer;
    const high = (fields.HighLimit as Json).issuer;
    if (!((low === address && high === issuer) || (high === address && low === issuer))) continue;
    const after = valueOfJson(fields.Balance);
    const before =
      kind === 'created' ? 0 : previous.Balance === undefined ? after : valueOfJson(previous.Balance);
    return (after - before) * (low === address ? 1 : -1);
  }
  return 0;
}

export interface Trade {
  readonly venue: 'book' | 'pool';
  /** XRP for one token. */
  readonly price: number;
  readonly xrp: number;
  readonly closeTime: number;
}

/** Trades of a token for XRP in a transaction: consumed offers, and pools whose balances changed in opposite directions. */
export function tradesOf(transaction: ReadTransaction, issuer: string, pool: string): Trade[] {
  const { closeTime, tx } = transaction;
  if (tx.TransactionType !== 'OfferCreate' && tx.TransactionType !== 'Payment') return [];
  const found: Trade[] = [];
  for (const { type, kind, fields, previous } of nodesOf(transaction)) {
    if (type !== 'Offer' || kind === 'created' || previous.TakerGets === undefined) continue;
    const [gets, pays] = [fields.TakerGets, fields.TakerPays];
    if (isXrp(gets) === isXrp(pays)) continue;
    const other = (isXrp(gets) ? pays : gets) as Json;
    if (other.issuer !== issuer) continue;
    const got = valueOfJson(previous.TakerGets) - valueOfJson(gets);
    const paid = valueOfJson(previous.TakerPays) - valueOfJson(pays);
    const [xrp, tokens] = isXrp(gets) ? [got, paid] : [paid, got];
    if (tokens > 0) found.push({ venue: 'book', price: xrp / tokens, xrp, closeTime });
  }
  const xrp = xrpChange(transaction, pool);
  const tokens = tokenChange(transaction, pool, issuer);
  if (xrp * tokens < 0) found.push({ venue: 'pool', price: -xrp / tokens, xrp: Math.abs(xrp), closeTime });
  return found;
}
