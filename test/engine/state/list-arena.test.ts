/** Blocks of words: taken and released in any order, none ever overlaps another. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { HolderLists } from '../../../engine/state/holder-lists.ts';
import { ArenaFullError, ListArena } from '../../../engine/state/list-arena.ts';
import { Table } from '../../../engine/state/table.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const arenaOf = (words: number) => new ListArena(new SharedArrayBuffer(0, { maxByteLength: words * 4 }));

describe('ListArena', () => {
  test(`blocks keep what was written to them, whatever is taken and released (SEED=${seed})`, () => {
    const step = fc.record({ take: fc.boolean(), order: fc.integer({ min: 2, max: 9 }), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const arena = arenaOf(2 ** 18);
        const taken: { start: number; order: number; mark: number }[] = [];
        for (const [mark, { take, order, pick }] of steps.entries()) {
          if (take || taken.length === 0) {
            const start = arena.take(order);
            expect(start % 2 ** order).toBe(0);
            expect(start).toBeGreaterThan(0);
            arena.words.fill(mark + 1, start, start + 2 ** order);
            taken.push({ start, order, mark: mark + 1 });
          } else {
            const [block] = taken.splice(pick % taken.length, 1);
            arena.release(block!.start, block!.order);
          }
          for (const block of taken) {
            const words = arena.words.subarray(block.start, block.start + 2 ** block.order);
            expect(words.every((word) => word === block.mark)).toBe(true);
          }
        }
      }),
      { seed, numRuns: 100 },
    );
  });

  test('released neighbours become room for a larger block', () => {
    const arena = arenaOf(4096);
    const blocks = Array.from({ length: 64 }, () => arena.take(4));
    const before = arena.byteLength;
    for (const start of blocks) arena.release(start, 4);
    arena.take(9);
    arena.take(8);
    expect(arena.byteLength).toBe(before);
  });

  test('says when it is full, and goes on with what is released', () => {
    const arena = arenaOf(64);
    const block = arena.take(5);
    expect(() => arena.take(6)).toThrow(ArenaFullError);
    arena.release(block, 5);
    expect(arena.take(5)).toBe(block);
  });
});

describe('HolderLists', () => {
  test(`hold what sets hold (SEED=${seed})`, () => {
    const step = fc.record({ token: fc.integer({ min: 1, max: 6 }), add: fc.boolean(), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const tokens = new Table(1, 'tokens', 64);
        for (let token = 1; token <= 6; token++) tokens.add();
        const lists = new HolderLists(tokens, new Table(2, 'lines', 4096));
        const model = new Map<number, number[]>();
        let next = 1;
        for (const { token, add, pick } of steps) {
          const list = model.get(token) ?? [];
          model.set(token, list);
          if (add || list.length === 0) {
            expect(lists.add(token, next)).toBe(list.length);
            list.push(next++);
          } else {
            const place = pick % list.length;
            const last = list.pop()!;
            const moved = place === list.length ? 0 : last;
            if (moved !== 0) list[place] = moved;
            expect(lists.remove(token, place)).toBe(moved);
          }
        }
        for (const [token, list] of model) {
          expect(lists.count(token)).toBe(list.length);
          expect([...lists.list(token)]).toEqual(list);
        }
      }),
      { seed, numRuns: 200 },
    );
  });
});
