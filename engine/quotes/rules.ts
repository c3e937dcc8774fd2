/** What of the ledger's rules differs between networks and changes the digits of a payment. */
import type { Rules } from '../codec/arithmetic/amm-math.ts';
import { LARGE, SMALL } from '../codec/arithmetic/number.ts';

export interface LedgerRules extends Rules {
  /** Hybrid offers stay in the open book when their owner has left the domain (fixCleanup3_3_0). */
  readonly hybridStays: boolean;
}

/** Amendments that have not been enabled on the main network, and that change what a payment delivers. */
export interface PendingAmendments {
  /** SingleAssetVault: numbers of 19 digits. */
  readonly vaults: boolean;
  /** fixCleanup3_3_0 */
  readonly cleanup: boolean;
}

/** All that the main network had enabled in 2026 (newest: fixAMMv1_3), and those of `pending` that are named. */
export function ledgerRules({ vaults, cleanup }: PendingAmendments): LedgerRules {
  return { numbers: vaults ? LARGE : SMALL, enabled: () => true, hybridStays: cleanup };
}

/** The rules of the main network. */
export const MAIN_RULES: LedgerRules = ledgerRules({ vaults: false, cleanup: false });

/** The amendments by which rules differ: these can be sent to another thread. */
export const amendmentsOf = ({ numbers, hybridStays }: LedgerRules): PendingAmendments => ({
  vaults: numbers === LARGE,
  cleanup: hybridStays,
});
