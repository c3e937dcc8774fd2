import type { Step } from '../script.ts';
export const catalogue = (): Step[] => [];
