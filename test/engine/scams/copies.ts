/** Which accounts give away NFTs that copy a collection, by the files that the population's node serves; and how well they are found. */
import type { Engine } from '../../../engine/engine.ts';
import {
  DIFFERENCE_COLUMNS,
  DIFFERENCE_ROWS,
  differenceHash,
} from '../../../engine/metrics/difference-hash.ts';
import { NFT_COPIES } from '../../../engine/scams/rules/nft-copies.ts';
import type { NftMetadata } from '../../../platform/nft-metadata.ts';
import { NftFiles } from '../../../sandbox/population/nft-files.ts';
import { Network } from '../../../views/network.ts';
import { greyPixels } from '../../../workers/grey-pixels.ts';
import type { ScenarioRun } from './scenario-run.ts';
import type { ScamScore } from './scores.ts';

interface Read {
  readonly collection: string | undefined;
  /** Path of its picture. */
  readonly picture: string | undefined;
}

/** Host and path of what a URI names. */
function placeOf(uri: string): readonly [host: string, path: string] {
  const { protocol, hostname, pathname } = new URL(uri);
  return protocol === 'ipfs:' ? ['ipfs.example', `/ipfs/${hostname}${pathname}`] : [hostname, pathname];
}

/** All media of the population's NFTs, as if they had been fetched and decoded; pictures are decoded in `decode`. */
export class ServedMedia implements NftMetadata {
  readonly version = 1;
  readonly #engine: Engine;
  readonly #files: NftFiles;
  readonly #read = new Map<string, Read>();
  readonly #likeness = new Map<string, string>();

  constructor(engine: Engine, seed: string) {
    this.#engine = engine;
    this.#files = new NftFiles(seed);
  }

  content(id: string) {
    const { nfts } = this.#engine.nfts;
    const uri = this.#engine.nfts.uri(nfts.find(Buffer.from(id, 'hex'), 0));
    if (uri === undefined || !URL.canParse(uri)) return undefined;
    const { collection, picture } = this.#contentOf(uri);
    return { collection, attributes: [], ...(picture !== undefined && { imageHash: picture }) };
  }

  likeness(imageHash: string): string | undefined {
    return this.#likeness.get(imageHash);
  }

  async decode(): Promise<void> {
    for (let row = 1; row < this.#engine.nfts.nfts.count; row++) {
      const uri = this.#engine.nfts.uri(row);
      const { picture } =
        uri === undefined || !URL.canParse(uri) ? { picture: undefined } : this.#contentOf(uri);
      if (picture === undefined || this.#likeness.has(picture)) continue;
      const file = this.#files.of(...placeOf(picture))!.body as Uint8Array<ArrayBuffer>;
      const small = new Bun.Image(file).resize(DIFFERENCE_COLUMNS, DIFFERENCE_ROWS, { fit: 'fill' });
      this.#likeness.set(picture, differenceHash(greyPixels(await small.png().bytes())));
    }
  }

  #contentOf(uri: string): Read {
    const known = this.#read.get(uri);
    if (known) return known;
    const file = this.#files.of(...placeOf(uri));
    const json = typeof file?.body === 'string' ? JSON.parse(file.body) : {};
    const read = { collection: json.collection?.name, picture: json.image };
    this.#read.set(uri, read);
    return read;
  }
}

export interface CopyScore extends Omit<ScamScore, 'kind'> {
  readonly network: Network;
}

/** @param seed of the network of the run */
export async function copyScoreOf(engine: Engine, run: ScenarioRun, seed: string): Promise<CopyScore> {
  const media = new ServedMedia(engine, seed);
  await media.decode();
  const network = new Network({ engine, nftMetadata: media });
  await network.nftCopies.look();
  const accounts = new Set(network.scams.found(NFT_COPIES).map(({ account }) => account));
  const guilty = new Set(run.scenarios.has('fake_airdrop') ? [run.guilty('fake_airdrop')] : []);
  const right = accounts.intersection(guilty).size;
  return {
    network,
    precision: accounts.size === 0 ? 1 : right / accounts.size,
    recall: guilty.size === 0 ? 1 : right / guilty.size,
    found: accounts.size,
    guilty: guilty.size,
    wrong: [...accounts.difference(guilty)],
    missed: [...guilty.difference(accounts)],
  };
}
