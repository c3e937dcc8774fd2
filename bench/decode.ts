/**
 * Decoding against ripple-binary-codec: the same recorded transactions with their metadata, in the same run on one
 * core. `full` makes JSON objects (and in the second row their text, since ours slices hex lazily); `partial` makes
 * the change set of whole ledgers. Run alone: `bun bench/decode.ts`.
 */
import { decode } from 'ripple-binary-codec';
import { bytesOf } from '../engine/codec/bytes.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { Reader } from '../engine/codec/json.ts';
import { type PackedLedger, packLedger } from '../engine/codec/packed.ts';
import { corpusDir, ledgerFiles, readLedger } from '../support/corpus.ts';
import type { BudgetName, Figure } from './budgets.ts';

/** Transactions with metadata per second, ours and the reference's, and the ratio. */
export interface DecodeResult {
  readonly name: string;
  /** Name of the budget. */
  readonly figure: BudgetName | undefined;
  readonly unit: string;
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
}

interface Input {
  readonly hex: readonly string[];
  readonly blobs: readonly Uint8Array[];
  readonly ledgers: readonly PackedLedger[];
  readonly hashes: readonly Uint8Array[];
  readonly transactions: number;
}

/** The recorded mainnet ledgers that hold binary transactions, packed as in the pipeline. */
function recorded(): Input {
  const hex: string[] = [];
  const ledgers: PackedLedger[] = [];
  for (const name of ledgerFiles()) {
    const { transactions = [], network } = readLedger(name);
    const rows = transactions.filter((t) => t.tx_blob && t.meta_blob);
    if (network !== 'mainnet' || rows.length === 0 || rows.length !== transactions.length) continue;
    const blobs = rows.map((t) => ({ tx: bytesOf(t.tx_blob!), meta: bytesOf(t.meta_blob!) }));
    try {
      ledgers.push(packLedger(new Uint8Array(118), new Uint8Array(32), blobs));
    } catch {
      continue; // part of a ledger
    }
    for (const t of rows) hex.push(t.tx_blob!, t.meta_blob!);
  }
  return {
    hex,
    blobs: hex.map(bytesOf),
    ledgers,
    hashes: ledgers.map((ledger) => new Uint8Array(32 * ledger.count)),
    transactions: hex.length / 2,
  };
}

/** Best rate of `rounds` rounds: other load on the machine can only slow a round. */
function rate(transactions: number, rounds: number, run: () => void): number {
  let best = 0;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    best = Math.max(best, (transactions * 1000) / (performance.now() - start));
  }
  return best;
}

/** Uses the results, so that the JIT does not remove the work. */
let sink = 0;

/** Measures both paths; undefined when the recorded ledgers are not on this machine. Takes a few seconds. */
export function decodeSuites(): DecodeResult[] | undefined {
  if (!corpusDir) return undefined;
  const input = recorded();
  const reader = new Reader();
  const reference = rate(input.transactions, 3, () => {
    for (const hex of input.hex) sink += Object.keys(decode(hex)).length;
  });
  const full = rate(input.transactions, 30, () => {
    for (const blob of input.blobs) sink += Object.keys(reader.decode(blob)).length;
  });
  const referenceText = rate(input.transactions, 2, () => {
    for (const hex of input.hex) sink += JSON.stringify(decode(hex)).length;
  });
  const text = rate(input.transactions, 30, () => {
    for (const blob of input.blobs) sink += JSON.stringify(reader.decode(blob)).length;
  });
  const partial = rate(input.transactions, 300, () => {
    for (const [i, ledger] of input.ledgers.entries())
      sink += extractChanges(ledger, input.hashes[i], true)[1]!;
  });
  const row = (name: string, ours: number, theirs: number, figure?: BudgetName): DecodeResult => ({
    name,
    figure,
    unit: 'tx+meta/s',
    ours: Math.round(ours),
    reference: Math.round(theirs),
    ratio: ours / theirs,
  });
  return [
    row('decode: full, JSON', full, reference),
    row('decode: full, JSON text', text, referenceText, 'decode.json'),
    row('decode: partial, change set', partial, reference, 'decode.partial'),
  ];
}

if (import.meta.main) {
  const results = decodeSuites();
  if (!results) console.log('recorded ledgers not found next to the checkout: nothing to measure');
  for (const r of results ?? [])
    console.log(
      `${r.name.padEnd(30)} ${r.ours} ${r.unit}, ripple-binary-codec ${r.reference}, ratio ${r.ratio.toFixed(0)}`,
    );
  if (sink < 0) console.log(sink);
  const figures = (results ?? []).flatMap(({ figure, ratio, unit, ours, reference }): Figure[] =>
    figure ? [{ name: figure, value: ratio, ours: `${ours} ${unit}`, other: `${reference} ${unit}` }] : [],
  );
  console.log(`figures ${JSON.stringify(figures)}`);
}
