/**
 * What is gained with NFTs, from what happened to them, oldest first: the same definition as that of the engine's columns
 * (engine/nfts/market.ts), for parts of the past. Cost: one entry of a map for each NFT that was bought.
 */

/** Drops, seconds. */
export interface NftGain {
  /** What the seller got, less what it had paid. */
  readonly profit: number;
  /** What it had paid. */
  readonly cost: number;
  /** For how long it had the NFT. */
  readonly held: number;
}

export class NftCosts {
  /** By NFT, which has one owner. */
  readonly #bought = new Map<number, { readonly drops: number; readonly since: number }>();

  /** An NFT came to an account. @param drops that it paid; 0: it did not buy it for XRP */
  came(nft: number, drops: number, time: number): void {
    if (drops > 0) this.#bought.set(nft, { drops, since: time });
    else this.#bought.delete(nft);
  }

  /** It left. @param got drops that the account got for it; undefined: it was not sold for XRP. @returns undefined: it was not bought for XRP, or not sold */
  left(nft: number, got: number | undefined, time: number): NftGain | undefined {
    const bought = this.#bought.get(nft);
    this.#bought.delete(nft);
    if (!bought || got === undefined) return undefined;
    const { drops, since } = bought;
    return { profit: got - drops, cost: drops, held: time - since };
  }
}
