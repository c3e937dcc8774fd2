/**
 * The graph of paths. Its nodes are assets, numbered in the order they are met: XRP, and for each currency the debt of
 * each account in it. Holding "USD of A" means being at one node; the next step of a path is an edge:
 *
 *     (USD, A) ── trust line ──► (USD, B)        A pays B, B owes now
 *     (USD, A) ── book ────────► (EUR, C)        an offer or a pool takes one and gives the other
 *
 * A path is a chain of steps, each a node and how it was reached. Chains share their beginnings: a step points to the one
 * before it, so continuing a path in fifty ways makes fifty steps, not fifty copies.
 */
import {
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  type Hex,
  issued,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import type { PathStep } from '../protocol/fields.ts';
import type { BookSource } from './book-index.ts';

/** Number of an asset in one graph. */
export type Node = number;

/** A path from the sender; the sender itself is not a step. */
export interface Trail {
  readonly before: Trail | undefined;
  readonly node: Node;
  readonly byBook: boolean;
  readonly length: number;
}

export const goOn = (before: Trail | undefined, node: Node, byBook: boolean): Trail => ({
  before,
  node,
  byBook,
  length: (before?.length ?? 0) + 1,
});

/** Whether the path has visited this node, reached in this way. */
export function hasBeen(trail: Trail | undefined, node: Node, byBook: boolean): boolean {
  for (let step = trail; step; step = step.before)
    if (step.node === node && step.byBook === byBook) return true;
  return false;
}

/** Steps in order. */
export function stepsOf(trail: Trail): Trail[] {
  const steps: Trail[] = new Array(trail.length);
  for (let step: Trail | undefined = trail; step; step = step.before) steps[step.length - 1] = step;
  return steps;
}

export class PathGraph {
  readonly xrp: Node;
  readonly #books: BookSource;
  readonly #domain: Hex | undefined;
  readonly #numbers = new Map<Asset, Node>();
  readonly #assets: Asset[] = [];
  readonly #outputs: (readonly Node[] | undefined)[] = [];

  constructor(books: BookSource, domain: Hex | undefined) {
    this.#books = books;
    this.#domain = domain;
    this.xrp = this.node(XRP);
  }

  node(asset: Asset): Node {
    let node = this.#numbers.get(asset);
    if (node === undefined) {
      node = this.#assets.length;
      this.#numbers.set(asset, node);
      this.#assets.push(asset);
    }
    return node;
  }

  asset(node: Node): Asset {
    return this.#assets[node]!;
  }

  currency(node: Node): Hex {
    return node === this.xrp ? CURRENCY_XRP : this.#assets[node]!.slice(0, 40);
  }

  /** The account whose debt a node is; account zero for XRP. */
  account(node: Node): AccountId {
    return node === this.xrp ? ACCOUNT_ZERO : issuerOf(this.#assets[node]!);
  }

  /** The debt of another account in the same currency. */
  peer(node: Node, account: AccountId): Node {
    return this.node(issued(this.currency(node), account));
  }

  /** The nodes that the books of a node give. */
  outputs(node: Node): readonly Node[] {
    let nodes = this.#outputs[node];
    if (nodes === undefined) {
      nodes = [...this.#books.outputs(this.asset(node), this.#domain)].map((asset) => this.node(asset));
      this.#outputs[node] = nodes;
    }
    return nodes;
  }

  /** A path in the form of a transaction. */
  path(trail: Trail): PathStep[] {
    return stepsOf(trail).map(({ node, byBook }): PathStep => {
      if (!byBook) return { account: this.account(node) };
      if (node === this.xrp) return { currency: CURRENCY_XRP };
      return { currency: this.currency(node), issuer: this.account(node) };
    });
  }
}
