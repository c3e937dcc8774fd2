/** Nested tables against plain maps: any sequence of changes, applied or dropped at any depth. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { EntryTable } from '../../../sandbox/ledger/tables.ts';
import type { ReadView } from '../../../sandbox/ledger/view.ts';
import { SANDBOX_RULES } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import { MapView } from '../map-view.ts';
import { seedOf } from '../seed.ts';

const SEED = seedOf('tables', 20_261_121);
const KEYS: readonly Hex[] = Array.from({ length: 12 }, (_, n) => n.toString(16).toUpperCase().repeat(64));
const DEPTH_MAX = 4;

type Plain = Map<Hex, Record<string, unknown>>;

const entryOf = (key: Hex, value: number): Entry => ({
  LedgerEntryType: 'Ticket',
  index: key,
  Sequence: value,
});

function baseOf(keys: readonly Hex[]): MapView {
  const header = { index: 3, parentHash: KEYS[0]!, parentCloseTime: 0, closeTime: 4, totalDrops: 0n };
  const entries = keys.map((key, at) => entryOf(key, at));
  return new MapView(header, SANDBOX_RULES, { base: 10n, reserve: 1n, increment: 1n }, false, entries);
}

interface Layer {
  readonly table: EntryTable;
  /** All entries that must be visible at this depth. */
  readonly model: Plain;
  destroyed: bigint;
}

const copy = (plain: Plain): Plain => new Map([...plain].map(([key, value]) => [key, { ...value }]));

/** Everything visible in a view is as in the model. */
function same(view: ReadView, model: Plain): void {
  for (const key of KEYS) expect(view.read(key) as unknown).toEqual(model.get(key));
  const sorted = [...model.keys()].sort();
  for (const key of ['', ...KEYS]) {
    expect(view.successor(key)).toBe(sorted.find((other) => other > key));
    expect(view.successor(key, KEYS[7])).toBe(sorted.find((other) => other > key && other < KEYS[7]!));
  }
}

/** The changes of a table, computed from the two models around it. */
function expectedChanges(below: Plain, above: Plain): string[] {
  const changes: string[] = [];
  for (const key of KEYS) {
    const [before, after] = [below.get(key), above.get(key)];
    if (before === undefined && after !== undefined) changes.push(`insert ${key}`);
    else if (before !== undefined && after === undefined) changes.push(`erase ${key}`);
    else if (before !== undefined && !Bun.deepEquals(before, after)) changes.push(`modify ${key}`);
  }
  return changes.sort();
}

type Step = { readonly what: string; readonly at: number; readonly value: number };

class World {
  readonly #base: MapView;
  readonly #layers: Layer[] = [];
  readonly #baseModel: Plain;

  constructor(keys: readonly Hex[]) {
    this.#base = baseOf(keys);
    this.#baseModel = new Map(keys.map((key, at) => [key, { ...entryOf(key, at) }]));
    this.#push();
  }

  get #top(): Layer {
    return this.#layers.at(-1)!;
  }

  #below(depth: number): Plain {
    return this.#layers[depth - 1]?.model ?? this.#baseModel;
  }

  #push(): void {
    const below = this.#layers.at(-1);
    const table = new EntryTable(below?.table ?? this.#base);
    this.#layers.push({ table, model: copy(below?.model ?? this.#baseModel), destroyed: 0n });
  }

  #pop(apply: boolean): void {
    const { table, model, destroyed } = this.#layers.pop()!;
    const below = this.#top;
    if (!apply) return;
    table.applyTo(below.table);
    below.destroyed += destroyed;
    below.model.clear();
    for (const [key, value] of copy(model)) below.model.set(key, value);
  }

  do({ what, at, value }: Step): void {
    const { table, model } = this.#top;
    const key = KEYS[at]!;
    const there = model.get(key);
    switch (what) {
      case 'insert':
        if (there) expect(() => table.insert(entryOf(key, value))).toThrow('is taken');
        else {
          table.insert(entryOf(key, value));
          model.set(key, { ...entryOf(key, value) });
        }
        break;
      case 'erase':
        if (there) table.erase(key);
        else expect(() => table.erase(key)).toThrow('no entry');
        model.delete(key);
        break;
      case 'write': {
        const entry = table.peek(key);
        expect(entry === undefined).toBe(there === undefined);
        if (!entry || !there) break;
        // A field written, one removed, one set to undefined.
        if (value % 3 === 0) delete entry.Sequence;
        else entry.Sequence = value;
        if (value % 3 === 0) delete there.Sequence;
        else there.Sequence = value;
        break;
      }
      case 'peek':
        expect(table.peek(key) as unknown).toEqual(there);
        expect(table.peek(key)).toBe(table.peek(key)!);
        break;
      case 'destroy':
        table.destroy(BigInt(value));
        this.#top.destroyed += BigInt(value);
        break;
      case 'discard':
        table.discard();
        this.#top.destroyed = 0n;
        model.clear();
        for (const [below, entry] of copy(this.#below(this.#layers.length - 1))) model.set(below, entry);
        break;
      case 'push':
        if (this.#layers.length < DEPTH_MAX) this.#push();
        break;
      default:
        if (this.#layers.length > 1) this.#pop(what === 'apply');
    }
  }

  check(): void {
    for (const [depth, { table, model, destroyed }] of this.#layers.entries()) {
      same(table, model);
      expect(table.destroyed).toBe(destroyed);
      const changes = [...table.changes()].map(({ key, action }) => `${action} ${key}`).sort();
      expect(changes).toEqual(expectedChanges(this.#below(depth), model));
    }
  }

  /** All layers applied, one into the other. */
  finish(): void {
    while (this.#layers.length > 1) this.#pop(true);
    this.check();
    // The base was never written to.
    for (const [key, value] of this.#baseModel) expect(this.#base.read(key) as unknown).toEqual(value);
  }
}

describe('nested tables', () => {
  test(`behave like plain maps (seed ${SEED})`, () => {
    const step: fc.Arbitrary<Step> = fc.record({
      what: fc.oneof(
        { weight: 3, arbitrary: fc.constant('insert') },
        { weight: 3, arbitrary: fc.constant('erase') },
        { weight: 4, arbitrary: fc.constant('write') },
        { weight: 1, arbitrary: fc.constantFrom('peek', 'destroy', 'discard') },
        { weight: 2, arbitrary: fc.constant('push') },
        { weight: 2, arbitrary: fc.constantFrom('apply', 'apply', 'drop') },
      ),
      at: fc.nat({ max: KEYS.length - 1 }),
      value: fc.integer({ min: 100, max: 200 }),
    });
    const start = fc.subarray([...KEYS], { minLength: 3 });
    fc.assert(
      fc.property(start, fc.array(step, { maxLength: 60 }), (keys, steps) => {
        const world = new World(keys);
        for (const [at, one] of steps.entries()) {
          world.do(one);
          if (at % 8 === 7) world.check();
        }
        world.check();
        world.finish();
      }),
      { seed: SEED, numRuns: 400 },
    );
  });

  test('an entry restored to its old state is not a change; one erased and inserted again is', () => {
    const table = new EntryTable(baseOf(KEYS.slice(0, 3)));
    const entry = table.peek(KEYS[1]!) as Entry;
    entry.Sequence = 99;
    entry.Sequence = 1;
    expect([...table.changes()]).toEqual([]);
    table.erase(KEYS[2]!);
    table.insert(entryOf(KEYS[2]!, 50));
    expect([...table.changes()].map(({ action }) => action)).toEqual(['modify']);
  });
});
