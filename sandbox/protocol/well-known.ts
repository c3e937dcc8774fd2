/** What the rest of the program must know of the embedded network, which runs in a thread of its own: without loading it. */
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';

export const SANDBOX_NETWORK_ID = 52_168;
/** rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh, whose seed snoPBrXtMeMyMHUVTgbuqAfg1SUTb is the hash of "masterpassphrase". */
export const GENESIS_ACCOUNT: AccountId = 'B5F762798A53D543A014CAF8B297CFF8F2F937E8';
