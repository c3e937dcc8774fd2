/** What readers see of accounts, by subject. */
import { decimalText } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { AccountData } from '../../platform/account-data.ts';
import type { IssuerFiles } from '../../platform/issuer-files.ts';
import { atOneVersion } from '../at-one-version.ts';
import { resolveIssue } from '../identity.ts';
import { IssuedTokens } from '../issued-tokens.ts';
import type { TokenViews } from '../token-views.ts';
import { Ancestry } from './ancestry.ts';
import { AccountBalances } from './balances.ts';
import { AccountLines } from './lines.ts';
import { LpPositions } from './lp-positions.ts';
import { AccountNames } from './names.ts';
import { AccountOffers } from './offers.ts';
import { AccountProfiles } from './profile.ts';
import { AccountSnapshots, type HeldToken } from './snapshot.ts';
import { AccountTransactions } from './transactions.ts';

/** Tokens of an issuer that are listed beside its lines. */
const ISSUED_MAX = 100;
/** Tokens that are valued before other work may run: about 2 ms. */
const TOKENS_A_SLICE = 1024;

export class AccountViews {
  readonly transactions: AccountTransactions;
  readonly snapshots: AccountSnapshots;
  readonly profiles: AccountProfiles;
  readonly ancestry: Ancestry;
  readonly #engine: Engine;
  readonly #tokens: TokenViews;
  readonly #issued: IssuedTokens;
  readonly balances: AccountBalances;
  readonly lines: AccountLines;
  readonly offers: AccountOffers;
  readonly positions: LpPositions;
  readonly names: AccountNames;

  constructor(engine: Engine, tokens: TokenViews, data: AccountData, files: IssuerFiles | undefined) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#issued = new IssuedTokens(engine.state.tokens);
    this.balances = new AccountBalances(engine);
    this.lines = new AccountLines(engine, tokens);
    this.offers = new AccountOffers(engine);
    this.positions = new LpPositions(engine, this.lines);
    this.transactions = new AccountTransactions(engine);
    this.snapshots = new AccountSnapshots(engine, this.lines);
    this.profiles = new AccountProfiles(engine, this.transactions, (account) => this.issuedCount(account));
    this.names = new AccountNames(engine, data, files);
    this.ancestry = new Ancestry(engine, this);
  }

  /** What lists of an account say of the account itself. */
  head(address: string) {
    const id = this.balances.find(address);
    const now = id === undefined ? undefined : this.balances.now(id);
    return {
      accountActive: id !== undefined,
      accountData: now ? { balance: now.balance, total: now.total, reserve: now.reserve } : null,
      xrp: { value: now?.balance ?? 0, balance: now?.total ?? 0, ...this.#xrpPrice() },
    };
  }

  /** Price of XRP in USD, and its change in a day, percent; absent without a rate. */
  #xrpPrice() {
    const usd = this.#tokens.figures.usd(XRP);
    const pro24h = this.#engine.market.globals.h24().xrpPro24h as number | undefined;
    return { ...(usd !== undefined && { usd }), ...(pro24h !== undefined && { pro24h }) };
  }

  /** How many tokens an account issued that somebody holds. */
  issuedCount(account: number): number {
    let count = 0;
    const { lines } = this.#engine.state;
    this.#issued.each(account, (token) => {
      if (lines.holdersCount(token) > 0) count++;
    });
    return count;
  }

  /** Of tokens at prices of now, XRP; what has no price counts as nothing. */
  worth(held: readonly HeldToken[]): Promise<number> {
    return atOneVersion([this.#engine], () => this.#summing(held));
  }

  *#summing(held: readonly HeldToken[]): CooperativeTask<number> {
    const { state, market } = this.#engine;
    let sum = 0;
    for (const [i, { currency, issuer, balance }] of held.entries()) {
      if (i % TOKENS_A_SLICE === TOKENS_A_SLICE - 1) yield;
      const token = resolveIssue(state, currency, issuer);
      const price = token === undefined ? undefined : market.totals.price(token);
      sum += Number(balance) * (price ?? 0);
    }
    return sum;
  }

  /** Tokens that an account issued and that somebody holds, the newest first. */
  issued(account: number, most = ISSUED_MAX, skipped = 0) {
    if (account === 0) return [];
    const { lines, tokens } = this.#engine.state;
    const issued: number[] = [];
    let passed = 0;
    this.#issued.each(account, (token) => {
      if (issued.length >= most || lines.holdersCount(token) === 0) return;
      if (passed++ >= skipped) issued.push(token);
    });
    return issued.map((token) => {
      const user = this.#tokens.texts(token, ['user']).get('user');
      const usd = this.#tokens.figures.usd(token);
      const marketcap = this.#tokens.figures.marketcap(token);
      return {
        md5: tokens.md5(token),
        name: this.#tokens.name(token),
        currency: tokens.currencyText(token),
        ...(user !== undefined && { user: JSON.parse(user) as string }),
        supply: decimalText(lines.supply(token)),
        holders: lines.holdersCount(token),
        ...(usd !== undefined && { usd }),
        ...(marketcap !== undefined && { marketcap }),
      };
    });
  }
}
