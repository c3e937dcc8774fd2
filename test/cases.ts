/**
 * How much random tests do: as many cases as are worth a minute of everyone's in `npm test`, all of them in
 * `npm run test:long`, which sets THOROUGH. Repeat a failure of the long tests with `THOROUGH=1 SEED=<printed> npm test -- <file>`.
 */
export const casesOf = (quick: number, thorough: number): number =>
  process.env.THOROUGH === undefined ? quick : thorough;
