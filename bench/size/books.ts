/**
 * The order books of the sized network: which offers stand, best first. A book is sorted when it is first asked for.
 * Memory: 4 bytes an offer, and an object for each offer of the books that were asked for.
 */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { type CurrentState, hex, OpenOffer } from './current.ts';
import type { Offer, Side } from './network.ts';

export class Books {
  /** Offers ever placed. */
  placed: number;
  readonly #state: CurrentState;
  /** Numbers of the first offers, by book; book = token * 2 + side. */
  readonly #offers: Uint32Array;
  readonly #from: Uint32Array;
  readonly #lists = new Map<number, OpenOffer[]>();
  readonly #known = new Map<number, OpenOffer>();

  constructor(state: CurrentState) {
    this.#state = state;
    const { network } = state;
    this.placed = network.offers;
    const books = new Uint32Array(network.offers);
    this.#from = new Uint32Array(network.tokens * 2 + 1);
    for (let number = 0; number < network.offers; number++) {
      const { token, side } = network.offer(number);
      books[number] = token * 2 + side;
      this.#from[books[number]! + 1]!++;
    }
    for (let book = 1; book < this.#from.length; book++) this.#from[book]! += this.#from[book - 1]!;
    const next = this.#from.slice();
    this.#offers = new Uint32Array(network.offers);
    for (let number = 0; number < network.offers; number++) this.#offers[next[books[number]!]!++] = number;
  }

  /** An offer by its number; look at `exists`. */
  offer(number: number): OpenOffer {
    const { network, entries } = this.#state;
    let offer = this.#known.get(number);
    if (offer === undefined) {
      offer = this.#open(entries.key(entries.from.offers + number), number, network.offer(number));
      this.#known.set(number, offer);
    }
    return offer;
  }

  /** Standing offers of a book, best first. */
  book(token: number, side: Side): readonly OpenOffer[] {
    const book = token * 2 + side;
    let list = this.#lists.get(book);
    if (list === undefined) {
      const numbers = this.#offers.subarray(this.#from[book]!, this.#from[book + 1]!);
      list = Array.from(numbers, (number) => this.offer(number)).filter(({ exists }) => exists);
      list.sort((a, b) => (quality(a) < quality(b) ? -1 : 1));
      this.#lists.set(book, list);
    }
    return list;
  }

  /** Puts a new offer into its book. */
  place(key: Hex, offer: Offer): OpenOffer {
    const list = this.book(offer.token, offer.side) as OpenOffer[];
    const placed = this.#open(key, this.placed++, offer);
    this.#known.set(placed.number, placed);
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (quality(list[middle]!) <= quality(placed)) low = middle + 1;
      else high = middle;
    }
    list.splice(low, 0, placed);
    return placed;
  }

  /** Takes an offer out of its book. */
  remove(offer: OpenOffer): void {
    offer.exists = false;
    const list = this.#lists.get(offer.token * 2 + offer.side);
    const at = list?.indexOf(offer) ?? -1;
    if (at >= 0) list!.splice(at, 1);
  }

  #open(key: Hex, number: number, offer: Offer): OpenOffer {
    const state = this.#state;
    const directory = new Uint8Array(32);
    state.entries.writeBook(offer, directory, 0);
    const ids = { owner: state.id(offer.owner), asset: state.asset(offer.token), directory: hex(directory) };
    return new OpenOffer(key, number, offer, ids);
  }
}

/** Last digits of its book directory: lower is better for the taker. */
const quality = ({ directory }: OpenOffer): string => directory.slice(48);
