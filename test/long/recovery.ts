/** Every page recovers by itself after a cut, a restart and a minute behind another tab. */
import { testRecovery } from '../web/recovery.ts';

testRecovery('every page is correct again by itself', () => true);
