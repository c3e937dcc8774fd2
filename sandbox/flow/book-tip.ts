/**
 * The best offer of a book, and the next one after it was consumed.
 *
 *     book base + quality  ->  directory of one quality  ->  pages of offer keys, in order of arrival
 *
 * Rules: rippled BookTip.cpp. Cost: one successor search and two reads an offer.
 */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { offerDelete } from '../assets/offers.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import type { OrderBook } from './step.ts';

/** Position of an offer. */
export interface BookPlace {
  /** Key of the page that lists it. */
  readonly page: Hex;
  readonly offer: Hex;
  readonly quality: bigint;
  /** Key of the first page of its quality. */
  readonly root: Hex;
}

export function baseOf(book: OrderBook): Hex {
  return keylets.bookBase({ takerPays: book.in, takerGets: book.out, domain: book.domain });
}

/** The first key that a directory lists; empty pages are skipped. */
function firstOfDirectory(view: ReadView, root: Hex): { page: Hex; offer: Hex } | undefined {
  let page = view.read(root);
  while (page) {
    const offer = page.Indexes?.[0];
    if (offer !== undefined) return { page: page.index, offer };
    const next = page.IndexNext ?? 0n;
    if (next === 0n) return undefined;
    page = view.read(keylets.directoryPage(root, next));
  }
  return undefined;
}

/** The first listed offer at a quality as good as the directory `from` or worse, or of the whole book. */
export function bestPlace(view: ReadView, base: Hex, end: Hex, from?: Hex): BookPlace | undefined {
  let root = from !== undefined && view.read(from) ? from : view.successor(from ?? base, end);
  while (root !== undefined) {
    const first = firstOfDirectory(view, root);
    if (first) return { ...first, root, quality: keylets.directoryQuality(root) };
    root = view.successor(root, end);
  }
  return undefined;
}

export class BookTip {
  readonly #view: ApplyView;
  readonly #base: Hex;
  readonly #end: Hex;
  #place: BookPlace | undefined;
  /** The offer's entry, the view's own copy; undefined when the listed offer does not exist. */
  entry: Entry | undefined;

  constructor(view: ApplyView, base: Hex) {
    this.#view = view;
    this.#base = base;
    this.#end = keylets.nextQualityBase(base);
  }

  get place(): BookPlace {
    if (!this.#place) throw new Error('the book was not stepped into');
    return this.#place;
  }

  /** Deletes the current offer and moves to the best remaining one. False at the end of the book. */
  step(): boolean {
    if (this.entry) offerDelete(this.#view, this.entry);
    this.entry = undefined;
    const place = bestPlace(this.#view, this.#base, this.#end, this.#place?.root);
    if (!place) return false;
    this.#place = place;
    this.entry = this.#view.peek(place.offer);
    return true;
  }
}
