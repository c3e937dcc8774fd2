/**
 * What issuers publish of their tokens at their domains (platform/issuer-files.ts), by token. The domain is the one of the
 * issuer's account on the ledger; what somebody else's file says of a token is not read.
 */
import type { State } from '../engine/state/state.ts';
import { XRP } from '../engine/state/tokens.ts';
import type { IssuerFiles } from '../platform/issuer-files.ts';

export interface PublishedTexts {
  /** Name of the issuer. */
  readonly user?: string | undefined;
  readonly description?: string | undefined;
  readonly icon?: string | undefined;
  readonly website?: string | undefined;
}

/** Tokens whose domains are remembered; beyond it those of before are shown again with their next change. */
const ASKED_MAX = 100_000;

export class IssuerTexts {
  readonly #state: State;
  readonly #files: IssuerFiles | undefined;
  /** Tokens by the domain that was asked for. */
  readonly #asked = new Map<string, Set<number>>();
  #count = 0;

  /** @param files undefined: none are read */
  constructor(state: State, files: IssuerFiles | undefined) {
    this.#state = state;
    this.#files = files;
  }

  /** undefined: the issuer publishes nothing of it, or that is not known yet. */
  of(token: number): PublishedTexts | undefined {
    if (!this.#files || token === XRP) return undefined;
    const { accounts, tokens } = this.#state;
    const issuer = tokens.issuer(token);
    const domain = accounts.domain(issuer)?.toLowerCase();
    if (domain === undefined) return undefined;
    this.#remember(domain, token);
    const file = this.#files.of(domain);
    if (!file) return undefined;
    const address = accounts.text(issuer);
    const currency = tokens.currencyText(token);
    const found = file.tokens.find((one) => one.issuer === address && one.currency === currency);
    const user = Object.hasOwn(file.names, address) ? file.names[address] : undefined;
    return found || user !== undefined ? { ...found, user } : undefined;
  }

  /** Tokens of which `of` may say something else since the last call. */
  *changed(): Iterable<number> {
    for (const domain of this.#files?.changed() ?? []) yield* this.#asked.get(domain) ?? [];
  }

  #remember(domain: string, token: number): void {
    let tokens = this.#asked.get(domain);
    if (tokens?.has(token)) return;
    if (++this.#count > ASKED_MAX) {
      this.#asked.clear();
      this.#count = 1;
      tokens = undefined;
    }
    if (!tokens) {
      tokens = new Set();
      this.#asked.set(domain, tokens);
    }
    tokens.add(token);
  }
}
