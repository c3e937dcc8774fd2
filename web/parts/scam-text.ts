/** A category of scams in words: `wallet_drainer` is `wallet drainer`. */
export const scamText = (category: string | undefined): string => (category ?? 'scam').replaceAll('_', ' ');
