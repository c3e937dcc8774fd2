/** Metadata and pictures of the NFTs of a network, as the options say, with the store that has them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../data/errors.ts';
import { type LmdbPlatformStore, openPlatformStore } from '../data/platform-store.ts';
import { bytesOf } from '../engine/codec/bytes.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../engine/log.ts';
import { FetchedNftMedia, type NftUris, PICTURE_BYTES_MAX } from '../outside/nft-media.ts';
import type { Gateways } from '../outside/nft-uris.ts';
import { publicReader, type ReadPublic, readerOf } from '../outside/public-fetch.ts';
import { MEDIA_COLLECTIONS, NftMediaStore } from '../platform/nft-media.ts';
import { ProcessImageEncoder } from '../workers/image-encoder.ts';
import type { RunningSandbox } from '../workers/sandbox.ts';
import type { Options } from './options.ts';
import { processClock } from './sources.ts';

const GB = 1e9;
/** Share of the room that is for what is known of URIs; the rest is for pictures. */
const URIS_SHARE = 0.25;
/** NFTs asked for a second that nobody looks at: hosts of strangers are spared, the embedded network's node is our own. */
const WALKED_A_STEP = { public: 1, embedded: 4 } as const;
/** The embedded network's node has what is named like this. */
const EMBEDDED: Gateways = { ipfs: ['https://ipfs.example'], arweave: ['https://arweave.example'] };
/** All that are fetched at one time may wait for a process. */
const ENCODING_WAITING = 8;

interface MediaOf {
  readonly options: Options;
  /** Folder of the engine's store. */
  readonly dir: string;
  readonly networkId: number;
  readonly engine: Engine;
  readonly sandbox: RunningSandbox | undefined;
  readonly log: Log;
  /** In place of what the options say. */
  readonly reading?: Reading;
}

interface Reading {
  readonly gateways: Gateways;
  readonly read: ReadPublic;
}

export interface NftMedia {
  readonly media: FetchedNftMedia;
  close(): Promise<void>;
}

/** The folder of what was fetched: it may be deleted while no service runs, and is fetched again. */
export function mediaDir(dir: string): string {
  return join(dir, 'nft-media');
}

/** undefined: nothing is fetched. @throws StoreError */
export async function openNftMedia(parts: MediaOf): Promise<NftMedia | undefined> {
  const { options, engine, sandbox } = parts;
  if (options.nftMedia === 'no' || (options.nftMedia === 'auto' && !sandbox)) return undefined;
  const store = await openStore(parts);
  const room = options.nftMediaSize * GB;
  const kept = new NftMediaStore({
    store,
    bytesOf: (collection) => store.stats().collections[collection]?.bytes ?? 0,
    limits: { uris: room * URIS_SHARE, pictures: room * (1 - URIS_SHARE) },
    now: Date.now,
  });
  const encoder = new ProcessImageEncoder({ bytes: PICTURE_BYTES_MAX, waiting: ENCODING_WAITING });
  const media = new FetchedNftMedia({
    nfts: urisOf(engine),
    store: kept,
    ...(parts.reading ?? readingOf(options, sandbox)),
    encoder,
    clock: processClock,
    unixMs: Date.now,
    walkedAStep: sandbox ? WALKED_A_STEP.embedded : WALKED_A_STEP.public,
  });
  return {
    media,
    close: async () => {
      media.close();
      encoder.close();
      await store.close();
    },
  };
}

function readingOf({ ipfsGateways, arweaveGateways }: Options, sandbox: RunningSandbox | undefined): Reading {
  if (sandbox) return { gateways: EMBEDDED, read: readerOf(sandbox.url.replace(/^ws/, 'http')) };
  return { gateways: { ipfs: ipfsGateways, arweave: arweaveGateways }, read: publicReader() };
}

/** A damaged store is made again: all that is in it can be fetched. */
async function openStore({ dir, networkId, log }: MediaOf): Promise<LmdbPlatformStore> {
  const options = { dir: mediaDir(dir), network: networkId, collections: MEDIA_COLLECTIONS };
  try {
    return await openPlatformStore(options);
  } catch (fault) {
    if (!(fault instanceof StoreError && fault.code === 'corrupt')) throw fault;
    log.warn({ damage: fault.damage }, 'what was fetched of NFTs is damaged: it is fetched again');
    rmSync(options.dir, { recursive: true, force: true });
    return openPlatformStore(options);
  }
}

function urisOf(engine: Engine): NftUris {
  const { nfts } = engine;
  return {
    get count() {
      return nfts.nfts.count;
    },
    find: (id) => nfts.nfts.find(bytesOf(id), 0),
    uriOf: (row) => {
      if (nfts.nfts.owner[row] === 0) return undefined;
      const uri = nfts.uri(row);
      return uri && Buffer.from(uri, 'latin1').toString();
    },
  };
}
