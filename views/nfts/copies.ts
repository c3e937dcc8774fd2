/**
 * Issuers that give away NFTs which look like those of a known collection: the second half of the rule of
 * engine/scams/rules/nft-copies.ts, from what was fetched of NFTs.
 *
 *     accounts that the ledgers show as giving away -> their collections -> names, pictures -.
 *     known collections, those with most owners first ----------------> names, pictures -----+-> the same? -> a copy
 *
 * It is looked for in the background: when there are more such accounts, and again each hour, since names and pictures come
 * with time. Of a collection the newest LOOKED_AT NFTs are looked at; of their pictures those that are held, and a few more
 * are asked for. So not every copy is found, and none without fetched media.
 *
 * Cost: nothing while the ledgers show nobody; else some 40 us for each NFT that is looked at, in slices of 32.
 */
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { bitsApart, isPlain } from '../../engine/metrics/difference-hash.ts';
import { HOUR } from '../../engine/ripple-time.ts';
import { BITS_APART, KNOWN_OWNERS, NFT_COPIES } from '../../engine/scams/rules/nft-copies.ts';
import { skeleton } from '../../engine/scams/skeleton.ts';
import type { NftMetadata } from '../../platform/nft-metadata.ts';
import { collectionId } from './collection-ids.ts';

export interface NftCopy {
  /** `<issuer>:<taxon>` of the known collection. */
  readonly collection: string;
  /** It has its name. */
  readonly name: boolean;
  /** An NFT that has a picture of it, and the one that it is of: 64 hex digits. */
  readonly picture?: { readonly nft: string; readonly original: string };
}

/** Newest NFTs of a collection. */
const LOOKED_AT = 128;
/** Known collections at most. */
const KNOWN_MAX = 2000;
/** Seconds of close time. */
const AGAIN_AFTER = HOUR;
const SOONEST_AFTER = 300;
/** Pictures that are asked for each time. */
const ASKED_AT_ONCE = 200;
const COLLECTIONS_A_SLICE = 16_384;
const NFTS_A_SLICE = 32;
const ISSUER_BYTES = 20;
/** Of two hashes that differ in up to BITS_APART bits, one of so many parts is the same in both. */
const PARTS = BITS_APART + 1;
/** Names of one or two characters are everybody's. */
const NAME_MIN = 3;

/** What NFTs of a collection show. */
interface Shown {
  readonly row: number;
  /** Skeletons of the names that they give the collection. */
  readonly names: Set<string>;
  /** Difference hashes, each with the NFT that has it. */
  readonly pictures: Map<string, number>;
}

interface Suspect extends Shown {
  /** Number of the account in the state. */
  readonly actor: number;
}

export class NftCopies {
  readonly #engine: Engine;
  readonly #metadata: NftMetadata;
  #found: ReadonlyMap<number, NftCopy> = new Map();
  #looking: Promise<void> | undefined;
  /** Of the last look: rows of the rule, and the close time. */
  #last = { rows: 0, time: 0 };
  #asked = 0;

  constructor(engine: Engine, metadata: NftMetadata) {
    this.#engine = engine;
    this.#metadata = metadata;
    engine.onLedger(() => {
      if (this.#isDue()) void this.look().catch(() => undefined);
    });
  }

  /** What the NFTs that an account gives away copy. @param actor its number in the state */
  of(actor: number): NftCopy | undefined {
    return this.#found.get(actor);
  }

  /** Looks for copies; several calls share one look. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #isDue(): boolean {
    const { rows, time } = this.#last;
    const { listedRows } = this.#engine.scams.actors;
    if (listedRows.length === 0) return false;
    const passed = (this.#engine.head?.closeTime ?? 0) - time;
    return passed >= AGAIN_AFTER || (passed >= SOONEST_AFTER && listedRows.length > rows);
  }

  async #look(): Promise<void> {
    const { actors } = this.#engine.scams;
    this.#last = { rows: actors.listedRows.length, time: this.#engine.head?.closeTime ?? 0 };
    this.#asked = 0;
    const listed = actors.listedRows.filter((row) => actors.rule[row] === NFT_COPIES.number);
    if (listed.length === 0) return;
    const { own, known } = await this.#collections(listed.map((row) => actors.actor[row]!));
    const suspects: Suspect[] = [];
    for (const { row, actor } of own) suspects.push({ ...(await this.#shown(row)), actor });
    const likeness = new LikenessIndex(suspects);
    const found = new Map<number, NftCopy>();
    for (const row of known) {
      const shown = await this.#shown(row);
      for (const [suspect, copy] of this.#copiesOf(shown, suspects, likeness))
        found.set(suspect, merged(found.get(suspect), copy));
    }
    this.#found = found;
  }

  /** Those of the accounts, and the known ones, most owners first. */
  async #collections(accounts: readonly number[]) {
    const { collections, nfts } = this.#engine.nfts;
    const { state } = this.#engine;
    const issuerOf = (key: Uint8Array) => Buffer.from(key.subarray(0, ISSUER_BYTES)).toString('latin1');
    const actors = new Map(accounts.map((actor) => [issuerOf(state.accounts.bytes(actor)), actor]));
    const own: { readonly row: number; readonly actor: number }[] = [];
    const known: number[] = [];
    for (let row = 1; row < collections.count; row++) {
      if (row % COLLECTIONS_A_SLICE === 0) await yieldToLoop();
      const actor = actors.get(issuerOf(collections.key(row)));
      if (actor !== undefined) own.push({ row, actor });
      if (nfts.owners[row]! >= KNOWN_OWNERS) known.push(row);
    }
    known.sort((a, b) => nfts.owners[b]! - nfts.owners[a]! || a - b);
    return { own, known: known.slice(0, KNOWN_MAX) };
  }

  async #shown(row: number): Promise<Shown> {
    const { nfts } = this.#engine.nfts;
    const names = new Set<string>();
    const pictures = new Map<string, number>();
    let looked = 0;
    for (let nft = nfts.newestOf(row); nft !== 0 && looked < LOOKED_AT; nft = nfts.before(nft)) {
      if (looked++ % NFTS_A_SLICE === 0) await yieldToLoop();
      if (nfts.owner[nft] === 0) continue;
      const id = nfts.idText(nft);
      const content = this.#metadata.content(id);
      const name = skeleton(content?.collection ?? '').trim();
      if (name.length >= NAME_MIN) names.add(name);
      const hash = content?.imageHash && this.#metadata.likeness?.(content.imageHash);
      if (hash === undefined || hash === '') this.#ask(id);
      else if (!isPlain(hash) && !pictures.has(hash)) pictures.set(hash, nft);
    }
    return { row, names, pictures };
  }

  #ask(id: string): void {
    if (this.#asked >= ASKED_AT_ONCE) return;
    this.#asked++;
    this.#metadata.ask?.(id);
  }

  *#copiesOf(
    known: Shown,
    suspects: readonly Suspect[],
    likeness: LikenessIndex,
  ): Iterable<readonly [actor: number, copy: NftCopy]> {
    const { collections, nfts } = this.#engine.nfts;
    const collection = collectionId(collections, known.row);
    for (const suspect of suspects)
      if (this.#isOlder(known.row, suspect.row) && !known.names.isDisjointFrom(suspect.names))
        yield [suspect.actor, { collection, name: true }];
    for (const [hash, original] of known.pictures)
      for (const { suspect, nft } of likeness.near(hash))
        if (this.#isOlder(known.row, suspect.row))
          yield [
            suspect.actor,
            { collection, name: false, picture: { nft: nfts.idText(nft), original: nfts.idText(original) } },
          ];
  }

  /** Whether a collection is of another issuer, and was there before. */
  #isOlder(row: number, than: number): boolean {
    const { collections } = this.#engine.nfts;
    const issuer = (of: number) => collections.key(of).subarray(0, ISSUER_BYTES);
    if (Buffer.compare(issuer(row), issuer(than)) === 0) return false;
    return collections.created[row]! < collections.created[than]!;
  }
}

/** The known collection with most owners is shown, and all that is known of it. */
function merged(known: NftCopy | undefined, more: NftCopy): NftCopy {
  if (!known) return more;
  if (known.collection !== more.collection) return known;
  return { ...more, ...known, name: known.name || more.name };
}

/** Finds hashes that differ in few bits: they share a part. */
class LikenessIndex {
  readonly #byPart = new Map<
    string,
    { readonly hash: string; readonly suspect: Suspect; readonly nft: number }[]
  >();

  constructor(suspects: readonly Suspect[]) {
    for (const suspect of suspects)
      for (const [hash, nft] of suspect.pictures)
        for (const part of partsOf(hash)) {
          const same = this.#byPart.get(part);
          if (same) same.push({ hash, suspect, nft });
          else this.#byPart.set(part, [{ hash, suspect, nft }]);
        }
  }

  *near(hash: string) {
    for (const part of partsOf(hash))
      for (const one of this.#byPart.get(part) ?? []) if (bitsApart(one.hash, hash) <= BITS_APART) yield one;
  }
}

/** Each with its place. */
function partsOf(hash: string): string[] {
  const bits = BigInt(`0x${hash}`).toString(2).padStart(64, '0');
  const width = Math.ceil(64 / PARTS);
  return Array.from(
    { length: PARTS },
    (_, part) => `${part} ${bits.slice(part * width, (part + 1) * width)}`,
  );
}
