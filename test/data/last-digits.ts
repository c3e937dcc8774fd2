/**
 * The digest of an engine whose store follows older rules. Before rules 10 very small amounts were rounded twice, so that the
 * columns of a store of before may differ from those of a new replay in the last digit, and in nothing else. Before rules 12 nothing
 * was kept of what sums of tokens by hour and day lose by rounding.
 */
import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/state/table.ts';

/** Two roundings of a double instead of one: at most two units of its last place. */
const ROUNDING = 2 * Number.EPSILON;
/** Columns of 32-bit floats: what the sums in the column of the name before it have lost by rounding. */
const REST = 'Rest';

/**
 * Takes the last digits of the amounts from an engine that was given the same ledgers by the rules of today, and computes
 * again what is made of them. What differs by more, or elsewhere, still does.
 */
export function digestWithDigitsOf(engine: Engine, like: Engine): Promise<string> {
  const exact = like.domains.flatMap(({ tables }) => tables);
  for (const [i, table] of engine.domains.flatMap(({ tables }) => tables).entries())
    takeDigits(floatsOf(table), floatsOf(exact[i]!));
  for (const domain of engine.domains) for (const _ of domain.rebuilding());
  return engine.digestWithHistory();
}

type Floats = ReadonlyMap<string, Float64Array | Float32Array>;

/** The columns of a table that hold floating point numbers, as they are in memory, up to their last row. */
function floatsOf(table: Table): Floats {
  const floats = new Map<string, Float64Array | Float32Array>();
  for (const { name, bytes } of table.contents()) {
    const type = table.columns.find((column) => column.name === name)!.type;
    const isRest = name.endsWith(REST);
    if (type !== 'f64' && !isRest) continue;
    const Numbers = isRest ? Float32Array : Float64Array;
    const { buffer, byteOffset, byteLength } = bytes;
    const length = Math.ceil(byteLength / Numbers.BYTES_PER_ELEMENT);
    floats.set(name, new Numbers(buffer as ArrayBuffer, byteOffset, length));
  }
  return floats;
}

function takeDigits(columns: Floats, exact: Floats): void {
  for (const [name, known] of columns) {
    const target = exact.get(name)!;
    const column = asLongAs(target, known);
    const sum = name.endsWith(REST) ? exact.get(name.slice(0, -REST.length))! : target;
    for (let i = 0; i < target.length; i++)
      if (Math.abs(column[i]! - target[i]!) <= ROUNDING * Math.abs(sum[i]!)) column[i] = target[i]!;
  }
}

/** A column that older rules did not fill ends before its first row: rows of zeros at its end are not among its contents. */
function asLongAs(target: Float64Array | Float32Array, column: Float64Array | Float32Array) {
  if (column.length >= target.length) return column;
  const Numbers = column instanceof Float32Array ? Float32Array : Float64Array;
  return new Numbers(column.buffer as ArrayBuffer, column.byteOffset, target.length);
}
