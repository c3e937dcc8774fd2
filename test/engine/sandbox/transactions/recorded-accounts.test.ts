/**
 * Recorded transactions of account settings, trust lines, checks, channels and clawback, applied again to their rebuilt
 * before-state: the same result and the same change of every entry touched.
 */
import { expect, test } from 'bun:test';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import { issuerOf } from '../../../../engine/sandbox/protocol/asset.ts';
import { fromJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type { Entry, TransactionFields } from '../../../../engine/sandbox/protocol/fields.ts';
import { Lsf, Tf } from '../../../../engine/sandbox/protocol/flags.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import { corpusDir } from '../../../corpus.ts';
import { differences, executeAgain, type Recorded, recordedOf } from './recorded-state.ts';

const TYPES = [
  'AccountSet',
  'SetRegularKey',
  'SignerListSet',
  'DepositPreauth',
  'TrustSet',
  'Clawback',
  'CheckCreate',
  'CheckCash',
  'CheckCancel',
  'PaymentChannelCreate',
  'PaymentChannelFund',
  'PaymentChannelClaim',
];

type Json = Record<string, unknown>;

/** The trust lines of the metadata as they are told: kind and fields. */
function linesOf(meta: Json): { kind: string; fields: Entry }[] {
  return (meta.AffectedNodes as Json[]).flatMap((wrapped) => {
    const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
    if (node.LedgerEntryType !== 'RippleState') return [];
    const fields = fromJson((node.NewFields ?? node.FinalFields ?? {}) as never) as Entry;
    return [{ kind, fields }];
  });
}

/**
 * An account that was not touched shows on the line whether it ripples by default: a new line takes its side's
 * no-ripple flag from that, and an old one pays reserve for what differs from it.
 */
function setDefaultRipple(entries: Entry[], { meta }: Recorded): void {
  const told = new Set(
    (meta.AffectedNodes as Json[])
      .map((wrapped) => Object.values(wrapped)[0] as Json)
      .filter(({ FinalFields }) => (FinalFields as Json | undefined)?.Flags !== undefined)
      .map(({ LedgerIndex }) => String(LedgerIndex)),
  );
  for (const { fields } of linesOf(meta)) {
    for (const [limit, noRipple, reserve] of [
      [fields.LowLimit!, Lsf.lsfLowNoRipple, Lsf.lsfLowReserve],
      [fields.HighLimit!, Lsf.lsfHighNoRipple, Lsf.lsfHighReserve],
    ] as const) {
      const id = issuerOf(limit.asset);
      const account = entries.find(({ index }) => index === keylets.account(id));
      if (!account || told.has(account.index)) continue;
      const flags = fields.Flags ?? 0;
      const paid = (flags & reserve) !== 0;
      const ripples = (flags & noRipple) === 0;
      // Nothing but its last transaction changed: the metadata tells no field.
      Object.assign(account, {
        Account: id,
        Balance: Amount.drops(1_000_000_000n),
        OwnerCount: 5,
        Sequence: 1,
      });
      account.Flags = ripples !== paid ? Lsf.lsfDefaultRipple : 0;
    }
  }
}

/** Something else the account owns. */
const OTHER_ENTRY = 'F'.repeat(64);

/** A signer list that went is listed with its owner, whom it does not name. */
function listSignerList(entries: Entry[], tx: TransactionFields): void {
  const list = entries.find(({ index }) => index === keylets.signerList(tx.Account));
  if (!list) return;
  const key = keylets.directoryPage(keylets.ownerDirectory(tx.Account), list.OwnerNode ?? 0n);
  const page = entries.find(({ index }) => index === key);
  if (page && !page.Indexes?.includes(list.index))
    page.Indexes = [...(page.Indexes ?? []), list.index].sort();
  // A list replaced on its page leaves the page as it was.
  if (!page)
    entries.push({
      LedgerEntryType: 'DirectoryNode',
      index: key,
      RootIndex: key,
      Flags: 0,
      Indexes: [list.index, OTHER_ENTRY],
    });
}

/** Accounts that are named by touched entries but not told themselves. */
function addAccounts(entries: Entry[], tx: TransactionFields): void {
  const named = [tx.Holder, tx.Account];
  for (const { Destination, LowLimit, HighLimit } of entries) {
    named.push(Destination, LowLimit && issuerOf(LowLimit.asset), HighLimit && issuerOf(HighLimit.asset));
  }
  for (const id of named) {
    const index = id && keylets.account(id);
    if (!index || entries.some((entry) => entry.index === index)) continue;
    entries.push({ LedgerEntryType: 'AccountRoot', index, Flags: 0 });
  }
}

/** A field that a transaction adds stands in the final fields as if it had been there before. */
function dropAdded(entries: Entry[], { meta, tx }: Recorded): void {
  const created = (meta.AffectedNodes as Json[]).flatMap(({ CreatedNode }) =>
    CreatedNode ? [CreatedNode as Json] : [],
  );
  const grown = new Set(
    created
      .filter(({ LedgerEntryType }) => LedgerEntryType === 'DirectoryNode')
      .map(({ NewFields }) => fromJson((NewFields ?? {}) as never).IndexPrevious),
  );
  for (const entry of entries) {
    if (
      entry.LedgerEntryType === 'DirectoryNode' &&
      entry.IndexPrevious !== undefined &&
      entry.IndexNext !== undefined
    ) {
      const number = entry.IndexNext - 1n;
      if (grown.has(number) && keylets.directoryPage(entry.RootIndex!, number) === entry.index)
        delete entry.IndexNext;
    }
    const closes = entry.LedgerEntryType === 'PayChannel' && (Number(tx.Flags ?? 0) & Tf.tfClose) !== 0;
    const text = JSON.stringify(meta.AffectedNodes);
    if (closes && text.includes('"PreviousFields":{}')) delete entry.Expiration;
  }
}

function complete(entries: Entry[], recorded: Recorded): void {
  const tx = fromJson(recorded.tx as never) as TransactionFields;
  addAccounts(entries, tx);
  setDefaultRipple(entries, recorded);
  for (const entry of entries) {
    if (entry.LedgerEntryType !== 'AccountRoot' || entry.Account !== undefined) continue;
    const id = [tx.Holder, tx.Amount?.issuer, ...entries.map(({ Destination }) => Destination)].find(
      (one) => one !== undefined && keylets.account(one) === entry.index,
    );
    if (id)
      Object.assign(entry, {
        Account: id,
        Balance: Amount.drops(1_000_000_000n),
        OwnerCount: 5,
        Sequence: 1,
      });
  }
  if (tx.TransactionType === 'SignerListSet') listSignerList(entries, tx);
  dropAdded(entries, recorded);
  if (tx.SetFlag === 5) {
    // A field that a transaction adds stands in the final fields as if it had been there.
    const account = entries.find(({ index }) => index === keylets.account(tx.Account))!;
    if (/^0+$/.test(account.AccountTxnID ?? '')) delete account.AccountTxnID;
  }
}

/** The close time of a mainnet ledger that was recorded without one: that of the nearest ledger that has one. */
function withCloseTime(one: Recorded, all: readonly Recorded[]): Recorded {
  if (one.closeTime !== 0 || one.network !== 'mainnet') return one;
  const dated = all.filter(({ closeTime, network }) => closeTime !== 0 && network === 'mainnet');
  const distance = ({ ledgerIndex }: Recorded): number => Math.abs(ledgerIndex - one.ledgerIndex);
  const nearest = dated.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  return { ...one, closeTime: nearest.closeTime };
}

/** What metadata does not show enough of to apply it again, by the beginning of the hash. */
const NOT_TOLD: ReadonlyMap<string, string> = new Map([
  ['4FB3ADF2', 'flags of the fixture were edited'],
  ['1EABD556', 'before message keys were checked (2014)'],
  ['F81C34E7', 'a key of another account signed: no such account existed'],
  ['0E9CA3AB', 'a test network of early 2017 with other channel keys'],
  ['75B8B031', 'a list replaced by the same list, which old software told as changed'],
  ['7E91ADBE', 'likewise'],
  ['B0EED823', 'likewise'],
  ['26E6E7AE', 'a holding of nothing, which was not touched'],
  ['56C052AC', 'of 2013, recorded without its ledger'],
  ['88C6D876', 'depends on the close of the ledger before'],
  ['09D992D4', 'before fixCheckThreading (2020)'],
  ['5463C6E0', 'likewise'],
  ['605A2E2C', 'likewise'],
  ['B4105D1B', 'likewise'],
  ['B5D94C02', 'a test network: the type was not enabled on mainnet'],
]);

/** A transaction that left its trust line as it was does not tell the line. */
const tellsItsLine = ({ tx, meta }: Recorded): boolean =>
  tx.TransactionType !== 'TrustSet' ||
  meta.TransactionResult !== 'tesSUCCESS' ||
  linesOf(meta as Json).length > 0;

/** Amendments that a recording off mainnet, of unknown date, shows not to have been there. */
function absent({ network, meta }: Recorded): string[] {
  if (network === 'mainnet') return [];
  const names = ['fixIncludeKeyletFields'];
  const oldList = (meta.AffectedNodes as Json[]).some(({ CreatedNode }) => {
    const { LedgerEntryType: type, NewFields: fields } = (CreatedNode ?? {}) as {
      LedgerEntryType?: string;
      NewFields?: Json;
    };
    return type === 'SignerList' && fields?.Flags === undefined;
  });
  if (oldList) names.push('MultiSignReserve');
  const pages = (meta.AffectedNodes as Json[])
    .map(({ ModifiedNode }) => ModifiedNode as Json | undefined)
    .filter((node) => node?.LedgerEntryType === 'DirectoryNode');
  if (pages.some((page) => page?.PreviousTxnID === undefined)) names.push('fixPreviousTxnID');
  return names;
}

/** Before default ripple (2015) the peer's side of a new line was not closed to rippling. */
const isAfterDefaultRipple = ({ tx, network, ledgerIndex }: Recorded): boolean =>
  tx.TransactionType !== 'TrustSet' || (network !== 'standalone' && ledgerIndex > 12_000_000);

const all = corpusDir ? recordedOf([...TYPES, 'OfferCreate', 'Payment']) : [];
const recorded = all
  .filter(({ tx }) => TYPES.includes(String(tx.TransactionType)))
  .filter((one) => !NOT_TOLD.has(one.hash.slice(0, 8)) && tellsItsLine(one))
  .map((one) => withCloseTime(one, all))
  .filter(isAfterDefaultRipple);

for (const type of TYPES) {
  const cases = recorded.filter(({ tx }) => tx.TransactionType === type);
  test.skipIf(cases.length === 0)(`${type} as recorded`, () => {
    const wrong = cases.flatMap((one) => {
      const found = differences(one, executeAgain(one, absent(one), complete));
      return found.length === 0 ? [] : [`${one.network} ${one.hash}:\n    ${found.join('\n    ')}`];
    });
    console.log(`${type}: tried ${cases.length}, equal ${cases.length - wrong.length}`);
    expect(wrong).toEqual([]);
  });
}
