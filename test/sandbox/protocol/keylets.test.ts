/** Oracle: the keys of entries in recorded state trees and metadata, which whole-ledger hashes commit to. */
import { describe, expect, test } from 'bun:test';
import { hashes } from 'xrpl';
import { issued, issuerOf, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { scrambleTaxon } from '../../../engine/codec/nft-id.ts';
import { decodeFields, FieldError, fromJson } from '../../../sandbox/protocol/encode.ts';
import type { Fields } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { compareNftIds, nftId, parseNftId } from '../../../sandbox/protocol/nft-id.ts';
import { corpusDir, ledgerFiles, readLedger, readLines } from '../../../support/corpus.ts';

const BOOK_ISSUE = (currency: string, issuer: string) =>
  /^0*$/.test(currency) ? XRP : issued(currency, issuer);

/** The key that an entry must have by its own fields; undefined when they do not determine it. */
function keyOf(entry: Fields, tx: Fields | undefined): string | undefined {
  const sequence = tx?.TicketSequence ?? tx?.Sequence;
  switch (entry.LedgerEntryType) {
    case 'AccountRoot':
      return keylets.account(entry.Account!);
    case 'RippleState': {
      const { LowLimit, HighLimit } = entry;
      return keylets.line(HighLimit!.issuer, LowLimit!.issuer, LowLimit!.asset.slice(0, 40));
    }
    case 'Offer':
      return keylets.offer(entry.Account!, entry.Sequence!);
    case 'DirectoryNode':
      return undefined;
    case 'Check':
      return keylets.check(entry.Account!, entry.Sequence!);
    case 'Ticket':
      return keylets.ticket(entry.Account!, entry.TicketSequence!);
    case 'DepositPreauth':
      return entry.Authorize && keylets.depositPreauth(entry.Account!, entry.Authorize);
    case 'AMM':
      return keylets.amm(entry.Asset2!, entry.Asset!);
    case 'DID':
      return keylets.did(entry.Account!);
    case 'Credential':
      return keylets.credential(entry.Subject!, entry.Issuer!, entry.CredentialType!);
    case 'MPTokenIssuance':
      return keylets.mptIssuance(keylets.mptId(entry.Sequence!, entry.Issuer!));
    case 'MPToken':
      return keylets.mptoken(entry.MPTokenIssuanceID!, entry.Account!);
    case 'PermissionedDomain':
      return keylets.permissionedDomain(entry.Owner!, entry.Sequence!);
    case 'Delegate':
      return keylets.delegate(entry.Account!, entry.Authorize!);
    case 'Vault':
      return keylets.vault(entry.Owner!, entry.Sequence!);
    case 'Bridge':
      return keylets.bridge(
        entry.Account!,
        entry.Account === entry.XChainBridge!.LockingChainDoor
          ? entry.XChainBridge!.LockingChainIssue
          : entry.XChainBridge!.IssuingChainIssue,
      );
    case 'XChainOwnedClaimID':
      return keylets.xchainClaimId(entry.XChainBridge!, entry.XChainClaimID!);
    case 'XChainOwnedCreateAccountClaimID':
      return keylets.xchainCreateAccountClaimId(entry.XChainBridge!, entry.XChainAccountCreateCount!);
    case 'FeeSettings':
      return keylets.fees();
    case 'Amendments':
      return keylets.amendments();
    case 'NegativeUNL':
      return keylets.negativeUnl();
    case 'Oracle':
      return tx?.TransactionType === 'OracleSet'
        ? keylets.oracle(entry.Owner!, tx.OracleDocumentID!)
        : undefined;
    case 'SignerList':
      return tx?.TransactionType === 'SignerListSet' ? keylets.signerList(tx.Account!) : undefined;
    case 'Escrow':
      return tx?.TransactionType === 'EscrowCreate' ? keylets.escrow(entry.Account!, sequence!) : undefined;
    case 'PayChannel':
      return tx?.TransactionType === 'PaymentChannelCreate'
        ? keylets.payChannel(entry.Account!, entry.Destination!, sequence!)
        : undefined;
    case 'NFTokenOffer':
      return tx?.TransactionType === 'NFTokenCreateOffer'
        ? keylets.nftOffer(entry.Owner!, sequence!)
        : undefined;
    default:
      return undefined;
  }
}

/** Directories by the fields of their root. */
function directoryKey(entry: Fields, index: string): string | undefined {
  if (entry.RootIndex !== undefined && entry.RootIndex !== index) return undefined;
  if (entry.Owner !== undefined && entry.ExchangeRate === undefined)
    return keylets.ownerDirectory(entry.Owner);
  if (entry.NFTokenID !== undefined)
    return (entry.Flags! & 1) === 1
      ? keylets.nftBuyOffers(entry.NFTokenID)
      : keylets.nftSellOffers(entry.NFTokenID);
  if (entry.TakerPaysCurrency === undefined || entry.TakerPaysIssuer === undefined) return undefined;
  const base = keylets.bookBase({
    takerPays: BOOK_ISSUE(entry.TakerPaysCurrency, entry.TakerPaysIssuer),
    takerGets: BOOK_ISSUE(entry.TakerGetsCurrency!, entry.TakerGetsIssuer!),
    domain: entry.DomainID,
  });
  const key = keylets.bookDirectory(base, entry.ExchangeRate!);
  expect(key > base && key < keylets.nextQualityBase(base)).toBeTrue();
  return key;
}

/** 2013-12-11, Ripple epoch seconds. */
const EARLY = 440_000_000;

/** The nodes of recorded metadata; none when it has fields of drafts that were never released. */
function nodesOf(meta: unknown, blob: unknown): readonly Fields[] {
  if (typeof blob === 'string') return decodeFields(bytesOf(blob)).AffectedNodes ?? [];
  try {
    return fromJson({ AffectedNodes: (meta as Fields).AffectedNodes }).AffectedNodes ?? [];
  } catch (error) {
    if (error instanceof FieldError) return [];
    throw error;
  }
}

describe.skipIf(!corpusDir)('recorded keys', () => {
  test('entries of metadata: created, changed and deleted', () => {
    const seen = new Map<string, number>();
    for (const { tx_blob, meta, meta_blob, network, close_time } of readLines('tx.jsonl.gz')) {
      // Directories of books had an owner field in the first months.
      if (typeof tx_blob !== 'string' || ((close_time as number) ?? EARLY) < EARLY) continue;
      const tx = decodeFields(bytesOf(tx_blob));
      for (const wrapped of nodesOf(meta, meta_blob)) {
        const node = wrapped.CreatedNode ?? wrapped.ModifiedNode ?? wrapped.DeletedNode ?? {};
        const fields = node.NewFields ?? node.FinalFields;
        if (!fields) continue;
        const type = node.LedgerEntryType!;
        const index = node.LedgerIndex!;
        const entry = { ...fields, LedgerEntryType: type };
        const created = wrapped.CreatedNode ? tx : undefined;
        let key: string | undefined;
        try {
          key = type === 'DirectoryNode' ? directoryKey(entry, index) : keyOf(entry, created);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          continue; // metadata of a new entry leaves default values out
        }
        // Channels of the test network of 2016 and bridges of networks of 2023 had the keys of drafts.
        if (key === undefined || (type === 'PayChannel' && network === 'test-network')) continue;
        if (type === 'Bridge' && network !== 'devnet') continue;
        seen.set(type, (seen.get(type) ?? 0) + 1);
        if (key !== index)
          expect({ type, network, key, tx: tx.TransactionType }).toEqual({
            type,
            network,
            key: index,
            tx: tx.TransactionType,
          });
      }
    }
    console.log('keys by type:', Object.fromEntries(seen));
    for (const type of [
      'AccountRoot',
      'RippleState',
      'Offer',
      'DirectoryNode',
      'AMM',
      'Escrow',
      'PayChannel',
      'Oracle',
    ])
      expect({ type, seen: (seen.get(type) ?? 0) > 0 }).toEqual({ type, seen: true });
  });

  test('entries of whole states, pages of their directories and skip lists', () => {
    let pages = 0;
    let entries = 0;
    for (const name of ledgerFiles()) {
      const { accountState } = readLedger(name);
      const skip = new Set([keylets.skipList()]);
      for (let range = 0; range < 4; range++) skip.add(keylets.skipList(range << 16));
      for (const json of accountState ?? []) {
        const { index, ...rest } = json as { index: string };
        const entry = fromJson(rest);
        if (entry.LedgerEntryType === 'LedgerHashes') {
          expect(skip.has(index)).toBeTrue();
          continue;
        }
        const key =
          entry.LedgerEntryType === 'DirectoryNode' ? directoryKey(entry, index) : keyOf(entry, undefined);
        if (key === undefined) continue;
        entries++;
        expect(key).toBe(index);
        if (entry.IndexNext !== undefined) {
          pages++;
          expect(keylets.directoryPage(index, entry.IndexNext)).toHaveLength(64);
          expect(
            accountState!.some((other) => other.index === keylets.directoryPage(index, entry.IndexNext!)),
          ).toBeTrue();
        }
      }
    }
    expect(entries).toBeGreaterThan(300);
    expect(pages).toBeGreaterThan(0);
  });
});

describe('against the xrpl package', () => {
  const A = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
  const B = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
  const a = 'B5F762798A53D543A014CAF8B297CFF8F2F937E8';
  const b = `${'0'.repeat(39)}1`;
  test('accounts, lines, offers, escrows, channels, signer lists, vaults', () => {
    expect(keylets.account(a)).toBe(hashes.hashAccountRoot(A));
    expect(keylets.line(a, b, `${'0'.repeat(24)}5553440000000000`)).toBe(hashes.hashTrustline(A, B, 'USD'));
    expect(keylets.offer(a, 7)).toBe(hashes.hashOfferId(A, 7));
    expect(keylets.escrow(a, 7)).toBe(hashes.hashEscrow(A, 7));
    expect(keylets.payChannel(a, b, 7)).toBe(hashes.hashPaymentChannel(A, B, 7));
    expect(keylets.signerList(a)).toBe(hashes.hashSignerListId(A));
    expect(keylets.vault(a, 7)).toBe(hashes.hashVault(A, 7));
  });

  test('sets of credentials are identified in any order, each once', () => {
    const one = { issuer: a, type: 'AB' };
    const two = { issuer: b, type: 'CD' };
    expect(keylets.depositPreauthCredentials(a, [one, two, one])).toBe(
      keylets.depositPreauthCredentials(a, [two, one]),
    );
    expect(keylets.depositPreauthCredentials(a, [one, two])).toBe(
      keylets.preauthOfHashes(a, [two, one].map(keylets.credentialHash)),
    );
  });

  test('a book ends where the next begins', () => {
    expect(keylets.nextQualityBase(`${'0'.repeat(47)}${'F'.repeat(17)}`)).toBe(
      `${'0'.repeat(46)}1${'0'.repeat(1)}${'F'.repeat(16)}`,
    );
    expect(issuerOf(keylets.mptId(5, a))).toBe(a);
  });
});

describe('NFT ids', () => {
  test('parts, scrambled taxon and page order (example of XLS-20)', () => {
    const id = '000B013A95F14B0E44F78A264E41713C64B5F89242540EE2BC8B858E00000D65';
    expect(parseNftId(id)).toEqual({
      flags: 11,
      transferFee: 314,
      issuer: '95F14B0E44F78A264E41713C64B5F89242540EE2',
      taxon: 146999694,
      sequence: 3429,
    });
    expect(nftId(parseNftId(id))).toBe(id);
    expect(scrambleTaxon(scrambleTaxon(0xffffffff, 0xffffffff), 0xffffffff)).toBe(0xffffffff);
    expect(compareNftIds(id, id)).toBe(0);
    expect(compareNftIds(`0008${id.slice(4)}`, id)).toBe(-1);
    expect(compareNftIds(id, `0000${id.slice(4, 63)}4`)).toBe(1);
    expect(keylets.nftPage('A'.repeat(40), id)).toBe(`${'A'.repeat(40)}${id.slice(40)}`);
    expect(keylets.nftPageMin('A'.repeat(40)) < keylets.nftPageMax('A'.repeat(40))).toBeTrue();
  });

  test.skipIf(!corpusDir)(
    'minted NFTs of the record have the issuer, taxon and fee of their transaction',
    () => {
      let seen = 0;
      for (const { type, tx_blob, meta } of readLines('tx.jsonl.gz')) {
        const id = (meta as { nftoken_id?: string }).nftoken_id;
        if (type !== 'NFTokenMint' || !id || typeof tx_blob !== 'string') continue;
        const tx = decodeFields(bytesOf(tx_blob));
        seen++;
        expect(parseNftId(id)).toMatchObject({
          issuer: tx.Issuer ?? tx.Account,
          taxon: tx.NFTokenTaxon,
          transferFee: tx.TransferFee ?? 0,
          flags: (tx.Flags ?? 0) & 0xffff,
        });
      }
      expect(seen).toBeGreaterThan(0);
    },
  );
});
