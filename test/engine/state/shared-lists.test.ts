/** Blocks of words: taken and released in any order, none ever overlaps another. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ArenaFullError, ListArena } from '../../../engine/state/list-arena.ts';
import { SharedLists } from '../../../engine/state/shared-lists.ts';

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

describe('SharedLists', () => {
  test(`hold what arrays hold (SEED=${seed})`, () => {
    const kinds = ['append', 'insert', 'removeAt', 'replaceByLast'] as const;
    const step = fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      kind: fc.constantFrom(...kinds),
      pick: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
        const blocks = new Uint32Array(8);
        const counts = new Uint32Array(8);
        const lists = new SharedLists(new SharedArrayBuffer(0, { maxByteLength: 2 ** 18 }), {
          blocks,
          counts,
        });
        const model = Array.from({ length: 7 }, (): number[] => []);
        let next = 1;
        for (const { id, kind, pick } of steps) {
          const list = model[id]!;
          const place = pick % (list.length + (kind === 'insert' ? 1 : 0) || 1);
          if (kind === 'append' || (kind !== 'insert' && list.length === 0)) {
            expect(lists.append(id, next)).toBe(list.length);
            list.push(next++);
          } else if (kind === 'insert') {
            lists.insert(id, place, next);
            list.splice(place, 0, next++);
          } else if (kind === 'removeAt') {
            lists.removeAt(id, place);
            list.splice(place, 1);
          } else {
            const last = list.pop()!;
            const moved = place === list.length ? 0 : last;
            if (moved !== 0) list[place] = moved;
            expect(lists.replaceByLast(id, place)).toBe(moved);
          }
        }
        for (const [id, list] of model.entries()) {
          expect(lists.count(id)).toBe(list.length);
          expect([...lists.list(id)]).toEqual(list);
          expect(list.map((_, place) => lists.at(id, place))).toEqual(list);
        }
      }),
      { seed, numRuns: 200 },
    );
  });
});
