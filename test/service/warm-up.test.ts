import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { extractChanges } from '../../engine/codec/extract.ts';
import { Engine } from '../../engine/engine.ts';
import { prepared } from '../../engine/ledger/prepare.ts';
import type { Log } from '../../engine/log.ts';
import { smallLedgers, warmUp } from '../../service/warm-up.ts';
import { MemoryStore } from '../../support/memory-store.ts';

const golden = resolve(import.meta.dir, '../golden');
const recorded = join(golden, 'mainnet-94084608.json.gz');

/** A log that keeps what it is given. */
function keeping(lines: string[]): Log {
  const keep = (_fields: object, line: string) => void lines.push(line);
  return { debug: keep, info: keep, warn: keep, error: keep };
}

test('small ledgers follow one another and reach every part that applies them', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: keeping([]) });
  const counts: number[] = [];
  for (const packed of smallLedgers(recorded)) {
    if (engine.head) expect(packed.ledgerIndex).toBe(engine.head.index + 1);
    counts.push(packed.count);
    await engine.applyLedger(prepared(packed, { changes: extractChanges(packed) }), true);
  }
  await engine.drain();
  expect(counts[0]).toBe(0);
  expect(Math.max(...counts)).toBe(1);
  const filled = engine.domains.flatMap(({ tables }) => tables).filter(({ count }) => count > 1);
  const names = filled.map(({ name }) => name);
  for (const name of ['accounts', 'tokens', 'lines', 'offers', 'pools', 'prices'])
    expect(names).toContain(name);
  expect(engine.counters.tradesSeen).toBeGreaterThan(0);
});

test('warming up changes nothing that is kept, and says nothing', async () => {
  const lines: string[] = [];
  const before = readdirSync(golden);
  await warmUp(keeping(lines), new AbortController().signal);
  expect(lines).toEqual([]);
  expect(readdirSync(golden)).toEqual(before);
});

test('warming up ends with the service', async () => {
  const stopping = new AbortController();
  const applied: unknown[] = [];
  const apply = Engine.prototype.applyLedger;
  Engine.prototype.applyLedger = function (ledger, more) {
    applied.push(ledger);
    if (applied.length === 3) stopping.abort();
    return apply.call(this, ledger, more);
  };
  try {
    await warmUp(keeping([]), stopping.signal);
  } finally {
    Engine.prototype.applyLedger = apply;
  }
  expect(applied.length).toBe(3);
});

test('a recording that is not there is no fault', async () => {
  const lines: string[] = [];
  await warmUp(keeping(lines), new AbortController().signal, join(golden, 'none.json.gz'));
  expect(lines).toEqual(['not warmed up']);
});
