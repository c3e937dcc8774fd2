/** The key of a pair of tokens, the same for both directions. */
import { createHash } from 'node:crypto';

/**
 * Clients order the two keys with `localeCompare`, which ignores case first (`r...` before `XRPL_XRP`); plain byte
 * order gives other hashes. The locale is fixed, so that the machine's setting cannot change a hash.
 */
const collator = new Intl.Collator('en');

/**
 * md5 of the two `issuer_currency` keys joined without separator, in collation order.
 * @param a `<issuer>_<currency>`; native XRP is `XRPL_XRP`.
 */
export function pairHash(a: string, b: string): string {
  const joined = collator.compare(a, b) <= 0 ? a + b : b + a;
  return createHash('md5').update(joined).digest('hex');
}
