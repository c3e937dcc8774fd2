/**
 * Impersonation: a token that looks like an established one, of an issuer whose domain says that it is the same.
 *
 *     new token -> skeleton of its name -> an older token with the same, held by 20 ---> twin
 *     twin, domain of its issuer carries the name, or looks like the domain of the other issuer -> listed
 *
 * Names alone prove nothing: a hundred honest gateways issue USD, and anybody may call a coin after a cat. So the domain
 * decides, which an issuer sets by a transaction; of names of three characters, which are codes of currencies, only one that looks
 * like the other issuer's.
 *
 * What is established, and what a domain says, is read from the state when the token changes: a ledger that gives an
 * issuer its domain counts from the next change of the token on. All of it follows from the ledgers, but only for a store
 * that has read them with this rule.
 *
 * Cost: 3 us for each new token; of others a look at a column.
 */
import { hexOf } from '../../codec/bytes.ts';
import { type Changes, EntryType, LineNode, Node, OfferNode } from '../../codec/changes.ts';
import { currencyName } from '../../codec/currency.ts';
import { HASH_BYTES, transactionHash } from '../../codec/hash.ts';
import type { PackedLedger } from '../../codec/packed.ts';
import type { RowSteps } from '../../event-loop.ts';
import { hashWord } from '../../state/hash.ts';
import type { RowIndex } from '../../state/row-index.ts';
import { Table } from '../../state/table.ts';
import { TokenKind } from '../../state/tokens.ts';
import { TableId } from '../../table-ids.ts';
import type { ScamRule } from '../rule.ts';
import { domainSkeleton, skeleton } from '../skeleton.ts';

/** Holders of an established token. */
const ESTABLISHED_HOLDERS = 20;
/** Codes of currencies have as many characters: many issuers have a token with one. */
const CODE_LENGTH = 3;
const MINIMUM_LABEL = 4;
/** Names that a ledger reads at most, 6 ms: after a snapshot, or in a store of an earlier version, all tokens are new. */
const NAMES_A_LEDGER = 2048;
/** 1 ms. */
const NAMES_A_STEP = 256;
const SINCE_OPENED = 'stores of earlier versions have it only since this version opened them';

export const IMPERSONATION: ScamRule = {
  number: 6,
  name: 'impersonation',
  category: 'impersonation',
  isVerified: true,
  definition:
    'Issues a token whose name looks like that of an older token of another issuer with 20 or more holders (UTS 39 skeleton), and has set a ' +
    'domain that carries this name or looks like the domain of the other issuer; for names of up to 3 characters only the latter',
  source: 'https://www.unicode.org/reports/tr39/#Confusable_Detection',
  accounts: 1,
  window: 0,
};

interface Tokens {
  readonly count: number;
  readonly kinds: Uint8Array;
  readonly pools: Uint32Array;
  issuer(token: number): number;
  currencyText(token: number): string;
  /** Token of the Amount at an offset; undefined: it is not known. */
  findAmount(bytes: Uint8Array, at: number): number | undefined;
}

export interface ImpersonationState {
  readonly tokens: Tokens;
  readonly lines: { holdersCount(token: number): number };
  readonly accounts: { domain(id: number): string | undefined };
  readonly changed: { readonly tokens: ReadonlySet<number> };
}

export class Impersonation {
  readonly names: Table;
  readonly fakes: Table;
  /** Of the rows of `fakes`: the token, the one that it looks like, and the close time of the ledger that listed it; 0: a twin. */
  readonly token: Uint32Array;
  readonly genuine: Uint32Array;
  readonly listed: Uint32Array;
  /** Listed rows, oldest first. Derived. */
  readonly listedRows: number[] = [];
  readonly #hashes: Uint8Array;
  readonly #name: Uint32Array;
  readonly #twin: Uint32Array;
  readonly #index: RowIndex;
  readonly #state: ImpersonationState;
  readonly #ofIssuer = new Map<number, number[]>();

  /** @param capacity of tokens */
  constructor(capacity: number, fakes: number, state: ImpersonationState) {
    this.#state = state;
    this.names = new Table(TableId.scamNames, 'names of tokens', capacity);
    this.#name = this.names.u32('name');
    this.#twin = this.names.u32('twin');
    this.#index = this.names.index('names of tokens', (token) => hashWord(this.#name[token]!));
    this.fakes = new Table(TableId.scamTokens, 'tokens that look like others', fakes);
    this.token = this.fakes.u32('token');
    this.genuine = this.fakes.u32('genuine');
    this.listed = this.fakes.u32('listed');
    this.#hashes = this.fakes.u8('hashes', 2 * HASH_BYTES);
    for (const table of [this.names, this.fakes])
      for (const { name } of table.columns) table.excludeFromDigest(name, SINCE_OPENED);
  }

  /** Listed rows of an issuer. */
  of(issuer: number): readonly number[] {
    return this.#ofIssuer.get(issuer) ?? [];
  }

  /** The transaction that made the token known, and the one after which it was listed. */
  evidence(row: number): Uint8Array[] {
    const at = row * 2 * HASH_BYTES;
    const first = this.#hashes.subarray(at, at + HASH_BYTES);
    const second = this.#hashes.subarray(at + HASH_BYTES, at + 2 * HASH_BYTES);
    return [first, second].filter(
      (hash, i, all) =>
        hash.some((byte) => byte !== 0) && all.findIndex((one) => hexOf(one) === hexOf(hash)) === i,
    );
  }

  /** Whether more names are to be read than a ledger usually has new ones. */
  get isBehind(): boolean {
    return this.#state.tokens.count - this.#known > NAMES_A_STEP;
  }

  /** Id after those whose names have been read. */
  get #known(): number {
    return Math.max(1, this.names.count);
  }

  /** The state has applied the ledger. In steps. */
  *reading(packed: PackedLedger, changes: Changes): RowSteps {
    const { tokens, changed } = this.#state;
    const end = Math.min(tokens.count, this.#known + NAMES_A_LEDGER);
    while (this.#known < end) {
      const from = this.#known;
      const to = Math.min(end, from + NAMES_A_STEP);
      this.names.reserve(to);
      this.names.count = to;
      this.names.markDirty(0);
      for (let token = from; token < to; token++) this.#add(token, packed, changes);
      if (to < end) yield NAMES_A_STEP;
    }
    if (this.fakes.count <= 1) return;
    for (const token of changed.tokens) {
      const row = this.#twin[token] ?? 0;
      if (row !== 0 && this.listed[row] === 0 && this.#pretends(row)) this.#list(row, packed, changes);
    }
  }

  *rebuilding(): RowSteps {
    this.#index.reset(this.names.count);
    this.listedRows.length = 0;
    this.#ofIssuer.clear();
    for (let token = 1; token < this.names.count; token++) {
      if (this.#name[token] !== 0) this.#index.add(token);
      if (token % 4096 === 0) yield 4096;
    }
    const rows = Array.from({ length: Math.max(0, this.fakes.count - 1) }, (_, i) => i + 1);
    for (const row of rows
      .filter((row) => this.listed[row] !== 0)
      .sort((a, b) => this.listed[a]! - this.listed[b]! || a - b))
      this.#remember(row);
    yield 0;
  }

  #add(token: number, packed: PackedLedger, changes: Changes): void {
    const { tokens } = this.#state;
    if (tokens.kinds[token] !== TokenKind.issued || tokens.pools[token] !== 0) return;
    const name = currencyName(tokens.currencyText(token));
    // Without a readable name: LP tokens, and bytes.
    if (name.length === 40) return;
    const key = skeleton(name);
    const hash = Bun.hash.crc32(key) || 1;
    const genuine = this.#established(token, hash, key);
    this.#name[token] = hash;
    this.#index.add(token);
    this.names.markDirty(token);
    if (genuine === 0 || this.fakes.count >= this.fakes.capacity) return;
    const row = this.fakes.add();
    this.token[row] = token;
    this.genuine[row] = genuine;
    this.#twin[token] = row;
    this.#setHash(row, 0, this.#transactionOf(token, packed, changes), packed);
  }

  /** The oldest established token of another issuer that looks the same; 0: none. */
  #established(token: number, hash: number, key: string): number {
    const { tokens, lines } = this.#state;
    const issuer = tokens.issuer(token);
    let oldest = 0;
    for (let slot = this.#index.first(hashWord(hash)); ; slot = this.#index.next(slot)) {
      const other = this.#index.at(slot);
      if (other === 0) return oldest;
      if (this.#name[other] !== hash || (oldest !== 0 && other > oldest)) continue;
      if (tokens.issuer(other) === issuer || lines.holdersCount(other) < ESTABLISHED_HOLDERS) continue;
      if (skeleton(currencyName(tokens.currencyText(other))) === key) oldest = other;
    }
  }

  /** Whether the domain of its issuer says that the token is the other one. */
  #pretends(row: number): boolean {
    const { tokens, accounts } = this.#state;
    const domain = hostOf(accounts.domain(tokens.issuer(this.token[row]!)));
    if (!domain) return false;
    const genuine = hostOf(accounts.domain(tokens.issuer(this.genuine[row]!))) || undefined;
    if (genuine !== undefined && belongsTo(domain, genuine)) return false;
    const own = domainSkeleton(domain);
    if (genuine !== undefined && looksLike(own, genuine)) return true;
    const name = currencyName(tokens.currencyText(this.genuine[row]!));
    return name.length > CODE_LENGTH && own.includes(skeleton(name));
  }

  #list(row: number, packed: PackedLedger, changes: Changes): void {
    this.listed[row] = packed.closeTime;
    this.#setHash(row, 1, this.#transactionOf(this.token[row]!, packed, changes), packed);
    this.#remember(row);
  }

  #remember(row: number): void {
    const issuer = this.#state.tokens.issuer(this.token[row]!);
    const rows = this.#ofIssuer.get(issuer);
    if (rows) rows.push(row);
    else this.#ofIssuer.set(issuer, [row]);
    this.listedRows.push(row);
  }

  #setHash(row: number, number: 0 | 1, transaction: number, packed: PackedLedger): void {
    this.fakes.markDirty(row);
    if (transaction < 0) return;
    this.#hashes.set(transactionHash(packed.tx(transaction)), (row * 2 + number) * HASH_BYTES);
  }

  /** Row of the first transaction that changes an offer or line of a token; -1: there is none. */
  #transactionOf(token: number, { bytes }: PackedLedger, changes: Changes): number {
    const { tokens } = this.#state;
    for (let node = 0; node < changes.nodes; node++) {
      const type = changes.node(node, Node.entryType);
      const columns: readonly number[] =
        type === EntryType.RippleState
          ? [LineNode.lowLimitAt, LineNode.highLimitAt]
          : type === EntryType.Offer
            ? [OfferNode.takerPaysAt, OfferNode.takerGetsAt]
            : [];
      for (const column of columns) {
        const at = changes.node(node, column);
        if (at !== 0 && tokens.findAmount(bytes, at) === token) return changes.node(node, Node.tx);
      }
    }
    return -1;
  }
}

/** In lower case, without `www.`, of a domain as its issuer wrote it: some set the address of their site. */
export function hostOf(domain: string | undefined): string | undefined {
  return domain
    ?.trim()
    .toLowerCase()
    .replace(/^[a-z][a-z\d+.-]*:\/\//, '')
    .replace(/^[^/?#]*@/, '')
    .replace(/^www\./, '')
    .replace(/[/?#:].*$/s, '');
}

/** Whether a domain is another one or a part of it. */
const belongsTo = (domain: string, of: string): boolean => domain === of || domain.endsWith(`.${of}`);

/** Whether a domain's skeleton is that of another domain, or carries the name in it. */
function looksLike(own: string, genuine: string): boolean {
  if (own === domainSkeleton(genuine)) return true;
  const labels = genuine.split('.');
  const label = labels.length > 1 ? labels.at(-2)! : genuine;
  return label.length >= MINIMUM_LABEL && own.includes(domainSkeleton(label));
}
