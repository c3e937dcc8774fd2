/** The tool about what happens with NFTs: events of a time, narrowed, put into order, or summed. */
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import type { Values } from '../../../requests/param-reader.ts';
import { dayText } from '../../../views/date-text.ts';
import type { JsonObject } from '../json-rpc.ts';
import { timeSpan } from '../time-span.ts';
import { flag, type ToolContext, tool } from '../tool.ts';

const HISTORY = 'GET /nft/history';
/** Events a page, and most pages of one answer. */
const PAGE = 200;
const PAGES_MAX = 25;
const integer = { type: 'integer' };
const list = { type: 'array' };

/** Bits of an NFT's first two bytes (XLS-20). */
const MINT_FLAGS = { burnable: 1, onlyXRP: 2, trustLine: 4, transferable: 8, mutable: 16 } as const;

export const nftActivityTools = [
  tool({
    name: 'get_nft_activity',
    title: 'What happens with NFTs',
    about:
      'Mints, sales, offers and burns of NFTs of a time or account, newest first; top: those with the highest price; by: sums; mint_flags: how minted NFTs were set. XRP. Reads at most 5,000 events: truncated says that there are more.',
    routes: [HISTORY],
    params: {
      account: 'account',
      hours: { kind: 'float', about: 'How far back', default: 24, min: 0.1, max: 8760 },
      order: { kind: 'enum', about: 'Which come first', values: ['newest', 'oldest'], default: 'newest' },
      top: flag('Highest prices first'),
      all_time: flag('Without a first time'),
      since: { kind: 'time', about: 'Instead of hours' },
      until: { kind: 'time', endsSpan: true, about: 'Default: the newest ledger; a date: its whole day' },
      by: {
        kind: 'enum',
        about: 'Sums in place of events',
        values: ['type', 'collection', 'account', 'day'],
      },
      max_price_xrp: { kind: 'float', about: 'Only with a price of at most this', min: 0 },
      mint_flags: flag('Counts of settings of minted NFTs'),
      types: 'types',
      limit: { of: 'limit', default: 100, max: PAGE },
    },
    answer: {
      properties: {
        from: {},
        until: {},
        total: integer,
        events: list,
        sums: list,
        minted: {},
        truncated: {},
      },
    },
    excludes: { all_time: ['since'] },
    counts: { events: 'total', sums: 'total' },
    run: async (input, context) => {
      const { account, types, top, order, by, mint_flags, limit } = input;
      const sent = input.all_time ? { ...input, since: 0 } : input;
      const { from, until } = timeSpan(sent, context.closeTime);
      const { events, isCut } = await eventsOf(context, { account, types }, from, until);
      const most = input.max_price_xrp as number | undefined;
      const asked = events.filter(
        ({ costXRP }) => most === undefined || (typeof costXRP === 'number' && costXRP <= most),
      );
      if (order === 'oldest') asked.reverse();
      if (top) asked.sort((a, b) => Number(b.costXRP ?? 0) - Number(a.costXRP ?? 0));
      const shown = limit as number;
      const sums = by === undefined ? [] : sumsBy(asked, String(by));
      return {
        from: new Date(from).toISOString(),
        until: new Date(until).toISOString(),
        ...(by === undefined
          ? { total: asked.length, events: asked.slice(0, shown).map(eventOf) }
          : { total: sums.length, sums: sums.slice(0, shown) }),
        ...(mint_flags === true && { minted: mintedOf(asked) }),
        ...(isCut && { truncated: true }),
      };
    },
  }),
];

/** Newest first. @param from Unix ms @param until Unix ms, inclusive */
async function eventsOf(
  { call }: ToolContext,
  asked: Pick<Values, 'account' | 'types'>,
  from: number,
  until: number,
): Promise<{ readonly events: JsonObject[]; readonly isCut: boolean }> {
  const events: JsonObject[] = [];
  let marker: unknown;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await call(HISTORY, { ...asked, limit: PAGE, marker });
    for (const event of answer.history as JsonObject[]) {
      const time = event.time as number;
      if (time < from) return { events, isCut: false };
      if (time <= until) events.push(event);
    }
    marker = answer.marker;
    if (marker === undefined) return { events, isCut: false };
  }
  return { events, isCut: true };
}

/** What a reader needs of an event; get_transaction has the whole. */
const eventOf = ({
  type,
  NFTokenID,
  account,
  seller,
  buyer,
  costXRP,
  cost,
  time,
  hash,
}: JsonObject): JsonObject => ({
  time,
  type,
  NFTokenID,
  ...(seller !== undefined || buyer !== undefined ? { seller, buyer } : { account }),
  ...(costXRP !== undefined ? { costXRP } : cost !== undefined && { cost }),
  hash,
});

/** Events, and XRP of sales, of each, those with most events first. */
function sumsBy(events: readonly JsonObject[], by: string): JsonObject[] {
  const name = ({ type, cid, account, time }: JsonObject): string =>
    by === 'type'
      ? String(type)
      : by === 'collection'
        ? String(cid)
        : by === 'account'
          ? String(account)
          : dayText(time as number);
  return [...Map.groupBy(events, name)]
    .map(([one, rows]) => {
      const sales = rows.filter(({ type }) => type === 'SALE');
      // Whole drops add up without a remainder, decimals of XRP do not.
      const drops = sales.reduce(
        (sum, { costXRP }) => sum + Math.round(Number(costXRP ?? 0) * DROPS_PER_XRP),
        0,
      );
      return { [by]: one, events: rows.length, sales: sales.length, xrp: drops / DROPS_PER_XRP };
    })
    .sort((a, b) => b.events - a.events);
}

/** How many of the minted NFTs have each setting. */
function mintedOf(events: readonly JsonObject[]): JsonObject {
  const bits = events
    .filter(({ type }) => type === 'MINT')
    .map(({ NFTokenID }) => Number.parseInt(String(NFTokenID).slice(0, 4), 16));
  const counts = Object.entries(MINT_FLAGS).map(([name, bit]) => [
    name,
    bits.filter((flags) => (flags & bit) !== 0).length,
  ]);
  return { nfts: bits.length, ...Object.fromEntries(counts) };
}
