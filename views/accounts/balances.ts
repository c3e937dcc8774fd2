/** XRP of accounts: what they have, what the reserve locks, who activated them, and their place among all. XRP, drops, Unix ms. */
import { DROPS_PER_XRP, decimalNumber, decimalText, XRP_EXPONENT } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { atOneVersion } from '../at-one-version.ts';
import { XRP_ISSUER } from '../identity.ts';

/** Accounts compared before other work may run: about 5 ms. */
const ACCOUNTS_A_SLICE = 500_000;

export interface PairSide {
  readonly currency: string;
  readonly issuer: string;
  /** Decimal text. */
  readonly value: string;
  readonly hasTrustline: boolean;
}

export class AccountBalances {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** An account that exists now; undefined: none does at this address. */
  find(address: string): number | undefined {
    const { accounts } = this.#engine.state;
    const id = accounts.findText(address);
    return id !== undefined && accounts.exists(id) ? id : undefined;
  }

  /** What changes with ledgers. */
  now(id: number) {
    const { accounts } = this.#engine.state;
    const drops = accounts.balanceDrops(id);
    const spendable = accounts.spendableDrops(id);
    const reserve = accounts.reserveDrops(id);
    return {
      account: accounts.text(id),
      balance: xrp(spendable),
      total: xrp(drops),
      balanceDrops: drops.toString(),
      spendableDrops: spendable.toString(),
      ownerCount: accounts.ownerCount[id]!,
      sequence: accounts.sequence[id]!,
      flags: accounts.flags[id]!,
      reserve: xrp(reserve),
      reserveDrops: reserve.toString(),
    };
  }

  /** Who activated the account, and when; null: before the first ledger that was read. */
  origin(id: number) {
    const { state, traders } = this.#engine;
    const parent = traders.funders.of(id);
    return {
      inception: parent === 0 ? null : unixMs(state.accounts.firstSeen[id]!),
      parent: parent === 0 ? null : state.accounts.text(parent),
    };
  }

  /** 1 = the account with the most XRP; accounts with the same balance share a rank. */
  rank(id: number): Promise<number> {
    return atOneVersion([this.#engine], () => this.#rank(id));
  }

  *#rank(id: number): CooperativeTask<number> {
    const { accounts } = this.#engine.state;
    const own = accounts.balanceDrops(id);
    const ownHi = Number(own >> 32n);
    const ownLo = Number(own & 0xffffffffn);
    let rank = 1;
    for (let from = 1; from < accounts.count; from += ACCOUNTS_A_SLICE) {
      rank += this.#above(from, Math.min(accounts.count, from + ACCOUNTS_A_SLICE), ownHi, ownLo);
      yield;
    }
    return rank;
  }

  /** How many of a range of accounts have more. Balances are drops in two words; those below zero have the sign bit clear. */
  #above(from: number, to: number, ownHi: number, ownLo: number): number {
    const { accounts } = this.#engine.state;
    const { balanceHi, balanceLo } = accounts;
    let above = 0;
    for (let id = from; id < to; id++) {
      const raw = balanceHi[id]!;
      if ((raw & 0x40000000) === 0 || !accounts.exists(id)) continue;
      const hi = raw & 0x3fffffff;
      if (hi > ownHi || (hi === ownHi && balanceLo[id]! > ownLo)) above++;
    }
    return above;
  }

  /** What an account has of a token. @param token undefined: of no known one */
  side(id: number | undefined, token: number | undefined, currency: string, issuer: string): PairSide {
    const { accounts, lines, tokens } = this.#engine.state;
    if (token === XRP) {
      const drops = id === undefined ? 0n : accounts.spendableDrops(id);
      const value = decimalText({ m: drops, e: XRP_EXPONENT });
      return { currency: 'XRP', issuer: XRP_ISSUER, value, hasTrustline: true };
    }
    const line = id === undefined || token === undefined ? undefined : lines.find(id, token);
    const value = line === undefined ? '0' : tokens.text(token!, ...lines.balanceRaw(line, token!));
    return {
      currency: token === undefined ? currency : tokens.currencyText(token),
      issuer,
      value,
      hasTrustline: line !== undefined,
    };
  }

  /** The line of an account for a token: undefined, there is none. */
  line(id: number, token: number) {
    const { lines, tokens } = this.#engine.state;
    const line = lines.find(id, token);
    if (line === undefined) return undefined;
    const [hi, lo] = lines.balanceRaw(line, token);
    const isHolding = lines.highs[line] === 0;
    return {
      balance: tokens.text(token, hi, lo),
      // The limit of an MPT is that of its issuance.
      limit: isHolding ? null : tokens.text(token, ...lines.limitRaw(line, token)),
      frozenByIssuer: lines.frozenByIssuer(line, token),
      frozenByHolder: lines.frozenByHolder(line, token),
      value: decimalNumber(tokens.decimal(token, hi, lo)) * (this.#engine.market.totals.price(token) ?? 0),
    };
  }
}

/** Drops as XRP. */
export function xrp(drops: bigint): number {
  return Number(drops) / DROPS_PER_XRP;
}
