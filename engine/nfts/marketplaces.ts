/**
 * Through which marketplace something happened to an NFT. What says so, the surest first:
 *
 *     account     it brokered the sale, or is the only one that may take the offer: nobody else can sign for it
 *     source tag  of the transaction (market/platforms.ts)
 *     memo        of the transaction, which names the marketplace's site
 *
 * Anyone can send a tag or a memo, so neither is a proof. Accounts and sites are in the table below, each with a recorded
 * transaction that shows it; a marketplace of which none is recorded is known by its tag alone.
 *
 * Cost: of an event with a broker or a destination one look-up; memos are read only where the tag names no platform.
 */
import { accountBytes } from '../codec/base58.ts';
import { readU32, sameBytes } from '../codec/bytes.ts';
import { type Changes, Tx } from '../codec/changes.ts';
import { memoText } from '../codec/memos.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { platformNumber } from '../market/platforms.ts';
import type { NftEventReader } from './event-record.ts';

const ACCOUNT_BYTES = 20;

interface Marketplace {
  readonly sourceTag: number;
  /** Accounts that broker its sales, and that offers made there are for. */
  readonly brokers: readonly string[];
  /** Hosts that its memos name. */
  readonly sites: readonly string[];
  /** A transaction of the main network that its account signed, with its tag and a memo that names the site. */
  readonly source: string;
}

const MARKETPLACES: readonly Marketplace[] = [
  {
    // XRP Cafe. The memo: "xrp.cafe - sale".
    sourceTag: 101102979,
    brokers: ['rpx9JThQ2y37FaGeeJP7PXDUVEXY3PHZSC'],
    sites: ['xrp.cafe'],
    source: 'A0D335823C7199DE38359C076B6A95364627A09ECCC3B1BF047727A9350AB787',
  },
  {
    // Bidds, which was onXRP. The memo: "Created on nft.onxrp.com".
    sourceTag: 69420589,
    brokers: ['rpZqTPC8GvrSvEfFsUuHkmPCg29GdQuXhC'],
    sites: ['nft.onxrp.com'],
    source: '4232E37C420528C097475AEADA784A33A42B35392A1A17E825E275430CD28A1A',
  },
];

interface Broker {
  readonly bytes: Uint8Array;
  readonly platform: number;
}

/** By the first four of their bytes. */
const BROKERS: ReadonlyMap<number, Broker> = new Map(
  MARKETPLACES.flatMap(({ brokers, sourceTag }) =>
    brokers.map((address) => {
      const bytes = accountBytes(address)!;
      return [readU32(bytes, 0), { bytes, platform: platformNumber(sourceTag) }] as const;
    }),
  ),
);

/** A host as a word of its own: not a part of another one. */
const SITES = MARKETPLACES.flatMap(({ sites, sourceTag }) =>
  sites.map((site) => ({
    platform: platformNumber(sourceTag),
    word: new RegExp(
      `(?<![\\p{L}\\p{N}.-])${site.replaceAll('.', '\\.')}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`,
      'iu',
    ),
  })),
);

/** Platform whose site a memo names; 0: none that is known. */
export function sitePlatform(memo: string): number {
  return SITES.find(({ word }) => word.test(memo))?.platform ?? 0;
}

/** That of a transaction's memos. @returns 0: they name none, or its source tag names one */
export function memoPlatform(
  packed: PackedLedger,
  changes: Changes,
  tx: number,
  sourceTag: number | undefined,
): number {
  const memosAt = changes.tx(tx, Tx.memosAt);
  if (memosAt === 0 || (sourceTag !== undefined && platformNumber(sourceTag) !== 0)) return 0;
  return sitePlatform(memoText(packed.bytes, memosAt, packed.txOffset(tx) + packed.txLength(tx)));
}

/** Number of the platform (market/platforms.ts) through which something happened; 0: none that is known. */
export function marketplaceOf(
  { broker, destination, sourceTag, memoPlatform }: NftEventReader,
  parties: { key(row: number): Uint8Array },
): number {
  const account = broker === 0 ? destination : broker;
  const ofAccount = account === 0 ? 0 : brokerPlatform(parties.key(account));
  if (ofAccount !== 0) return ofAccount;
  return (sourceTag === undefined ? 0 : platformNumber(sourceTag)) || memoPlatform;
}

/** Platform that an account of 20 bytes brokers for; 0: none that is known. */
export function brokerPlatform(account: Uint8Array): number {
  const found = BROKERS.get(readU32(account, 0));
  return found && sameBytes(found.bytes, 0, account, 0, ACCOUNT_BYTES) ? found.platform : 0;
}
