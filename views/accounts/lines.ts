/**
 * The trust lines and MPT holdings of an account, as what it holds: by their age, or by their value now.
 *
 *     byAccount(account) -> the token that it holds on each -> figures of all, once a ledger -> the rows of a page
 *
 * Cost: 200 ns a line and ledger that the account is read in, in slices; a row of a page 5 us.
 */
import { divToNumber, rawText } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, runInSlices, yieldToLoop } from '../../engine/event-loop.ts';
import { TokenKind } from '../../engine/state/tokens.ts';
import { atOneVersion } from '../at-one-version.ts';
import { rounded } from '../number-format.ts';
import type { TokenViews } from '../token-views.ts';
import { VersionedCache } from '../versioned-cache.ts';

export const LINE_FORMATS = ['default', 'raw', 'full'] as const;
export type LineFormat = (typeof LINE_FORMATS)[number];

/** Lines read before other work may run: about 2 ms. */
const LINES_A_SLICE = 8192;
/** Lines searched before other work may run: about 5 ms. */
const SEARCHED_A_SLICE = 512;
/** Lines of an account that are read, the newest first: about 50 ms, in slices. */
const LINES_MAX = 200_000;
/** Accounts whose lines are kept for one ledger. */
const ACCOUNTS_KEPT = 64;
/** The issuer in balances of the ledger's entries: account one. */
const NO_ISSUER = 'rrrrrrrrrrrrrrrrrrrrBZbvji';

/** What an account holds, by line. */
interface Held {
  /** Lines with a balance first, each part from the newest link on. */
  readonly lines: Uint32Array;
  readonly tokens: Uint32Array;
  /** XRP; 0 without a price. */
  readonly values: Float64Array;
  /** How many have no balance: they come last. */
  readonly zeros: number;
  /** Value of all, XRP. */
  readonly value: number;
  /** It has more lines than were read. */
  readonly isPart: boolean;
  byValue: Uint32Array | undefined;
}

export interface LineQuery {
  readonly account: number;
  readonly format: LineFormat;
  readonly byValue: boolean;
  readonly includeZero: boolean;
  /** Part of a name, a currency or an issuer; '': all. */
  readonly search: string;
  /** Fewer fields of tokens. */
  readonly lightweight: boolean;
  readonly offset: number;
  readonly limit: number;
}

export class AccountLines {
  readonly #engine: Engine;
  readonly #tokens: TokenViews;
  readonly #held: VersionedCache<Promise<Held>>;

  constructor(engine: Engine, tokens: TokenViews) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#held = new VersionedCache([engine], ACCOUNTS_KEPT);
  }

  /** Resolves when the lines of accounts can be read. */
  async ready(): Promise<void> {
    const { byAccount } = this.#engine.state.lines;
    while (!byAccount.isReady) await runInSlices(byAccount.linking());
  }

  async page(query: LineQuery) {
    const held = await this.#of(query.account);
    const order = query.byValue ? this.#byValue(held) : undefined;
    const shown = query.includeZero ? held.lines.length : held.lines.length - held.zeros;
    const places = query.search === '' ? undefined : await this.#found(held, order, shown, query.search);
    const total = places?.length ?? shown;
    const page: number[] = [];
    for (let at = query.offset; at < Math.min(total, query.offset + query.limit); at++)
      page.push(places ? places[at]! : order ? order[at]! : at);
    const tokens = page.map((place) => held.tokens[place]!);
    if (query.format === 'full') await this.#tokens.rowsReady(tokens, query.lightweight ? 'line' : 'full');
    return {
      total,
      zeroCount: held.zeros,
      tokenCount: held.lines.length - held.zeros,
      totalValue: rounded(held.value, 6),
      ...(held.isPart && { truncated: true, subsetSize: LINES_MAX, partial: true }),
      lines: page.map((place) => this.row(held.lines[place]!, held.tokens[place]!, query)),
    };
  }

  row(line: number, token: number, { account, format, lightweight }: Omit<LineQuery, 'offset' | 'limit'>) {
    const { lines, tokens } = this.#engine.state;
    if (format === 'raw') return this.#raw(line, token, account);
    const [hi, lo] = lines.balanceRaw(line, token);
    const balance = tokens.decimal(token, hi, lo);
    const supply = lines.supply(token);
    const price = this.#engine.market.totals.price(token) ?? 0;
    const isHolding = lines.highs[line] === 0;
    return {
      currency: tokens.currencyText(token),
      issuer: tokens.issuerText(token),
      balance: tokens.text(token, hi, lo),
      ...(!isHolding && { limit: tokens.text(token, ...lines.limitRaw(line, token)) }),
      value: lines.balanceNumber(line, token) * price,
      percentOwned: supply.m > 0n && balance.m > 0n ? rounded(divToNumber(balance, supply) * 100, 6) : 0,
      ...(lines.isFrozen(line) && { freeze: true }),
      ...(format === 'full'
        ? { token: JSON.parse(this.#tokens.rowText(token, lightweight ? 'line' : 'full')) as object }
        : { md5: tokens.md5(token), name: this.#tokens.name(token) }),
    };
  }

  /** The entry as the ledger has it, without what columns do not have: places in directories, and the thread. */
  #raw(line: number, token: number, account: number) {
    const { lines, tokens, accounts } = this.#engine.state;
    const currency = tokens.currencyText(token);
    const holder = accounts.text(account);
    const _id = `${holder}_${currency}_${tokens.issuerText(token)}`;
    if (tokens.kind(token) === TokenKind.mpt) {
      return {
        _id,
        LedgerEntryType: 'MPToken',
        Account: holder,
        MPTokenIssuanceID: tokens.mptId(token),
        MPTAmount: tokens.text(token, ...lines.balanceRaw(line, token)),
        Flags: lines.flags[line]!,
      };
    }
    const amount = (issuer: string, hi: number, lo: number) => ({
      currency,
      issuer,
      value: rawText(1, hi, lo),
    });
    return {
      _id,
      LedgerEntryType: 'RippleState',
      Balance: amount(NO_ISSUER, lines.balancesHi[line]!, lines.balancesLo[line]!),
      Flags: lines.flags[line]! * 0x10000,
      LowLimit: amount(accounts.text(lines.lows[line]!), lines.lowLimitsHi[line]!, lines.lowLimitsLo[line]!),
      HighLimit: amount(
        accounts.text(lines.highs[line]!),
        lines.highLimitsHi[line]!,
        lines.highLimitsLo[line]!,
      ),
    };
  }

  async #of(account: number): Promise<Held> {
    await this.ready();
    return this.#held.get(String(account), () => atOneVersion([this.#engine], () => this.#read(account)));
  }

  *#read(account: number): CooperativeTask<Held> {
    const { lines } = this.#engine.state;
    const { totals } = this.#engine.market;
    const held: { line: number; token: number; value: number }[] = [];
    const empty: { line: number; token: number; value: number }[] = [];
    let value = 0;
    let read = 0;
    for (const line of lines.byAccount.of(account)) {
      if (++read % LINES_A_SLICE === 0) yield;
      if (read > LINES_MAX) break;
      const [ofLow, ofHigh] = lines.tokensOf(line);
      const token = lines.lows[line] === account ? ofLow : ofHigh;
      if (token === 0) continue;
      const balance = lines.balanceNumber(line, token);
      if (!(balance > 0)) {
        // What it issued itself is no holding; a line that it trusts on is.
        if (balance === 0) empty.push({ line, token, value: 0 });
        continue;
      }
      const one = balance * (totals.price(token) ?? 0);
      value += one;
      held.push({ line, token, value: one });
    }
    const all = [...held, ...empty];
    return {
      lines: Uint32Array.from(all, ({ line }) => line),
      tokens: Uint32Array.from(all, ({ token }) => token),
      values: Float64Array.from(all, (one) => one.value),
      zeros: empty.length,
      value,
      isPart: read > LINES_MAX,
      byValue: undefined,
    };
  }

  /** Places, the most valuable first. */
  #byValue(held: Held): Uint32Array {
    const { values } = held;
    held.byValue ??= Uint32Array.from(values, (_, place) => place).sort(
      (a, b) => values[b]! - values[a]! || a - b,
    );
    return held.byValue;
  }

  async #found(held: Held, order: Uint32Array | undefined, shown: number, search: string): Promise<number[]> {
    const { tokens } = this.#engine.state;
    const wanted = search.toLowerCase();
    const places: number[] = [];
    for (let at = 0; at < shown; at++) {
      if (at % SEARCHED_A_SLICE === SEARCHED_A_SLICE - 1) await yieldToLoop();
      const place = order ? order[at]! : at;
      const token = held.tokens[place]!;
      const texts = [this.#tokens.name(token), tokens.currencyText(token), tokens.issuerText(token)];
      if (texts.some((text) => text.toLowerCase().includes(wanted))) places.push(place);
    }
    return places;
  }
}
