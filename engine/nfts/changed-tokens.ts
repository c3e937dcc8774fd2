/**
 * The NFTs of a page before and after a node, as far as they have to be looked at: of a page that was seen since the last gap
 * only those that its change set names (codec/nft-page.ts), since the others are known with their owner; of any other page all.
 */
import { NftPageNode, Node } from '../codec/changes.ts';
import { PageVersions } from '../codec/nft-page.ts';
import { SeenPages } from './seen-pages.ts';

export class ChangedTokens {
  readonly #page = new PageVersions();
  readonly #pages = new SeenPages();

  /**
   * @param at first word of the node. @param isLedger false: an entry of a snapshot
   * @returns undefined: there are none. Valid until the next call
   */
  read(bytes: Uint8Array, words: Uint32Array, at: number, isLedger: boolean): PageVersions | undefined {
    // A node without fields was only threaded.
    if (words[at + NftPageNode.tokensAt] === 0 && words[at + NftPageNode.prevTokensAt] === 0)
      return undefined;
    const page = this.#page;
    if (isLedger && this.#pages.add(bytes, words[at + Node.indexAt]!)) page.readChanged(bytes, words, at);
    else page.read(bytes, words, at);
    return page.before.count + page.after.count > 0 ? page : undefined;
  }

  /** Pages may have changed unseen. */
  clear(): void {
    this.#pages.clear();
  }
}
