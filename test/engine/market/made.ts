/** Ledgers made up in JSON, encoded with the reference codec, for cases that were never recorded. */
import { encode } from 'ripple-binary-codec';
import { accountBytes, accountText } from '../../../engine/codec/base58.ts';
import { type Sample, sampleOf } from '../state/recorded.ts';

export interface Made {
  /** TransactionType, and whatever else matters; the rest is filled in. */
  readonly tx: Readonly<Record<string, unknown>>;
  readonly nodes: readonly object[];
  readonly result?: string;
}

export const person = (n: number): string => accountText(new Uint8Array(20).fill(n), 0);

/** A different LedgerIndex for each number. */
export const entryIndex = (n: number): string => n.toString(16).toUpperCase().padStart(64, 'E');

export function madeBlobs({ tx, nodes, result = 'tesSUCCESS' }: Made, index: number) {
  const fields = { Account: person(1), Fee: '10', Sequence: 1, SigningPubKey: '', ...tx };
  return {
    tx: encode(fields as never),
    meta: encode({ TransactionIndex: index, TransactionResult: result, AffectedNodes: nodes } as never),
  };
}

export function madeLedger(index: number, closeTime: number, made: readonly Made[]): Sample {
  return sampleOf(`made ${index}`, index, closeTime, made.map(madeBlobs));
}

type Amount = string | Readonly<Record<string, string>>;
const nothing = (amount: Amount): Amount => (typeof amount === 'string' ? '0' : { ...amount, value: '0' });

/** An OfferCreate that takes a whole offer of `maker`: the taker pays `paid` and gets `got`. */
export function taken(n: number, maker: string, paid: Amount, got: Amount, more: object = {}): Made {
  const FinalFields = {
    Account: maker,
    BookDirectory: '0'.repeat(64),
    BookNode: '0',
    Flags: 0,
    OwnerNode: '0',
    Sequence: n,
    TakerPays: nothing(paid),
    TakerGets: nothing(got),
    ...more,
  };
  const PreviousFields = { TakerPays: paid, TakerGets: got };
  const node = { LedgerEntryType: 'Offer', LedgerIndex: entryIndex(n), FinalFields, PreviousFields };
  return {
    tx: { TransactionType: 'OfferCreate', Sequence: n, TakerPays: got, TakerGets: paid },
    nodes: [{ DeletedNode: node }],
  };
}

/** The four nodes of a new pool of XRP and an issued token or MPT. */
export function poolNodes(
  account: string,
  drops: number,
  asset: Readonly<Record<string, string>>,
  n: number,
) {
  const { value, ...issue } = asset;
  const amm = entryIndex(n);
  const lp = {
    currency: `03${n.toString(16).toUpperCase().padStart(38, '0')}`,
    issuer: account,
    value: '1000',
  };
  const created = (LedgerEntryType: string, at: number, NewFields: object): object => ({
    CreatedNode: { LedgerEntryType, LedgerIndex: entryIndex(n + at), NewFields },
  });
  const holding = asset.mpt_issuance_id
    ? created('MPToken', 1, {
        Account: account,
        MPTokenIssuanceID: asset.mpt_issuance_id,
        MPTAmount: value,
        Flags: 4,
      })
    : poolLine(account, asset, n + 1);
  return [
    created('AMM', 0, { Account: account, Asset2: issue, LPTokenBalance: lp, TradingFee: 500 }),
    created('AccountRoot', 2, { Account: account, AMMID: amm, Balance: `${drops}`, Sequence: 1 }),
    holding,
  ];
}

/** The new trust line of a pool. */
export function poolLine(account: string, asset: Readonly<Record<string, string>>, n: number): object {
  const below = Buffer.compare(bytesOf(account), bytesOf(asset.issuer!)) < 0;
  const zero = { currency: asset.currency, value: '0' };
  const limits = below ? [account, asset.issuer] : [asset.issuer, account];
  return {
    CreatedNode: {
      LedgerEntryType: 'RippleState',
      LedgerIndex: entryIndex(n),
      NewFields: {
        Balance: {
          ...zero,
          issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
          value: below ? asset.value : `-${asset.value}`,
        },
        Flags: 0x01000000,
        LowLimit: { ...zero, issuer: limits[0] },
        HighLimit: { ...zero, issuer: limits[1] },
      },
    },
  };
}

const bytesOf = (address: string): Uint8Array => accountBytes(address)!;
