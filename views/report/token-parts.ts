/**
 * The sections of a day's report that are about tokens, from one walk over all of them: launch platforms, themes and lengths
 * of names, the largest of each kind.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { DAY } from '../../engine/ripple-time.ts';
import { assetObject } from '../identity.ts';
import { percent } from '../number-format.ts';
import type { DaySum } from './day-sums.ts';
import { themesOf } from './name-themes.ts';
import { DayEnd, groupOf, type TokenEnd, type TokenGroup } from './token-ends.ts';

const TOP_TOKENS = 10;
const NEW_DAYS = 7;
/** Longer names are counted with this length. */
const NAME_LENGTH_MAX = 20;

export class TokenParts {
  readonly #engine: Engine;
  readonly #day: number;
  readonly #end: DayEnd;
  readonly #knowsEnds: boolean;
  readonly #launchpads = new Map<string, TokenGroup>();
  readonly #lengths = new Map<number, TokenGroup>();
  readonly #themes = new Map<string, TokenGroup>();
  /** Those that traded, and those that counted in the market cap of all. */
  readonly #traded: TokenEnd[] = [];
  readonly #counted: TokenEnd[] = [];
  readonly #byHolders: TokenEnd[] = [];
  #scanned = 0;

  /** @param day close time / DAY, of the first day after the one in question */
  constructor(engine: Engine, day: number) {
    this.#engine = engine;
    this.#day = day;
    this.#end = new DayEnd(engine, day);
    this.#knowsEnds = this.#end.knowsTokens;
  }

  take(token: number, traded: DaySum | undefined): void {
    const one = this.#end.token(token, traded);
    const platform = this.#originOf(token);
    if (platform !== undefined) groupOf(this.#launchpads, platform).add(one);
    groupOf(this.#lengths, Math.min(NAME_LENGTH_MAX, [...one.name].length)).add(one);
    for (const theme of themesOf(one.name)) groupOf(this.#themes, theme).add(one);
    this.#scanned++;
    if (traded) this.#traded.push(one);
    if (one.marketcap !== undefined) this.#counted.push(one);
    if (one.holders > 0) keepLargest(this.#byHolders, one);
  }

  sections() {
    return {
      launchpads: this.#launchpadRows(),
      tokenNameThemes: this.#themeRows(),
      nameLengthSuccess: this.#lengthRows(),
      topTokens: this.#topTokens(),
    };
  }

  #originOf(token: number): string | undefined {
    return this.#engine.market.launches.platform(token)?.launchpad;
  }

  #launchpadRows() {
    return [...this.#launchpads]
      .map(([platform, group]) => ({
        platform,
        total: group.count,
        active24h: group.active24h,
        totalVol24h: group.volume,
        ...this.#ends(group, ['holdersAbove10', 'successRate', 'avgMarketcap']),
      }))
      .toSorted((a, b) => b.totalVol24h - a.totalVol24h || b.total - a.total);
  }

  #themeRows() {
    const found = [...this.#themes].toSorted(([, a], [, b]) => b.volume - a.volume || b.count - a.count);
    return {
      totalScanned: this.#scanned,
      rankings: { byVolume: found.map(([theme]) => theme) },
      themes: Object.fromEntries(
        found.map(([theme, group]) => [
          theme,
          {
            count: group.count,
            totalVol24hXRP: group.volume,
            ...this.#ends(group, ['avgMarketcap', 'avgHolders']),
          },
        ]),
      ),
    };
  }

  #lengthRows() {
    return [...this.#lengths]
      .toSorted(([a], [b]) => a - b)
      .map(([length, group]) => ({
        length,
        count: group.count,
        active24h: group.active24h,
        activeRate: (100 * group.active24h) / group.count,
        avgVol24hXRP: group.volume / group.count,
        ...this.#ends(group),
      }));
  }

  /** Figures of the end of the day, where that is known. */
  #ends(group: TokenGroup, names?: readonly (keyof TokenGroup['ends'])[]): Partial<TokenGroup['ends']> {
    if (!this.#knowsEnds) return {};
    const { ends } = group;
    return names ? Object.fromEntries(names.map((name) => [name, ends[name]])) : ends;
  }

  #topTokens() {
    const { tokens } = this.#engine.state;
    const [since, end] = [(this.#day - NEW_DAYS) * DAY, this.#day * DAY];
    const isNew = ({ token }: TokenEnd) => tokens.createdAt(token) >= since && tokens.createdAt(token) < end;
    const top = (rows: readonly TokenEnd[]) => rows.slice(0, TOP_TOKENS).map((row) => this.#row(row));
    const volume = ({ traded }: TokenEnd) => traded!.drops;
    const sorted = this.#traded.toSorted((a, b) => volume(b) - volume(a) || a.token - b.token);
    const by = (key: (one: TokenEnd) => number, rows: readonly TokenEnd[]) =>
      top(rows.toSorted((a, b) => key(b) - key(a) || a.token - b.token));
    return {
      byVolume: top(sorted),
      newWithTraction: top(sorted.filter(isNew)),
      ...(this.#knowsEnds && {
        byMarketcap: by(({ marketcap }) => marketcap!, this.#counted),
        byHolders: by(({ holders }) => holders, this.#byHolders),
        byPriceGrowth: by(
          ({ growth }) => growth!,
          this.#counted.filter(({ growth }) => growth !== undefined),
        ),
      }),
    };
  }

  #row({ token, traded, holders, marketcap, growth }: TokenEnd) {
    const origin = this.#originOf(token);
    const change = percent(growth);
    return {
      ...assetObject(this.#engine.state, token),
      vol24hxrp: (traded?.drops ?? 0) / DROPS_PER_XRP,
      vol24htx: traded?.trades ?? 0,
      ...(this.#knowsEnds && { holders }),
      ...(marketcap !== undefined && { marketcap }),
      ...(change !== undefined && { pro24h: change }),
      ...(origin !== undefined && { origin }),
    };
  }
}

/** Keeps the TOP_TOKENS with most holders, in any order but that of all that are not kept. */
function keepLargest(kept: TokenEnd[], one: TokenEnd): void {
  if (kept.length < TOP_TOKENS) {
    kept.push(one);
    return;
  }
  let least = 0;
  for (let i = 1; i < kept.length; i++)
    if (
      kept[i]!.holders < kept[least]!.holders ||
      (kept[i]!.holders === kept[least]!.holders && kept[i]!.token > kept[least]!.token)
    )
      least = i;
  if (one.holders > kept[least]!.holders) kept[least] = one;
}
