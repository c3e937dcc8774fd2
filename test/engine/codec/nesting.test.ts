/** Compares the depth of JSON text, and how many values it has, with those of the value that the runtime's parser returns. */
import { expect, test } from 'bun:test';
import { isShallow, valuesIn } from '../../../engine/codec/nesting.ts';
import { LIMITS } from '../../../engine/ledger/limits.ts';
import { parseMessage } from '../../../engine/ledger/node-messages.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';

const seed = seedOf('depth of JSON');

/** Counted on the parsed value. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

/** Those inside it, and each that is empty once more. */
const valuesOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value);
  return inside.length === 0 ? 1 : inside.reduce<number>((sum, one) => sum + 1 + valuesOf(one), 0);
};

test(`equals that of the parsed value, for any content of strings (seed ${seed})`, () => {
  const below = drawsOf(seed);
  const text = (): string =>
    Array.from(
      { length: below(6) },
      () => ['"', '\\', '[', '{', ']', '}', 'a', '\u0000', 'é'][below(9)],
    ).join('');
  const value = (depth: number): unknown => {
    const kind = below(depth === 0 ? 3 : 6);
    if (kind === 0) return text();
    if (kind === 1) return below(1000);
    if (kind === 2) return null;
    const length = below(4);
    if (kind < 5) return Array.from({ length }, () => value(depth - 1));
    return Object.fromEntries(Array.from({ length }, () => [text(), value(depth - 1)]));
  };
  for (let round = 0; round < 3_000; round++) {
    const json = JSON.stringify(value(1 + below(8)), undefined, below(3));
    const depth = depthOf(JSON.parse(json));
    if (!isShallow(json, depth)) throw new Error(`not ${depth} deep: ${json}`);
    if (depth > 0 && isShallow(json, depth - 1)) throw new Error(`deeper than ${depth - 1}: ${json}`);
    const values = valuesOf(JSON.parse(json));
    if (valuesIn(json, values) !== values) throw new Error(`not ${values} values: ${json}`);
    if (values > 0 && valuesIn(json, values - 1) < values)
      throw new Error(`more than ${values - 1}: ${json}`);
  }
});

test('how many values a message of a node may have is limited before it is parsed', () => {
  // 32 MB of objects, or of one object with many names, would block the thread for ten seconds and more.
  for (const [first, next] of [
    ['[{}', ',{}'],
    ['{"a":1', ',"a":1'],
  ] as const) {
    const many = Math.floor((LIMITS.messageBytes - 10) / next.length);
    expect(() => parseMessage(first + next.repeat(many), LIMITS)).toThrow('values');
  }
  // The largest ledger that is read, with more of each transaction than nodes send.
  const row = '{"tx_blob":"12","meta":"34","hash":"56","date":1,"validated":true,"ledger_index":7}';
  const ledger = `{"transactions":[${Array(LIMITS.transactions).fill(row).join()}]}`;
  expect(parseMessage(ledger, LIMITS)).toHaveProperty('transactions.length', LIMITS.transactions);
});

test('is limited for messages of a node before they are parsed', () => {
  for (const deep of ['[', '{"a":', '[[],']) {
    const message = deep.repeat(Math.floor(LIMITS.messageBytes / deep.length));
    const began = performance.now();
    expect(() => parseMessage(message, LIMITS)).toThrow('nested');
    // Tens of milliseconds; parsing it would block the thread for many seconds.
    expect(performance.now() - began).toBeLessThan(3_000);
  }
  const within = `${'{"a":'.repeat(LIMITS.nesting)}1${'}'.repeat(LIMITS.nesting)}`;
  expect(parseMessage(within, LIMITS)).toHaveProperty('a.a.a');
});
