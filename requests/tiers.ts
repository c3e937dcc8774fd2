/** Tiers of section 5 of the contract, the lowest first. */
export const TIERS = [
  'anonymous',
  'free',
  'developer',
  'partner',
  'business',
  'professional',
  'enterprise',
] as const;

export type Tier = (typeof TIERS)[number];
