/**
 * What an account held after an earlier ledger: the state of now, with every later change of its entries undone.
 *
 *     entries now <- undo newest transaction <- ... <- undo the first one after the ledger
 *
 * The entries are read first, in slices and of one ledger: later ones do not change what has to be undone.
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
import { type CooperativeTask, yieldToLoop } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import type { Tokens } from '../../engine/state/tokens.ts';
import { shifted } from '../../explain/decimal.ts';
import { mptBefore } from '../../explain/effects.ts';
import { changedEntries, type Fields, type Meta } from '../../explain/json.ts';
import { atOneVersion } from '../at-one-version.ts';
import { readable } from '../ledger/transaction-json.ts';
import type { AccountLines } from './lines.ts';

/** Transactions that are undone at most: some seconds, in slices. */
const UNDONE_MAX = 20_000;
const UNDONE_A_SLICE = 4;
/** Lines read before other work may run: about 3 ms. */
const LINES_A_SLICE = 1024;
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

/** What the account has. */
interface Now {
  /** Index of the ledger. */
  readonly ledger: number;
  /** undefined: it does not exist. */
  readonly drops: bigint | undefined;
  /** By currency and issuer. */
  readonly held: Map<string, HeldToken>;
}

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
    const now = await atOneVersion([this.#engine], () => this.#reading(account));
    const before = await this.#undone(account, { from: ledger + 1, to: now.ledger, newestFirst: true });
    if (!before) return 'too many transactions';
    // The oldest may have been pruned before they were read.
    if (!this.#hasAllSince(ledger)) return 'ledgers are missing';
    return { closeTime: unixMs(packed.closeTime), ...this.#before(account, now, before) };
  }

  /** Whether every ledger from one on is stored. */
  #hasAllSince(ledger: number): boolean {
    const newest = this.#engine.ledgerRanges().at(-1);
    return newest !== undefined && ledger >= newest[0];
  }

  /** Undoes what the account's transactions changed. @returns by index of the entry: what it was before; undefined: too many */
  async #undone(account: number, walk: AccountWalk): Promise<Map<string, Before> | undefined> {
    const { accountIndex, state } = this.#engine;
    const address = state.accounts.text(account);
    const found = new Map<string, Before>();
    let left = UNDONE_MAX;
    for (const { ledger, tx } of accountIndex.of(account, walk)) {
      if (--left < 0) return undefined;
      if (left % UNDONE_A_SLICE === 0) await yieldToLoop();
      const packed = this.#engine.ledgerBytes(ledger);
      if (packed) undo(readable(packed.meta(tx), this.#engine.reader), address, found);
    }
    return found;
  }

  *#reading(account: number): CooperativeTask<Now> {
    const { accounts, lines, tokens } = this.#engine.state;
    const held = new Map<string, HeldToken>();
    let read = 0;
    for (const line of lines.byAccount.of(account)) {
      if (++read % LINES_A_SLICE === 0) yield;
      const token = lines.heldToken(line);
      if (token === 0 || lines.holderAccount(line, token) !== account) continue;
      const currency = tokens.currencyText(token);
      const issuer = tokens.issuerText(token);
      const balance = tokens.text(token, ...lines.balanceRaw(line, token));
      held.set(`${currency} ${issuer}`, { currency, issuer, balance });
    }
    const drops = accounts.exists(account) ? accounts.balanceDrops(account) : undefined;
    return { ledger: this.#engine.head!.index, drops, held };
  }

  #before(
    account: number,
    { drops: dropsNow, held }: Now,
    before: ReadonlyMap<string, Before>,
  ): Omit<AccountSnapshot, 'closeTime'> {
    const { accounts, tokens } = this.#engine.state;
    const address = accounts.text(account);
    let drops = dropsNow;
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
