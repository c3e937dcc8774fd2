/**
 * Close times (rippled LedgerTiming.h): a ledger's close time is rounded to a resolution, so that nodes whose clocks
 * differ slightly agree; the resolution gets coarser while they disagree, finer while they agree.
 */

/** Resolutions in seconds, fine to coarse. */
const RESOLUTIONS: readonly number[] = [10, 20, 30, 60, 90, 120];
/** Of the first ledger, in seconds. */
export const GENESIS_RESOLUTION = 10;
/** With agreement the next finer resolution is tried in ledgers whose index is a multiple of this. */
const FINER_EVERY = 8;
/** Without agreement the next coarser one in ledgers whose index is a multiple of this. */
const COARSER_EVERY = 1;
/** Close flag: the close time was not agreed upon (rippled `sLCF_NoConsensusTime`). */
export const NO_AGREED_TIME = 1;

/**
 * The resolution of ledger `index` in seconds.
 * @param before the resolution of its parent
 * @param agreed whether the parent's close time was agreed upon
 */
export function nextResolution(before: number, agreed: boolean, index: number): number {
  const at = RESOLUTIONS.indexOf(before);
  if (at < 0) return before;
  if (!agreed && index % COARSER_EVERY === 0) return RESOLUTIONS[at + 1] ?? before;
  if (agreed && index % FINER_EVERY === 0) return RESOLUTIONS[at - 1] ?? before;
  return before;
}

/** The nearest multiple of the resolution, rounding half up; 0, which means "none", stays. Seconds. */
export function roundCloseTime(closeTime: number, resolution: number): number {
  if (closeTime === 0) return 0;
  const up = closeTime + Math.floor(resolution / 2);
  return up - (up % resolution);
}

/** The close time of the header: rounded, and at least one second after the parent's. Seconds. */
export function effectiveCloseTime(closeTime: number, resolution: number, parentCloseTime: number): number {
  return closeTime === 0 ? 0 : Math.max(roundCloseTime(closeTime, resolution), parentCloseTime + 1);
}
