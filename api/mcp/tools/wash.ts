/** The tool about wash trading: of a token or the market by the traders' scores, of a collection by the ways of its NFTs. */
import { wholeDrops } from '../../../engine/codec/amount.ts';
import { accountText } from '../../../engine/codec/base58.ts';
import { nftWash } from '../../../engine/metrics/nft-wash.ts';
import { DAY } from '../../../engine/ripple-time.ts';
import { services } from '../../../engine/traders/services.ts';
import type { Values } from '../../../requests/param-reader.ts';
import { atOneVersion as runAtOneVersion } from '../../../views/at-one-version.ts';
import { xrpOf } from '../../../views/traders/trader-rows.ts';
import type { JsonObject } from '../json-rpc.ts';
import { atOneVersion, PAGE, pages, pagesWith, type Rows } from '../pages.ts';
import { type ToolContext, tool } from '../tool.ts';

const COLLECTION_TRADERS = 'GET /nft/collections/{slug}/traders';
const TOKEN_TRADERS = 'GET /traders/token-traders/{id}';
const ALL_TRADERS = 'GET /token/analytics/traders';
/** An NFT that comes back later than this was bought back. */
const CYCLE_DAYS = 30;
/** Parties that are no accounts of the state are numbered from here on. */
const UNKNOWN_FROM = 2 ** 32;
const INTERVAL_DAYS: Readonly<Record<string, number>> = { '24h': 1, '7d': 7, '30d': 30 };

const number = { type: 'number' };
const list = { type: 'array' };

export const washTool = tool({
  name: 'get_wash_trading',
  title: 'Wash trading',
  about:
    'How much of the volume of a token looks like trades of accounts with themselves, and of whom; collection: of the sales of its NFTs; without both, of the whole market. XRP; score 0 to 100. Hints, no proof. Of at most 2,000 traders: truncated says that there are more.',
  routes: [TOKEN_TRADERS, ALL_TRADERS, COLLECTION_TRADERS],
  params: {
    id: { kind: 'text', about: 'Token: md5, issuer-currency or slug', maxLength: 128 },
    collection: { kind: 'text', about: 'Collection of NFTs in place of id: slug', maxLength: 64 },
    interval: {
      kind: 'enum',
      about: 'How far back; default: the one that has the days',
      values: ['24h', '7d', '30d', 'all'],
    },
    days: { kind: 'int', about: 'In place of interval', default: 90, min: 1, max: 3650 },
    limit: { kind: 'int', about: 'Accounts', default: 15, min: 1, max: 50 },
  },
  excludes: { collection: ['id'], interval: ['days'] },
  answer: {
    properties: {
      accounts: list,
      traders: number,
      volume: number,
      washedVolume: number,
      washedPct: number,
      total: number,
      truncated: {},
    },
  },
  ifNone: 'search_tokens finds ids, find_nft_collections slugs',
  run: async (input, context) => {
    const { id, collection, interval: sent, days, limit } = input;
    if (collection !== undefined) return ofCollection(input, context);
    const interval = sent ?? intervalOf(days as number);
    const read = id === undefined ? await ofMarket(context) : await ofToken(context, id, interval);
    const rows = read.rows
      .filter(({ isAMM }) => isAMM !== true)
      .map((row) => ({
        account: row.address,
        volume: Number(row.volume ?? row.totalVolume),
        trades: row.trades ?? row.totalTrades,
        washTradingScore: Number(row.washTradingScore ?? 0),
      }));
    const volume = wholeDrops(rows.reduce((sum, row) => sum + row.volume, 0));
    const washed = rows.reduce((sum, row) => sum + (row.volume * row.washTradingScore) / 100, 0);
    const washedVolume = wholeDrops(washed);
    const washers = rows
      .filter((row) => row.washTradingScore > 0)
      .sort((a, b) => b.washTradingScore - a.washTradingScore);
    const washedPct = volume === 0 ? 0 : (100 * washedVolume) / volume;
    return {
      ...(id === undefined ? {} : { interval }),
      traders: rows.length,
      volume,
      washedVolume,
      washedPct,
      total: washers.length,
      accounts: washers.slice(0, limit as number),
      ...(read.isCut && { truncated: true }),
    };
  },
});

const FIELDS = ['address', 'volume', 'totalVolume', 'trades', 'totalTrades', 'washTradingScore', 'isAMM'];

const ofToken = ({ call, sharing }: ToolContext, id: unknown, interval: unknown): Promise<Rows> =>
  pages(sharing, async (offset) => {
    const sent = { id, interval, sort: 'volume', limit: PAGE, offset };
    return (await call(TOKEN_TRADERS, sent, FIELDS)).traders as JsonObject[];
  });

/** Those with most volume, and those with the highest scores, who may have less. */
async function ofMarket({ call, sharing }: ToolContext): Promise<Rows> {
  const page = async (sort: string, offset: number) => {
    const sent = { sort, limit: PAGE, offset, includeAMM: false };
    return (await call(ALL_TRADERS, sent, FIELDS)).data as JsonObject[];
  };
  return atOneVersion(sharing, async (pause) => {
    const { rows, isCut } = await pagesWith(pause, (offset) => page('totalVolume', offset));
    await pause();
    const scored = isCut ? await page('washTradingScore', 0) : [];
    const all = new Map([...rows, ...scored].map((row) => [row.address, row]));
    return { rows: [...all.values()], isCut };
  });
}

/** By the sales of its NFTs for XRP. @throws ApiError 404 */
async function ofCollection(input: Values, { call, network }: ToolContext): Promise<JsonObject> {
  const { collection: slug, interval, days, limit } = input;
  // Answers 404 where there is none.
  await call(COLLECTION_TRADERS, { slug, limit: 1 });
  const { engine, views } = network;
  const { sales, isPart } = await views.nfts.sales.of(views.nfts.collection(String(slug)));
  const span = interval === undefined ? (days as number) : INTERVAL_DAYS[String(interval)];
  const since = span === undefined ? 0 : (engine.head?.closeTime ?? 0) - span * DAY;
  const asked = sales.filter(({ time }) => time >= since);
  const { accounts } = engine.state;
  const { parties } = engine.nfts;
  // Parties and accounts are numbered each by themselves.
  const ids = new Map<number, number>();
  const idOf = (party: number): number => {
    let id = ids.get(party);
    if (id === undefined) {
      id = accounts.find(parties.key(party), 0) ?? UNKNOWN_FROM + party;
      ids.set(party, id);
    }
    return id;
  };
  const textOf = (id: number) =>
    id < UNKNOWN_FROM ? accounts.text(id) : accountText(parties.key(id - UNKNOWN_FROM));
  const rows = asked.map((sale) => ({
    ...sale,
    xrp: xrpOf(sale.drops),
    buyer: idOf(sale.buyer),
    seller: idOf(sale.seller),
  }));
  const { funders } = engine.traders;
  const traders = [...new Set(rows.flatMap(({ buyer, seller }) => [buyer, seller]))];
  const isService = await runAtOneVersion([engine], () => services(accounts, funders, traders));
  const found = nftWash(rows, (account) => funders.of(account), isService, CYCLE_DAYS * DAY);
  const { volume, washedVolume, washedSales, byCycle, byFunding } = found;
  return {
    ...(interval === undefined ? { days } : { interval }),
    sales: asked.length,
    washedSales,
    volume,
    washedVolume,
    washedPct: volume === 0 ? 0 : (100 * washedVolume) / volume,
    byCycle,
    byFunding,
    total: found.accounts.length,
    accounts: found.accounts.slice(0, limit as number).map(({ account, washedVolume: washed, ...rest }) => ({
      account: textOf(account),
      ...rest,
      washedVolume: washed,
      washTradingScore: rest.volume === 0 ? 0 : (100 * washed) / rest.volume,
    })),
    ...(isPart && { truncated: true }),
  };
}

/** The shortest interval that has so many days. */
const intervalOf = (days: number): string =>
  days <= 1 ? '24h' : days <= 7 ? '7d' : days <= 30 ? '30d' : 'all';
