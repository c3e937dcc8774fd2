/**
 * The columns of every table as version 0.2.0 (schema 1) wrote them: its blocks do not have them. Never change this list; later
 * layouts are in the lists that the store itself has (engine/state/layout.ts).
 */
import { type ColumnType, layoutIdOf, type StoredLayout } from '../engine/state/layout.ts';

/** By table id: `name type` of each column, in order; `u8x20` is 20 bytes a row. */
const FIRST_COLUMNS: Readonly<Record<number, string>> = {
  // accounts
  1:
    'ids u8x20, balanceHi u32, balanceLo u32, sequence u32, flags u32, ownerCount u32, ' +
    'transferRate u32, tickSize u8, firstSeen u32, lastActive u32, presence u8, amm u8, ' +
    'domainHash u32',
  // currencies
  2: 'codes u8x20',
  // tokens
  3:
    'kinds u8, issuers u32, codes u32, createdTimes u32, pools u32, outstandingHi u32, ' +
    'outstandingLo u32, maximumHi u32, maximumLo u32, issuanceFlags u32, assetScale u8, ' +
    'transferFee u16, issuanceState u8, md5s u8x16, metadataHash u32',
  // lines
  4:
    'lows u32, highs u32, codes u32, balancesHi u32, balancesLo u32, lowLimitsHi u32, ' +
    'lowLimitsLo u32, highLimitsHi u32, highLimitsLo u32, flags u16',
  // domains
  5: 'ids u8x32',
  // offers
  6:
    'accounts u32, sequences u32, paysTokens u32, getsTokens u32, paysHi u32, paysLo u32, getsHi u32, ' +
    'getsLo u32, qualityHi u32, qualityLo u32, flags u32, expirations u32, domainIds u32, ' +
    'ageLedgers u32, ageOrders u32',
  // pools
  7:
    'accounts u32, assets1 u32, assets2 u32, lpTokens u32, lpHi u32, lpLo u32, fees u16, ' +
    'createdTimes u32, states u8',
  // network
  8:
    'known u32, closeTime u32, reserveBaseHi u32, reserveBaseLo u32, reserveIncrementHi u32, ' +
    'reserveIncrementLo u32, baseFeeHi u32, baseFeeLo u32, totalHi u32, totalLo u32',
  // oracles
  9: 'owners u32, documentIds u32, quotes u32, pricesHi u32, pricesLo u32, scales u8, lastUpdates u32',
  // market
  32: 'values f64',
  // prices
  33:
    'last f64, first f64, before24h f64, before30d f64, high f64, lastTime u32, highTime u32, ' +
    'tradeTime u32, tradeCount u32, liquidityCount u32, source u8, holdersState u8',
  // ticks
  34: 'time u32, token u32, account u32, maker u32, flags u8, price f64, drops f64, amount f64',
  // hours
  35: 'token u32, hour u32, drops f64, close f64, trades u32',
  // market ledgers
  36: 'time u32, count u32',
  // market globals
  37: 'hours u32, marketcaps f64, tvls f64, volumes f64, stableVolumes f64',
};

/** The layout of each table's blocks in a store of schema 1, by table id. */
export function firstLayouts(): Map<number, StoredLayout> {
  const layouts = new Map<number, StoredLayout>();
  for (const [table, text] of Object.entries(FIRST_COLUMNS)) {
    const columns = text.split(', ').map((column) => {
      const [, name, type, perRow = '1'] = /^(\w+) (u8|u16|u32|f64)(?:x(\d+))?$/.exec(column)!;
      return { name: name!, type: type as ColumnType, perRow: Number(perRow), since: 0 };
    });
    layouts.set(Number(table), { id: layoutIdOf(columns), columns });
  }
  return layouts;
}
