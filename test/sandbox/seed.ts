/** Random values in tests, so that a failure can be repeated: `SEED=123 bun test <file>`. */

/** The seed of a file's random tests, printed: from SEED, else `usual`; without that a new one every time. */
export function seedOf(file: string, usual = Math.floor(Math.random() * 2 ** 31)): number {
  const seed = Number(process.env.SEED ?? usual);
  console.log(`${file}: SEED=${seed}`);
  return seed;
}

/** Draws integers from 0 to below the argument, the same ones for the same seed (mulberry32). */
export function drawsOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
