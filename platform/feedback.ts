/** What customers report: that something is missing, or a value is wrong, in an answer that they got. */
import type { Collection, PlatformStore } from './store.ts';

export const FEEDBACK_KINDS = [
  'missing_endpoint',
  'missing_field',
  'missing_parameter',
  'wrong_value',
] as const;
export type FeedbackKind = (typeof FEEDBACK_KINDS)[number];

interface Report {
  /** Unix ms. */
  readonly at: number;
  /** r-address. */
  readonly wallet: string;
}

/** By key, request and kind: what is reported again is the same report. */
const REPORTS: Collection<Report> = {
  name: 'feedback',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 256, rows: 200_000 },
  indexes: { time: { unique: false, keys: ({ at }) => [[at]] } },
};

export const FEEDBACK_COLLECTIONS = [REPORTS] as unknown as readonly Collection<unknown>[];

/** Reports of one key that are kept. */
const OF_KEY_MAX = 1000;

export interface NewReport extends Report {
  /** Id of the key. */
  readonly key: string;
  readonly requestId: string;
  readonly kind: FeedbackKind;
}

/** Resolves when it is durable. @returns false: the key has reported too much already */
export function report(
  store: PlatformStore,
  { key, requestId, kind, at, wallet }: NewReport,
): Promise<boolean> {
  return store.transaction((transaction) => {
    let reports = 0;
    transaction.walk(REPORTS, { prefix: [key], limit: OF_KEY_MAX }, () => {
      reports++;
      return true;
    });
    if (reports >= OF_KEY_MAX) return false;
    transaction.put(REPORTS, [key, requestId, kind], { at, wallet });
    return true;
  });
}
