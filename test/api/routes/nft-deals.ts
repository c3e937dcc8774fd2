/**
 * Some weeks of random deals in NFTs on the embedded network, which an engine follows: what each transaction did, as the
 * reference codec reads it, and who owned what after each ledger, as the node says.
 */
import { expect } from 'bun:test';
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { Engine } from '../../../engine/engine.ts';
import { PLATFORMS } from '../../../engine/market/platforms.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { Network } from '../../../views/network.ts';
import { asTheNode } from '../../engine/nfts/node-nfts.ts';
import { follow, RandomNfts } from '../../engine/nfts/random-nfts.ts';
import { quiet } from '../../live-rig.ts';
import { drawsOf } from '../../sandbox/seed.ts';
import { asker, type Json } from './ask.ts';

const LEDGERS = 140;
const LEDGERS_MAX = 600;
/** Seconds between two ledgers at most: the test is of some three weeks. */
const PAUSE_MAX = 26_000;
export const DROPS = 1_000_000;
export const [one, other] = [PLATFORMS[2]!, PLATFORMS[7]!];
/** The last is of no platform that is known. */
const TAGS = [undefined, one.sourceTag, other.sourceTag, one.sourceTag, 4_000_000_001];

export interface Deal {
  readonly time: number;
  readonly tag: number | undefined;
  readonly count: 'sales' | 'mints' | 'burns' | 'transfers' | 'buyOffers' | 'sellOffers';
  readonly nft: string;
  readonly buyer?: string;
  readonly seller?: string;
  readonly broker?: string | undefined;
  readonly drops: number;
  readonly fee: number;
}

/** Owners by NFT after a ledger. */
export interface Owners {
  readonly time: number;
  readonly owners: ReadonlyMap<string, string>;
}

/** The NFT that came to pages without leaving one. */
function mintedIn(meta: Json): string {
  const pages = (meta.AffectedNodes as Json[])
    .map((node) => Object.values(node)[0] as Json)
    .filter(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage');
  const ids = (fields: Json | undefined): string[] =>
    ((fields?.NFTokens ?? []) as Json[]).map(({ NFToken }) => NFToken.NFTokenID);
  const before = new Set(pages.flatMap(({ PreviousFields }) => ids(PreviousFields)));
  return pages
    .flatMap(({ FinalFields, NewFields }) => ids(FinalFields ?? NewFields))
    .find((id) => !before.has(id))!;
}

/** What a successful transaction did. */
function dealOf(tx: Json, meta: Json, time: number): Deal | undefined {
  if (meta.TransactionResult !== 'tesSUCCESS') return undefined;
  const base = { time, tag: tx.SourceTag as number | undefined, nft: String(tx.NFTokenID), drops: 0, fee: 0 };
  if (tx.TransactionType === 'NFTokenMint') return { ...base, count: 'mints', nft: mintedIn(meta) };
  if (tx.TransactionType === 'NFTokenBurn') return { ...base, count: 'burns' };
  if (tx.TransactionType === 'NFTokenCreateOffer')
    return { ...base, count: tx.Flags === 1 ? 'sellOffers' : 'buyOffers' };
  if (tx.TransactionType !== 'NFTokenAcceptOffer') return undefined;
  const offers = (meta.AffectedNodes as Json[]).flatMap(({ DeletedNode }) =>
    DeletedNode?.LedgerEntryType === 'NFTokenOffer' ? [DeletedNode.FinalFields as Json] : [],
  );
  const [buy, sell] = [0, 1].map((flags) => offers.find(({ Flags }) => Flags === flags));
  const drops = Number((buy ?? sell)!.Amount);
  return {
    ...base,
    nft: String((buy ?? sell)!.NFTokenID),
    count: drops > 0 ? 'sales' : 'transfers',
    buyer: String(buy?.Owner ?? tx.Account),
    seller: String(sell?.Owner ?? tx.Account),
    broker: buy && sell ? String(tx.Account) : undefined,
    drops,
    fee: Number(tx.NFTokenBrokerFee ?? 0),
  };
}

/** Makes them when it is told to. */
export class NftDeals {
  readonly engine = new Engine({ store: new MemoryStore(), log: quiet });
  readonly deals: Deal[] = [];
  readonly states: Owners[] = [];
  readonly random: RandomNfts;
  readonly #draw: (below: number) => number;
  readonly #ask = asker(new Network({ engine: this.engine }));

  constructor(seed: number) {
    this.#draw = drawsOf(seed);
    this.random = new RandomNfts(this.#draw, TAGS);
  }

  /** The answer to a GET, which must be one. */
  readonly get = async (path: string): Promise<Json> => {
    const { status, body } = await this.#ask.get(path);
    expect([path, status]).toEqual([path, 200]);
    return body;
  };

  async make(): Promise<void> {
    const { engine, random, deals } = this;
    await follow(engine, random.rig.network.closed);
    // Sales with a broker are rare.
    const isShort = () => !deals.some(({ broker, count }) => broker !== undefined && count === 'sales');
    for (let i = 0; i < LEDGERS || (isShort() && i < LEDGERS_MAX); i++) {
      random.rig.time += this.#draw(PAUSE_MAX);
      await this.#next();
      // A part is in the store, the rest in memory only.
      if (i === LEDGERS / 2) await engine.drain();
    }
  }

  async #next(): Promise<void> {
    const packed = await follow(this.engine, this.random.next());
    const { nfts } = asTheNode(this.random.ask);
    const owners = new Map(Object.entries(nfts).map(([id, { owner }]) => [id, String(owner)]));
    this.states.push({ time: packed.closeTime, owners });
    for (let tx = 0; tx < packed.count; tx++) {
      const read = (bytes: Uint8Array) => decode(hexOf(bytes)) as Json;
      const deal = dealOf(read(packed.tx(tx)), read(packed.meta(tx)), packed.closeTime);
      if (deal) this.deals.push(deal);
    }
  }
}

export const sold = (of: readonly Deal[]) => of.filter(({ count }) => count === 'sales');
export const drops = (of: readonly Deal[]) => sold(of).reduce((sum, deal) => sum + deal.drops, 0);
