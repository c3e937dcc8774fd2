/**
 * Recorded transactions of MPTs, vaults, bridges, oracles and DIDs, applied again to their rebuilt before-state.
 *
 * They come from development networks of several years: where an entry had another key or name in a draft, the
 * recording is put into today's form first; what the transaction read without touching it is added as the least it
 * can have been.
 */
import { expect, test } from 'bun:test';
import { transactionOfFields } from '../../../../engine/sandbox/apply/transaction.ts';
import { applyTransaction } from '../../../../engine/sandbox/apply/transactor.ts';
import { keyOn } from '../../../../engine/sandbox/assets/xchain-attestations.ts';
import { EntryTable } from '../../../../engine/sandbox/ledger/tables.ts';
import { rulesOf, SANDBOX_RULES } from '../../../../engine/sandbox/protocol/amendments.ts';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import { type AccountId, type Hex, isIssued, issuerOf } from '../../../../engine/sandbox/protocol/asset.ts';
import { fromJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type { Bridge, Entry, Fields, TransactionFields } from '../../../../engine/sandbox/protocol/fields.ts';
import { Lsf } from '../../../../engine/sandbox/protocol/flags.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import { corpusDir } from '../../../corpus.ts';
import { MapView } from '../rig.ts';
import { differences, type Recorded, recordedOf, stateBefore } from './recorded-state.ts';

const TYPES = [
  'MPTokenIssuanceCreate',
  'MPTokenIssuanceSet',
  'MPTokenIssuanceDestroy',
  'MPTokenAuthorize',
  'VaultDeposit',
  'VaultWithdraw',
  'VaultClawback',
  'VaultDelete',
  'XChainModifyBridge',
  'XChainCreateClaimID',
  'XChainClaim',
  'XChainAddClaimAttestation',
  'XChainAddAccountCreateAttestation',
  'OracleSet',
  'OracleDelete',
  'DIDSet',
  'DIDDelete',
];
/** All recordings are from before these. */
const LATER = ['fixCleanup3_1_3', 'fixCleanup3_2_0', 'fixCleanup3_3_0', 'fixIncludeKeyletFields'];
/** Drafts that did something else than the protocol does today. */
const DRAFTS: Readonly<Record<string, string>> = {
  FFC3ABE18EAF0F064F5AE82C8CACE5389C8BAC6E960EAC4A0818D54CC88DF5D1: 'kept the emptied token of shares',
  '2FC69A726F4FB4141222BD0B73C7D19DC8BBCB8ACA0487BBBC8B055243360363': 'witnesses signed another message',
  F3F20B4F1096838B355EED7014CC5E2157A879D585FC560874B8AB67A37C680A: 'witnesses signed another message',
};

/** The recording with a bridge's key as it is today: drafts made it of the door alone, or of its whole issue. */
function inTodaysForm(recorded: Recorded): Recorded {
  const { meta } = recorded;
  // Drafts of vaults wrote a zero where today nothing is written.
  let text = JSON.stringify(meta).replaceAll('"LossUnrealized":"0",', '');
  for (const node of meta.AffectedNodes as Record<string, Record<string, unknown>>[]) {
    const { LedgerEntryType, LedgerIndex, FinalFields } = Object.values(node)[0]!;
    if (LedgerEntryType !== 'Bridge') continue;
    const { Account, XChainBridge } = fromJson(FinalFields as never);
    const bridge = XChainBridge as Bridge;
    const chain = Account === bridge.LockingChainDoor ? 'locking' : 'issuing';
    text = text.replaceAll(String(LedgerIndex), keyOn(bridge, chain));
  }
  return { ...recorded, meta: JSON.parse(text) };
}

const root = (id: AccountId, more: Partial<Entry> = {}): Entry => ({
  LedgerEntryType: 'AccountRoot',
  index: keylets.account(id),
  Account: id,
  Balance: Amount.drops(1_000_000_000n),
  Flags: 0,
  OwnerCount: 0,
  Sequence: 1,
  ...more,
});

/** The issuing chain's bridge with one witness; for a claim also the claim id, attested to by nobody. */
function bridgeOf(tx: Readonly<Fields>, bridge: Bridge): Entry[] {
  const door = bridge.IssuingChainDoor;
  const witness = tx.AttestationSignerAccount ?? door;
  const index = keyOn(bridge, 'issuing');
  const found: Entry[] = [
    { LedgerEntryType: 'Bridge', index, Flags: 0, Account: door, XChainBridge: bridge },
    {
      LedgerEntryType: 'SignerList',
      index: keylets.signerList(door),
      Flags: 0,
      SignerQuorum: 1,
      SignerEntries: [{ SignerEntry: { Account: witness, SignerWeight: 1 } }],
    },
    root(door),
  ];
  if (tx.TransactionType !== 'XChainClaim') return found;
  const id = tx.XChainClaimID ?? 0n;
  found.push({
    LedgerEntryType: 'XChainOwnedClaimID',
    index: keylets.xchainClaimId(bridge, id),
    Flags: 0,
    Account: tx.Account,
    XChainBridge: bridge,
    XChainClaimID: id,
    XChainClaimAttestations: [],
  });
  return found;
}

/** Entries that the transaction read and left as they were. */
function untouched(tx: Readonly<Fields>, entries: ReadonlyMap<Hex, Entry>): Entry[] {
  const found: Entry[] = [];
  if (tx.MPTokenIssuanceID !== undefined && tx.Holder !== undefined) {
    found.push(root(tx.Holder), {
      LedgerEntryType: 'MPTokenIssuance',
      index: keylets.mptIssuance(tx.MPTokenIssuanceID),
      Flags: Lsf.lsfMPTRequireAuth,
      Issuer: issuerOf(tx.MPTokenIssuanceID),
      Sequence: 1,
      OutstandingAmount: 0n,
    });
  }
  const vault = tx.VaultID === undefined ? undefined : entries.get(tx.VaultID);
  if (vault !== undefined) {
    if (!entries.has(keylets.account(vault.Account!)))
      found.push(root(vault.Account!, { VaultID: vault.index, Balance: Amount.drops(0n) }));
    const flags = Lsf.lsfDefaultRipple | Lsf.lsfAllowTrustLineClawback;
    const issuer = issuerOf(vault.Asset!);
    // Without flags where it was only named.
    if (isIssued(vault.Asset!) && !entries.get(keylets.account(issuer))?.Flags)
      found.push({ ...root(issuer), ...entries.get(keylets.account(issuer)), Flags: flags });
  }
  if (tx.XChainBridge !== undefined && tx.XChainClaimID !== undefined)
    found.push(...bridgeOf(tx, tx.XChainBridge));
  return found;
}

function executeAgain(recorded: Recorded) {
  const fields = fromJson(recorded.tx as never) as TransactionFields;
  const rules = rulesOf([...SANDBOX_RULES.names].filter((name) => !LATER.includes(name)));
  const entries = new Map(stateBefore(recorded).map((entry) => [entry.index, entry]));
  for (const entry of untouched(fields, entries)) entries.set(entry.index, entry);
  const did = keylets.did(fields.Account!);
  // Set to what it was already: nothing of it shows.
  if (fields.TransactionType === 'DIDSet' && !JSON.stringify(recorded.meta).includes(did))
    entries.set(did, {
      LedgerEntryType: 'DID',
      index: did,
      Flags: 0,
      Account: fields.Account,
      URI: fields.URI,
    });
  // No directory lists an account.
  for (const page of entries.values())
    if (page.Indexes !== undefined)
      page.Indexes = page.Indexes.filter((key) => entries.get(key)?.LedgerEntryType !== 'AccountRoot');
  const header = {
    index: recorded.ledgerIndex,
    parentHash: '0'.repeat(64),
    parentCloseTime: recorded.closeTime - 3,
    closeTime: recorded.closeTime,
    totalDrops: 99_990_000_000_000_000n,
  };
  const fees = { base: 10n, reserve: 1_000_000n, increment: 200_000n };
  const view = new MapView(header, rules, fees, false, entries.values());
  return applyTransaction(new EntryTable(view), transactionOfFields(fields), {
    networkId: fields.NetworkID ?? 0,
    index: Number(recorded.meta.TransactionIndex ?? 0),
  });
}

const recorded = corpusDir
  ? recordedOf(TYPES)
      .filter(({ hash }) => DRAFTS[hash] === undefined)
      .map(inTodaysForm)
  : [];

for (const type of TYPES) {
  const cases = recorded.filter(({ tx }) => tx.TransactionType === type);
  test.skipIf(cases.length === 0)(`${type} as recorded`, () => {
    const wrong = cases.flatMap((one) => {
      const found = differences(one, executeAgain(one));
      return found.length === 0 ? [] : [`${one.network} ${one.hash}:\n    ${found.join('\n    ')}`];
    });
    console.log(`${type}: tried ${cases.length}, equal ${cases.length - wrong.length}`);
    expect(wrong).toEqual([]);
  });
}
