/**
 * The NFTs of a page before and after a node, as far as they have to be looked at: of a page that was seen since the last gap
 * only those that its change set names (codec/nft-page.ts), since the others are known with their owner; of any other page all.
 */
import { NftPageNode, Node, NodeAction } from '../codec/changes.ts';
import { PageTokens } from '../codec/nft-page.ts';
import { SeenPages } from './seen-pages.ts';

export class ChangedTokens {
  readonly before = new PageTokens();
  readonly after = new PageTokens();
  readonly #pages = new SeenPages();

  /**
   * @param at first word of the node. @param isLedger false: an entry of a snapshot
   * @returns whether there are any
   */
  read(bytes: Uint8Array, words: Uint32Array, at: number, isLedger: boolean): boolean {
    // A node without fields was only threaded.
    if (words[at + NftPageNode.tokensAt] === 0 && words[at + NftPageNode.prevTokensAt] === 0) return false;
    if (isLedger && this.#pages.add(bytes, words[at + Node.indexAt]!)) this.#readChanged(bytes, words, at);
    else this.#readPage(bytes, words, at);
    return this.before.count + this.after.count > 0;
  }

  /** Pages may have changed unseen. */
  clear(): void {
    this.#pages.clear();
  }

  #readChanged(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const { prevChangedAt, prevChanged, changedAt, changed } = NftPageNode;
    this.before.read(bytes, words[at + prevChangedAt]!, words[at + prevChanged]!);
    this.after.read(bytes, words[at + changedAt]!, words[at + changed]!);
  }

  #readPage(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const action = words[at + Node.action]!;
    const tokensAt = words[at + NftPageNode.tokensAt]!;
    const previousAt = words[at + NftPageNode.prevTokensAt]!;
    const isNew = action === NodeAction.created;
    // A page whose NFTs stay has no previous ones; one that is deleted shows what it had in the end.
    this.before.read(bytes, previousAt === 0 && !isNew ? tokensAt : previousAt);
    this.after.read(bytes, action === NodeAction.deleted ? 0 : tokensAt);
  }
}
