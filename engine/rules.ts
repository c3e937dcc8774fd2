/**
 * The version of the rules by which figures follow from ledgers, and what a store records of it: whether its figures are
 * those that this program would compute of the same ledgers.
 */
import type { Batch, Store } from './store.ts';

/**
 * Raise it when the same ledgers give other figures than before: another value of a trade, other candles, reviews, rates
 * or segments, a new history family. Not for a column that `Table.fill` derives from the store, nor for what is only in
 * memory. Raising it makes each store that holds all its ledgers rebuild itself at its next start (service/recompute.ts).
 *
 *     none   0.3.0 and earlier did not record it
 *     1      0.4.0; since 0.2.0 values of trades, reviews of anchors and segments changed, and candles in fiat are stored
 *     2      events of accounts and creators of tokens (engine/flows)
 *     3      events of NFTs (engine/nfts)
 *     4      scams (engine/scams)
 *     5      the past of collections of NFTs
 *     6      marketplaces of NFTs by broker and memo, too; issuers that give NFTs away (engine/scams/rules/nft-copies.ts)
 *     7      no closed candle is left out of relative strength (engine/market/relative-strength.ts)
 *     8      who sends dust with memos and who gives NFTs away are kept apart (engine/scams/rules)
 *     9      events of accounts: liquidity of XRP alone, and of an issuer's own token (engine/flows/account-events.ts)
 *     10     accounts that were deleted and created again are as old as their last creation (engine/state/accounts.ts); LP tokens of
 *            the withdrawal that ends a pool, and the last digits of very small and very large amounts (engine/market, engine/codec)
 *     11     after missing ledgers: transfers are what their transaction moved (engine/state/balance-log.ts), and NFTs were modified by
 *            their owner of then (engine/nfts); checks for XRP that are cashed are events of both ends (engine/flows); offers for NFTs that
 *            expired in hours without a ledger; domains in other letters, and rewards in tokens of value (engine/scams)
 *     12     payments that take an offer of their sender are transfers, escrows go from their owner to their receiver, and who sold an
 *            NFT for tokens has them from who paid (engine/flows); words and hosts that lure in letters that look like others,
 *            brokers that sell what they were offered for nothing, and transactions that show an impersonation (engine/scams);
 *            NFTs that were burned and minted anew, and mints before the offers that they make (engine/nfts); sums of tokens of traders
 *            in their last digit (engine/traders);
 *            airdrops of issuers that name their own site (engine/scams)
 *     13     what issuers claw back out of pools and vaults, and attempts at it (engine/flows). The rules of 12 came one after another: its
 *            first stores lack the later ones
 *     14     trades and withdrawals of the ledger that closes a pool are that pool's (engine/market), and none of its account's (engine/flows)
 */
export const RULES_VERSION = 14;
/** Name of the stored value. */
export const RULES_VALUE = 'rules';

/** What a store records with its first ledger; it stays as long as the store. */
export interface StoredRules {
  /** RULES_VERSION of the program that began it. */
  readonly version: number;
  /** Index of its first ledger: one whose oldest ledger is a later one has lost some. */
  readonly first: number;
}

/** Records the rules in a store that is empty; one that has ledgers keeps what it says. */
export class RulesRecord {
  #isStored: boolean;

  constructor({ cursor }: Pick<Store, 'cursor'>) {
    this.#isStored = cursor !== undefined;
  }

  /** @param first index of the ledger that the batch has or whose state it has */
  write(batch: Batch, first: number): void {
    if (this.#isStored) return;
    this.#isStored = true;
    batch.value(RULES_VALUE, { version: RULES_VERSION, first } satisfies StoredRules);
  }
}
