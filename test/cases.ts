/**
 * How much random tests do: as many cases as are worth a minute of everyone's in `npm test`, all of them in
 * `npm run test:long`, which sets THOROUGH. Repeat a failure of the long tests with `THOROUGH=1 SEED=<printed> npm test -- <file>`.
 */
export const casesOf = (quick: number, thorough: number): number =>
  process.env.THOROUGH === undefined ? quick : thorough;

/** Of recorded rows one in so many, other ones in each run (the first is printed, and drawn from SEED); all of them in the long tests. */
export function sampled<T>(rows: readonly T[], every: number): readonly T[] {
  const step = casesOf(every, 1);
  const first = Number(process.env.SEED ?? Math.floor(Math.random() * step)) % step;
  if (step > 1) console.log(`one row in ${step}, from row ${first} on: SEED=${first}`);
  return rows.filter((_, i) => i % step === first);
}
