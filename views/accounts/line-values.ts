/**
 * What the lines of an account are worth, by place (see held-lines.ts): kept, and brought up to date from the lines and the prices
 * that changed since.
 *
 *     lines that changed   --HeldLines.update-->  | values by place | --> sum, the most valuable
 *     prices that changed  --ChangedPrices----->  |                 |
 *
 * Goal: the first page of an account with 50,000 lines after a ledger costs about as much as that of a small one. Non-goal: the
 * order of all lines, which deep pages sort. Cost: 100 ns a line at first, then 200 ns a change and 4 ns a line; 50 bytes a line.
 */
import type { CooperativeTask } from '../../engine/event-loop.ts';
import type { ChangedPrices } from './changed-prices.ts';
import type { HeldLines } from './held-lines.ts';

/** Lines valued before other work may run: about a millisecond. */
const LINES_A_SLICE = 16_384;

export class LineValues {
  readonly held: HeldLines;
  readonly #prices: ChangedPrices;
  /** XRP per token; 0 without a price. */
  readonly #priceOf: (token: number) => number;
  /** XRP, by place; 0 without a price, and of empty places. */
  #values = new Float64Array(0);
  readonly #placeOf = new Map<number, number>();
  /** Up to where changes of prices are taken over; undefined: nothing is valued yet. */
  #position: number | undefined;

  constructor(held: HeldLines, prices: ChangedPrices, priceOf: (token: number) => number) {
    this.held = held;
    this.#prices = prices;
    this.#priceOf = priceOf;
  }

  /** Takes over what changed. The state must not change meanwhile; where it did, it has to be run again. */
  *updating(): CooperativeTask<void> {
    const { held } = this;
    const lines = held.update();
    this.#reserve();
    const tokens = this.#position === undefined ? undefined : this.#prices.since(this.#position);
    if (tokens === undefined) {
      this.#position = undefined;
      const { position } = this.#prices;
      for (let place = 0; place < held.places; place++) {
        if (place % LINES_A_SLICE === LINES_A_SLICE - 1) yield;
        this.#measure(place);
      }
      this.#position = position;
      return;
    }
    for (const place of lines) this.#measure(place);
    for (const token of new Set(tokens)) {
      const place = this.#placeOf.get(token);
      if (place !== undefined) this.#measure(place);
    }
    this.#position = this.#prices.position;
  }

  /** Of all lines, XRP. */
  sum(): number {
    const values = this.#values;
    let sum = 0;
    for (let place = this.held.places - 1; place >= 0; place--) sum += values[place]!;
    return sum;
  }

  /** By place, XRP: a copy. */
  all(): Float64Array {
    return this.#values.slice(0, this.held.places);
  }

  /** Places of the most valuable lines, the highest first; of the same value the newest first. */
  highest(count: number): number[] {
    const { held } = this;
    const values = this.#values;
    const isLower = (a: number, b: number) => values[a]! < values[b]! || (values[a]! === values[b]! && a < b);
    // A heap, the lowest at its top. Places come newest first, so that of the same value those that are in it stay.
    const heap: number[] = [];
    for (let place = held.places - 1; place >= 0 && count > 0; place--) {
      if (!held.isHeld(place)) continue;
      if (heap.length < count) siftUp(heap, place, isLower);
      else if (values[place]! > values[heap[0]!]!) siftDown(heap, place, isLower);
    }
    return heap.sort((a, b) => (isLower(a, b) ? 1 : -1));
  }

  #measure(place: number): void {
    const { held } = this;
    const token = held.token(place);
    if (token !== 0) this.#placeOf.set(token, place);
    this.#values[place] = held.isHeld(place) ? held.balance(place) * this.#priceOf(token) : 0;
  }

  #reserve(): void {
    const { places } = this.held;
    if (places <= this.#values.length) return;
    const grown = new Float64Array(Math.ceil(places * 1.25));
    grown.set(this.#values);
    this.#values = grown;
  }
}

type IsLower = (a: number, b: number) => boolean;

/** Adds a place at the end, and moves it up. */
function siftUp(heap: number[], place: number, isLower: IsLower): void {
  let at = heap.length;
  heap.push(place);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isLower(place, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = place;
}

/** Puts a place in the stead of the top, and moves it down. */
function siftDown(heap: number[], place: number, isLower: IsLower): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isLower(heap[child + 1]!, heap[child]!)) child++;
    if (!isLower(heap[child]!, place)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = place;
}
