/**
 * What readers see of an engine: JSON fragments, lists, books, charts; one object for each subject. Each keeps what it made and
 * forgets just what a ledger changed.
 *
 *   ledger applied -> changed tokens ---> row bytes forgotten, list orders and rankings marked
 *                     trades            -> volumes of pools
 *
 * Nothing is computed before it is requested, and nothing twice for one version of what it is made of.
 */
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import type { Source } from '../engine/ledger/source.ts';
import { type LedgerRules, MAIN_RULES } from '../engine/quotes/rules.ts';
import type { QuoteSearches } from '../engine/quotes/searches.ts';
import { AccountData } from '../platform/account-data.ts';
import { CollectionData } from '../platform/collection-metadata.ts';
import type { IssuerFiles } from '../platform/issuer-files.ts';
import { type NftMetadata, NO_METADATA } from '../platform/nft-metadata.ts';
import { TokenData } from '../platform/token-metadata.ts';
import { AccountViews } from './accounts/accounts.ts';
import { BookViews } from './book-views.ts';
import { Charts } from './charts.ts';
import { CreatorActivity } from './creator-activity.ts';
import { CONTRACT_FORMS, type Forms } from './forms.ts';
import { HistoryViews } from './history-views.ts';
import { HolderClusterViews } from './holder-clusters.ts';
import { HolderMovers } from './holder-movers.ts';
import { Holders } from './holders.ts';
import { Invalidation } from './invalidation.ts';
import { LockedChange } from './locked-change.ts';
import { MarketViews } from './market-views.ts';
import { NetworkActivities } from './network-activity.ts';
import { NftViews } from './nfts/nfts.ts';
import { PathFind } from './path-find.ts';
import { PlatformReports } from './platform-report.ts';
import { PlatformStats } from './platform-stats.ts';
import { PoolVolumes } from './pool-volumes.ts';
import { PoolViews } from './pools.ts';
import { QuoteViews } from './quotes/quote-views.ts';
import { Related } from './related.ts';
import { Reviews } from './reviews.ts';
import { RiskMetrics } from './risk-metrics.ts';
import { ScamViews } from './scams.ts';
import { SearchViews } from './search-views.ts';
import { ServiceData } from './service-data.ts';
import { Tickers } from './tickers.ts';
import { TokenCreation } from './token-creation.ts';
import { TOKEN_FIELDS, type TokenFields } from './token-fields.ts';
import { TokenFlows } from './token-flow.ts';
import { TokenViews } from './token-views.ts';
import { Traders } from './traders/traders.ts';
import { type Revisions, versionOf } from './versioned-cache.ts';
import { Whales } from './whales.ts';
import { XrpDistribution } from './xrp-distribution.ts';

/** What views are made of beside the engine. */
export interface ViewParts {
  /** Forms of rows; those of the contract unless given. */
  readonly forms?: Forms;
  /** What token rows show. */
  readonly fields?: TokenFields;
  /** Runs long reads in other threads; undefined: they run on this one, in slices. */
  readonly heavy?: HeavyReads | undefined;
  /** Searches for quotes in other threads; undefined: on this one, in slices. */
  readonly quoteThreads?: QuoteSearches | undefined;
  /** Asked for what stored ledgers do not show of a pool; undefined: nobody is. */
  readonly source?: Pick<Source, 'request'> | undefined;
  /** By which its ledgers compute payments; those of the main network unless given. */
  readonly rules?: LedgerRules;
  /** What creators and issuers say of their tokens. */
  readonly data?: TokenData;
  /** What is kept of accounts beside the ledger. */
  readonly accountData?: AccountData;
  /** What issuers say of their collections of NFTs. */
  readonly collectionData?: CollectionData;
  /** What issuers publish at their domains; undefined: that is not read. */
  readonly issuerFiles?: IssuerFiles | undefined;
  /** What URIs of NFTs name; undefined: that is not fetched. */
  readonly nftMetadata?: NftMetadata | undefined;
  /** What is known of scams; undefined: what the ledgers show. */
  readonly scams?: ScamViews;
}

export class Views {
  readonly forms: Forms;
  readonly revisions: Revisions;
  readonly market: MarketViews;
  readonly creation: TokenCreation;
  readonly tokens: TokenViews;
  readonly accounts: AccountViews;
  readonly nfts: NftViews;
  readonly pools: PoolViews;
  readonly holders: Holders;
  readonly xrp: XrpDistribution;
  readonly activity: NetworkActivities;
  readonly movers: HolderMovers;
  readonly creators: CreatorActivity;
  readonly whales: Whales;
  readonly related: Related;
  readonly clusters: HolderClusterViews;
  readonly reviews: Reviews;
  readonly flows: TokenFlows;
  readonly traders: Traders;
  readonly charts: Charts;
  readonly books: BookViews;
  readonly quotes: QuoteViews;
  readonly paths: PathFind;
  readonly history: HistoryViews;
  readonly search: SearchViews;
  readonly tickers: Tickers;
  readonly platforms: PlatformStats;
  readonly reports: PlatformReports;
  readonly #all: readonly { readonly version: number }[];
  #isPrepared = false;

  constructor(engine: Engine, parts: ViewParts = {}) {
    const { forms = CONTRACT_FORMS, fields = TOKEN_FIELDS, rules = MAIN_RULES, heavy, quoteThreads } = parts;
    const { data = new TokenData(), accountData = new AccountData(), issuerFiles: files } = parts;
    this.forms = forms;
    const feed = {
      get version() {
        return engine.market.rates.feed?.version ?? 0;
      },
    };
    this.revisions = { ledger: engine, rates: feed, tokens: data, accounts: accountData };
    const { nftMetadata: metadata = NO_METADATA, collectionData = new CollectionData() } = parts;
    const { scams = new ScamViews(engine) } = parts;
    this.#all = [...Object.values(this.revisions), metadata, collectionData, scams];
    const { revisions } = this;
    const invalidation = new Invalidation(engine);
    const volumes = new PoolVolumes(engine.store, engine.state.tokens);
    // First, so that what is read from the store ends before the first ledger that came in live.
    invalidation.add(volumes);
    const lockedChange = new LockedChange(engine, volumes, revisions);
    this.market = new MarketViews(engine, revisions);
    this.creation = new TokenCreation(engine, revisions);
    this.tokens = new TokenViews({
      engine,
      forms,
      lockedChange,
      revisions,
      invalidation,
      fields,
      heavy,
      data: new ServiceData(engine.state, data, files),
    });
    this.accounts = new AccountViews(engine, this.tokens, accountData, files);
    const accounts = { names: this.accounts.names, revision: accountData };
    this.nfts = new NftViews({ engine, metadata, data: collectionData, scams, invalidation, accounts });
    // Rows show more once they are known.
    this.pools = new PoolViews({ engine, source: parts.source }, volumes, revisions, () =>
      this.tokens.forgetRows(),
    );
    this.creators = new CreatorActivity(engine);
    this.whales = new Whales(engine);
    this.clusters = new HolderClusterViews(engine, heavy);
    this.related = new Related(engine, heavy, this.nfts);
    this.reviews = new Reviews(engine, this.tokens.figures, heavy);
    this.flows = new TokenFlows(engine, [engine]);
    invalidation.add(this.whales);
    this.quotes = new QuoteViews(engine, rules, quoteThreads);
    this.traders = new Traders(engine, heavy, this.quotes.payments);
    this.holders = new Holders(engine, this.tokens.rankings, invalidation, this.traders);
    this.xrp = new XrpDistribution(engine);
    this.activity = new NetworkActivities(engine);
    this.movers = new HolderMovers(engine, this.#all, this.traders.rows);
    this.charts = new Charts(engine.market, () => ({
      closeTime: engine.head?.closeTime ?? 0,
      version: engine.version,
    }));
    invalidation.add(this.charts);
    this.books = new BookViews(engine, revisions, this.tokens);
    this.paths = new PathFind(engine.state, this.quotes.payments, [engine]);
    this.platforms = new PlatformStats(engine, revisions);
    this.reports = new PlatformReports(engine, new RiskMetrics(engine, heavy));
    this.tickers = new Tickers(engine, this.tokens, this.books);
    this.history = new HistoryViews(engine, revisions);
    this.search = new SearchViews(engine, this.tokens, this.holders, invalidation);
  }

  /** Moves when anything moves that an answer is made of. */
  get version(): number {
    return versionOf(this.#all);
  }

  /**
   * Makes, in slices, what the first reader would have to wait for; the second call does nothing. What fails here fails
   * for the first reader, too, who then gets the error.
   */
  prepare(): void {
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    void this.#prepare();
  }

  /** One after another: slices of several would run in one round of the loop. */
  async #prepare(): Promise<void> {
    const { search, tokens, pools } = this;
    // Streams read the order by volume without waiting for it.
    for (const work of [
      () => tokens.listReady('vol24hxrp'),
      () => tokens.prepare(),
      () => search.prepare(),
      () => pools.prepare(),
      () => tokens.prepareShares(),
      () => this.reviews.prepare(),
    ]) {
      await yieldToLoop();
      await work()?.catch(() => undefined);
    }
  }
}
