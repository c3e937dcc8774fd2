/**
 * Who activated an account, and whom it activated: as far as the ledgers read show it. Cost: a question about children reads
 * 8 bytes of every account that was activated since the first ledger read, in slices.
 */
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { atOneVersion } from '../at-one-version.ts';
import { Best } from '../best.ts';
import type { AccountBalances } from './balances.ts';
import type { AccountNames } from './names.ts';

const ACCOUNTS_A_SLICE = 500_000;
/** Ancestors of one account: chains are short, and a cycle (deleted accounts) must end. */
const DEPTH_MAX = 200;

interface IssuedToken {
  readonly md5: string;
  readonly name: string;
  readonly currency: string;
  readonly user?: string;
  readonly supply: string;
  readonly holders: number;
  readonly usd?: number;
  readonly marketcap?: number;
}

/** What is said of each account. */
interface AncestorViews {
  readonly balances: AccountBalances;
  readonly names: AccountNames;
  issued(account: number, most: number): readonly IssuedToken[];
  issuedCount(account: number): number;
}

export interface AncestryQuery {
  readonly account: number;
  readonly direction: 'up' | 'down' | 'both';
  readonly limit: number;
  readonly withTokens: boolean;
  readonly tokenLimit: number;
}

export class Ancestry {
  readonly #engine: Engine;
  readonly #accounts: AncestorViews;

  constructor(engine: Engine, accounts: AncestorViews) {
    this.#engine = engine;
    this.#accounts = accounts;
  }

  async of({ account, direction, limit, withTokens, tokenLimit }: AncestryQuery) {
    const up = this.#ancestors(account);
    const down = direction === 'up' ? { shown: [], count: 0 } : await this.#children(account, limit);
    const tokens = (id: number) => this.#accounts.issued(id, tokenLimit);
    const member = (id: number) => {
      const created = this.#accounts.issuedCount(id);
      const address = this.#engine.state.accounts.text(id);
      return {
        address,
        name: this.#accounts.names.of(address)?.name ?? null,
        tokensCreated: created,
        inception: this.#accounts.balances.origin(id).inception,
        ...(withTokens && created > 0 && { tokens: tokens(id) }),
      };
    };
    return {
      stats: {
        ancestorDepth: up.length,
        childrenCount: direction === 'up' ? null : down.count,
        tokensCreated: this.#accounts.issuedCount(account),
      },
      tokens: withTokens ? tokens(account) : [],
      ancestors: direction === 'down' ? [] : up.slice(0, limit).map(member),
      children: down.shown.map(member),
    };
  }

  /** The nearest first. */
  #ancestors(account: number): number[] {
    const { funders } = this.#engine.traders;
    const found: number[] = [];
    for (let id = funders.of(account); id !== 0 && found.length < DEPTH_MAX; id = funders.of(id)) {
      if (id === account || found.includes(id)) break;
      found.push(id);
    }
    return found;
  }

  /** The oldest first. */
  async #children(account: number, limit: number): Promise<{ shown: number[]; count: number }> {
    return atOneVersion([this.#engine], () => this.#childrenAmong(account, limit));
  }

  *#childrenAmong(account: number, limit: number): CooperativeTask<{ shown: number[]; count: number }> {
    const { traders, state } = this.#engine;
    yield* traders.funders.listing();
    const { listed } = traders.funders;
    // Ids are given out when an account is named, which may be before it is created; one that is created again keeps its id.
    const oldest = new Best(limit);
    let count = 0;
    for (let i = 0; i < listed.length; i++) {
      if (i % ACCOUNTS_A_SLICE === ACCOUNTS_A_SLICE - 1) yield;
      const id = listed[i]!;
      if (traders.funders.of(id) !== account) continue;
      count++;
      oldest.offer(id, -state.accounts.firstSeen[id]!);
    }
    return { shown: [...oldest.ids], count };
  }
}
