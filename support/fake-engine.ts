/**
 * A stand-in for what streams read of an engine, with generated tokens: so the hub can be tested with thousands of tokens
 * and any order of events. engine.test.ts tests the streams with the real engine.
 */
import { createHash } from 'node:crypto';
import type { Head } from '../engine/engine.ts';
import type { FieldTexts } from '../views/token-fields.ts';
import type { CandleRow, Feed, LedgerEvent, NewTrade, SyncFilter } from '../ws/feed.ts';

export const XRP_MD5 = '84e5efeb89c4eae8f68188982dc290d8';

export interface FakeChanges {
  readonly tokens?: readonly number[];
  readonly candles?: readonly number[];
  readonly trades?: readonly NewTrade[];
  readonly accounts?: readonly number[];
  /** Offers of every book changed. */
  readonly books?: boolean;
  readonly seconds?: number;
}

export class FakeEngine implements Feed {
  head: Head | undefined;
  version = 0;
  /** Price of each token; a row shows it. */
  readonly prices: number[];
  /** Bytes of padding in each row. */
  padding = 0;
  /** Text appended to each ledger hash, to choose the length of frames. */
  hashPadding = '';
  /** Number of rendered rows. */
  rendered = 0;
  usdKnown = true;
  depthRows = '[]';
  candleRows: CandleRow[] = [];
  readonly #byMd5 = new Map<string, number>();
  readonly #listeners = new Set<(event: LedgerEvent) => void>();

  constructor(tokens = 10) {
    this.prices = Array.from({ length: tokens }, (_, id) => id || 1);
    for (let id = 0; id < tokens; id++) this.#byMd5.set(this.md5(id), id);
    this.head = headAt(1000, 800_000_000);
  }

  /** Applies a generated ledger. */
  apply(changes: FakeChanges = {}): void {
    const before = this.head!;
    const head = headAt(before.index + 1, before.closeTime + (changes.seconds ?? 4));
    this.head = this.hashPadding ? { ...head, hash: head.hash + this.hashPadding } : head;
    this.version++;
    for (const id of changes.tokens ?? []) this.prices[id]! += 0.5;
    const event: LedgerEvent = {
      head: this.head,
      tokens: new Set(changes.tokens),
      accounts: new Set(changes.accounts),
      hasBook: () => changes.books === true,
      candles: changes.candles ?? [],
      revalued: { currencies: new Set(), tokens: [] },
      trades: () => changes.trades ?? [],
    };
    for (const listener of this.#listeners) listener(event);
  }

  onLedger(listener: (event: LedgerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
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

  total(): number {
    return this.prices.length - 1;
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

  rowBasis() {
    return this.metrics().exch;
  }

  metrics() {
    return { exch: '{"USD":0.5}', H24: '{"_id":"METRICS_24H"}', global: '{"_id":"METRICS_GLOBAL"}' };
  }

  tags(): readonly string[] {
    return ['Memes'];
  }

  select({ topN, minVolume = 0 }: SyncFilter): readonly number[] {
    const ids: number[] = [];
    for (let id = 1; id < this.prices.length && ids.length < topN; id++) {
      if (this.prices[id]! >= minVolume) ids.push(id);
    }
    return ids;
  }

  depth(base: number, quote: number) {
    return { pair: `${base}/${quote}`, bids: this.depthRows, asks: '[]' };
  }

  bookDependencies() {
    this.rendered++;
    return { accounts: new Set([7]), expires: (800_000_400 + 946_684_800) * 1000 };
  }

  candles(_token: number, _interval: string, vs: string, limit: number): readonly CandleRow[] {
    return vs === 'XRP' || this.usdKnown ? this.candleRows.slice(-limit) : [];
  }

  history() {
    return { count: 1, rows: '{"_id":"1_1"}' };
  }

  /** When set, lists of holders are ready only after this promise. */
  holdersWait: Promise<void> | undefined;

  holdersReady(): Promise<void> | undefined {
    return this.holdersWait;
  }

  holders() {
    this.rendered++;
    const accounts = () => new Set([7]);
    return { total: this.version, summary: '{"top10Hold":50}', holders: '[{"account":"r1"}]', accounts };
  }

  fees() {
    return { reserveBase: 1_000_000, reserveIncrement: 200_000, baseFee: 10 };
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
