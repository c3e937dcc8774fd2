/**
 * The state before a recorded transaction, as far as its own metadata shows it: the final fields overwritten with the
 * previous ones. What is not shown is added by the `supply...` functions with the smallest possible values.
 */
import { Amount, accountOf } from '../../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Hex,
} from '../../../engine/codec/arithmetic/asset.ts';
import type { Entry, Fields, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { hasAny, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import type { Archive } from './archive.ts';
import { fieldsOf, type Json, type Node, nodesOf, type Recorded } from './recorded.ts';

const ADDRESS = /"(r[1-9A-HJ-NP-Za-km-z]{24,34})"/g;
/** XRP of an account that is named but not shown. */
export const MADE_UP_DROPS = 1_000_000_000n;
const MADE_UP_OWNER_COUNT = 9;

export class Before {
  readonly entries = new Map<Hex, Entry>();
  readonly nodes: readonly Node[];
  readonly tx: TransactionFields;
  /** Keys of the entries that the transaction created. */
  readonly created: ReadonlySet<Hex>;
  /** Every account that transaction or metadata name. */
  readonly named: ReadonlySet<AccountId>;

  /** @throws Error for what the protocol of today cannot express. */
  constructor(
    readonly recorded: Recorded,
    readonly archive: Archive,
  ) {
    this.tx = fieldsOf(recorded);
    this.nodes = nodesOf(recorded.meta);
    this.created = new Set(this.of('CreatedNode').map(({ index }) => index));
    const text = JSON.stringify([recorded.tx, recorded.meta]);
    const named = new Set([...text.matchAll(ADDRESS)].flatMap(([, address]) => accountOf(address!) ?? []));
    for (const [, id] of text.matchAll(/"(000[0-9A-F][0-9A-F]{60})"/g)) named.add(id!.slice(8, 48));
    for (const unowned of [ACCOUNT_ZERO, ACCOUNT_ONE]) named.delete(unowned);
    this.named = named;
    for (const node of this.nodes) {
      if (!node.before) continue;
      dropAdded(this, node);
      this.entries.set(node.index, node.before);
    }
  }

  of(kind: Node['kind'], type?: string): Node[] {
    return this.nodes.filter((node) => node.kind === kind && (type === undefined || node.type === type));
  }

  /** Adds an entry that is neither shown nor created by the transaction. */
  add(entry: Entry): void {
    if (!this.entries.has(entry.index) && !this.created.has(entry.index))
      this.entries.set(entry.index, entry);
  }

  root(id: AccountId): Entry | undefined {
    return this.entries.get(keylets.account(id));
  }

  /**
   * Completes an account's root that is not shown, or is shown without fields (only its last transaction changed).
   * @param fields what is known of it from elsewhere
   */
  account(id: AccountId, fields: Fields = {}): void {
    const index = keylets.account(id);
    const shown = this.entries.get(index);
    if (this.created.has(index) || shown?.Account !== undefined) return;
    this.entries.set(index, { ...madeUp(id), ...fields, ...shown, LedgerEntryType: 'AccountRoot', index });
  }
}

export const madeUp = (id: AccountId): Entry => ({
  LedgerEntryType: 'AccountRoot',
  index: keylets.account(id),
  Account: id,
  Balance: Amount.drops(MADE_UP_DROPS),
  Flags: 0,
  OwnerCount: MADE_UP_OWNER_COUNT,
  Sequence: 1,
});

/** Fields that a transaction adds: metadata shows them as if they had existed before. */
function dropAdded(state: Before, node: Node): void {
  if (node.kind !== 'ModifiedNode') return;
  const { tx, recorded } = state;
  const before = node.before as Entry & Record<string, unknown>;
  const previous = (node.json.PreviousFields ?? {}) as Json;
  const names = node.type === 'DirectoryNode' ? linksAdded(state, before) : [];
  for (const name of ['PreviousPageMin', 'NextPageMin'] as const)
    if (state.created.has(String(before[name]))) names.push(name);
  if (recorded.result === 'tesSUCCESS') names.push(...addedBy(tx, before, state, node));
  for (const name of names) if (previous[name] === undefined) delete before[name];
}

/** A directory that grew by a page got links to it. */
function linksAdded(state: Before, page: Entry): string[] {
  const names: string[] = [];
  for (const { after } of state.of('CreatedNode', 'DirectoryNode')) {
    const root = after!.RootIndex!;
    if (page.index === root) names.push('IndexPrevious');
    if (page.index === keylets.directoryPage(root, after!.IndexPrevious ?? 0n)) names.push('IndexNext');
  }
  return names;
}

function addedBy(tx: TransactionFields, before: Entry, state: Before, node: Node): string[] {
  switch (tx.TransactionType) {
    case 'NFTokenMint':
      if (before.Account !== (tx.Issuer ?? tx.Account)) return [];
      return before.MintedNFTokens === 1 ? ['MintedNFTokens', 'FirstNFTokenSequence'] : ['MintedNFTokens'];
    case 'NFTokenBurn':
      return before.Account === tx.NFTokenID!.slice(8, 48) ? ['BurnedNFTokens'] : [];
    case 'EscrowCreate':
      return tx.Amount!.isNative ? [] : ['LockedAmount'];
    case 'EscrowFinish':
    case 'EscrowCancel': {
      const escrow = state.of('DeletedNode', 'Escrow')[0]?.before;
      const receiver = tx.TransactionType === 'EscrowFinish' ? escrow?.Destination : escrow?.Account;
      return before.LedgerEntryType === 'MPToken' && before.Account === receiver ? ['MPTAmount'] : [];
    }
    case 'Payment':
      return before.LedgerEntryType === 'MPToken' && before.Account === tx.Destination ? ['MPTAmount'] : [];
    case 'PaymentChannelClaim':
      return hasAny(tx.Flags, Tf.tfClose) && isEmpty(node.json.PreviousFields) ? ['Expiration'] : [];
    case 'AccountSet':
      return tx.SetFlag === 5 && /^0+$/.test(before.AccountTxnID ?? '') ? ['AccountTxnID'] : [];
    case 'TicketCreate':
      return before.Account === tx.Account && before.TicketCount === tx.TicketCount ? ['TicketCount'] : [];
    default:
      return [];
  }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
