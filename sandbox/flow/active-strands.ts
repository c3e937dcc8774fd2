/** The strands that may still give something, in the order they are tried (rippled StrandFlow.h, `ActiveStrands`). */
import type { ReadView } from '../ledger/view.ts';
import { composed, QUALITY_ONE } from '../protocol/quality.ts';
import type { Debt } from './step.ts';
import type { Strand } from './strand.ts';

/** The best quality a strand could have; undefined when a step of it is dry. */
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
  /** Those of this round. */
  current: readonly Strand[] = [];
  /** Those of the next one. */
  next: Strand[];

  constructor(strands: readonly Strand[]) {
    this.next = [...strands];
  }

  /**
   * Begins a round. Of several strands those are left out for good that could not reach `limit`; the others are
   * sorted, best first, those of equal quality as they stood.
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
