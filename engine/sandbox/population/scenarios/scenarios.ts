import type { Scenario, Stage } from '../script.ts';
export const scenarios = (_stage: Stage): Scenario[] => [];
