/** The weeks of the population: scenarios run again in each, with other agents and other tokens. */
import { WEEK } from '../../engine/ripple-time.ts';

/** Weeks whose scenarios are listed and whose agents exist: the current one and those before it. Week 0 is always kept. */
export const KEPT_WEEKS = 3;

/** The week that a moment falls into, from 0. @param offset seconds since the epoch */
export const weekAt = (offset: number): number => Math.max(0, Math.floor(offset / WEEK));

const WEEK_ID = /^week-(\d+)\//;

/** The week that the id of a scenario belongs to. */
export const weekOfId = (id: string): number => Number(WEEK_ID.exec(id)?.[1] ?? 0);
