/**
 * Keys of ledger entries: the key of each kind of entry in the state tree, as SHA-512Half of a two-byte space and the
 * entry's identifying values (rippled `Indexes.cpp`). Keys, accounts and currencies are upper-case hex throughout, 64-bit
 * numbers bigint.
 *
 *     account     0061 | account                         owner directory   004F | account
 *     trust line  0072 | low account | high | currency   page n of one     0064 | root | n
 *     book        0042 | pays | gets, its last 8 bytes replaced by the quality: offers of a book are next to each
 *                 other in the order they are consumed
 *     NFT page    account (20 bytes) | low 96 bits of the largest token id it may hold
 */

import {
  type AccountId,
  type Asset,
  CURRENCY_XRP,
  type Hex,
  isMpt,
  issuerOf,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import type { Bridge } from './fields.ts';

function index(space: string, ...parts: readonly string[]): Hex {
  return hexOf(sha512Half(bytesOf(`00${space}${parts.join('')}`)));
}

const u32 = (value: number): string => (value >>> 0).toString(16).toUpperCase().padStart(8, '0');
const u64 = (value: bigint): string => value.toString(16).toUpperCase().padStart(16, '0');

/** Currency of an issued asset or XRP; the currency comes first in an asset's own text. */
const currencyHex = (asset: Asset): Hex => (asset === XRP ? CURRENCY_XRP : asset.slice(0, 40));

export const account = (id: AccountId): Hex => index('61', id);
export const ownerDirectory = (id: AccountId): Hex => index('4F', id);
/** Page of a directory; page 0 is its root. */
export const directoryPage = (root: Hex, page: bigint): Hex =>
  page === 0n ? root : index('64', root, u64(page));

/** The trust line of two accounts, in either order. */
export function line(a: AccountId, b: AccountId, currency: Hex): Hex {
  return a < b ? index('72', a, b, currency) : index('72', b, a, currency);
}

/** By the sequence or ticket of the transaction that created it. */
export const offer = (owner: AccountId, sequence: number): Hex => index('6F', owner, u32(sequence));
export const check = (owner: AccountId, sequence: number): Hex => index('43', owner, u32(sequence));
export const escrow = (owner: AccountId, sequence: number): Hex => index('75', owner, u32(sequence));
export const payChannel = (owner: AccountId, destination: AccountId, sequence: number): Hex =>
  index('78', owner, destination, u32(sequence));
export const ticket = (owner: AccountId, sequence: number): Hex => index('54', owner, u32(sequence));
export const vault = (owner: AccountId, sequence: number): Hex => index('56', owner, u32(sequence));
export const permissionedDomain = (owner: AccountId, sequence: number): Hex =>
  index('6D', owner, u32(sequence));
/** An account has at most one list: list 0. */
export const signerList = (owner: AccountId): Hex => index('53', owner, u32(0));
export const did = (owner: AccountId): Hex => index('49', owner);
export const oracle = (owner: AccountId, documentId: number): Hex => index('52', owner, u32(documentId));
export const delegate = (owner: AccountId, authorized: AccountId): Hex => index('45', owner, authorized);

export const depositPreauth = (owner: AccountId, authorized: AccountId): Hex =>
  index('70', owner, authorized);

/** Issuer and type (hex) of a credential. */
export interface CredentialKind {
  readonly issuer: AccountId;
  readonly type: Hex;
}

/** SHA-512Half of a credential's issuer and type, which identifies it in a set of credentials. */
export const credentialHash = ({ issuer, type }: CredentialKind): Hex =>
  hexOf(sha512Half(bytesOf(issuer + type)));

/** The preauthorisation for holders of a set of credentials, given in any order, each counted once. */
export function depositPreauthCredentials(owner: AccountId, credentials: readonly CredentialKind[]): Hex {
  const sorted = [...new Set(credentials.map(({ issuer, type }) => issuer + type))].sort();
  return preauthOfHashes(
    owner,
    sorted.map((text) => hexOf(sha512Half(bytesOf(text)))),
  );
}

/** The same from the hashes (`credentialHash`), in the order of their credentials: issuer, then type. */
export function preauthOfHashes(owner: AccountId, hashes: readonly Hex[]): Hex {
  // rippled hashes the vector with its length after its elements.
  return index('50', owner, ...hashes, u64(BigInt(hashes.length)));
}

export const credential = (subject: AccountId, issuer: AccountId, type: Hex): Hex =>
  index('44', subject, issuer, type);

export const nftPageMin = (owner: AccountId): Hex => owner + '0'.repeat(24);
export const nftPageMax = (owner: AccountId): Hex => owner + 'F'.repeat(24);
/** The key of a page for a token: its owner and the low 96 bits of its id. */
export const nftPage = (owner: AccountId, tokenId: Hex): Hex => owner + tokenId.slice(40);
export const nftOffer = (owner: AccountId, sequence: number): Hex => index('71', owner, u32(sequence));
export const nftBuyOffers = (tokenId: Hex): Hex => index('68', tokenId);
export const nftSellOffers = (tokenId: Hex): Hex => index('69', tokenId);

/** Id of an issuance: the sequence of the transaction that created it, then its issuer. */
export const mptId = (sequence: number, issuer: AccountId): Hex => u32(sequence) + issuer;
export const mptIssuance = (id: Hex): Hex => index('7E', id);
/** The holding of an issuance by `holder`, by the issuance's id (48 digits). */
export const mptoken = (id: Hex, holder: AccountId): Hex => index('74', mptIssuance(id), holder);

/** The entry with an account's balance of an asset: its MPToken, its trust line with the issuer, for XRP the account. */
export function holding(owner: AccountId, asset: Asset): Hex {
  if (asset === XRP) return account(owner);
  return isMpt(asset) ? mptoken(asset, owner) : line(owner, issuerOf(asset), currencyHex(asset));
}

/** The pool of two assets, given in any order. MPTs come before issued currencies (rippled `keylet::amm`). */
export function amm(a: Asset, b: Asset): Hex {
  const [first, second] = assetOrder(a, b) <= 0 ? [a, b] : [b, a];
  return index('41', ammPart(first), ammPart(second));
}

const ammPart = (asset: Asset): string => (isMpt(asset) ? asset : issuerOf(asset) + currencyHex(asset));

/** Order of assets as in rippled's `Asset`: MPTs first, then by currency, then by issuer. */
export function assetOrder(a: Asset, b: Asset): -1 | 0 | 1 {
  if (a === b) return 0;
  if (isMpt(a) !== isMpt(b)) return isMpt(a) ? -1 : 1;
  const x = a === XRP ? CURRENCY_XRP : a;
  const y = b === XRP ? CURRENCY_XRP : b;
  return x < y ? -1 : 1;
}

/** One side of the market for two assets: offers that want `takerPays` for `takerGets`. */
export interface BookSides {
  readonly takerPays: Asset;
  readonly takerGets: Asset;
  /** Permissioned domain (XLS-81) of the book, if it is not the open one. */
  readonly domain?: Hex | undefined;
}

const QUALITY_DIGITS = 16;

/** The lowest key of a book: its directories follow in the order of their quality. */
export function bookBase({ takerPays, takerGets, domain }: BookSides): Hex {
  const pays = isMpt(takerPays) ? takerPays : currencyHex(takerPays);
  const gets = isMpt(takerGets) ? takerGets : currencyHex(takerGets);
  const paysIssuer = isMpt(takerPays) ? '' : issuerOf(takerPays);
  const getsIssuer = isMpt(takerGets) ? '' : issuerOf(takerGets);
  return bookDirectory(index('42', pays, gets, paysIssuer, getsIssuer, domain ?? ''), 0n);
}

/** The directory of a book for one quality. `base` may be any directory of the book. */
export const bookDirectory = (base: Hex, quality: bigint): Hex =>
  base.slice(0, 64 - QUALITY_DIGITS) + u64(quality);

/** The quality of a book directory's offers. */
export const directoryQuality = (key: Hex): bigint => BigInt(`0x${key.slice(64 - QUALITY_DIGITS)}`);

/** The first key after the book that starts at `base` (from `bookBase`). */
export function nextQualityBase(base: Hex): Hex {
  const next = BigInt(`0x${base}`) + (1n << 64n);
  return next.toString(16).toUpperCase().padStart(64, '0');
}

const issueParts = (issue: Asset): string => currencyHex(issue) + issuerOf(issue);

/** The bridge of a door account, by the currency of that chain's side: a door has one bridge for each. */
export const bridge = (door: AccountId, issue: Asset): Hex => index('48', door, currencyHex(issue));

const bridgeParts = (value: Bridge): string =>
  value.LockingChainDoor +
  issueParts(value.LockingChainIssue) +
  value.IssuingChainDoor +
  issueParts(value.IssuingChainIssue);

export const xchainClaimId = (value: Bridge, id: bigint): Hex => index('51', bridgeParts(value), u64(id));
export const xchainCreateAccountClaimId = (value: Bridge, id: bigint): Hex =>
  index('4B', bridgeParts(value), u64(id));

/** Hashes of the last 256 ledgers; with a ledger index, those of each 256th ledger of its 65,536. */
export const skipList = (ledgerIndex?: number): Hex =>
  ledgerIndex === undefined ? index('73') : index('73', u32(ledgerIndex >>> 16));
export const amendments = (): Hex => index('66');
export const fees = (): Hex => index('65');
export const negativeUnl = (): Hex => index('4E');
