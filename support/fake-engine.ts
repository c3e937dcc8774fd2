/**
 * A network with many tokens, so that the hub can be tested with thousands of them and any order of events. Its engine
 * has applied one ledger, which creates a trust line of each token; ledgers after it are events without content. Rows of
 * tokens and figures of the market are generated, since tests choose their size and what changes in them (`#install`
 * replaces them in the views); whatever else a stream reads is real. test/ws/engine.test.ts tests the streams with
 * recorded ledgers.
 */
import { encode } from 'ripple-binary-codec';
import { Changes } from '../engine/codec/changes.ts';
import type { TransactionBlobs } from '../engine/codec/packed.ts';
import { Engine, type LedgerEvent } from '../engine/engine.ts';
import type { Head } from '../engine/head.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { unixMs } from '../engine/ripple-time.ts';
import { Changed } from '../engine/state/changed.ts';
import { Network } from '../views/network.ts';
import type { FieldTexts } from '../views/token-fields.ts';
import type { TokenFilter } from '../views/token-views.ts';
import { sealLedger } from './chain.ts';
import { MemoryStore } from './memory-store.ts';

export const XRP_MD5 = '84e5efeb89c4eae8f68188982dc290d8';

const FIRST = { index: 1000, closeTime: 800_000_000 };
/** Of every token. */
const ISSUER = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const HOLDER = 'rrrrrrrrrrrrrrrrrrrn5RM1rHd';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface FakeChanges {
  readonly tokens?: readonly number[];
  readonly candles?: readonly number[];
  /** See `Changed.repriced`. */
  readonly repriced?: readonly number[];
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
  readonly #listeners = new Set<(event: LedgerEvent) => void>();
  /** What every event holds beside its changes: the first ledger. */
  readonly #first: Pick<LedgerEvent, 'packed' | 'changes'>;

  constructor(tokens = 10) {
    this.prices = Array.from({ length: tokens }, (_, id) => id || 1);
    this.network = new Network({ engine: this.#engine });
    const packed = sealLedger({
      ...FIRST,
      parentHash: new Uint8Array(32),
      transactions: [trustLines(tokens - 1)],
    });
    const ledger = prepared(packed, prepare(packed.bytes, false));
    this.#first = { packed, changes: new Changes(ledger.changes) };
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
    for (const id of [...(changes.tokens ?? []), ...(changes.repriced ?? [])]) this.prices[id]! += 0.5;
    const state = new Changed();
    for (const token of changes.tokens ?? []) state.tokens.add(token);
    for (const token of changes.repriced ?? []) state.repriced.add(token);
    for (const account of changes.accounts ?? []) state.accounts.add(account);
    const market = { ...this.#engine.market.events, changedCandles: changes.candles ?? [] };
    const { flows, accountIndex, nfts } = this.#engine;
    const unchanged = { flows: flows.events, accountIndex: accountIndex.events, nfts: nfts.events };
    const event = {
      ...this.#first,
      head: this.head,
      events: { state, market, ...unchanged, traders: undefined, usage: undefined },
    };
    for (const listener of this.#listeners) listener(event);
  }

  /** Replaces answers of views, and what is heard of ledgers. */
  #install(): void {
    const { tokens, market } = this.network.views;
    this.#engine.onLedger = (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    tokens.rowsReady = () => undefined;
    tokens.rowText = (token, size) => this.row(token, size === 'light');
    tokens.watchedTexts = (token, names) => this.texts(token, names);
    tokens.tags = () => ['Memes'];
    tokens.mostTraded = (filter) => this.#mostTraded(filter);
    market.texts = () => this.#metrics();
    market.rowBasis = () => this.#metrics().exch;
  }

  md5(token: number): string {
    return this.network.views.tokens.md5(token);
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

/** Currency of a token; its id is its number. */
function currencyOf(token: number): string {
  return token.toString(36).toUpperCase().padStart(3, '0');
}

/** A transaction whose metadata creates a trust line for each of these tokens, in order. */
function trustLines(count: number): TransactionBlobs {
  const tx = { TransactionType: 'AccountSet', Account: HOLDER, Fee: '10', Sequence: 1, SigningPubKey: '' };
  const nodes = Array.from({ length: count }, (_, at) => {
    const currency = currencyOf(at + 1);
    return {
      CreatedNode: {
        LedgerEntryType: 'RippleState',
        LedgerIndex: (at + 1).toString(16).toUpperCase().padStart(64, '0'),
        NewFields: {
          Balance: { currency, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '-100' },
          Flags: 0x00020000,
          LowLimit: { currency, issuer: ISSUER, value: '0' },
          HighLimit: { currency, issuer: HOLDER, value: '1000000' },
        },
      },
    };
  });
  const meta = { TransactionIndex: 0, TransactionResult: 'tesSUCCESS', AffectedNodes: nodes };
  return { tx: Uint8Array.fromHex(encode(tx)), meta: Uint8Array.fromHex(encode(meta as never)) };
}

function headAt(index: number, closeTime: number): Head {
  return {
    index,
    hash: index.toString(16).toUpperCase().padStart(64, '0'),
    parentHash: (index - 1).toString(16).toUpperCase().padStart(64, '0'),
    closeTime,
    closeTimeMs: unixMs(closeTime),
    closeResolution: 10,
    txCount: 3,
    totalDrops: 99_999_999_999_999_999n,
  };
}
