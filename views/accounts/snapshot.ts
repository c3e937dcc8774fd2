/**
 * What an account held after an earlier ledger: the state of now, with every later change of its entries undone.
 *
 *     entries now <- undo newest transaction <- ... <- undo the first one after the ledger
 *
 * Metadata says of each changed entry what it was before (PreviousFields, over FinalFields), that it was made (it did not exist),
 * or that it was removed (it existed as its fields say). So the result is exact for every ledger from the first indexed one on.
 * Cost: one read of each later transaction of the account; more than UNDONE_MAX of them are refused.
 */
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

/** Why there is none: the ledger is not stored or not indexed, or too much would have to be undone. */
export type NoSnapshot = 'unknown ledger' | 'too many transactions';

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
    const { from } = accountIndex;
    if (!head || !packed || from === undefined || ledger < from - 1) return 'unknown ledger';
    await this.#lines.ready();
    for (;;) {
      const { version } = this.#engine;
      const before = await this.#undone(account, ledger);
      if (before === 'too many transactions') return before;
      // A ledger came in meanwhile: what it changed is to be undone, too.
      if (version === this.#engine.version)
        return { closeTime: unixMs(packed.closeTime), ...this.#state(account, before) };
    }
  }

  /** By index of the entry: what it was after the ledger, of those that changed since. */
  async #undone(account: number, ledger: number): Promise<Map<string, Before> | 'too many transactions'> {
    const { accountIndex, state } = this.#engine;
    const address = state.accounts.text(account);
    const before = new Map<string, Before>();
    let undone = 0;
    const walk = { from: ledger + 1, to: 0xffffffff, newestFirst: true };
    for (const { ledger: at, tx } of accountIndex.of(account, walk)) {
      if (++undone > UNDONE_MAX) return 'too many transactions';
      if (undone % UNDONE_A_SLICE === 0) await yieldToLoop();
      const packed = this.#engine.ledgerBytes(at);
      if (!packed) continue;
      undo(readable(packed.meta(tx), this.#engine.reader), address, before);
    }
    return before;
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
