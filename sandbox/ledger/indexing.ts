/** Keys of a transaction in the store's indices: the accounts and NFTs in its metadata. */
import shipped from 'ripple-binary-codec/dist/enums/definitions.json';
import {
  ACCOUNT_ZERO,
  type AccountId,
  type Hex,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import { mintedNft } from '../../engine/codec/synthetic.ts';
import type { EntryType, Fields } from '../protocol/fields.ts';
import type { IndexedTransaction } from './store.ts';
import type { ClosedTransaction } from './transactions.ts';

/** Fields that hold an account. */
const ACCOUNT_FIELDS: readonly (keyof Fields)[] = (shipped.FIELDS as [string, { type: string }][])
  .filter(([, { type }]) => type === 'AccountID')
  .map(([name]) => name as keyof Fields);
const ACCOUNT_FIELD: ReadonlySet<string> = new Set(ACCOUNT_FIELDS);
/** Amounts whose issuer counts as affected. */
const ISSUED_FIELD: ReadonlySet<string> = new Set(['LowLimit', 'HighLimit', 'TakerPays', 'TakerGets']);

/** An affected node of metadata, with its kind. */
export interface AffectedNode {
  readonly kind: 'CreatedNode' | 'ModifiedNode' | 'DeletedNode';
  readonly type: EntryType;
  readonly key: Hex;
  /** `NewFields` or `FinalFields`. */
  readonly fields: Readonly<Fields>;
  readonly previous: Readonly<Fields>;
}

/** The affected nodes of a transaction's metadata, in their order there. */
export function* affectedNodes(meta: Readonly<Fields>): Generator<AffectedNode, void, undefined> {
  for (const wrapped of meta.AffectedNodes ?? []) {
    for (const kind of ['CreatedNode', 'ModifiedNode', 'DeletedNode'] as const) {
      const node = (wrapped as Record<string, Fields | undefined>)[kind];
      if (node === undefined) continue;
      yield {
        kind,
        type: (node as { LedgerEntryType?: EntryType }).LedgerEntryType as EntryType,
        key: node.LedgerIndex ?? '',
        fields: node.NewFields ?? node.FinalFields ?? {},
        previous: node.PreviousFields ?? {},
      };
    }
  }
}

/** The accounts that a transaction affects (rippled `TxMeta::getAffectedAccounts`), each once, in order of their ids. */
export function affectedAccounts(meta: Readonly<Fields>): AccountId[] {
  const found = new Set<AccountId>();
  for (const { fields } of affectedNodes(meta)) {
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      if (ACCOUNT_FIELD.has(name)) found.add(value as AccountId);
      else if (ISSUED_FIELD.has(name)) {
        const { asset } = value as NonNullable<Fields['TakerPays']>;
        if (!isXrp(asset)) found.add(issuerOf(asset));
      } else if (name === 'MPTokenIssuanceID') found.add(issuerOf(value as Hex));
    }
  }
  found.delete(ACCOUNT_ZERO);
  return [...found].sort();
}

/** The NFTs of a successful transaction: minted, burnt, modified, sold, offered (as in Clio's `nft_history`). */
export function affectedNfts(
  tx: Readonly<Fields & { TransactionType: string }>,
  meta: Readonly<Fields>,
): Hex[] {
  if (meta.TransactionResult !== 0 || !tx.TransactionType.startsWith('NFToken')) return [];
  const found = new Set<Hex>();
  if (tx.NFTokenID !== undefined) found.add(tx.NFTokenID);
  if (tx.TransactionType === 'NFTokenMint') {
    const id = mintedNft(meta);
    if (id !== undefined) found.add(id);
  }
  for (const { type, kind, fields } of affectedNodes(meta))
    if (type === 'NFTokenOffer' && kind !== 'ModifiedNode' && fields.NFTokenID !== undefined)
      found.add(fields.NFTokenID);
  return [...found].sort();
}

/** The index keys of a transaction. */
export function indexed(transaction: ClosedTransaction): IndexedTransaction {
  const { fields, metaFields } = transaction;
  return {
    hash: transaction.hashText,
    accounts: affectedAccounts(metaFields),
    nfts: affectedNfts(fields, metaFields),
  };
}
