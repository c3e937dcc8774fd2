/** Arithmetic modulo n: steps of a fixed width through n places meet each of them once, and can be taken back. */

/** a * b mod n; all below 2^26, so that the product is exact. */
export function product(a: number, b: number, n: number): number {
  return (a * b) % n;
}

/** x with step * x mod n = 1, for a step without a common divisor (extended Euclid). */
export function inverseOf(step: number, n: number): number {
  let [r, nextR, x, nextX] = [step, n, 1, 0];
  while (nextR !== 0) {
    const quotient = Math.floor(r / nextR);
    [r, nextR] = [nextR, r - quotient * nextR];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return ((x % n) + n) % n;
}

/** The first number from `start` on that has no divisor in common with n. */
export function coprimeFrom(start: number, n: number): number {
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  for (let step = start; ; step++) if (divisor(step, n) === 1) return step;
}

export function primeBelow(limit: number): number {
  for (let n = Math.floor(limit); ; n--) {
    let isPrime = n > 1;
    for (let d = 2; isPrime && d * d <= n; d++) isPrime = n % d !== 0;
    if (isPrime) return n;
  }
}
