/**
 * What transactions of pools read and did not write: the pool's account, entry, lines and directory, and the other
 * providers of its liquidity.
 */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  type Hex,
  isIssued,
  issuerOf,
} from '../../../engine/codec/arithmetic/asset.ts';
import { lpTokenAsset } from '../../../sandbox/assets/amm.ts';
import type { Entry, Fields } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { lineWith } from './accounts.ts';
import { type Before, madeUp } from './before.ts';
import { fillerKey } from './directories.ts';

/** A liquidity provider of every pool, not a party to the transaction. */
const OTHER: AccountId = 'AB'.repeat(20);
/** A pool that is not shown: the deposit or withdrawal is too small to change its balances. */
const NOT_SHOWN: AccountId = 'CD'.repeat(20);
const NO_TRANSACTION = { PreviousTxnID: '0'.repeat(64), PreviousTxnLgrSeq: 1 };

interface Pool {
  readonly asset: Asset;
  readonly asset2: Asset;
  readonly account: AccountId;
  readonly lpAsset: Asset;
  readonly index: Hex;
}

/**
 * @param total LP tokens of a pool whose entry was not changed
 * @param held lines that are known from elsewhere
 */
export function supplyPool(state: Before, total: Amount | undefined, held: readonly Entry[]): void {
  const { tx } = state;
  for (const line of held) state.add(line);
  listLines(state);
  state.account(OTHER, { Flags: Lsf.lsfDefaultRipple, ...NO_TRANSACTION });
  if (tx.Asset === undefined || tx.Asset2 === undefined) return;
  const pool = poolOf(state);
  addPool(state, pool, total?.withAsset(pool.lpAsset) ?? Amount.issued(pool.lpAsset, 1_000_000n, 0));
  addVoters(state, pool);
}

function page(state: Before, account: AccountId, number: bigint): Entry {
  const root = keylets.ownerDirectory(account);
  const index = keylets.directoryPage(root, number);
  const found = state.entries.get(index);
  if (found !== undefined) return found;
  const made: Entry = {
    LedgerEntryType: 'DirectoryNode',
    index,
    Flags: 0,
    Owner: account,
    RootIndex: root,
    Indexes: [fillerKey(index, 0)],
    ...NO_TRANSACTION,
  };
  state.entries.set(index, made);
  if (number !== 0n) Object.assign(page(state, account, 0n), { IndexNext: number, IndexPrevious: number });
  return made;
}

function list(state: Before, account: AccountId, number: bigint, key: Hex): void {
  const node = page(state, account, number);
  if (!node.Indexes!.includes(key)) node.Indexes = [...node.Indexes!, key].sort();
}

const sidesOf = (line: Fields): [AccountId, bigint][] => [
  [issuerOf(line.LowLimit!.asset), line.LowNode ?? 0n],
  [issuerOf(line.HighLimit!.asset), line.HighNode ?? 0n],
];

/** Deleted lines are listed; pages that new lines go to are the last ones of their directories. */
function listLines(state: Before): void {
  for (const { before } of state.of('DeletedNode', 'RippleState'))
    for (const [account, number] of sidesOf(before!)) list(state, account, number, before!.index);
  for (const { after } of state.of('CreatedNode', 'RippleState'))
    for (const [account, number] of sidesOf(after!))
      if (!state.created.has(keylets.directoryPage(keylets.ownerDirectory(account), number)))
        page(state, account, number);
}

/** The pool a transaction names, known by its entry or else by a line of its LP tokens. */
function poolOf({ entries, tx }: Before): Pool {
  const [asset, asset2] = [tx.Asset!, tx.Asset2!];
  const index = keylets.amm(asset, asset2);
  const code = lpTokenAsset(asset, asset2, OTHER).slice(0, 40);
  const line = [...entries.values()].find(
    ({ Balance }) => Balance?.isIssued && Balance.asset.startsWith(code),
  );
  const sender = tx.Holder ?? tx.Account;
  const account =
    entries.get(index)?.Account ?? (line && sidesOf(line).find(([id]) => id !== sender)?.[0]) ?? NOT_SHOWN;
  return { asset, asset2, account, lpAsset: code + account, index };
}

function addPool(state: Before, pool: Pool, total: Amount): void {
  const { entries } = state;
  const ordered = keylets.assetOrder(pool.asset, pool.asset2) < 0;
  const [Asset, Asset2] = ordered ? [pool.asset, pool.asset2] : [pool.asset2, pool.asset];
  state.add({
    LedgerEntryType: 'AMM',
    index: pool.index,
    Flags: 0,
    Account: pool.account,
    Asset,
    Asset2,
    AuctionSlot: { Account: OTHER, Expiration: 0, Price: Amount.zero(pool.lpAsset) },
    LPTokenBalance: total,
    OwnerNode: 0n,
    ...NO_TRANSACTION,
  });
  const flags = Lsf.lsfDisableMaster | Lsf.lsfDefaultRipple | Lsf.lsfDepositAuth;
  const root = keylets.account(pool.account);
  if (
    state.entries.get(root)?.AMMID === undefined &&
    state.of('ModifiedNode').every(({ index, after }) => index !== root || !after?.Account)
  )
    entries.set(root, {
      ...madeUp(pool.account),
      ...entries.get(root),
      AMMID: pool.index,
      Flags: flags >>> 0,
    });
  const lines = [pool.asset, pool.asset2].filter(isIssued).map((asset) => {
    const line = lineWith(pool.account, Amount.issued(asset, 10n ** 15n, -9), Lsf.lsfAMMNode);
    state.add(line);
    return line.index;
  });
  const directory = page(state, pool.account, 0n);
  directory.Indexes = directory.Indexes!.filter((key) => entries.get(key)?.LedgerEntryType === 'RippleState');
  for (const key of [pool.index, ...lines]) list(state, pool.account, 0n, key);
  if (state.of('DeletedNode', 'AMM').length > 0) return;
  const other = lineWith(OTHER, total);
  state.add(other);
  for (const node of [...entries.values()])
    if (node.RootIndex === directory.index)
      list(state, pool.account, node === directory ? 0n : pageNumber(directory.index, node), other.index);
}

function pageNumber(root: Hex, node: Entry): bigint {
  for (let number = 1n; number < 1000n; number += 1n)
    if (keylets.directoryPage(root, number) === node.index) return number;
  throw new Error('page not found');
}

/** Lines of voters hold what their recorded weights say: those after the transaction, which are up to date. */
function addVoters(state: Before, pool: Pool): void {
  const amm = state.entries.get(pool.index)!;
  const total = amm.LPTokenBalance!;
  const after = state.of('ModifiedNode', 'AMM').flatMap((node) => node.after!.VoteSlots ?? []);
  for (const { VoteEntry: vote } of [...after, ...(amm.VoteSlots ?? [])]) {
    const mantissa = total.mantissa * BigInt(vote!.VoteWeight!);
    state.add(lineWith(vote!.Account!, Amount.issued(pool.lpAsset, mantissa, total.exponent - 5)));
  }
}
