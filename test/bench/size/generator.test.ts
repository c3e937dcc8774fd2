/**
 * The generated network against independent readers: ripple-binary-codec decodes its entries and its metadata, the
 * proof and the engine take its ledgers as those of any node.
 */
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'ripple-binary-codec';
import { Entries } from '../../../bench/size/entries.ts';
import { baseLedger, LedgerStream } from '../../../bench/size/ledgers.ts';
import { FULL, SizedNetwork } from '../../../bench/size/network.ts';
import { sizedStore } from '../../../bench/size/store.ts';
import { FEE_DROPS, MIX } from '../../../bench/size/transactions.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../../support/memory-store.ts';

const SHARE = 0.001;
const LEDGERS = 12;
const TRANSACTIONS = 100;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

type Json = Record<string, unknown>;

function entries(share = SHARE, seed = 1): Entries {
  return new Entries(new SizedNetwork(share, seed));
}

/** Entries of a page: key and JSON by the reference codec. */
function* readPage(page: Uint8Array): Generator<[string, Json]> {
  const view = new DataView(page.buffer, page.byteOffset);
  for (let at = 0; at < page.length; ) {
    const length = view.getUint32(at + 32, true);
    const key = page
      .slice(at, at + 32)
      .toHex()
      .toUpperCase();
    yield [key, decode(page.slice(at + 36, at + 36 + length).toHex())];
    at += 36 + length;
  }
}

function stateOf(from: Entries): Map<string, Json> {
  return new Map([...from.pages(512)].flatMap((page) => [...readPage(page)]));
}

const small = entries();
const state: ReadonlyMap<string, Json> = stateOf(small);

describe('the generated state', () => {
  const kinds = Map.groupBy(state.values(), (entry) => entry.LedgerEntryType as string);
  const count = (kind: string): number => kinds.get(kind)?.length ?? 0;

  test('has its share of every kind of entry', () => {
    expect(count('AccountRoot')).toBe(FULL.accounts * SHARE);
    expect(count('Offer')).toBe(FULL.offers * SHARE);
    expect(count('AMM')).toBe(FULL.pools * SHARE);
    expect(Math.abs(count('RippleState') - FULL.lines * SHARE)).toBeLessThan(FULL.tokens * SHARE);
    expect(state.size).toBe(FULL.entries * SHARE);
  });

  test('is in the order of its keys', () => {
    const keys = [...state.keys()];
    expect(keys).toEqual(keys.toSorted());
  });

  test('goes on after any key', () => {
    const keys = [...state.keys()];
    for (const position of [0, 1, 777, keys.length - 1])
      expect(small.positionAfter(Uint8Array.fromHex(keys[position]!))).toBe(position + 1);
  });

  test('has one line for each holder of a token, and finds it again', () => {
    const { network } = small;
    for (const token of [0, 1, 50, network.tokens - 1]) {
      const holders = Array.from({ length: network.linesOf(token) }, (_, k) => network.holder(token, k));
      expect(new Set(holders).size).toBe(holders.length);
      expect(holders.map((holder) => network.placeOfHolder(token, holder))).toEqual([...holders.keys()]);
    }
  });

  test('is the same again for the same seed, another for another one', () => {
    const first = (seed: number) => entries(SHARE, seed).pages(64).next().value as Uint8Array;
    expect(first(1)).toEqual(first(1));
    expect(first(1)).not.toEqual(first(2));
  });
});

describe('its ledgers', () => {
  const stream = new LedgerStream(small);
  const ledgers = [...stream.take({ ledgers: LEDGERS, transactions: TRANSACTIONS })];
  const metas = ledgers.flatMap((ledger) =>
    Array.from(
      { length: ledger.count },
      (_, i) => decode(Buffer.from(ledger.meta(i)).toString('hex')) as unknown as Meta,
    ),
  );
  const types = ledgers.flatMap((ledger) =>
    Array.from(
      { length: ledger.count },
      (_, i) => decode(Buffer.from(ledger.tx(i)).toString('hex')).TransactionType,
    ),
  );

  test('prove and link', () => {
    let parent = baseLedger();
    for (const ledger of ledgers) {
      expect(prepared(ledger, prepare(ledger.bytes)).fault).toBeUndefined();
      expect(Buffer.compare(ledger.parentHash, parent.hash)).toBe(0);
      parent = ledger;
    }
  });

  test('hold every kind of transaction', () => {
    expect(Object.values<number>(MIX).reduce((sum, share) => sum + share)).toBe(100);
    for (const type of ['Payment', 'OfferCreate', 'OfferCancel', 'TrustSet']) expect(types).toContain(type);
    const shapes = metas.map(({ AffectedNodes }) => AffectedNodes.map(shapeOf).toSorted().join(' '));
    expect(shapes).toContain('ModifiedNode AccountRoot ModifiedNode AccountRoot');
    // An offer is taken in part; a payment goes through a pool.
    expect(shapes.filter((shape) => /ModifiedNode Offer/.test(shape)).length).toBeGreaterThan(10);
    const swap =
      'ModifiedNode AccountRoot ModifiedNode AccountRoot ModifiedNode RippleState ModifiedNode RippleState';
    expect(shapes.filter((shape) => shape === swap).length).toBeGreaterThan(10);
  });

  test('have metadata that agrees with the state, step by step', () => {
    const current = new Map(state);
    for (const meta of metas) {
      let drops = 0n;
      for (const { before, expected, dropsAdded } of applied(current, meta)) {
        expect(before).toEqual(expected);
        drops += dropsAdded;
      }
      expect(drops).toBe(-BigInt(FEE_DROPS));
    }
  });

  test('leave an engine with the state that their metadata says', async () => {
    const current = new Map(state);
    for (const meta of metas) for (const _ of applied(current, meta));
    const engine = new Engine({ store: new MemoryStore(), log: quiet });
    for (const page of small.pages(512)) engine.loadEntries(page);
    const base = baseLedger();
    const ref = { index: base.ledgerIndex, hash: base.hash };
    await engine.finishSnapshot(prepared(base, prepare(base.bytes)), ref);
    for (const ledger of ledgers) await engine.applyLedger(prepared(ledger, prepare(ledger.bytes)), false);
    const { accounts, lines, tokens, books } = engine.state;
    for (const { LedgerEntryType, Account, Balance, Sequence } of current.values()) {
      if (LedgerEntryType !== 'AccountRoot') continue;
      const id = accounts.findText(Account as string)!;
      expect([String(accounts.balanceDrops(id)), accounts.sequence[id]]).toEqual([Balance, Sequence] as [
        string,
        number,
      ]);
    }
    const count = (type: string) =>
      [...current.values()].filter((entry) => entry.LedgerEntryType === type).length;
    expect(books.existing).toBe(count('Offer'));
    expect(lines.existing).toBe(count('RippleState'));
    expect(tokens.count).toBe(small.network.tokens + 1);
    expect(engine.counters.tradesSeen).toBeGreaterThan(LEDGERS * TRANSACTIONS * 0.1);
    expect(engine.counters.unknownFields + engine.counters.readerFallbacks).toBe(0);
  });
});

/** Carries metadata out on a state in JSON: of each entry, what was there and what the metadata says was there. */
function* applied(state: Map<string, Json>, { AffectedNodes }: Meta) {
  for (const node of AffectedNodes) {
    const [action, body] = Object.entries(node)[0]!;
    const { LedgerEntryType, LedgerIndex, PreviousFields = {}, FinalFields = {}, NewFields = {} } = body;
    if (LedgerEntryType === 'DirectoryNode') continue;
    const before = state.get(LedgerIndex);
    const after = action === 'CreatedNode' ? NewFields : FinalFields;
    const was = before && withoutDefaults(before);
    const expected =
      action === 'CreatedNode'
        ? undefined
        : { LedgerEntryType, ...withoutDefaults({ ...FinalFields, ...PreviousFields }) };
    const dropsAdded =
      LedgerEntryType === 'AccountRoot'
        ? BigInt(after.Balance as string) - BigInt(before!.Balance as string)
        : 0n;
    if (action === 'DeletedNode') state.delete(LedgerIndex);
    else state.set(LedgerIndex, { LedgerEntryType, ...after });
    yield { before: was, expected, dropsAdded };
  }
}

test('a kept store is made once, and removed when nobody has used it for a day', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'millrace-cache-'));
  try {
    const plan = { share: SHARE, cache, ledgers: 1, transactions: 2 };
    const first = await sizedStore(plan);
    const made = statSync(join(first.store, 'data.mdb')).ino;
    expect((await sizedStore(plan)).store).toBe(first.store);
    expect(statSync(join(first.store, 'data.mdb')).ino).toBe(made);
    const others = ['share-1-seed-1-0123456789ab', 'share-0.1-seed-2-0123456789ab', 'notes'];
    const longAgo = new Date(Date.now() - 25 * 3600 * 1000);
    for (const name of others) mkdirSync(join(cache, name));
    for (const name of [others[0]!, others[2]!]) utimesSync(join(cache, name), longAgo, longAgo);
    await sizedStore({ ...plan, seed: 3 });
    expect(others.map((name) => existsSync(join(cache, name)))).toEqual([false, true, true]);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
});

interface Body {
  readonly LedgerEntryType: string;
  readonly LedgerIndex: string;
  readonly PreviousFields?: Json;
  readonly FinalFields?: Json;
  readonly NewFields?: Json;
}
interface Meta {
  readonly AffectedNodes: readonly Record<string, Body>[];
}

function shapeOf(node: Record<string, Body>): string {
  const [action, { LedgerEntryType }] = Object.entries(node)[0]!;
  return `${action} ${LedgerEntryType}`;
}

/** Without the thread, and without what is zero: new entries leave that out. */
function withoutDefaults(json: Json): Json {
  return Object.fromEntries(
    Object.entries(json).filter(
      ([name, value]) => !name.startsWith('PreviousTxn') && value !== 0 && value !== '0000000000000000',
    ),
  );
}
