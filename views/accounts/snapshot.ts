/**
 * What an account held after an earlier ledger: the state of now, with every later change of its entries undone.
 *
 *     entries now <- undo newest transaction <- ... <- undo the first one after the ledger
 *
 * Metadata says of each changed entry what it was before (PreviousFields, over FinalFields), that it was made (it did not exist),
 * or that it was removed (it existed as its fields say). So the result is exact for every ledger from the first indexed one on
 * after which none is missing. Cost: one read of each later transaction of the account; more than UNDONE_MAX of them are refused.
 */
import type { AccountWalk } from '../../engine/accounts/account-index.ts';
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import { isJsonObject, type JsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import type { Tokens } from '../../engine/state/tokens.ts';
import { shifted } from '../../explain/decimal.ts';
import { mptBefore } from '../../explain/effects.ts';
import { changedEntries, type Fields, type Meta } from '../../explain/json.ts';
import { readable } from '../ledger/transaction-json.ts';
import type { AccountLines } from './lines.ts';

/** Transactions that are undone at most: some seconds, in slices. */
const UNDONE_MAX = 20_000;
const UNDONE_A_SLICE = 4;
/** Tokens of an answer. */
export const SNAPSHOT_LINES_MAX = 2000;

export interface HeldToken {
  readonly currency: string;
  readonly issuer: string;
  /** Decimal text. */
  readonly balance: string;
}

export interface AccountSnapshot {
  readonly closeTime: number;
  readonly exists: boolean;
  /** XRP. */
  readonly xrp: number;
  readonly tokens: readonly HeldToken[];
}

/** Why there is none: the ledger is not stored or not indexed, later ones are not, or too much would have to be undone. */
export type NoSnapshot = 'unknown ledger' | 'ledgers are missing' | 'too many transactions';

/** An entry as it was; `isGone`: it did not exist. */
type Before = JsonObject;

export class AccountSnapshots {
  readonly #engine: Engine;
  readonly #lines: AccountLines;

  constructor(engine: Engine, lines: AccountLines) {
    this.#engine = engine;
    this.#lines = lines;
  }

  async of(account: number, ledger: number): Promise<AccountSnapshot | NoSnapshot> {
    const { head, accountIndex } = this.#engine;
    const packed = this.#engine.ledgerBytes(ledger);
    const { from: indexed } = accountIndex;
    if (!head || !packed || indexed === undefined || ledger < indexed - 1) return 'unknown ledger';
    if (!this.#hasAllSince(ledger)) return 'ledgers are missing';
    await this.#lines.ready();
    const before = new Map<string, Before>();
    // Ledgers come in meanwhile: what they changed is undone, too.
    let [from, left] = [ledger + 1, UNDONE_MAX];
    while (from <= this.#engine.head!.index) {
      const to = this.#engine.head!.index;
      left = await this.#undo(account, { from, to, newestFirst: true }, left, before);
      if (left < 0) return 'too many transactions';
      from = to + 1;
    }
    // The oldest may have been pruned before they were read.
    if (!this.#hasAllSince(ledger)) return 'ledgers are missing';
    return { closeTime: unixMs(packed.closeTime), ...this.#state(account, before) };
  }

  /** Whether every ledger from one on is stored. */
  #hasAllSince(ledger: number): boolean {
    const newest = this.#engine.ledgerRanges().at(-1);
    return newest !== undefined && ledger >= newest[0];
  }

  /**
   * Undoes what the account's transactions of some ledgers changed. @param before by index of the entry: what it was before
   * older ones, which stays. @param most transactions @returns how many more there might be; negative: there were more
   */
  async #undo(
    account: number,
    walk: AccountWalk,
    most: number,
    before: Map<string, Before>,
  ): Promise<number> {
    const { accountIndex, state } = this.#engine;
    const address = state.accounts.text(account);
    const found = new Map<string, Before>();
    let left = most;
    for (const { ledger, tx } of accountIndex.of(account, walk)) {
      if (--left < 0) return left;
      if (left % UNDONE_A_SLICE === 0) await yieldToLoop();
      const packed = this.#engine.ledgerBytes(ledger);
      if (packed) undo(readable(packed.meta(tx), this.#engine.reader), address, found);
    }
    for (const [index, entry] of found) if (!before.has(index)) before.set(index, entry);
    return left;
  }

  #state(account: number, before: ReadonlyMap<string, Before>): Omit<AccountSnapshot, 'closeTime'> {
    const { accounts, lines, tokens } = this.#engine.state;
    const address = accounts.text(account);
    let drops = accounts.exists(account) ? accounts.balanceDrops(account) : undefined;
    const held = new Map<string, HeldToken>();
    for (const line of lines.byAccount.of(account)) {
      const token = lines.heldToken(line);
      if (token === 0 || lines.holderAccount(line, token) !== account) continue;
      const currency = tokens.currencyText(token);
      const issuer = tokens.issuerText(token);
      const balance = tokens.text(token, ...lines.balanceRaw(line, token));
      held.set(`${currency} ${issuer}`, { currency, issuer, balance });
    }
    for (const entry of before.values()) {
      if (entry.LedgerEntryType === 'AccountRoot')
        drops = entry.isGone === true ? undefined : BigInt(String(entry.Balance));
      else if (entry.LedgerEntryType === 'MPToken') restoreMpt(entry, tokens, held);
      else restoreLine(entry, address, held);
    }
    const all = [...held.values()];
    return { exists: drops !== undefined, xrp: Number(drops ?? 0n) / DROPS_PER_XRP, tokens: all };
  }
}

/** Takes the state before a transaction of each entry of the account that it changed. */
function undo(meta: JsonObject, address: string, before: Map<string, Before>): void {
  if (!Array.isArray(meta.AffectedNodes)) return;
  const entries = changedEntries(meta as unknown as Meta);
  for (const entry of entries) {
    const { action, type, index, fields, previous } = entry;
    if (!isOf(address, type, fields)) continue;
    const state: JsonObject = { ...fields, ...previous, LedgerEntryType: type };
    if (action === 'created') state.isGone = true;
    if (type === 'MPToken') state.MPTAmount = mptBefore(entry, entries);
    before.set(index, state);
  }
}

function isOf(address: string, type: string, fields: Fields): boolean {
  if (type === 'AccountRoot' || type === 'MPToken') return fields.Account === address;
  if (type !== 'RippleState') return false;
  return [fields.LowLimit, fields.HighLimit].some((limit) => limit?.issuer === address);
}

/** Puts what the account held of an MPT in place of what it holds now. */
function restoreMpt(entry: JsonObject, tokens: Tokens, held: Map<string, HeldToken>): void {
  const currency = String(entry.MPTokenIssuanceID);
  // Behind the sequence of 4 bytes.
  const issuer = accountText(Buffer.from(currency, 'hex'), 4);
  const units = entry.isGone === true ? '0' : String(entry.MPTAmount ?? '0');
  put(held, { currency, issuer, balance: shifted(units, tokens.mptPlaces(currency)) });
}

/** The same on a trust line. */
function restoreLine(entry: JsonObject, address: string, held: Map<string, HeldToken>): void {
  const { Balance: balance, LowLimit: low, HighLimit: high } = entry;
  if (!isJsonObject(balance) || !isJsonObject(low) || !isJsonObject(high)) return;
  const isLow = low.issuer === address;
  const issuer = String(isLow ? high.issuer : low.issuer);
  const value = entry.isGone === true ? '0' : String(balance.value);
  const own = isLow ? value : value.startsWith('-') ? value.slice(1) : value === '0' ? '0' : `-${value}`;
  put(held, { currency: String(balance.currency), issuer, balance: own });
}

function put(held: Map<string, HeldToken>, token: HeldToken): void {
  const key = `${token.currency} ${token.issuer}`;
  if (Number(token.balance) > 0) held.set(key, token);
  else held.delete(key);
}
