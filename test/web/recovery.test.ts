/** One page of each kind recovers by itself; `test/long/recovery.ts` tests all of them. */
import { testRecovery } from './recovery.ts';

/** By stream, by stream and asked again after it, asked again after each ledger, by the ledgers themselves. */
const ONE_OF_EACH_KIND = ['tokens', 'token', 'pools', 'network', 'ledger'];

testRecovery('a page is correct again by itself', (page) => ONE_OF_EACH_KIND.includes(page));
