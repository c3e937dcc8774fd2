/** The ledgers of index-fill.test.ts: the same in each of its processes. */
import { relaidChain } from '../../support/chain.ts';

/** Ledgers that a program without the index has stored. */
export const EARLIER = 80;
const LATER = 160;

export const indexFillChain = () => relaidChain({ ledgers: EARLIER + LATER, transactionsPerLedger: 6 });
