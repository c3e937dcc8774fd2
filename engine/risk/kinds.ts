/**
 * Kinds of tokens: the classes of their features, each a number, and the groups that a kind belongs to, from all tokens to
 * just its own kind. A later group tells one feature more apart, and has fewer tokens:
 *
 *     all tokens > same liquidity > and age > and LP tokens burned and right to freeze > and top-10 share > and creator's share
 *
 * The bounds of classes are round numbers, chosen before anything was measured.
 */
import { DROPS_PER_XRP } from '../codec/amount.ts';
import { DAY } from '../ripple-time.ts';
import type { RiskFeatures } from './features.ts';

/** XRP in the pool with XRP; without such a pool the class is the first. */
const LIQUIDITY_XRP = [100, 1000, 10_000, 100_000] as const;
/** Days since the token was first seen; not known: one class more. */
const AGE_DAYS = [1, 7, 30, 180] as const;
/** Percent of the LP tokens. */
const BURNED = [50] as const;
const FREEZE = ['given up', 'possible', 'frozen'] as const;
/** Percent of the supply, as the next. */
const TOP10 = [50, 80, 95] as const;
const CREATOR = [1, 10, 50] as const;

/** Names of the classes of each feature, in the order of the groups. */
export const CLASSES = {
  liquidity: ['no pool', ...names(LIQUIDITY_XRP, ' XRP')],
  age: [...names(AGE_DAYS, ' d'), 'not known'],
  burned: names(BURNED, ' %'),
  freeze: FREEZE,
  top10: names(TOP10, ' %'),
  creator: [...names(CREATOR, ' %'), 'not known'],
} as const;

export type RiskFeature = keyof typeof CLASSES;
/** The number of the class of each feature. */
export type Kind = Readonly<Record<RiskFeature, number>>;

/** How many features each group tells apart, in the order of CLASSES. The first group is that of all tokens. */
const GROUP_FEATURES = [0, 1, 2, 4, 5, 6] as const;
const ORDER = Object.keys(CLASSES) as readonly RiskFeature[];

/** How many kinds there are, and groups of each: from all tokens to just the kind. */
export const KINDS = sizeOf(ORDER.length);
export const GROUPS = GROUP_FEATURES.length;
/** Kinds of every group, each with a cell in columns of counts. */
export const GROUP_CELLS = GROUP_FEATURES.reduce<number>((sum, features) => sum + sizeOf(features), 0);
/** By kind, GROUPS each: the cells of its groups. */
const CELLS = cellsOfKinds();

export function kindOf(features: RiskFeatures): Kind {
  const { age, poolDrops, creatorShare, top10, lpBurned, freeze } = features;
  return {
    liquidity: poolDrops === 0 ? 0 : 1 + classOf(poolDrops / DROPS_PER_XRP, LIQUIDITY_XRP),
    age: ageClass(age),
    burned: classOf(lpBurned, BURNED),
    freeze,
    top10: classOf(top10, TOP10),
    creator: creatorShare === undefined ? CREATOR.length + 1 : classOf(creatorShare, CREATOR),
  };
}

/** @param age seconds; undefined: not known */
export function ageClass(age: number | undefined): number {
  return age === undefined ? AGE_DAYS.length + 1 : classOf(age / DAY, AGE_DAYS);
}

/** A number below KINDS. */
export function kindNumber(kind: Kind): number {
  let number = 0;
  for (const feature of ORDER) number = number * CLASSES[feature].length + kind[feature];
  return number;
}

/** The cell of a kind's group; of group 0 that of all tokens, of GROUPS - 1 that of the kind alone. */
export function cellOf(kind: number, group: number): number {
  return CELLS[kind * GROUPS + group]!;
}

/** The class of each feature in words. */
export function kindNames(kind: Kind): Record<RiskFeature, string> {
  return Object.fromEntries(ORDER.map((feature) => [feature, CLASSES[feature][kind[feature]]!])) as Record<
    RiskFeature,
    string
  >;
}

function cellsOfKinds(): Uint16Array {
  const cells = new Uint16Array(KINDS * GROUPS);
  let offset = 0;
  for (const [group, features] of GROUP_FEATURES.entries()) {
    const size = sizeOf(features);
    for (let kind = 0; kind < KINDS; kind++)
      cells[kind * GROUPS + group] = offset + Math.floor(kind / (KINDS / size));
    offset += size;
  }
  return cells;
}

function sizeOf(features: number): number {
  return ORDER.slice(0, features).reduce((size, feature) => size * CLASSES[feature].length, 1);
}

function classOf(value: number, bounds: readonly number[]): number {
  let found = 0;
  while (found < bounds.length && value >= bounds[found]!) found++;
  return found;
}

/** `below 1 d`, `1 to 7 d`, `7 d or more` */
function names(bounds: readonly number[], unit: string): string[] {
  const between = bounds.slice(1).map((bound, i) => `${bounds[i]} to ${bound}${unit}`);
  return [`below ${bounds[0]}${unit}`, ...between, `${bounds.at(-1)}${unit} or more`];
}
