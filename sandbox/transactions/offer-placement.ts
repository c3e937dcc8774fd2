/** Adds an offer to its book, its owner's directory and the ledger (rippled CreateOffer.cpp). */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ZERO,
  CURRENCY_XRP,
  currencyOf,
  type Hex,
  issuerOf,
} from '../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../engine/codec/arithmetic/quality.ts';
import type { ApplyContext } from '../apply/rule.ts';
import { insertOwned } from '../assets/owned.ts';
import { reserveOf } from '../assets/reserve.ts';
import { type Describe, dirAppend } from '../ledger/directory.ts';
import type { ApplyView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';

export interface Placement {
  readonly pays: Amount;
  readonly gets: Amount;
  /** The quality of the whole offer, before crossing. */
  readonly rate: bigint;
  /** Whether a part of it has crossed. */
  readonly crossed: boolean;
}

/** Places the remainder of an offer. Without its reserve nothing is placed; that is a failure unless it crossed. */
export function place(context: ApplyContext, view: ApplyView, placement: Placement): Result {
  const { tx, account, priorBalance } = context;
  const owner = view.peek(keylets.account(account));
  if (!owner) return 'tefINTERNAL';
  if (priorBalance < reserveOf(view, owner, 1))
    return placement.crossed ? 'tesSUCCESS' : 'tecINSUF_RESERVE_OFFER';
  const sequence = sequenceOf(tx);
  const index = keylets.offer(account, sequence);
  const { pays, gets, rate } = placement;
  const main = list(view, index, placement, rate, tx.DomainID);
  if (!main) return 'tecDIR_FULL';
  const offer: Entry = {
    LedgerEntryType: 'Offer',
    index,
    Flags: flagsOf(tx.Flags ?? 0),
    Account: account,
    Sequence: sequence,
    TakerPays: pays,
    TakerGets: gets,
    BookDirectory: main.directory,
    BookNode: main.page,
  };
  if (tx.Expiration !== undefined) offer.Expiration = tx.Expiration;
  if (tx.DomainID !== undefined) offer.DomainID = tx.DomainID;
  if (hasAny(tx.Flags, Tf.tfHybrid)) {
    // The quality of the remainder may differ by rounding; it was used before fixCleanup3_2_0.
    const open = view.rules.enabled('fixCleanup3_2_0') ? rate : getRate(gets, pays);
    const second = list(view, index, placement, open, undefined);
    if (!second) return 'tecDIR_FULL';
    offer.AdditionalBooks = [{ Book: { BookDirectory: second.directory, BookNode: second.page } }];
  }
  return insertOwned(view, owner, offer);
}

function flagsOf(txFlags: number): number {
  let flags = 0;
  if (hasAny(txFlags, Tf.tfPassive)) flags |= Lsf.lsfPassive;
  if (hasAny(txFlags, Tf.tfSell)) flags |= Lsf.lsfSell;
  if (hasAny(txFlags, Tf.tfHybrid)) flags |= Lsf.lsfHybrid;
  return flags;
}

/** Adds the offer to a book: a domain's, or the open one. */
function list(
  view: ApplyView,
  index: Hex,
  { pays, gets }: Placement,
  rate: bigint,
  domain: Hex | undefined,
): { directory: Hex; page: bigint } | undefined {
  const base = keylets.bookBase({ takerPays: pays.asset, takerGets: gets.asset, domain });
  const directory = keylets.bookDirectory(base, rate);
  const page = dirAppend(view, directory, index, describeBook(pays, gets, rate, domain));
  return page === undefined ? undefined : { directory, page };
}

function describeBook(pays: Amount, gets: Amount, rate: bigint, domain: Hex | undefined): Describe {
  return (page) => {
    page.TakerPaysCurrency = currencyOf(pays.asset) ?? CURRENCY_XRP;
    page.TakerPaysIssuer = pays.isNative ? ACCOUNT_ZERO : issuerOf(pays.asset);
    page.TakerGetsCurrency = currencyOf(gets.asset) ?? CURRENCY_XRP;
    page.TakerGetsIssuer = gets.isNative ? ACCOUNT_ZERO : issuerOf(gets.asset);
    page.ExchangeRate = rate;
    if (domain !== undefined) page.DomainID = domain;
  };
}
