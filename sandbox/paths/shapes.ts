/**
 * The shapes of paths that are searched for, by the kind of payment and the level of the search (rippled
 * `Pathfinder.cpp`). A shape is a text of links, starting at the sender:
 *
 *     a   over a trust line to another account       b   through any book       x   through the book that gives XRP
 *     f   through a book that gives the delivered currency                      d   over a trust line to the receiver
 * The shapes of implied paths are left out: a payment uses the implied path anyway.
 * The shapes of implied paths are left out: a payment takes the implied path anyway.
 */
import { type Asset, currencyOf, XRP } from '../../engine/codec/arithmetic/asset.ts';

export type Link = 'a' | 'b' | 'x' | 'f' | 'd';

export interface Shape {
  /** Searched for at this level and above: 1 is the lowest useful one, 10 the highest. */
  readonly level: number;
  readonly links: string;
}

export type PaymentKind = 'xrpToXrp' | 'xrpToIssued' | 'issuedToXrp' | 'sameCurrency' | 'otherCurrency';

/** Search levels for a first answer, for a usual search, and at most, with the meaning of rippled's table. */
export const SEARCH_LEVELS = { fast: 4, normal: 7, most: 10 } as const;

const shapes = (...rows: readonly (readonly [level: number, ...links: string[]])[]): readonly Shape[] =>
  rows.flatMap(([level, ...texts]) => texts.map((links) => ({ level, links })));

export const SHAPES: Readonly<Record<PaymentKind, readonly Shape[]>> = {
  xrpToXrp: [],
  xrpToIssued: shapes(
    [1, 'fd'],
    [3, 'fad'],
    [5, 'faad'],
    [6, 'bfd'],
    [8, 'bafd'],
    [9, 'bfad'],
    [10, 'bafad'],
  ),
  issuedToXrp: shapes([1, 'xd'], [2, 'axd'], [6, 'aaxd'], [7, 'bxd'], [8, 'abxd'], [9, 'abaxd']),
  sameCurrency: shapes(
    [1, 'ad', 'fd'],
    [4, 'afd', 'fad'],
    [5, 'aad', 'bfd'],
    [6, 'xfad', 'afad', 'axfd', 'axfad', 'abfd'],
    [7, 'aaad'],
  ),
  otherCurrency: shapes(
    [1, 'fad', 'afd'],
    [3, 'afad'],
    [4, 'xfd'],
    [5, 'axfd', 'xfad', 'bfd'],
    [6, 'axfad', 'abfd'],
    [7, 'aafd'],
    [8, 'aafad'],
    [9, 'afaad'],
  ),
};

/** The kind of a payment that sends one asset and delivers another; issuers do not matter. */
export function paymentKind(send: Asset, deliver: Asset): PaymentKind {
  if (send === XRP) return deliver === XRP ? 'xrpToXrp' : 'xrpToIssued';
  if (deliver === XRP) return 'issuedToXrp';
  return currencyOf(send) === currencyOf(deliver) ? 'sameCurrency' : 'otherCurrency';
}
