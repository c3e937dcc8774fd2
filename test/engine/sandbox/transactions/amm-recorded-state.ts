/**
 * The state before a recorded AMM transaction: what recorded-state.ts makes of the metadata, and the least of what pool
 * transactions read beside it: the pool's account, entry, lines and directory, the issuers, the other providers.
 */
import type { Outcome } from '../../../../engine/sandbox/apply/environment.ts';
import { transactionOfFields } from '../../../../engine/sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../../engine/sandbox/apply/transactor.ts';
import { lpTokenAsset } from '../../../../engine/sandbox/assets/amm.ts';
import { EntryTable } from '../../../../engine/sandbox/ledger/tables.ts';
import { rulesAt, rulesOf } from '../../../../engine/sandbox/protocol/amendments.ts';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import {
  ACCOUNT_ONE,
  type AccountId,
  type Asset,
  currencyOf,
  type Hex,
  isIssued,
  issued,
  issuerOf,
} from '../../../../engine/sandbox/protocol/asset.ts';
import { fromJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type { Entry, Fields, TransactionFields } from '../../../../engine/sandbox/protocol/fields.ts';
import { Lsf } from '../../../../engine/sandbox/protocol/flags.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import { MapView } from '../rig.ts';
import { type Recorded, stateBefore } from './recorded-state.ts';

type Json = Record<string, unknown>;
type Entries = Map<Hex, Entry>;

/** A provider of every pool that is no party to the transaction. */
const OTHER: AccountId = 'AB'.repeat(20);
const NO_TRANSACTION = { PreviousTxnID: '0'.repeat(64), PreviousTxnLgrSeq: 1 };
/** From here on mainnet asked 1 XRP and 0.2 XRP an entry; before 10 and 2. */
const RESERVE_2024 = 786_412_800;

/** The recorded entries of a kind of node, with what of their fields is recorded. */
export function nodesOf(recorded: Recorded, kind: string, type?: string): (Fields & { index: Hex })[] {
  return (recorded.meta.AffectedNodes as Json[]).flatMap((wrapped) => {
    const node = wrapped[kind] as Json | undefined;
    if (node === undefined || (type !== undefined && node.LedgerEntryType !== type)) return [];
    const fields = fromJson((node.NewFields ?? node.FinalFields ?? {}) as never);
    return [{ ...fields, index: String(node.LedgerIndex) }];
  });
}

/** A line with what `holder` holds of `asset`. */
export function lineWith(holder: AccountId, asset: Asset, balance: Amount, flags = 0): Entry {
  const [currency, issuer] = [currencyOf(asset)!, issuerOf(asset)];
  const high = holder > issuer;
  const [low, other] = high ? [issuer, holder] : [holder, issuer];
  return {
    LedgerEntryType: 'RippleState',
    index: keylets.line(holder, issuer, currency),
    Flags: (flags | (high ? Lsf.lsfHighReserve : Lsf.lsfLowReserve)) >>> 0,
    Balance: (high ? balance.negate() : balance).withAsset(issued(currency, ACCOUNT_ONE)),
    LowLimit: Amount.zero(issued(currency, low)),
    HighLimit: Amount.zero(issued(currency, other)),
    LowNode: 0n,
    HighNode: 0n,
    ...NO_TRANSACTION,
  };
}

function page(entries: Entries, account: AccountId, number: bigint): Entry {
  const root = keylets.ownerDirectory(account);
  const index = keylets.directoryPage(root, number);
  const found = entries.get(index);
  if (found !== undefined) return found;
  const made: Entry = { LedgerEntryType: 'DirectoryNode', index, Flags: 0, Owner: account, RootIndex: root };
  Object.assign(made, { Indexes: ['F'.repeat(64)] }, NO_TRANSACTION);
  entries.set(index, made);
  if (number !== 0n) Object.assign(page(entries, account, 0n), { IndexNext: number, IndexPrevious: number });
  return made;
}

function list(entries: Entries, account: AccountId, number: bigint, key: Hex): void {
  const node = page(entries, account, number);
  if (!node.Indexes!.includes(key)) node.Indexes = [...node.Indexes!, key].sort();
}

const sidesOf = (line: Fields): [AccountId, bigint][] => [
  [issuerOf(line.LowLimit!.asset), line.LowNode ?? 0n],
  [issuerOf(line.HighLimit!.asset), line.HighNode ?? 0n],
];

/** Deleted lines are listed; pages that new lines go to are the last ones of their directories. */
function fillDirectories(recorded: Recorded, entries: Entries): void {
  for (const line of nodesOf(recorded, 'DeletedNode', 'RippleState'))
    for (const [account, number] of sidesOf(line)) list(entries, account, number, line.index);
  const made = new Set(nodesOf(recorded, 'CreatedNode', 'DirectoryNode').map(({ index }) => index));
  for (const line of nodesOf(recorded, 'CreatedNode', 'RippleState'))
    for (const [account, number] of sidesOf(line))
      if (!made.has(keylets.directoryPage(keylets.ownerDirectory(account), number)))
        page(entries, account, number);
}

function addAccount(entries: Entries, id: AccountId, extra: Fields = {}): void {
  const index = keylets.account(id);
  const given = entries.get(index);
  const entry: Fields = {
    Account: id,
    Balance: Amount.drops(1_000_000_000n),
    Flags: Lsf.lsfDefaultRipple,
    OwnerCount: 9,
    Sequence: 1,
    ...NO_TRANSACTION,
    ...(given?.Account === undefined ? extra : {}),
    ...given,
  };
  entries.set(index, { ...entry, LedgerEntryType: 'AccountRoot', index });
}

export interface Pool {
  readonly asset: Asset;
  readonly asset2: Asset;
  readonly account: AccountId;
  readonly lpAsset: Asset;
  readonly index: Hex;
}

/** The pool a transaction names, known by its entry or else by a line of its LP tokens. */
function poolOf(entries: Entries, tx: TransactionFields): Pool {
  const [asset, asset2] = [tx.Asset!, tx.Asset2!];
  const index = keylets.amm(asset, asset2);
  const code = lpTokenAsset(asset, asset2, OTHER).slice(0, 40);
  const line = [...entries.values()].find(
    ({ Balance }) => Balance?.isIssued && Balance.asset.startsWith(code),
  );
  const sender = tx.Holder ?? tx.Account;
  const account =
    entries.get(index)?.Account ??
    (line && sidesOf(line).find(([id]) => id !== sender)?.[0]) ??
    'CD'.repeat(20);
  return { asset, asset2, account, lpAsset: code + account, index };
}

function addPool(recorded: Recorded, entries: Entries, pool: Pool, total: Amount): void {
  const deleted = nodesOf(recorded, 'DeletedNode', 'AMM').length > 0;
  if (!entries.has(pool.index)) {
    const [Asset, Asset2] =
      keylets.assetOrder(pool.asset, pool.asset2) < 0 ? [pool.asset, pool.asset2] : [pool.asset2, pool.asset];
    const AuctionSlot = { Account: OTHER, Expiration: 0, Price: Amount.zero(pool.lpAsset) };
    entries.set(pool.index, {
      LedgerEntryType: 'AMM',
      index: pool.index,
      ...{
        Flags: 0,
        Account: pool.account,
        Asset,
        Asset2,
        AuctionSlot,
        LPTokenBalance: total,
        OwnerNode: 0n,
      },
      ...NO_TRANSACTION,
    });
  }
  const flags = Lsf.lsfDisableMaster | Lsf.lsfDefaultRipple | Lsf.lsfDepositAuth;
  addAccount(entries, pool.account, { AMMID: pool.index, Flags: flags >>> 0 });
  const lines = [pool.asset, pool.asset2].filter(isIssued).map((asset) => {
    const line = lineWith(pool.account, asset, Amount.issued(asset, 10n ** 15n, -9), Lsf.lsfAMMNode);
    if (!entries.has(line.index)) entries.set(line.index, line);
    return line.index;
  });
  const root = page(entries, pool.account, 0n);
  root.Indexes = root.Indexes!.filter((key) => entries.get(key)?.LedgerEntryType === 'RippleState');
  for (const key of [pool.index, ...lines]) list(entries, pool.account, 0n, key);
  if (deleted) return;
  const other = lineWith(OTHER, pool.lpAsset, total);
  entries.set(other.index, other);
  for (const node of [...entries.values()])
    if (node.RootIndex === root.index)
      list(entries, pool.account, node === root ? 0n : pageNumber(root.index, node), other.index);
}

function pageNumber(root: Hex, node: Entry): bigint {
  for (let number = 1n; number < 1000n; number += 1n)
    if (keylets.directoryPage(root, number) === node.index) return number;
  throw new Error('page not found');
}

/** Lines of voters that hold what their recorded weights say: those after the transaction, which are up to date. */
function addVoters(recorded: Recorded, entries: Entries, pool: Pool): void {
  const amm = entries.get(pool.index)!;
  const total = amm.LPTokenBalance!;
  const after = nodesOf(recorded, 'ModifiedNode', 'AMM').flatMap(({ VoteSlots }) => VoteSlots ?? []);
  for (const { VoteEntry: vote } of [...after, ...(amm.VoteSlots ?? [])]) {
    const balance = Amount.issued(
      pool.lpAsset,
      total.mantissa * BigInt(vote!.VoteWeight!),
      total.exponent - 5,
    );
    const line = lineWith(vote!.Account!, pool.lpAsset, balance);
    if (!entries.has(line.index)) entries.set(line.index, line);
    addAccount(entries, vote!.Account!);
  }
}

/**
 * The state before.
 * @param total LP tokens of a pool whose entry was not touched
 */
export function poolStateBefore(recorded: Recorded, total?: string): Entries {
  const tx = fromJson(recorded.tx as never) as TransactionFields;
  const entries: Entries = new Map(stateBefore(recorded).map((entry) => [entry.index, entry]));
  fillDirectories(recorded, entries);
  addAccount(entries, OTHER);
  const touched = [...entries.values(), ...nodesOf(recorded, 'CreatedNode')];
  for (const entry of touched)
    if (entry.LowLimit !== undefined) for (const [account] of sidesOf(entry)) addAccount(entries, account);
  for (const asset of [tx.Asset, tx.Asset2, tx.Amount?.asset, tx.Amount2?.asset])
    if (asset !== undefined && isIssued(asset)) addAccount(entries, issuerOf(asset));
  const pool = tx.Asset === undefined ? undefined : poolOf(entries, tx);
  if (pool !== undefined) {
    const given = total ?? '1000000';
    const [whole, fraction = ''] = given.split('.');
    addPool(recorded, entries, pool, Amount.issued(pool.lpAsset, BigInt(whole + fraction), -fraction.length));
    addVoters(recorded, entries, pool);
    const slot = entries.get(pool.index)!.AuctionSlot;
    if (slot?.Account !== undefined) addAccount(entries, slot.Account);
  }
  return entries;
}

/** The amendments of the recorded network at that time, AMM among them. */
export const rulesOfRecorded = ({ closeTime }: Recorded) =>
  rulesOf([...rulesAt(closeTime).names, 'AMM', 'fixUniversalNumber', 'fixInnerObjTemplate']);

/** Applies a recorded AMM transaction to what was there before it. */
export function executePoolAgain(
  recorded: Recorded,
  entries: Entries,
  changed: { readonly parentHash?: Hex; readonly parentCloseTime?: number } = {},
): Outcome {
  const { closeTime } = recorded;
  const fees =
    closeTime >= RESERVE_2024
      ? { base: 10n, reserve: 1_000_000n, increment: 200_000n }
      : { base: 10n, reserve: 10_000_000n, increment: 2_000_000n };
  const header = {
    index: recorded.ledgerIndex,
    parentHash: changed.parentHash ?? '0'.repeat(64),
    parentCloseTime: changed.parentCloseTime ?? closeTime - 3,
    closeTime,
    totalDrops: 99_990_000_000_000_000n,
  };
  const view = new MapView(header, rulesOfRecorded(recorded), fees, false, entries.values());
  const fields = fromJson(recorded.tx as never);
  return applyTransaction(new EntryTable(view), transactionOfFields(fields), {
    networkId: 0,
    index: Number(recorded.meta.TransactionIndex ?? 0),
  });
}
