/**
 * What readers reach of one network: its engine, the views made of it, where its ledgers come from, and whether what is
 * shown is the present. A process may hold several; nothing of one is shared with another. A request, a stream or a tool
 * gets the network it is about and reads nothing beside it.
 */
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import type { Source } from '../engine/ledger/source.ts';
import type { LedgerRules } from '../engine/quotes/rules.ts';
import type { QuoteSearches } from '../engine/quotes/searches.ts';
import { AccountData } from '../platform/account-data.ts';
import { CollectionData } from '../platform/collection-metadata.ts';
import { Faucet, type FaucetPayer } from '../platform/faucet.ts';
import type { IssuerFiles } from '../platform/issuer-files.ts';
import type { IssuerIcons } from '../platform/issuer-icons.ts';
import { type NftMetadata, NO_METADATA } from '../platform/nft-metadata.ts';
import { type NftPictures, NO_PICTURES } from '../platform/nft-pictures.ts';
import type { Pins } from '../platform/pins.ts';
import { NO_SCAM_LISTS, type ScamLists } from '../platform/scam-lists.ts';
import { ScamReports } from '../platform/scam-reports.ts';
import { TokenData } from '../platform/token-metadata.ts';
import type { Forms } from './forms.ts';
import { LedgerWaits } from './ledger-waits.ts';
import { NftCopies } from './nfts/copies.ts';
import { TokenPictures } from './pictures/token-pictures.ts';
import { ScamReportView } from './scam-report.ts';
import { ScamViews } from './scams.ts';
import { Submissions } from './submissions.ts';
import { Views } from './views.ts';

/** The disk that a network's store takes. Members that are not known are absent. */
export interface DiskFigures {
  /** Length of the store's file. */
  readonly fileBytes: number;
  /** Part of the file that was ever used. */
  readonly usedBytes: number;
  /** Free pages of that part: they are used for what is written next. */
  readonly freeBytes: number;
  /** Free on the disk. */
  readonly diskFreeBytes?: number;
  /** Bytes written by the store since the start: every page, however often. */
  readonly writtenBytes?: number;
  /** Of the newest 24 hours in which ledgers were followed as they closed; known from three hours on. */
  readonly writtenBytesPerDay?: number;
  /** What pages in use grew by; below 0 while more is removed than comes. */
  readonly growthBytesPerDay?: number;
  /** Until the disk is full at that growth; absent where it does not grow. */
  readonly fullInMs?: number;
}

export interface NetworkParts {
  readonly engine: Engine;
  /** Where its ledgers come from; undefined: it gets no more. */
  readonly source?: Source | undefined;
  /** Forms of rows; those of the contract unless given. */
  readonly forms?: Forms | undefined;
  /** Runs long reads in other threads; undefined: they run on the calling thread, in slices. */
  readonly heavy?: HeavyReads | undefined;
  /** Searches for quotes in other threads; undefined: on the calling thread, in slices. */
  readonly quoteThreads?: QuoteSearches | undefined;
  /** By which its ledgers compute payments; those of the main network unless given. */
  readonly rules?: LedgerRules | undefined;
  /** What addresses of images begin with; nothing unless given: they are then of the same origin. */
  readonly imagesAt?: string | undefined;
  /** What issuers publish at their domains; undefined: that is not read. */
  readonly issuerFiles?: IssuerFiles | undefined;
  /** What URIs of NFTs name; undefined: that is not fetched. */
  readonly nftMetadata?: NftMetadata | undefined;
  /** Icons that issuers name; undefined: they are not read. */
  readonly issuerIcons?: IssuerIcons | undefined;
  /** Pictures of NFTs; undefined: none are fetched. */
  readonly pictures?: NftPictures | undefined;
  /** Keeps media of NFTs at an IPFS node; undefined: none is configured. */
  readonly pins?: Pins | undefined;
  /** Public lists of scam accounts; undefined: none is read. */
  readonly scamLists?: ScamLists | undefined;
  /** Pays XRP of a test network; undefined: none does. */
  readonly faucet?: FaucetPayer | undefined;
  /** What its store takes of the disk; undefined: it is on none. */
  readonly disk?: (() => DiskFigures) | undefined;
  /** It is embedded: its ledgers close by the clock of this machine, of which they then say nothing. */
  readonly isOfThisClock?: boolean;
}

/** Requests that may wait for a ledger at one time: each holds a connection and its parameters. */
const WAITS_MAX = 4096;
/** Older ledgers whose accounts are indexed while one closes: about a millisecond each. */
const FILLED_A_LEDGER = 128;

export class Network {
  readonly engine: Engine;
  readonly views: Views;
  readonly source: Source | undefined;
  readonly disk: (() => DiskFigures) | undefined;
  /** What creators and issuers say of their tokens. Its store is attached when it has been opened. */
  readonly tokenData: TokenData;
  /** What the service keeps of accounts. Its store is attached when it has been opened. */
  readonly accountData = new AccountData();
  /** Pictures of NFTs and of collections. */
  readonly pictures: NftPictures;
  readonly tokenPictures: TokenPictures;
  /** What issuers say of their collections of NFTs. Its store is attached when it has been opened. */
  readonly collectionData = new CollectionData();
  /** Its store is attached when it has been opened. undefined: they are not read. */
  readonly issuerFiles: IssuerFiles | undefined;
  /** Its store is attached when it has been opened. undefined: they are not read. */
  readonly issuerIcons: IssuerIcons | undefined;
  /** Its store is attached when it has been opened. undefined: there is no IPFS node. */
  readonly pins: Pins | undefined;
  /** Domains that people report. Its store is attached when it has been opened. */
  readonly scamReports = new ScamReports();
  /** Public lists of scam accounts. Its store is attached when it has been opened. */
  readonly scamLists: ScamLists;
  /** Issuers whose NFTs copy a known collection. */
  readonly nftCopies: NftCopies;
  /** What is known of scams. */
  readonly scams: ScamViews;
  readonly scamReport: ScamReportView;
  /** Its store is attached when it has been opened. undefined: it has none. */
  readonly faucet: Faucet | undefined;
  /** The source has reported a new ledger a moment ago, the present's or not. Set by the owner of the follow loop. */
  sourceAlive = false;
  /** Why what is shown is not the present, as far as it is known; undefined: it is. */
  lack?: string | undefined;
  /** Why what the service keeps beside the ledgers cannot be stored now; undefined: it can. Set by the owner of its store. */
  unstored?: string | undefined;
  /** What was handed to a node. */
  readonly submissions = new Submissions();
  readonly #waits = new LedgerWaits(WAITS_MAX);
  readonly #isOfThisClock: boolean;
  #ready = false;
  #isFilling = false;

  constructor(parts: NetworkParts) {
    const { engine, source, forms, heavy, disk, imagesAt, issuerFiles, rules, quoteThreads } = parts;
    this.disk = disk;
    this.#isOfThisClock = parts.isOfThisClock ?? false;
    this.faucet = parts.faucet && new Faucet(parts.faucet);
    this.tokenData = new TokenData(imagesAt);
    this.pictures = parts.pictures ?? NO_PICTURES;
    this.engine = engine;
    this.scamLists = parts.scamLists ?? NO_SCAM_LISTS;
    this.nftCopies = new NftCopies(engine, parts.nftMetadata ?? NO_METADATA);
    this.scams = new ScamViews(engine, this.scamReports, this.scamLists, this.nftCopies);
    this.scamReport = new ScamReportView(engine, this.scams, this.scamReports);
    this.source = source;
    const { tokenData: data, accountData, collectionData, scams } = this;
    this.views = new Views(engine, {
      ...(forms && { forms }),
      ...(rules && { rules }),
      heavy,
      source,
      quoteThreads,
      issuerFiles,
      nftMetadata: parts.nftMetadata,
      data,
      accountData,
      collectionData,
      scams,
    });
    this.issuerFiles = issuerFiles;
    this.issuerIcons = parts.issuerIcons;
    this.pins = parts.pins;
    this.tokenPictures = new TokenPictures(engine.state, data, this.issuerIcons, (token) =>
      this.views.tokens.issuerIcon(token),
    );
    engine.onLedger(() => {
      if (this.ready) this.views.prepare();
      if (this.ready) void this.#fillIndex().catch(() => undefined);
      void this.#waits.applied(this.ledgerIndex);
    });
  }

  /** Goes on with the account index of older ledgers, between other work: what is filled is stored with the next ledgers. */
  async #fillIndex(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    const { accountIndex } = this.engine;
    try {
      for (let filled = 0; filled < FILLED_A_LEDGER && accountIndex.fillStep(); filled++) await yieldToLoop();
    } finally {
      this.#isFilling = false;
    }
  }

  /** Index of the newest ledger applied; 0: none yet. */
  get ledgerIndex(): number {
    return this.engine.head?.index ?? 0;
  }

  /** @returns whether the ledger was applied in time, ms; undefined: too many requests wait already */
  reaches(index: number, ms: number): Promise<boolean> | undefined {
    return this.#waits.until(index, ms);
  }

  /**
   * When the newest ledger closed, Unix ms, which is a moment ago whatever the clock of this machine says; undefined: what is shown may be
   * the past.
   */
  get presentMs(): number | undefined {
    const isPresent = this.ready && this.source?.live === true && !this.#isOfThisClock;
    return isPresent ? this.engine.head?.closeTimeMs : undefined;
  }

  /** What is shown is the present. */
  get ready(): boolean {
    return this.#ready && !this.engine.failed;
  }

  /** Set by the owner of the follow loop. */
  set ready(isPresent: boolean) {
    this.#ready = isPresent;
  }

  /** Ledgers between the newest that the source knows and the newest applied. */
  get behind(): number {
    const newest = this.source?.latest()?.index;
    return newest === undefined ? 0 : Math.max(0, newest - this.ledgerIndex);
  }
}
