/**
 * The traits of one collection, as columns: for each type what value each NFT has. Made once from the metadata of its NFTs
 * (traits.ts), then only read.
 *
 *     NFTs (rows, ascending)   12   15   19   23
 *     Background                1    2    1    1      1 Blue, 2 Gold
 *     Hat                       0    1    1    2      1 Cap, 2 Crown; 0: it has none
 *
 * Types and values are compared without regard to case and blanks around them, as OpenRarity does, and shown as the NFT that
 * was seen first spells them. An NFT that names a type twice has the last value.
 *
 * Limits, since anyone writes metadata: TYPES_MAX types, fewer in collections so large that they would take more than CELLS_MAX
 * cells; a type with more than VALUES_MAX values is no trait but a text of each NFT's own, and left out.
 * Cost: 2 bytes an NFT and type, 8 an NFT; some microseconds an NFT when it is made.
 */
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { rankingRarity, type TraitColumn } from '../../engine/metrics/rarity.ts';
import type { NftAttribute, NftContent } from '../../platform/nft-metadata.ts';

export const TYPES_MAX = 64;
export const VALUES_MAX = 5000;
/** Cells of all columns of a collection: 32 MB. */
const CELLS_MAX = 2 ** 24;
/** NFTs whose metadata is read before other work may run: about 2 ms. */
const NFTS_A_SLICE = 256;
const NONE = new Uint32Array(0);

interface TraitType extends TraitColumn {
  readonly name: string;
  /** By number; 0 is nobody's. */
  readonly values: string[];
  readonly counts: number[];
  /** Numbers by spelling, and by what spellings have in common. */
  readonly numbers: Map<string, number>;
  /** It has more values than are kept. */
  isText: boolean;
}

export interface Trait {
  readonly type: string;
  readonly value: string;
}

export interface NftProp extends Trait {
  /** NFTs of the collection that have it. */
  readonly count: number;
}

const commonForm = (text: string): string => text.trim().toLowerCase();

export class CollectionTraits {
  /** NFTs whose metadata is known, in ascending order. */
  readonly #nfts: Uint32Array;
  readonly #types: readonly TraitType[];
  readonly #ranks: Uint32Array;
  /** Types were left out. */
  readonly isPart: boolean;

  private constructor(made: {
    readonly nfts: Uint32Array;
    readonly types: readonly TraitType[];
    readonly ranks: Uint32Array;
    readonly isPart: boolean;
  }) {
    this.#nfts = made.nfts;
    this.#types = made.types;
    this.#ranks = made.ranks;
    this.isPart = made.isPart;
  }

  static readonly none = new CollectionTraits({
    nfts: NONE,
    types: [],
    ranks: NONE,
    isPart: false,
  });

  /** @param rows NFTs of the collection that exist, in ascending order */
  static *making(
    rows: Uint32Array,
    contentOf: (nft: number) => NftContent | undefined,
  ): CooperativeTask<CollectionTraits> {
    const columns = new Columns(rows.length);
    const known = new Uint32Array(rows.length);
    let count = 0;
    for (let i = 0; i < rows.length; i++) {
      if (i % NFTS_A_SLICE === NFTS_A_SLICE - 1) yield;
      const content = contentOf(rows[i]!);
      if (!content) continue;
      columns.add(count, content.attributes);
      known[count++] = rows[i]!;
    }
    if (count === 0) return CollectionTraits.none;
    const nfts = known.slice(0, count);
    const { types, isPart } = columns;
    const shown = types.map((type) => closed(type, count));
    if (shown.length === 0) return new CollectionTraits({ nfts, types: [], ranks: NONE, isPart });
    const ranks = yield* rankingRarity([...shown, yield* countingTraits(shown, count)]);
    return new CollectionTraits({ nfts, types: shown, ranks, isPart });
  }

  /** NFTs whose metadata is known. */
  get known(): number {
    return this.#nfts.length;
  }

  /** Bytes that it takes, about. */
  get bytes(): number {
    const texts = this.#types.reduce((sum, { values }) => sum + values.length * 200, 0);
    return 1000 + this.#nfts.length * (8 + 2 * this.#types.length) + texts;
  }

  /** Each type with its values, the most frequent first. */
  all() {
    return this.#types.map(({ name, values, counts }) => {
      const had = values.map((value, i) => ({ value, count: counts[i]! })).slice(1);
      // Values that an NFT named before another one of the same type are nobody's.
      const shown = had.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
      return { type: name, without: counts[0]!, values: shown };
    });
  }

  /** 1: the rarest; undefined: not known. */
  rank(nft: number): number | undefined {
    const at = this.#placeOf(nft);
    return at < 0 ? undefined : this.#ranks[at];
  }

  props(nft: number): NftProp[] {
    const at = this.#placeOf(nft);
    if (at < 0) return [];
    return this.#types.flatMap(({ name, values, counts, of }) => {
      const value = of[at]!;
      return value === 0 ? [] : { type: name, value: values[value]!, count: counts[value]! };
    });
  }

  /** Whether an NFT has these traits: of each type that is named one of the values. */
  matcher(traits: readonly Trait[]): (nft: number) => boolean {
    const wanted = Map.groupBy(traits, ({ type }) => commonForm(type));
    const needs: { readonly of: Uint16Array; readonly numbers: ReadonlySet<number> }[] = [];
    for (const [form, ones] of wanted) {
      const type = this.#types.find(({ name }) => commonForm(name) === form);
      const numbers = ones.map(({ value }) => type?.numbers.get(commonForm(value)) ?? 0);
      const known = new Set(numbers.filter((number) => number !== 0));
      if (!type || known.size === 0) return () => false;
      needs.push({ of: type.of, numbers: known });
    }
    return (nft) => {
      const at = this.#placeOf(nft);
      return at >= 0 && needs.every(({ of, numbers }) => numbers.has(of[at]!));
    };
  }

  #placeOf(nft: number): number {
    const nfts = this.#nfts;
    let [from, to] = [0, nfts.length - 1];
    while (from <= to) {
      const middle = (from + to) >>> 1;
      if (nfts[middle] === nft) return middle;
      if (nfts[middle]! < nft) from = middle + 1;
      else to = middle - 1;
    }
    return -1;
  }
}

/** Columns that grow while NFTs are read. */
class Columns {
  readonly #rows: number;
  readonly #typesMax: number;
  readonly #byName = new Map<string, TraitType>();
  #isFull = false;

  /** @param rows NFTs at most */
  constructor(rows: number) {
    this.#rows = rows;
    this.#typesMax = Math.min(TYPES_MAX, Math.max(1, Math.floor(CELLS_MAX / Math.max(1, rows))));
  }

  get types(): TraitType[] {
    return [...this.#byName.values()].filter(({ isText }) => !isText);
  }

  /** Types were left out. */
  get isPart(): boolean {
    return this.#isFull || [...this.#byName.values()].some(({ isText }) => isText);
  }

  add(at: number, attributes: readonly NftAttribute[]): void {
    for (const { type, value } of attributes) {
      const column = this.#type(type);
      if (!column || column.isText) continue;
      const number = numberOf(column, value);
      if (number === undefined) continue;
      const before = column.of[at]!;
      if (before !== 0) column.counts[before]!--;
      column.of[at] = number;
      column.counts[number]!++;
    }
  }

  #type(name: string): TraitType | undefined {
    const form = commonForm(name);
    const found = this.#byName.get(form);
    if (found || form === '') return found;
    if (this.#byName.size >= this.#typesMax) {
      this.#isFull = true;
      return undefined;
    }
    const of = new Uint16Array(this.#rows);
    const made = { name: name.trim(), values: [''], counts: [0], numbers: new Map(), of, isText: false };
    this.#byName.set(form, made);
    return made;
  }
}

/** Of a value, which gets one when it is new; undefined: it is blank, or one too many. */
function numberOf(column: TraitType, value: string): number | undefined {
  const form = commonForm(value);
  const found = column.numbers.get(form);
  if (found !== undefined || form === '') return found;
  if (column.values.length > VALUES_MAX) {
    column.isText = true;
    column.numbers.clear();
    return undefined;
  }
  const number = column.values.length;
  column.values.push(value.trim());
  column.counts.push(0);
  column.numbers.set(form, number);
  return number;
}

/** Of the NFTs that were read. */
function closed(type: TraitType, count: number): TraitType {
  const having = type.counts.reduce((sum, some) => sum + some, 0);
  type.counts[0] = count - having;
  return { ...type, of: type.of.slice(0, count) };
}

/** How many traits each NFT has, as one more type. */
function* countingTraits(types: readonly TraitType[], count: number): CooperativeTask<TraitColumn> {
  const of = new Uint16Array(count).fill(1);
  for (const type of types) {
    yield;
    const none = type.numbers.get('none');
    for (let i = 0; i < count; i++) if (type.of[i] !== 0 && type.of[i] !== none) of[i]!++;
  }
  const counts = new Array<number>(types.length + 2).fill(0);
  yield;
  for (let i = 0; i < count; i++) counts[of[i]!]!++;
  return { of, counts };
}
