/**
 * What the values of one token's row are read from. A row makes one, reads its fields and drops it; figures that several
 * fields share are computed once, and only when one of these fields is wanted.
 */
import type { Market } from '../engine/market/market.ts';
import { AccountFlag } from '../engine/state/accounts.ts';
import { type BurnedShares, burnedShares } from '../engine/state/burned-shares.ts';
import { type MptMetadata, mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';
import { type TokenType, XRP } from '../engine/state/tokens.ts';
import type { TokenMetadata } from '../platform/token-metadata.ts';
import type { Forms } from './forms.ts';
import type { Concentration, HolderRankings } from './holder-ranking.ts';
import type { PublishedTexts } from './issuer-texts.ts';
import { DEPTH_MOVE, type Depth, feeFraction, poolDepth } from './pool-math.ts';
import type { ServiceData } from './service-data.ts';
import type { TokenFigures } from './token-figures.ts';
import type { TokenTags } from './token-tags.ts';

/** Where the facts of every token come from. */
export interface FactSources {
  readonly figures: TokenFigures;
  readonly rankings: HolderRankings;
  readonly tags: TokenTags;
  readonly data: ServiceData;
  readonly forms: Forms;
  /** Index of the newest ledger. */
  readonly ledger: number;
  type(token: number): TokenType;
  /** Among the listed tokens by volume of 24 hours, from 1 on; undefined: not listed. */
  place(token: number): number | undefined;
  /** Account that activated an account; 0: not known. */
  funder(account: number): number;
}

/** The token's pool with XRP. */
interface XrpPool {
  /** 1/100000. */
  readonly fee: number;
  /** r-address. */
  readonly account: string;
  readonly lpToken: number;
}

/** In the kept fields below, undefined = not computed yet, null = computed: there is none. */
export class TokenFacts {
  readonly token: number;
  readonly state: State;
  readonly market: Market;
  readonly figures: TokenFigures;
  readonly tags: TokenTags;
  readonly forms: Forms;
  readonly type: TokenType;
  readonly #sources: FactSources;
  #metadata: MptMetadata | null | undefined;
  #given: TokenMetadata | null | undefined;
  #published: PublishedTexts | null | undefined;
  #marketcap: number | null | undefined;
  #amountText: string | undefined;
  #concentration: Concentration | undefined;
  #pool: XrpPool | null | undefined;
  #depth: Depth | undefined;
  #burned: BurnedShares | null | undefined;

  constructor(sources: FactSources, token: number) {
    const { figures, tags, forms } = sources;
    this.#sources = sources;
    this.token = token;
    this.state = figures.state;
    this.market = figures.market;
    this.figures = figures;
    this.tags = tags;
    this.forms = forms;
    this.type = sources.type(token);
  }

  /** What the issuer of an MPT says of it. */
  get metadata(): MptMetadata | undefined {
    if (this.type !== 'mpt') return undefined;
    if (this.#metadata === undefined)
      this.#metadata = mptMetadata(this.state.tokens.metadata(this.token)) ?? null;
    return this.#metadata ?? undefined;
  }

  /** What its creator or issuer says of it beside the ledger. */
  get given(): TokenMetadata | undefined {
    if (this.#given === undefined) this.#given = this.#sources.data.given(this.token) ?? null;
    return this.#given ?? undefined;
  }

  /** What its issuer publishes of it at the domain of the issuer's account. */
  get published(): PublishedTexts | undefined {
    if (this.#published === undefined) this.#published = this.#sources.data.published(this.token) ?? null;
    return this.#published ?? undefined;
  }

  /** Address of the image that was given beside the ledger. */
  get image(): string | undefined {
    return this.given?.image && this.#sources.data.image(this.token);
  }

  /** XRP. */
  get marketcap(): number | undefined {
    if (this.#marketcap === undefined) this.#marketcap = this.figures.marketcap(this.token) ?? null;
    return this.#marketcap ?? undefined;
  }

  get amountText(): string {
    this.#amountText ??= this.figures.amountText(this.token);
    return this.#amountText;
  }

  get concentration(): Concentration | undefined {
    if (this.token === XRP) return undefined;
    this.#concentration ??= this.#sources.rankings.concentration(this.token, this.#sources.ledger);
    return this.#concentration;
  }

  /** Percent. */
  get top10(): number | undefined {
    return this.token === XRP ? undefined : this.figures.top10(this.token);
  }

  /** XRP; undefined: not known. */
  get lockedChange(): number | undefined {
    return this.figures.lockedChange(this.token);
  }

  /** Among the listed tokens by volume of 24 hours, from 1 on. */
  get place(): number | undefined {
    return this.#sources.place(this.token);
  }

  /** Tokens that its creator created. */
  get creatorTokens(): number | undefined {
    return this.token === XRP ? undefined : this.figures.createdBy(this.figures.creator(this.token));
  }

  /** Domain or r-address of the exchange that activated the creator's account. */
  get creatorExchange(): string | undefined {
    if (this.token === XRP) return undefined;
    const { accounts } = this.state;
    const funder = this.#sources.funder(this.figures.creator(this.token));
    if (funder === 0 || !isExchange(this.state, funder)) return undefined;
    return accounts.domain(funder) ?? accounts.text(funder);
  }

  get pool(): XrpPool | undefined {
    if (this.#pool === undefined) this.#pool = xrpPool(this.figures, this.token) ?? null;
    return this.#pool ?? undefined;
  }

  /** How much XRP moves the price of that pool by DEPTH_MOVE; undefined without a pool. */
  get depth(): Depth | undefined {
    const { pool } = this;
    if (pool === undefined) return undefined;
    this.#depth ??= poolDepth(this.figures.reserves(this.token)!.xrp, feeFraction(pool.fee), DEPTH_MOVE);
    return this.#depth;
  }

  get burned(): BurnedShares | undefined {
    const { pool } = this;
    if (pool === undefined) return undefined;
    if (this.#burned === undefined)
      this.#burned = burnedShares(this.state, pool.lpToken, this.state.tokens.issuer(this.token)) ?? null;
    return this.#burned ?? undefined;
  }
}

function xrpPool(figures: TokenFigures, token: number): XrpPool | undefined {
  const id = figures.pool(token);
  if (id === undefined) return undefined;
  const { pools, accounts } = figures.state;
  return { fee: pools.fee(id), account: accounts.text(pools.accounts[id]!), lpToken: pools.lpToken(id) };
}

/** An account that tells those who pay it apart by their destination tags, as exchanges do. */
export function isExchange({ accounts }: State, account: number): boolean {
  return (accounts.flags[account]! & AccountFlag.requireDestTag) !== 0;
}

/** The same of an r-address; false for one that is not known. */
export function isExchangeAddress(
  { engine }: { readonly engine: { readonly state: State } },
  address: string,
): boolean {
  const account = engine.state.accounts.findText(address);
  return account !== undefined && isExchange(engine.state, account);
}

/** Settings of the issuer's account that concern holders. */
export function issuerInfo(state: State, token: number): Record<string, unknown> | undefined {
  const { accounts, tokens } = state;
  const issuer = tokens.issuer(token);
  if (token === XRP || !accounts.exists(issuer)) return undefined;
  const flags = accounts.flags[issuer]!;
  const rate = accounts.transferRate[issuer]!;
  const domain = accounts.domain(issuer);
  const tick = accounts.tickSize[issuer]!;
  const set = (flag: number) => (flags & flag) !== 0;
  const blackholed = accounts.isBlackholed(issuer);
  return {
    ...(blackholed !== undefined && { blackholed }),
    ...(domain !== undefined && { domain }),
    ...(tick > 0 && { tickSize: tick }),
    globalFreeze: set(AccountFlag.globalFreeze),
    requireAuth: set(AccountFlag.requireAuth),
    disableMaster: set(AccountFlag.disableMaster),
    depositAuth: set(AccountFlag.depositAuth),
    requireDestTag: set(AccountFlag.requireDestTag),
    disallowXRP: set(AccountFlag.disallowXrp),
    noFreeze: set(AccountFlag.noFreeze),
    defaultRipple: set(AccountFlag.defaultRipple),
    // Billionths, as the ledger holds it; absent = no fee.
    ...(rate > 0 && { transferRate: rate }),
  };
}
