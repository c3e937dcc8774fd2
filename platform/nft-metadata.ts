/**
 * What is known of an NFT from beyond the ledger: the content that its URI names. Whoever fetches it implements `NftMetadata`
 * (outside/nft-media.ts); without that, or until it is fetched, NFTs are shown by what the ledger has.
 *
 * Names, descriptions and attributes are written by anyone: they are texts to escape, never markup.
 */

export interface NftAttribute {
  readonly type: string;
  readonly value: string;
}

export interface NftContent {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Name of the collection, as the NFT says. */
  readonly collection?: string | undefined;
  /** Hash of its picture, by which `/nft-thumb/{hash}` has it; absent: it has none, or it was not taken. */
  readonly imageHash?: string | undefined;
  readonly attributes: readonly NftAttribute[];
}

export interface NftMetadata {
  /** Grows when content was added: what is made of it is made again. */
  readonly version: number;
  /** @param id 64 hex digits, upper case. undefined: it has not been fetched */
  content(id: string): NftContent | undefined;
  /** Difference hash of a picture, by its `imageHash`; undefined: it is not held. */
  likeness?(imageHash: string): string | undefined;
  /** Somebody looks at this NFT: its content and picture are fetched before those of others. */
  ask?(id: string): void;
}

/** Nothing is fetched. */
export const NO_METADATA: NftMetadata = { version: 0, content: () => undefined };

/** The content of an NFT that somebody is shown. @param id 64 hex digits, upper case */
export function shownContent(metadata: NftMetadata, id: string): NftContent | undefined {
  metadata.ask?.(id);
  return metadata.content(id);
}
