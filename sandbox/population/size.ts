/** How large a population is: the tokens that every network has, and so many projects beside them (projects/projects.ts). */

export const SIZES = ['small', 'default', 'large'] as const;
export type PopulationSize = (typeof SIZES)[number];

/**
 * That of a network that was created before there were sizes: it has no projects. Its ledgers are pinned by
 * test/sandbox/population/determinism.long.test.ts, so that every such network continues.
 */
export const FIRST_SIZE: PopulationSize = 'small';

interface Extent {
  /** Projects: tokens and MPT issuances with a creator, holders and markets of their own. */
  readonly projects: number;
  /** Actions of their members per minute. */
  readonly rate: number;
  /** Part of the projects that exists after the first hours; the others are launched in the course of the first week. */
  readonly early: number;
  /** Hours in which the early ones are launched. */
  readonly earlyHours: number;
}

/** With the eleven tokens of the markets and some ten of each week's scenarios: about 25, 130 and 5,000 tokens. */
export const EXTENTS: Readonly<Record<PopulationSize, Extent>> = {
  small: { projects: 0, rate: 0, early: 0, earlyHours: 0 },
  default: { projects: 100, rate: 2, early: 0.6, earlyHours: 1.5 },
  large: { projects: 4_975, rate: 10, early: 0.8, earlyHours: 24 },
};
