/**
 * NFTs that came to pages, or left them, in one transaction, each once. They are a few, and at most those of some pages: a search
 * through a list costs less than a map, which takes new memory each time that it is emptied.
 */
export class NftMoves {
  count = 0;
  /** Rows of the NFTs, the parties whose pages they are on, and offsets of their ids. */
  readonly nfts: number[] = [];
  readonly owners: number[] = [];
  readonly idsAt: number[] = [];

  add(nft: number, owner: number, idAt: number): void {
    const i = this.count++;
    this.nfts[i] = nft;
    this.owners[i] = owner;
    this.idsAt[i] = idAt;
  }

  /** The place of an NFT among them; -1: it is none of them. */
  find(nft: number): number {
    const { nfts, count } = this;
    for (let i = 0; i < count; i++) if (nfts[i] === nft) return i;
    return -1;
  }
}
