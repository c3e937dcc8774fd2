/**
 * A network with generated tokens, so that the hub can be tested with thousands of them and any order of events: its
 * engine holds one empty ledger, ledgers after it are events without content, and the views of tokens and of the market
 * give generated answers where `#install` replaces theirs. Whatever else a stream reads is real.
 * test/ws/engine.test.ts tests the streams with recorded ledgers.
 */
import { createHash } from 'node:crypto';
import { Changes } from '../engine/codec/changes.ts';
import { Engine, type Head, type LedgerEvent } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { Changed } from '../engine/state/changed.ts';
import { Network } from '../views/network.ts';
import type { FieldTexts } from '../views/token-fields.ts';
import type { TokenFilter } from '../views/token-views.ts';
import { sealLedger } from './chain.ts';
import { MemoryStore } from './memory-store.ts';

export const XRP_MD5 = '84e5efeb89c4eae8f68188982dc290d8';

const FIRST = { index: 1000, closeTime: 800_000_000 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface FakeChanges {
  readonly tokens?: readonly number[];
  readonly candles?: readonly number[];
  readonly accounts?: readonly number[];
  readonly seconds?: number;
}

export class FakeEngine {
  readonly network: Network;
  /** Price of each token; a row shows it. */
  readonly prices: number[];
  /** Bytes of padding in each row. */
  padding = 0;
  /** Text appended to each ledger hash, to choose the length of frames. */
  hashPadding = '';
  /** Number of rendered rows. */
  rendered = 0;
  readonly #engine = new Engine({ store: new MemoryStore(), log: silent });
  readonly #byMd5 = new Map<string, number>();
  readonly #listeners = new Set<(event: LedgerEvent) => void>();
  /** What every event holds beside its changes: an empty ledger. */
  readonly #empty: Pick<LedgerEvent, 'packed' | 'changes'>;

  constructor(tokens = 10) {
    this.prices = Array.from({ length: tokens }, (_, id) => id || 1);
    for (let id = 0; id < tokens; id++) this.#byMd5.set(this.md5(id), id);
    this.network = new Network({ engine: this.#engine });
    const packed = sealLedger({ ...FIRST, parentHash: new Uint8Array(32), transactions: [] });
    const ledger = prepared(packed, prepare(packed.bytes, false));
    this.#empty = { packed, changes: new Changes(ledger.changes) };
    void this.#engine.applyLedger(ledger, true);
    this.head = headAt(FIRST.index, FIRST.closeTime);
    this.#install();
  }

  get head(): Head | undefined {
    return this.#engine.head;
  }

  set head(head: Head | undefined) {
    this.#engine.head = head;
  }

  /** Sends the event of a generated ledger. */
  apply(changes: FakeChanges = {}): void {
    const before = this.head!;
    const head = headAt(before.index + 1, before.closeTime + (changes.seconds ?? 4));
    this.head = this.hashPadding ? { ...head, hash: head.hash + this.hashPadding } : head;
    this.#engine.version++;
    for (const id of changes.tokens ?? []) this.prices[id]! += 0.5;
    const state = new Changed();
    for (const token of changes.tokens ?? []) state.tokens.add(token);
    for (const account of changes.accounts ?? []) state.accounts.add(account);
    const market = { ...this.#engine.market.events, changedCandles: changes.candles ?? [] };
    const event = { ...this.#empty, head: this.head, events: { state, market } };
    for (const listener of this.#listeners) listener(event);
  }

  /** Replaces answers of views, and what is heard of ledgers. */
  #install(): void {
    const { tokens, market } = this.network.views;
    this.#engine.onLedger = (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    tokens.resolve = (id) => this.resolve(id);
    tokens.resolveIssue = (currency, issuer) => this.resolveIssue(currency, issuer);
    tokens.md5 = (token) => this.md5(token);
    Object.defineProperty(tokens, 'total', { get: () => this.prices.length - 1 });
    tokens.rowText = (token, size) => this.row(token, size === 'light');
    tokens.texts = (token, names) => this.texts(token, names);
    tokens.tags = () => ['Memes'];
    tokens.mostTraded = (filter) => this.#mostTraded(filter);
    market.texts = () => this.#metrics();
    market.rowBasis = () => this.#metrics().exch;
  }

  resolve(id: string): number | undefined {
    if (id.toUpperCase() === 'XRP') return 0;
    return this.#byMd5.get(id.toLowerCase());
  }

  resolveIssue(currency: string, issuer: string | undefined): number | undefined {
    if (issuer === undefined) return currency === 'XRP' ? 0 : undefined;
    const id = Number(/^T(\d+)$/.exec(currency)?.[1]);
    return id < this.prices.length ? id : undefined;
  }

  md5(token: number): string {
    return token === 0 ? XRP_MD5 : createHash('md5').update(`token ${token}`).digest('hex');
  }

  row(token: number, lightweight: boolean): string {
    this.rendered++;
    return JSON.stringify(lightweight ? { ...this.#object(token), holders: undefined } : this.#object(token));
  }

  texts(token: number, names: readonly string[] | undefined): FieldTexts {
    const fields = new Map(Object.entries(this.#object(token)).filter(([, value]) => value !== undefined));
    return new Map(
      (names ?? [...fields.keys()])
        .filter((name) => fields.has(name))
        .map((name) => [name, JSON.stringify(fields.get(name))]),
    );
  }

  #object(token: number): Readonly<Record<string, unknown>> {
    const exch = this.prices[token]!;
    const usd = String(exch / 2);
    const pad = this.padding > 0 ? 'x'.repeat(this.padding) : undefined;
    return { md5: this.md5(token), name: `T${token}`, exch, usd, pro24h: 1, holders: 7, pad };
  }

  #metrics() {
    return { exch: '{"USD":0.5}', H24: '{"_id":"METRICS_24H"}', global: '{"_id":"METRICS_GLOBAL"}' };
  }

  #mostTraded({ topN, minVolume = 0 }: TokenFilter): readonly number[] {
    const ids: number[] = [];
    for (let id = 1; id < this.prices.length && ids.length < topN; id++) {
      if (this.prices[id]! >= minVolume) ids.push(id);
    }
    return ids;
  }
}

function headAt(index: number, closeTime: number): Head {
  return {
    index,
    hash: index.toString(16).toUpperCase().padStart(64, '0'),
    parentHash: (index - 1).toString(16).toUpperCase().padStart(64, '0'),
    closeTime,
    closeTimeMs: (closeTime + 946_684_800) * 1000,
    closeResolution: 10,
    txCount: 3,
    totalDrops: 99_999_999_999_999_999n,
  };
}
