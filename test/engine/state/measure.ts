/**
 * A state of synthetic trust lines: bytes a line by the tables' own count, time to restore from blocks in memory.
 * `lines` of them over a fifth as many accounts and a two-hundredth as many tokens, with balances of all magnitudes.
 * (bench/ measures the memory of the process.)
 */
import {
  CHANGES_HEAD_WORDS,
  Changes,
  EntryType,
  LineNode,
  NODE_WORDS,
} from '../../../engine/codec/changes.ts';
import { State } from '../../../engine/state/state.ts';

export interface StateFigures {
  readonly lines: number;
  /** Rows, index, places and holder lists over the number of lines. */
  readonly lineBytes: number;
  readonly loadMilliseconds: number;
  readonly rebuildMilliseconds: number;
}

const PAGE_LINES = 10_000;
const LIMIT_BYTES = 48;
const LINE_BYTES = 3 * LIMIT_BYTES + 4;

/** Measures with this many trust lines. */
export function measureState(lines = 1_000_000): StateFigures {
  const state = new State();
  const random = randomWords(1);
  for (let first = 0; first < lines; first += PAGE_LINES) {
    const page = linePage(first, Math.min(PAGE_LINES, lines - first), lines, random);
    state.applyEntries(page.bytes, page.changes);
    state.touched.clear();
  }
  const existing = state.lines.existing;
  const saved: [number, number, Uint8Array][] = [];
  state.persist({
    block: (table, block, bytes) => void saved.push([table, block, bytes.slice()]),
    text: () => {},
  });
  const restored = new State();
  const tables = new Map(restored.tables.map((table) => [table.id, table]));
  const loading = performance.now();
  for (const [table, block, bytes] of saved) tables.get(table)!.loadBlock(block, bytes);
  const rebuilding = performance.now();
  restored.rebuild();
  const done = performance.now();
  if (restored.lines.existing !== existing) throw new Error('the restored state has other lines');
  return {
    lines: existing,
    lineBytes: state.lines.byteLength / existing,
    loadMilliseconds: rebuilding - loading,
    rebuildMilliseconds: done - rebuilding,
  };
}

/** RippleState entries as a page of raw amounts and the change set that points at them. */
function linePage(first: number, count: number, total: number, random: () => number) {
  const bytes = new Uint8Array(8 + count * LINE_BYTES);
  const view = new DataView(bytes.buffer);
  const words = new Uint32Array(CHANGES_HEAD_WORDS + count * NODE_WORDS);
  words[1] = count;
  const accounts = Math.max(10, Math.floor(total / 5));
  const tokens = Math.max(2, Math.floor(total / 200));
  for (let i = 0; i < count; i++) {
    const at = 8 + i * LINE_BYTES;
    const row = CHANGES_HEAD_WORDS + i * NODE_WORDS;
    const serial = first + i;
    // Half of all lines belong to the first hundredth of the tokens, as on the main network.
    const token = random() & 1 ? random() % tokens : random() % Math.max(1, Math.floor(tokens / 100));
    const holder = 1_000_000 + ((serial * 7919) % accounts);
    const currency = serial % Math.max(1, Math.ceil(total / accounts / 5));
    const holderIsLow = (holder & 1) === 0;
    const amount = (offset: number, issuer: number, hi: number, lo: number): void => {
      view.setUint32(at + offset, hi);
      view.setUint32(at + offset + 4, lo);
      view.setUint32(at + offset + 20, 0x555300 + currency);
      view.setUint32(at + offset + 28, holderIsLow === (issuer === holder) ? 0x10000000 : 0x20000000);
      view.setUint32(at + offset + 40, issuer);
    };
    const exponent = 82 + (random() % 6);
    const positive = ((holderIsLow ? 0xc0000000 : 0x80000000) | (exponent << 22) | (random() & 0x3fff)) >>> 0;
    amount(0, 0, positive, random());
    amount(LIMIT_BYTES, holderIsLow ? holder : token, holderIsLow ? 0xd5838d7e : 0x80000000, 0);
    amount(2 * LIMIT_BYTES, holderIsLow ? token : holder, holderIsLow ? 0x80000000 : 0xd5838d7e, 0);
    view.setUint32(at + 3 * LIMIT_BYTES, holderIsLow ? 0x00010000 : 0x00020000);
    words[row + 2] = EntryType.RippleState;
    words[row + LineNode.balanceAt] = at;
    words[row + LineNode.lowLimitAt] = at + LIMIT_BYTES;
    words[row + LineNode.highLimitAt] = at + 2 * LIMIT_BYTES;
    words[row + LineNode.flagsAt] = at + 3 * LIMIT_BYTES;
  }
  return { bytes, changes: new Changes(words) };
}

/** xorshift32: the same lines in every run. */
function randomWords(seed: number): () => number {
  let word = seed;
  return () => {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    return word >>> 0;
  };
}
