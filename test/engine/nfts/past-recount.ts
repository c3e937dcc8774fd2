/** Collections by the nodes of all transactions, as the reference codec reads them: the oracle of what they were in the past. */
import { decode } from 'ripple-binary-codec';
import { decodeAccountID, parseNFTokenID } from 'xrpl';
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';

type Json = Record<string, unknown>;

export interface Recounted {
  /** Drops; undefined: nothing is listed. */
  readonly floor: number | undefined;
  readonly listed: number;
  readonly bids: number;
  readonly owners: number;
}

const NOTHING: Recounted = { floor: undefined, listed: 0, bids: 0, owners: 0 };
/** Hex digits of an account id: the beginning of the index of a page. */
const OWNER_DIGITS = 40;

function collectionOfNft(id: string): string {
  const { Issuer, Taxon } = parseNFTokenID(id);
  return `${Issuer}:${Taxon}`;
}

export class PastRecount {
  /** By index: the NFTs of the page. */
  readonly #pages = new Map<string, readonly string[]>();
  readonly #offers = new Map<string, Json>();
  /** Collections that were ever seen. */
  readonly collections = new Set<string>();

  add(packed: PackedLedger): void {
    for (let i = 0; i < packed.count; i++) {
      const { AffectedNodes } = decode(hexOf(packed.meta(i))) as { AffectedNodes: Json[] };
      for (const node of AffectedNodes) {
        const [[action, fields]] = Object.entries(node) as [[string, Json]];
        this.#node(action, fields);
      }
    }
  }

  /** All collections at a close time. */
  at(time: number): Map<string, Recounted> {
    const found = new Map<string, Recounted>();
    for (const id of this.collections) found.set(id, NOTHING);
    const owners = new Map<string, string>();
    const holders = new Map<string, Set<string>>();
    for (const [index, nfts] of this.#pages)
      for (const nft of nfts) {
        const owner = index.slice(0, OWNER_DIGITS);
        const id = collectionOfNft(nft);
        owners.set(nft, owner);
        holders.set(id, (holders.get(id) ?? new Set()).add(owner));
      }
    for (const [id, { size }] of holders) found.set(id, { ...NOTHING, owners: size });
    const open = [...this.#offers.values()].filter(
      ({ Amount, Expiration, NFTokenID }) =>
        typeof Amount === 'string' &&
        owners.has(String(NFTokenID)) &&
        !(Expiration !== undefined && Number(Expiration) <= time),
    );
    const listed = new Set<string>();
    for (const { Amount, Destination, Flags, NFTokenID, ownerId } of open) {
      const nft = String(NFTokenID);
      const id = collectionOfNft(nft);
      const one = found.get(id)!;
      if (Flags !== 1) found.set(id, { ...one, bids: one.bids + 1 });
      else if (Destination === undefined && ownerId === owners.get(nft)) {
        const floor = Math.min(one.floor ?? Number.POSITIVE_INFINITY, Number(Amount));
        found.set(id, { ...one, floor, listed: one.listed + (listed.has(nft) ? 0 : 1) });
        listed.add(nft);
      }
    }
    return found;
  }

  #node(action: string, { LedgerEntryType, LedgerIndex, NewFields, FinalFields }: Json): void {
    const index = String(LedgerIndex);
    const fields = (NewFields ?? FinalFields ?? {}) as Json;
    if (LedgerEntryType === 'NFTokenPage') this.#page(action, index, fields);
    else if (LedgerEntryType === 'NFTokenOffer') this.#offer(action, index, fields);
  }

  #page(action: string, index: string, { NFTokens }: Json): void {
    if (action === 'DeletedNode') this.#pages.delete(index);
    else if (NFTokens !== undefined) {
      const nfts = (NFTokens as Json[]).map(({ NFToken }) => String((NFToken as Json).NFTokenID));
      this.#pages.set(index, nfts);
      for (const nft of nfts) this.collections.add(collectionOfNft(nft));
    }
  }

  #offer(action: string, index: string, fields: Json): void {
    if (action === 'DeletedNode') this.#offers.delete(index);
    else if (action === 'CreatedNode')
      this.#offers.set(index, { Amount: '0', Flags: 0, ...fields, ownerId: accountIdOf(fields.Owner) });
  }
}

/** Hex of the 20 bytes of an address. */
function accountIdOf(address: unknown): string {
  return hexOf(decodeAccountID(String(address)));
}
