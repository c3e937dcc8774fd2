/** The seed of this folder's property tests: printed, and taken from FAST_CHECK_SEED to replay a failure. */
export const seed = Number(process.env.FAST_CHECK_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`FAST_CHECK_SEED=${seed}`);
