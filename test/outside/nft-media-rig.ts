/** Metadata and pictures of NFTs with a real store, real encoder and servers on loopback that do what a test says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LmdbPlatformStore, openPlatformStore } from '../../data/platform-store.ts';
import type { Clock } from '../../engine/ledger/clock.ts';
import { FetchedNftMedia, PICTURE_BYTES_MAX } from '../../outside/nft-media.ts';
import { publicReader, type ReadPublic } from '../../outside/public-fetch.ts';
import type { ImageEncoder } from '../../platform/images.ts';
import { MEDIA_COLLECTIONS, type MediaBytes, NftMediaStore } from '../../platform/nft-media.ts';
import { ProcessImageEncoder } from '../../workers/image-encoder.ts';

/** 127.0.0.2 stands for the public internet; all else of this machine is private. */
export const PUBLIC = '127.0.0.2';
export const PRIVATE = '127.0.0.1';

/** A clock of tests: timers run when it is moved. */
export class HandClock implements Clock {
  #time = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  #next = 0;

  readonly now = (): number => this.#time;

  timer(ms: number, run: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#time + ms, run });
    return () => this.#timers.delete(id);
  }

  advance(ms: number): void {
    const end = this.#time + ms;
    for (;;) {
      const [first] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, a], [, b]) => a.at - b.at);
      if (!first) break;
      this.#timers.delete(first[0]);
      this.#time = Math.max(this.#time, first[1].at);
      first[1].run();
    }
    this.#time = end;
  }

  /** Moves on without what would have run meanwhile, but for the last. */
  jump(ms: number): void {
    this.#time += ms;
    this.advance(0);
  }
}

export interface RigOptions {
  readonly limits?: MediaBytes;
  readonly read?: ReadPublic;
  readonly encoder?: ImageEncoder & { close(): void };
  readonly resolve?: (name: string) => Promise<readonly { readonly address: string }[]>;
  readonly ipfs?: readonly string[];
  /** Of the store; a new one unless given. */
  readonly dir?: string;
}

export class MediaRig {
  readonly clock = new HandClock();
  /** URIs of NFTs by row, from 1; the id of an NFT is its row. */
  readonly uris: (string | undefined)[] = [undefined];
  readonly encoder: ImageEncoder & { close(): void };
  readonly #options: RigOptions;
  readonly #dir: string;
  store!: LmdbPlatformStore;
  kept!: NftMediaStore;
  media!: FetchedNftMedia;
  day = 20_000;

  constructor(options: RigOptions = {}) {
    this.#options = options;
    this.#dir = options.dir ?? mkdtempSync(join(tmpdir(), 'millrace-media-'));
    this.encoder = options.encoder ?? new ProcessImageEncoder({ bytes: PICTURE_BYTES_MAX, deadline: 60_000 });
  }

  async open(): Promise<this> {
    const { limits = { uris: 1e9, pictures: 1e9 }, resolve, ipfs = [] } = this.#options;
    const isAllowed = (address: string) => address === PUBLIC;
    const usual = async () => [{ address: PUBLIC }];
    this.store = await openPlatformStore({ dir: this.#dir, network: 1, collections: MEDIA_COLLECTIONS });
    const unixMs = () => this.day * 86_400_000 + this.clock.now();
    this.kept = new NftMediaStore({
      store: this.store,
      bytesOf: (name) => this.store.stats().collections[name]?.bytes ?? 0,
      limits,
      now: unixMs,
    });
    const { uris } = this;
    this.media = new FetchedNftMedia({
      nfts: {
        get count() {
          return uris.length;
        },
        find: (id) => (Number(id) < uris.length ? Number(id) : 0),
        uriOf: (row) => uris[row],
      },
      store: this.kept,
      read:
        this.#options.read ??
        publicReader({ resolve: resolve ?? usual, isAllowed, isPortAllowed: () => true }),
      encoder: this.encoder,
      gateways: { ipfs, arweave: [] },
      clock: this.clock,
      unixMs,
      walkedAStep: 2,
    });
    return this;
  }

  /** @returns its id */
  mint(uri: string): string {
    this.uris.push(uri);
    return String(this.uris.length - 1);
  }

  /** Asks, and resolves when nothing is fetched any more. */
  async ask(...ids: string[]): Promise<void> {
    // Later than the minute within which nothing is looked at again.
    this.clock.jump(60_000);
    for (const id of ids) this.media.ask(id);
    await this.idle();
  }

  async idle(): Promise<void> {
    do await Bun.sleep(2);
    while (this.media.waiting > 0 || this.store.stats().waiting > 0);
    await Bun.sleep(2);
  }

  /** As after the death of the process: what was not durable is lost. */
  async restart(): Promise<void> {
    this.media.close();
    await this.store.close();
    await this.open();
  }

  async stop(): Promise<void> {
    this.media.close();
    this.encoder.close();
    await this.store.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
