/** Seconds from the Unix epoch to the Ripple epoch (2000-01-01T00:00:00Z). */
export const RIPPLE_EPOCH = 946_684_800;
