/** The strands that may still deliver something, in the order they are tried (rippled StrandFlow.h, `ActiveStrands`). */

import { composed, QUALITY_ONE } from '../../engine/codec/arithmetic/quality.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Debt } from './step.ts';
import type { Strand } from './strand.ts';

/** Upper bound of a strand's quality; undefined when one of its steps is dry. */
export function strandBound(view: ReadView, strand: Strand): bigint | undefined {
  let quality = QUALITY_ONE;
  let debt: Debt = 'issues';
  for (const step of strand) {
    const bound = step.bound(view, debt);
    if (bound.quality === undefined) return undefined;
    quality = composed(quality, bound.quality);
    debt = bound.debt;
  }
  return quality;
}

export class ActiveStrands {
  /** The strands of this round. */
  current: readonly Strand[] = [];
  /** The strands of the next one. */
  next: Strand[];

  constructor(strands: readonly Strand[]) {
    this.next = [...strands];
  }

  /**
   * Begins a round. Of several strands those that cannot reach `limit` are dropped for good; the others are sorted, best
   * first, those of equal quality in their previous order.
   */
  activate(view: ReadView, limit: bigint | undefined, sort: boolean): void {
    this.current = sort && this.next.length > 1 ? sorted(view, this.next, limit) : this.next;
    this.next = [];
  }
}

function sorted(view: ReadView, strands: readonly Strand[], limit: bigint | undefined): Strand[] {
  const bounds: { strand: Strand; bound: bigint }[] = [];
  for (const strand of strands) {
    const bound = strandBound(view, strand);
    if (bound !== undefined && (limit === undefined || bound <= limit)) bounds.push({ strand, bound });
  }
  bounds.sort((a, b) => (a.bound < b.bound ? -1 : a.bound > b.bound ? 1 : 0));
  return bounds.map(({ strand }) => strand);
}
