/**
 * Trust lines and MPT holdings, one row each, in one table.
 *
 *     low       the account with the lower id bytes (MPT: the holder)
 *     high      the other account                   (MPT: 0)
 *     code      currency id                         (MPT: token id)
 *     balance   raw issued amount, seen from low    (MPT: amount held)
 *     limits    raw: the most that low, that high accepts  (MPT: low = amount locked in escrows)
 *     flags     u16: the upper half of a RippleState's flags, which has no others (MPT: the lower half)
 *
 * A trust line can carry two tokens: low may hold what high issues and high what low issues. A side belongs to the
 * other's token as a holder when its balance is above zero or its limit is; where that is true of neither side, when
 * its reserve flag is set (a line that only exists because of other settings). The reserve flag alone does not
 * count otherwise: an issuer that freezes a line sets its own, and would appear as a holder of its customer's
 * "token". Holders of a token = its lines with a balance above zero. Supply = the exact sum of those balances; of
 * an MPT, the issuance's OutstandingAmount.
 *
 * Cost of a line: 38 bytes of row, 8 of places in holder lists, 5 to 11 of index, 4 to 8 of list: below 64. Every change is O(1).
 */

import { type Decimal, decimalNumber } from '../codec/amount.ts';
import { readU32 } from '../codec/bytes.ts';
import { LineNode, MptokenNode, NodeAction } from '../codec/changes.ts';
import type { RowSteps } from '../event-loop.ts';
import { AccountRows } from './account-rows.ts';
import type { Accounts } from './accounts.ts';
import { BulkSums } from './bulk-sums.ts';
import type { Changed } from './changed.ts';
import type { Currencies } from './currencies.ts';
import { FrozenLines } from './frozen-lines.ts';
import { hash3 } from './hash.ts';
import { hashesOf, type IndexKeys } from './index-keys.ts';
import { HIGH, HoldingFlag, ISSUED_ZERO, isZeroIssued, LineFlag, LOW, SIGN } from './line-fields.ts';
import { LineLists } from './line-lists.ts';
import type { FilledIndex, RowIndex } from './row-index.ts';
import { SharedLists } from './shared-lists.ts';
import { Supplies } from './supply.ts';
import type { Table } from './table.ts';
import { TokenKind, type Tokens } from './tokens.ts';

export class Lines {
  readonly table: Table;
  readonly lows: Uint32Array;
  readonly highs: Uint32Array;
  readonly codes: Uint32Array;
  readonly balancesHi: Uint32Array;
  readonly balancesLo: Uint32Array;
  readonly lowLimitsHi: Uint32Array;
  readonly lowLimitsLo: Uint32Array;
  readonly highLimitsHi: Uint32Array;
  readonly highLimitsLo: Uint32Array;
  readonly flags: Uint16Array;
  /** Lines and holdings of an account. */
  readonly byAccount: AccountRows;
  /** Trust lines and holdings that exist now. */
  existing = 0;
  /** Holdings among them. */
  holdings = 0;

  // Place + 1 in the holder list that low (as holder), high (as holder) is in; 0 = in none.
  readonly #lowPlaces: Uint32Array;
  readonly #highPlaces: Uint32Array;
  readonly #index: RowIndex;
  /** By token, in no particular order. */
  readonly #lists: SharedLists;
  readonly #supplies = new Supplies();
  /** By token: lines with a balance above zero. */
  readonly #holding: Uint32Array;
  readonly #frozen: FrozenLines;
  readonly #accounts: Accounts;
  readonly #currencies: Currencies;
  readonly #tokens: Tokens;
  readonly #changed: Changed;

  constructor(table: Table, accounts: Accounts, currencies: Currencies, tokens: Tokens, changed: Changed) {
    this.table = table;
    this.lows = table.u32('lows');
    this.highs = table.u32('highs');
    this.codes = table.u32('codes');
    this.balancesHi = table.u32('balancesHi');
    this.balancesLo = table.u32('balancesLo');
    this.lowLimitsHi = table.u32('lowLimitsHi');
    this.lowLimitsLo = table.u32('lowLimitsLo');
    this.highLimitsHi = table.u32('highLimitsHi');
    this.highLimitsLo = table.u32('highLimitsLo');
    this.flags = table.u16('flags');
    table.linkThrough(this.highs);
    this.byAccount = new AccountRows(table, accounts.table, [this.lows, this.highs]);
    this.#lowPlaces = table.derivedU32('lowPlaces');
    this.#highPlaces = table.derivedU32('highPlaces');
    this.#index = table.index('lines', (row) => hash3(this.lows[row]!, this.highs[row]!, this.codes[row]!));
    this.#lists = new SharedLists(table.growable('holder lists', SharedLists.bytesFor(table.capacity)), {
      blocks: tokens.table.derivedU32('holderBlocks'),
      counts: tokens.table.derivedU32('lineCounts'),
    });
    this.#holding = tokens.table.derivedU32('holdersCounts');
    this.#frozen = new FrozenLines(tokens.table);
    this.#accounts = accounts;
    this.#currencies = currencies;
    this.#tokens = tokens;
    this.#changed = changed;
  }

  /** Line or holding of a holder; undefined when there is none. */
  find(holder: number, token: number): number | undefined {
    const kind = this.#tokens.kinds[token];
    if (kind === TokenKind.mpt) return this.#find(holder, 0, token) || undefined;
    if (kind === TokenKind.xrp) return undefined;
    const issuer = this.#tokens.issuers[token]!;
    const code = this.#tokens.codes[token]!;
    const below = this.#accounts.isBelow(holder, issuer);
    return (below ? this.#find(holder, issuer, code) : this.#find(issuer, holder, code)) || undefined;
  }

  /** Ids of the lines of a token, in no particular order. A view: valid until the next ledger. */
  holders(token: number): Uint32Array {
    return this.#lists.list(token);
  }

  /** How many lines of a token have a balance above zero. */
  holdersCount(token: number): number {
    return token === 0 ? this.#accounts.existing : (this.#holding[token] ?? 0);
  }

  /** How many lines of a token its issuer froze, with or without balance. */
  frozenCount(token: number): number {
    return this.#frozen.countByIssuer(token);
  }

  /** Lines of a token that its issuer or their holder froze. Valid until the next ledger. */
  frozenLines(token: number): ReadonlySet<number> {
    return this.#frozen.of(token);
  }

  /** How many trust lines or holdings a token has. */
  lineCount(token: number): number {
    return this.#lists.count(token);
  }

  /** Exact, in circulation: issued, the sum of balances above zero; MPT, outstanding. Of XRP see `fees.totalDrops`. */
  supply(token: number): Decimal {
    if (this.#tokens.kinds[token] !== TokenKind.mpt) return this.#supplies.get(token);
    const { outstandingHi, outstandingLo } = this.#tokens;
    return this.#tokens.decimal(token, outstandingHi[token]!, outstandingLo[token]!);
  }

  /** The same as a double. */
  supplyNumber(token: number): number {
    if (this.#tokens.kinds[token] === TokenKind.mpt) return decimalNumber(this.supply(token));
    return this.#supplies.number(token);
  }

  /** The account that holds `token` on this line. */
  holderAccount(line: number, token: number): number {
    const low = this.lows[line]!;
    return this.#lowHolds(line, token) ? low : this.highs[line]!;
  }

  /** Upper word of the raw balance, seen from the holder of `token`. */
  #balanceHi(line: number, token: number): number {
    const hi = this.balancesHi[line]!;
    if (this.#lowHolds(line, token) || isZeroIssued(hi, this.balancesLo[line]!)) return hi;
    return (hi ^ SIGN) >>> 0;
  }

  /** Raw balance, seen from the holder of `token`. */
  balanceRaw(line: number, token: number): [number, number] {
    return [this.#balanceHi(line, token), this.balancesLo[line]!];
  }

  /** Balance, seen from the holder of `token`: for ranking and charts, not for sums. */
  balanceNumber(line: number, token: number): number {
    return this.#tokens.number(token, this.#balanceHi(line, token), this.balancesLo[line]!);
  }

  /** The same of any line: 0 when it is another token's, or was removed. */
  heldNow(line: number, token: number): number {
    return this.carries(line, token) ? this.balanceNumber(line, token) : 0;
  }

  /** Raw limit that the holder set (MPT: the amount locked in escrows). */
  limitRaw(line: number, token: number): [number, number] {
    if (this.#lowHolds(line, token)) return [this.lowLimitsHi[line]!, this.lowLimitsLo[line]!];
    return [this.highLimitsHi[line]!, this.highLimitsLo[line]!];
  }

  /** The issuer froze this line (MPT: locked this holding). Global freezes are flags of the issuer's account. */
  frozenByIssuer(line: number, token: number): boolean {
    if (this.highs[line] === 0) return (this.flags[line]! & HoldingFlag.locked) !== 0;
    return this.#isSet(line, token, LineFlag.highFreeze, LineFlag.lowFreeze);
  }

  /** The holder froze this line from its side. */
  frozenByHolder(line: number, token: number): boolean {
    return this.highs[line] !== 0 && this.#isSet(line, token, LineFlag.lowFreeze, LineFlag.highFreeze);
  }

  /** The issuer or the holder froze this line (MPT: the issuer locked this holding). */
  isFrozen(line: number): boolean {
    const flags = this.flags[line]!;
    // No flag of a holding has these bits, so that most lines need no second column.
    if (flags & (LineFlag.lowFreeze | LineFlag.highFreeze)) return true;
    return (flags & HoldingFlag.locked) !== 0 && this.highs[line] === 0;
  }

  /** The issuer forbids the holder to receive, too. */
  deepFrozen(line: number, token: number): boolean {
    const { highDeepFreeze, lowDeepFreeze } = LineFlag;
    return this.highs[line] !== 0 && this.#isSet(line, token, highDeepFreeze, lowDeepFreeze);
  }

  /** Whether a line is one of `token`'s that exist. */
  carries(line: number, token: number): boolean {
    if (this.lows[line] === 0) return false;
    const high = this.highs[line]!;
    if (this.#tokens.kinds[token] === TokenKind.mpt) return high === 0 && this.codes[line] === token;
    const issuer = this.#tokens.issuers[token]!;
    const isEnd = issuer === high || issuer === this.lows[line];
    return high !== 0 && isEnd && this.codes[line] === this.#tokens.codes[token];
  }

  /** The tokens that a line carries: of the one that low holds, of the one that high holds; 0 for none. */
  tokensOf(line: number): [number, number] {
    const code = this.codes[line]!;
    if (this.highs[line] === 0) return [code, 0];
    const sides = this.#sides(line);
    return [
      sides & LOW ? this.#tokens.findPair(this.highs[line]!, code) : 0,
      sides & HIGH ? this.#tokens.findPair(this.lows[line]!, code) : 0,
    ];
  }

  /** A RippleState node. */
  apply(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const lowAt = words[at + LineNode.lowLimitAt]!;
    const highAt = words[at + LineNode.highLimitAt]!;
    if (lowAt === 0 || highAt === 0) return;
    const low = this.#accounts.intern(bytes, lowAt + 28);
    const high = this.#accounts.intern(bytes, highAt + 28);
    const code = this.#currencies.intern(bytes, lowAt + 8);
    const { accounts, balances } = this.#changed;
    accounts.add(low);
    accounts.add(high);
    let row = this.#find(low, high, code);
    const balanceAt = words[at + LineNode.balanceAt]!;
    balances.before(bytes, words[at + 1]!, words[at + LineNode.prevBalanceAt]!, balanceAt, ISSUED_ZERO);
    if (row !== 0) this.#takeOut(row);
    else balances.had(ISSUED_ZERO, 0);
    if (words[at + 1] === NodeAction.deleted) {
      balances.after(words[at]!, { low, high, code }, ISSUED_ZERO, 0);
      if (row !== 0) this.#remove(row);
      return;
    }
    if (row === 0) row = this.#add(low, high, code);
    const flagsAt = words[at + LineNode.flagsAt]!;
    this.balancesHi[row] = balanceAt === 0 ? ISSUED_ZERO : readU32(bytes, balanceAt);
    this.balancesLo[row] = balanceAt === 0 ? 0 : readU32(bytes, balanceAt + 4);
    this.lowLimitsHi[row] = readU32(bytes, lowAt);
    this.lowLimitsLo[row] = readU32(bytes, lowAt + 4);
    this.highLimitsHi[row] = readU32(bytes, highAt);
    this.highLimitsLo[row] = readU32(bytes, highAt + 4);
    this.flags[row] = flagsAt === 0 ? 0 : readU32(bytes, flagsAt) >>> 16;
    balances.after(words[at]!, { low, high, code }, this.balancesHi[row]!, this.balancesLo[row]!);
    this.#putIn(row);
  }

  /** An MPToken node. */
  applyHolding(bytes: Uint8Array, words: Uint32Array, at: number): void {
    const accountAt = words[at + MptokenNode.accountAt]!;
    const issuanceAt = words[at + MptokenNode.issuanceIdAt]!;
    if (accountAt === 0 || issuanceAt === 0) return;
    const holder = this.#accounts.intern(bytes, accountAt);
    const token = this.#tokens.ofMptId(bytes, issuanceAt);
    const { accounts, balances } = this.#changed;
    accounts.add(holder);
    let row = this.#find(holder, 0, token);
    const amountAt = words[at + MptokenNode.amountAt]!;
    const prevAt = words[at + MptokenNode.prevAmountAt]!;
    const heldNothing = row !== 0 && this.heldToken(row) === 0;
    balances.before(bytes, words[at + 1]!, prevAt, heldNothing ? 0 : amountAt, 0);
    if (row !== 0) this.#takeOut(row);
    else balances.had(0, 0);
    const key = { low: holder, high: 0, code: token };
    if (words[at + 1] === NodeAction.deleted) {
      balances.after(words[at]!, key, 0, 0);
      if (row !== 0) this.#remove(row);
      return;
    }
    if (row === 0) row = this.#add(holder, 0, token);
    const lockedAt = words[at + MptokenNode.lockedAt]!;
    const flagsAt = words[at + MptokenNode.flagsAt]!;
    this.balancesHi[row] = amountAt === 0 ? 0 : readU32(bytes, amountAt);
    this.balancesLo[row] = amountAt === 0 ? 0 : readU32(bytes, amountAt + 4);
    this.lowLimitsHi[row] = lockedAt === 0 ? 0 : readU32(bytes, lockedAt);
    this.lowLimitsLo[row] = lockedAt === 0 ? 0 : readU32(bytes, lockedAt + 4);
    this.flags[row] = flagsAt === 0 ? 0 : readU32(bytes, flagsAt) & 0xffff;
    balances.after(words[at]!, key, this.balancesHi[row]!, this.balancesLo[row]!);
    this.#putIn(row);
  }

  get indexKeys(): IndexKeys {
    const shared = ({ buffer }: Uint32Array) => buffer as SharedArrayBuffer;
    const [lows, highs, codes] = [shared(this.lows), shared(this.highs), shared(this.codes)];
    return { kind: 'lines', rows: this.table.count, lows, highs, codes };
  }

  takeIndex(index: FilledIndex): void {
    this.#index.take(index);
    this.existing = index.size;
  }

  *fillingIndex(): RowSteps {
    yield* this.#index.filling(this.table.count, hashesOf(this.indexKeys));
    this.existing = this.#index.size;
  }

  /** Derives what is not in the rows. @param indexApart as of accounts */
  *rebuilding(indexApart = false): RowSteps {
    const { count } = this.table;
    this.byAccount.clear();
    // Of lines that were never derived, all this is zero: writing zeros would only take memory.
    if (this.existing > 0) {
      for (const part of [this.#lists, this.#supplies, this.#frozen]) part.clear();
      for (const column of [this.#holding, this.#lowPlaces, this.#highPlaces]) column.fill(0);
    }
    if (!indexApart) yield* this.fillingIndex();
    yield count / 2;
    const built = new LineLists({
      columns: { ...this, lowPlaces: this.#lowPlaces, highPlaces: this.#highPlaces },
      count,
      tokens: this.#tokens,
      lists: this.#lists,
      sums: new BulkSums(this.#supplies),
      onFrozen: (row) => this.#recordFrozen(row, 'add'),
    });
    yield* built.building();
    this.holdings = built.holdings;
    this.#holding.set(built.holders.subarray(0, this.#tokens.count));
    yield count / 2;
  }

  /** Bytes of rows, places, index and lists together, for measuring. */
  get byteLength(): number {
    return this.table.count * (this.table.rowBytes + 8) + this.#index.byteLength + this.#lists.byteLength;
  }

  #find(low: number, high: number, code: number): number {
    const index = this.#index;
    const { lows, highs, codes } = this;
    for (let slot = index.first(hash3(low, high, code)); ; slot = index.next(slot)) {
      const row = index.at(slot);
      if (row === 0) return 0;
      if (lows[row] === low && highs[row] === high && codes[row] === code) return row;
    }
  }

  #add(low: number, high: number, code: number): number {
    const row = this.table.add();
    this.lows[row] = low;
    this.highs[row] = high;
    this.codes[row] = code;
    this.byAccount.add(row);
    this.#index.add(row);
    this.existing++;
    if (high === 0) this.holdings++;
    return row;
  }

  #remove(row: number): void {
    this.#leaveLow(row);
    this.#leaveHigh(row);
    this.byAccount.remove(row);
    this.#index.remove(row);
    if (this.highs[row] === 0) this.holdings--;
    this.table.remove(row);
    this.existing--;
  }

  /** Whether low is the holder of `token` on this line (else high is). */
  #lowHolds(line: number, token: number): boolean {
    const high = this.highs[line]!;
    return high === 0 || this.#tokens.issuers[token] === high;
  }

  /** Whether a line has a flag: the first where low is the holder of `token`, the second where high is. */
  #isSet(line: number, token: number, lowHolds: number, highHolds: number): boolean {
    return (this.flags[line]! & (this.#lowHolds(line, token) ? lowHolds : highHolds)) !== 0;
  }

  /** Which sides belong to the other's token; see the head of the file. */
  #sides(row: number): number {
    if (this.highs[row] === 0) return LOW;
    const hi = this.balancesHi[row]!;
    const holds = isZeroIssued(hi, this.balancesLo[row]!) ? 0 : hi & SIGN ? LOW : HIGH;
    const trusts =
      (isZeroIssued(this.lowLimitsHi[row]!, this.lowLimitsLo[row]!) ? 0 : LOW) |
      (isZeroIssued(this.highLimitsHi[row]!, this.highLimitsLo[row]!) ? 0 : HIGH);
    return holds | trusts || this.flags[row]! & (LineFlag.lowReserve | LineFlag.highReserve);
  }

  /** Takes a row's balance out of the sums before it changes. */
  #takeOut(row: number): void {
    this.#changed.balances.had(this.balancesHi[row]!, this.balancesLo[row]!);
    this.#recordFrozen(row, 'remove');
    const token = this.heldToken(row);
    if (token === 0) return;
    this.#holding[token]!--;
    if (this.highs[row] !== 0) this.#supplies.add(token, this.balancesHi[row]!, this.balancesLo[row]!, -1);
  }

  /** Puts a row's balance into the sums after it changed, and the row into the right lists. */
  #putIn(row: number): void {
    this.table.markDirty(row);
    this.byAccount.changed(row);
    this.#join(row, true);
    this.#recordFrozen(row, 'add');
    const token = this.heldToken(row);
    if (token === 0) return;
    this.#holding[token]!++;
    if (this.highs[row] !== 0) this.#supplies.add(token, this.balancesHi[row]!, this.balancesLo[row]!, 1);
  }

  /** The token of which one end of this line holds more than zero; 0 when neither does. */
  heldToken(row: number): number {
    const hi = this.balancesHi[row]!;
    const lo = this.balancesLo[row]!;
    const high = this.highs[row]!;
    const code = this.codes[row]!;
    if (high === 0) return (hi | lo) === 0 ? 0 : code;
    if (isZeroIssued(hi, lo)) return 0;
    return this.#tokens.findPair(hi & SIGN ? high : this.lows[row]!, code);
  }

  /** Brings the row's list memberships up to date. @param mark mark the tokens as changed. */
  #join(row: number, mark: boolean): void {
    const sides = this.#sides(row);
    const code = this.codes[row]!;
    if (sides & LOW) {
      const token = this.highs[row] === 0 ? code : this.#tokens.ofPair(this.highs[row]!, code);
      if (this.#lowPlaces[row] === 0) this.#lowPlaces[row] = this.#lists.append(token, row) + 1;
      if (mark) this.#markChanged(token, row);
    } else {
      this.#leaveLow(row);
    }
    if (sides & HIGH) {
      const token = this.#tokens.ofPair(this.lows[row]!, code);
      if (this.#highPlaces[row] === 0) this.#highPlaces[row] = this.#lists.append(token, row) + 1;
      if (mark) this.#markChanged(token, row);
    } else {
      this.#leaveHigh(row);
    }
  }

  /** The token that low holds on this line. */
  #lowToken(row: number): number {
    const high = this.highs[row]!;
    return high === 0 ? this.codes[row]! : this.#tokens.findPair(high, this.codes[row]!);
  }

  #leaveLow(row: number): void {
    const place = this.#lowPlaces[row]!;
    if (place === 0) return;
    this.#lowPlaces[row] = 0;
    this.#leave(this.#lowToken(row), row, place);
  }

  #leaveHigh(row: number): void {
    const place = this.#highPlaces[row]!;
    if (place === 0) return;
    this.#highPlaces[row] = 0;
    this.#leave(this.#tokens.findPair(this.lows[row]!, this.codes[row]!), row, place);
  }

  #leave(token: number, row: number, place: number): void {
    const moved = this.#lists.replaceByLast(token, place - 1);
    if (moved !== 0) {
      if (this.#lowHolds(moved, token)) this.#lowPlaces[moved] = place;
      else this.#highPlaces[moved] = place;
    }
    this.#markChanged(token, row);
  }

  #markChanged(token: number, row: number): void {
    this.#changed.tokens.add(token);
    this.#changed.holders.add(token);
    this.#changed.holderLines.push(token, row);
  }

  /** Puts a frozen line among those of each token whose list it is in, or takes it out. */
  #recordFrozen(row: number, change: 'add' | 'remove'): void {
    if (!this.isFrozen(row)) return;
    const flags = this.flags[row]!;
    const byHigh = this.highs[row] === 0 || (flags & LineFlag.highFreeze) !== 0;
    if (this.#lowPlaces[row] !== 0) this.#frozen[change](this.#lowToken(row), row, byHigh);
    if (this.#highPlaces[row] !== 0) {
      const token = this.#tokens.findPair(this.lows[row]!, this.codes[row]!);
      this.#frozen[change](token, row, (flags & LineFlag.lowFreeze) !== 0);
    }
  }
}
