/** Pages of two kinds recover by themselves, other ones in each run; `test/long/recovery.ts` tests all of them. */
import { sampled } from '../cases.ts';
import { testRecovery } from './recovery.ts';

/** By stream, by stream and asked again after it, asked again after each ledger, by the ledgers themselves. */
const ONE_OF_EACH_KIND = ['tokens', 'token', 'pools', 'network', 'ledger'];

const TESTED = sampled(ONE_OF_EACH_KIND, 3);

testRecovery('a page is correct again by itself', (page) => TESTED.includes(page));
