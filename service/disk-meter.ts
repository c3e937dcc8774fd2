/**
 * How much a network's store takes of the disk: now, and a day.
 *
 *     while the present is shown   | sample | sample | sample |      bytes written and growth between two
 *     while it catches up          nothing: a day is caught up with in minutes
 *
 * A rate is of the newest 24 hours of that, and known from three hours on: what is written swings with checkpoints, which
 * are that far apart on the main network, and growth with the log between them. Everything is measured; what is not known
 * is absent. A disk that is almost full is reported before nothing can be stored any more.
 *
 * Where a limit of ledgers or of time is kept, the store grows more slowly once that is met: when the disk is full is then known of
 * growth since then, and before only where it is full before.
 */
import type { Keep } from '../data/pruning.ts';
import type { StoreSpace } from '../data/space.ts';
import type { Engine } from '../engine/engine.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../engine/ripple-time.ts';
import type { DiskFigures } from '../views/network.ts';

const SAMPLE_MS = 5 * 60_000;
const KNOWN_FROM_MS = 3 * HOUR_MS;
/** Figures are read at most so often, however often they are asked for. */
const FIGURES_MAX_AGE_MS = 1_000;

/** A disk with less free, or that is full within this time, is almost full. */
const LOW_BYTES = 1e9;
const FULL_SOON_MS = 3 * DAY_MS;
/** It is reported again after this time. */
const REMINDER_MS = 6 * HOUR_MS;

interface DiskMeterParts {
  /** Reads the sizes now: some 20 calls into LMDB and two into the system. */
  readonly read: () => StoreSpace;
  /** ms, from any moment on, never back. */
  readonly now: () => number;
  /** Ledgers are removed where the store has more bytes in use; undefined: none are for that. */
  readonly keepBytes?: number | undefined;
  /** As `untilLimit`; default: ledgers are removed for no such limit. */
  readonly untilLimit?: () => number | undefined;
  /** The disk is almost full. */
  readonly onLow?: (figures: {
    readonly freeBytes: number | undefined;
    readonly fullInHours?: number;
  }) => void;
}

/** Between two samples. */
interface Interval {
  readonly ms: number;
  readonly growth: number;
  readonly written: number | undefined;
  /** Ledgers were removed, for a limit of ledgers or time. */
  readonly isLimited: boolean;
}

export class DiskMeter {
  readonly #read: () => StoreSpace;
  readonly #now: () => number;
  readonly #keepBytes: number | undefined;
  readonly #untilLimit: () => number | undefined;
  readonly #onLow: NonNullable<DiskMeterParts['onLow']>;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #intervals: Interval[] = [];
  /** The last sample; undefined: the next one begins again. */
  #last: { readonly at: number; readonly space: StoreSpace; readonly isLimited: boolean } | undefined;
  #figures: { readonly at: number; readonly figures: DiskFigures } | undefined;

  constructor({ read, now, keepBytes, untilLimit = () => undefined, onLow = () => {} }: DiskMeterParts) {
    this.#read = read;
    this.#now = now;
    this.#keepBytes = keepBytes;
    this.#untilLimit = untilLimit;
    this.#onLow = onLow;
  }

  /** Called with every ledger. @param isPresent the ledgers come as they close */
  sample(isPresent: boolean): void {
    this.#measure(isPresent);
    const at = this.#now();
    if (at - this.#lookedAt < SAMPLE_MS) return;
    this.#lookedAt = at;
    if (at - this.#reportedAt >= REMINDER_MS && this.#reportIfLow()) this.#reportedAt = at;
  }

  /** @returns whether it is */
  #reportIfLow(): boolean {
    const { diskFreeBytes: freeBytes, fullInMs } = this.figures();
    const isLow = freeBytes !== undefined && freeBytes < LOW_BYTES;
    const isSoon = fullInMs !== undefined && fullInMs < FULL_SOON_MS;
    if (!isLow && !isSoon) return false;
    const fullInHours = fullInMs === undefined ? {} : { fullInHours: Math.floor(fullInMs / HOUR_MS) };
    this.#onLow({ freeBytes, ...fullInHours });
    return true;
  }

  #measure(isPresent: boolean): void {
    if (!isPresent) {
      this.#last = undefined;
      return;
    }
    const at = this.#now();
    const last = this.#last;
    if (last && at - last.at < SAMPLE_MS) return;
    const space = this.#read();
    this.#last = { at, space, isLimited: this.#untilLimit() === 0 };
    if (!last) return;
    const written =
      space.writtenBytes === undefined || last.space.writtenBytes === undefined
        ? undefined
        : space.writtenBytes - last.space.writtenBytes;
    const growth = dataOf(space) - dataOf(last.space);
    this.#intervals.push({ ms: at - last.at, growth, written, isLimited: last.isLimited });
    while (sum(this.#intervals.slice(1), ({ ms }) => ms) >= DAY_MS) this.#intervals.shift();
  }

  figures(): DiskFigures {
    const at = this.#now();
    if (!this.#figures || at - this.#figures.at >= FIGURES_MAX_AGE_MS)
      this.#figures = { at, figures: this.#figuresOf(this.#read()) };
    return this.#figures.figures;
  }

  #figuresOf(space: StoreSpace): DiskFigures {
    const { fileBytes, usedBytes, freeBytes, mapBytes, diskFreeBytes, writtenBytes } = space;
    const growth = this.#aDay(({ growth }) => growth);
    const written = this.#aDay(({ written }) => written);
    const room = Math.min(diskFreeBytes ?? Number.NaN, mapBytes - usedBytes) + freeBytes;
    const fullInMs = this.#staysWithin(dataOf(space), room) ? undefined : this.#fullIn(room);
    return {
      fileBytes,
      usedBytes,
      freeBytes,
      ...(diskFreeBytes !== undefined && { diskFreeBytes }),
      ...(writtenBytes !== undefined && { writtenBytes }),
      ...(written !== undefined && { writtenBytesPerDay: Math.round(written) }),
      ...(growth !== undefined && { growthBytesPerDay: Math.round(growth) }),
      ...(fullInMs !== undefined && { fullInMs }),
    };
  }

  /** undefined: not known, or never. @param room bytes that the store may take; NaN: not known */
  #fullIn(room: number): number | undefined {
    const untilLimit = this.#untilLimit();
    const isLimited = untilLimit === 0;
    const growth = this.#aDay((interval) => (interval.isLimited === isLimited ? interval.growth : undefined));
    if (growth === undefined || growth <= 0 || Number.isNaN(room)) return undefined;
    const fullIn = (room / growth) * DAY_MS;
    return untilLimit !== undefined && !isLimited && fullIn > untilLimit ? undefined : fullIn;
  }

  /** The store is not beyond the limit for which ledgers are removed, and meets it before all of its room is used. */
  #staysWithin(data: number, room: number): boolean {
    const limit = this.#keepBytes;
    return limit !== undefined && data <= limit && limit <= data + room;
  }

  /** A day's part of what intervals have; undefined: too few have it. */
  #aDay(pick: (interval: Interval) => number | undefined): number | undefined {
    const known = this.#intervals.filter((interval) => pick(interval) !== undefined);
    const ms = sum(known, (interval) => interval.ms);
    return ms < KNOWN_FROM_MS ? undefined : (sum(known, (interval) => pick(interval)!) / ms) * DAY_MS;
  }
}

/**
 * When the store begins to remove ledgers, because it has as many, or of as long a time, as it is to keep.
 * @returns ms from now on; 0: it removes some with every ledger; undefined: there is no such limit, or no ledger yet
 */
export function untilLimit(
  keep: Keep | undefined,
  engine: Pick<Engine, 'head' | 'ledgerRanges' | 'ledgerBytes'>,
) {
  const first = engine.ledgerRanges()[0]?.[0];
  if (!keep || keep.unit === 'bytes' || !engine.head || first === undefined) return undefined;
  const bytes = engine.ledgerBytes(first);
  if (!bytes) return undefined;
  const ledgers = engine.head.index - first + 1;
  const ms = engine.head.closeTimeMs - unixMs(bytes.closeTime);
  const left = keep.unit === 'seconds' ? keep.amount * 1000 - ms : ((keep.amount - ledgers) * ms) / ledgers;
  return left <= SAMPLE_MS ? 0 : left;
}

/** Bytes in pages that are in use. */
const dataOf = ({ usedBytes, freeBytes }: StoreSpace): number => usedBytes - freeBytes;

function sum(intervals: readonly Interval[], pick: (interval: Interval) => number): number {
  return intervals.reduce((total, interval) => total + pick(interval), 0);
}
