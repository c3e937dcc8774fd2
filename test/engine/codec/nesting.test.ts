/** Compares the depth of JSON text with that of the value that the runtime's parser returns. */
import { expect, test } from 'bun:test';
import { isShallow } from '../../../engine/codec/nesting.ts';
import { LIMITS } from '../../../engine/ledger/limits.ts';
import { parseMessage } from '../../../engine/ledger/node-messages.ts';
import { drawsOf, seedOf } from '../../sandbox/seed.ts';

const seed = seedOf('depth of JSON');

/** Counted on the parsed value. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

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
  }
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
