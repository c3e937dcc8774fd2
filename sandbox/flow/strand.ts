/**
 * Builds the steps of a strand from a path of a transaction.
 *
 *     path      [ account | currency and/or issuer ]*          from the transaction
 *     nodes     sender, sendMax's issuer, path, book to the delivered asset, its issuer, receiver
 *     steps     one for each pair of nodes; a book step replaces the node after it
 *
 * What a transaction leaves out is implied: its ends, their issuers, and the book between the last asset of the path and
 * the delivered one. Rules: rippled PaySteps.cpp (`toStrand`, `toStrands`).
 */

import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  currencyOf,
  type Hex,
  isIssued,
  isMpt,
  issued,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ReadView } from '../ledger/view.ts';
import type { PathSet, PathStep } from '../protocol/fields.ts';
import { isTem, type Result } from '../protocol/results.ts';
import type { AmmContext } from './amm-context.ts';
import { BookStep } from './book-step.ts';
import { DirectStep } from './direct-step.ts';
import type { Crossing, Made, Step, StrandContext } from './step.ts';
import { XrpEndpointStep } from './xrp-endpoint-step.ts';

export type Strand = readonly Step[];

export interface StrandRequest {
  readonly source: AccountId;
  readonly destination: AccountId;
  readonly deliver: Asset;
  /** Of the transaction's SendMax. */
  readonly sendMax: Asset | undefined;
  readonly limitQuality: bigint | undefined;
  readonly ownerPaysTransferFee: boolean;
  readonly crossing: Crossing;
  readonly amm: AmmContext;
  readonly domain: Hex | undefined;
}

/** An account, or a change of asset by a book. */
interface Node {
  readonly account?: AccountId | undefined;
  readonly currency?: Hex | undefined;
  readonly issuer?: AccountId | undefined;
}

/** Currency and the account whose debt it is at this point of the path; account zero for XRP. */
interface Place {
  readonly currency: Hex;
  readonly account: AccountId;
}

type Outcome<T> = { readonly made: T } | { readonly failure: Result };

/** All strands of a payment without duplicates. A malformed path fails the payment, other failures only the path. */
export function toStrands(
  view: ReadView,
  request: StrandRequest,
  paths: PathSet,
  defaultPath: boolean,
): Outcome<Strand[]> {
  const strands: Strand[] = [];
  const add = (strand: Strand): void => {
    if (!strands.some((other) => sameStrand(other, strand))) strands.push(strand);
  };
  if (defaultPath) {
    const strand = toStrand(view, request, []);
    if ('made' in strand) add(strand.made);
    else if (isTem(strand.failure) || paths.length === 0) return strand;
  } else if (paths.length === 0) return { failure: 'temRIPPLE_EMPTY' };
  let last: Result = 'tesSUCCESS';
  for (const path of paths) {
    const strand = toStrand(view, request, path);
    if ('made' in strand) add(strand.made);
    else if (isTem(strand.failure)) return strand;
    else last = strand.failure;
  }
  // Without any strand the last failure is the payment's, or the default path's failure was ignored.
  return strands.length === 0 ? { failure: last } : { made: strands };
}

function sameStrand(a: Strand, b: Strand): boolean {
  return a.length === b.length && a.every((step, i) => step.equals(b[i]!));
}

export function toStrand(view: ReadView, request: StrandRequest, path: readonly PathStep[]): Outcome<Strand> {
  if (!isPayable(request) || !path.every(isNode)) return { failure: 'temBAD_PATH' };
  const nodes = nodesOf(request, path);
  // One's own issue to oneself: there are no steps.
  if (nodes.length < 2) return { failure: 'temBAD_PATH' };
  const steps: Step[] = [];
  const builder = new StrandBuilder(view, request, path.length === 0, steps);
  let place = startOf(request);
  for (let i = 0; i + 1 < nodes.length; i += 1) {
    const from = nodes[i]!;
    const to = nodes[i + 1]!;
    place = moved(place, from);
    const isLast = i === nodes.length - 2;
    const failure =
      from.account === undefined && to.account !== undefined
        ? builder.leaveBook(place, to.account, isLast)
        : builder.advance(place, from, to, isLast);
    if (failure !== 'tesSUCCESS') return { failure };
  }
  return { made: steps };
}

function isPayable({ source, destination, deliver, sendMax }: StrandRequest): boolean {
  for (const account of [source, destination])
    if (account === ACCOUNT_ZERO || account === ACCOUNT_ONE) return false;
  return isSound(deliver) && (sendMax === undefined || isSound(sendMax));
}

/** Whether an asset can be paid over paths; MPTs cannot. */
function isSound(asset: Asset): boolean {
  if (asset === XRP) return true;
  const issuer = issuerOf(asset);
  return (
    isIssued(asset) && issuer !== ACCOUNT_ZERO && issuer !== ACCOUNT_ONE && currencyOf(asset) !== CURRENCY_XRP
  );
}

function isNode({ account, currency, issuer, mpt }: PathStep): boolean {
  if (mpt !== undefined) return false;
  if (account === undefined && currency === undefined && issuer === undefined) return false;
  if (account !== undefined && (currency !== undefined || issuer !== undefined)) return false;
  for (const id of [account, issuer]) if (id === ACCOUNT_ZERO || id === ACCOUNT_ONE) return false;
  // An issuer is never account zero here, so XRP cannot have one.
  return !(currency === CURRENCY_XRP && issuer !== undefined);
}

/** The sender holds its own issue first, and ripples it to the issuer of SendMax. */
function startOf({ sendMax, deliver, source }: StrandRequest): Place {
  const asset = sendMax ?? deliver;
  if (asset === XRP || isMpt(asset)) return { currency: CURRENCY_XRP, account: ACCOUNT_ZERO };
  return { currency: asset.slice(0, 40), account: source };
}

function nodesOf(request: StrandRequest, path: readonly PathStep[]): Node[] {
  const { source, destination, sendMax, deliver, crossing } = request;
  const start = startOf(request);
  const nodes: Node[] = [{ account: source, currency: start.currency, issuer: start.account }];
  if (sendMax !== undefined) {
    const issuer = issuerOf(sendMax);
    if (issuer !== source && path[0]?.account !== issuer) nodes.push({ account: issuer });
  }
  nodes.push(...path);
  const currency = currencyOf(deliver)!;
  const issuer = issuerOf(deliver);
  const asset = nodes.findLast((node) => node.currency !== undefined)!;
  const otherIssuer = crossing !== 'no' && (asset.issuer ?? ACCOUNT_ZERO) !== issuer;
  if (asset.currency !== currency || otherIssuer) nodes.push({ currency, issuer });
  if (nodes.at(-1)!.account !== issuer && destination !== issuer) nodes.push({ account: issuer });
  if (nodes.at(-1)!.account !== destination) nodes.push({ account: destination });
  return nodes;
}

function moved(place: Place, { account, currency, issuer }: Node): Place {
  const next = { currency: currency ?? place.currency, account: account ?? issuer ?? place.account };
  return currency === CURRENCY_XRP ? { ...next, account: ACCOUNT_ZERO } : next;
}

const assetAt = ({ currency, account }: Place): Asset =>
  currency === CURRENCY_XRP ? XRP : issued(currency, account);

class StrandBuilder {
  readonly #view: ReadView;
  readonly #request: StrandRequest;
  readonly #isDefaultPath: boolean;
  readonly #steps: Step[];
  readonly #seenDirect: [Set<Asset>, Set<Asset>] = [new Set(), new Set()];
  readonly #seenBookOuts = new Set<Asset>();

  constructor(view: ReadView, request: StrandRequest, isDefaultPath: boolean, steps: Step[]) {
    this.#view = view;
    this.#request = request;
    this.#isDefaultPath = isDefaultPath;
    this.#steps = steps;
  }

  /** Adds the steps from an account, or from one book to the next. */
  advance(place: Place, from: Node, to: Node, isLast: boolean): Result {
    if (from.account !== undefined && to.account === undefined && place.account !== from.account) {
      // XRP before a book without the XRP account between: a step that is not possible.
      const failure = this.#add(
        DirectStep.make(this.#context(false), from.account, place.account, place.currency),
      );
      if (failure !== 'tesSUCCESS') return failure;
    }
    return this.#add(this.#step(place, from, to, isLast));
  }

  /** From a book's output to an account: a step only when the account is not its issuer. */
  leaveBook(place: Place, account: AccountId, isLast: boolean): Result {
    if (place.account === account || account === ACCOUNT_ZERO) return 'tesSUCCESS';
    if (place.currency !== CURRENCY_XRP)
      return this.#add(DirectStep.make(this.#context(false), place.account, account, place.currency));
    return isLast ? this.#add(XrpEndpointStep.make(this.#context(false), account)) : 'temBAD_PATH';
  }

  #add(made: Made): Result {
    if ('failure' in made) return made.failure;
    this.#steps.push(made);
    return 'tesSUCCESS';
  }

  #step(place: Place, from: Node, to: Node, isLast: boolean): Made {
    const context = this.#context(isLast);
    const { account } = from;
    if (context.isFirst && account !== undefined && from.currency === CURRENCY_XRP)
      return XrpEndpointStep.make(context, account);
    const fromXrp = account === ACCOUNT_ZERO && from.currency === undefined;
    if (isLast && fromXrp && to.account !== undefined) return XrpEndpointStep.make(context, to.account);
    if (account !== undefined && to.account !== undefined)
      return DirectStep.make(context, account, to.account, place.currency);
    const next = { currency: to.currency ?? place.currency, account: to.issuer ?? place.account };
    if (place.currency === CURRENCY_XRP && next.currency === CURRENCY_XRP) return { failure: 'temBAD_PATH' };
    const book = { in: assetAt(place), out: assetAt(next), domain: this.#request.domain };
    if (!isSound(book.in) || !isSound(book.out)) return { failure: 'temBAD_PATH' };
    return BookStep.make(context, book);
  }

  #context(isLast: boolean): StrandContext {
    return {
      view: this.#view,
      source: this.#request.source,
      destination: this.#request.destination,
      deliver: this.#request.deliver,
      limitQuality: this.#request.limitQuality,
      isFirst: this.#steps.length === 0,
      isLast,
      ownerPaysTransferFee: this.#request.ownerPaysTransferFee,
      crossing: this.#request.crossing,
      isDefaultPath: this.#isDefaultPath,
      previous: this.#steps.at(-1),
      seenDirect: this.#seenDirect,
      seenBookOuts: this.#seenBookOuts,
      amm: this.#request.amm,
      domain: this.#request.domain,
    };
  }
}
