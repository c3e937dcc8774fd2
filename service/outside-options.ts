/** Options of what is read from outside: rows of option-table.ts. */
import { RATE_FEEDS, rateFeed, scamLists } from './option-values.ts';

export const outsideRows = {
  rateFeed: {
    flag: '--rate-feed',
    env: 'MILLRACE_RATE_FEED',
    value: 'FEED',
    about: `where XRP in fiat comes from while the ledger has none: ${RATE_FEEDS}, or NAME:http(s)://… for another address of one`,
    default: 'none',
    read: rateFeed,
  },
  scamLists: {
    flag: '--scam-lists',
    env: 'MILLRACE_SCAM_LISTS',
    value: 'LISTS',
    about:
      'public lists of scam accounts, read every hour: http(s)://… or file:PATH, separated by commas; JSON or CSV with r-addresses',
    default: 'none',
    read: scamLists,
  },
} as const;
