/**
 * Bridges, vaults and MPTs, recorded on development networks of several years: where an entry had another key or name
 * in a draft, the recording is converted to the present form; entries that were only read are added.
 */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { isIssued, issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { keyOn } from '../../../sandbox/assets/xchain-bridges.ts';
import { fromJson } from '../../../sandbox/protocol/encode.ts';
import type { Bridge } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import type { Before } from './before.ts';
import type { Json, Recorded } from './recorded.ts';

/** The recording with the present key of a bridge: drafts derived it from the door account alone, or from its whole issue. */
export function inTodaysForm(recorded: Recorded): Recorded {
  if (!/^(XChain|Vault)/.test(recorded.type)) return recorded;
  const { meta } = recorded;
  // Drafts of vaults wrote a zero where now the field is absent.
  let text = JSON.stringify(meta).replaceAll('"LossUnrealized":"0",', '');
  for (const node of meta.AffectedNodes as Record<string, Json>[]) {
    const { LedgerEntryType, LedgerIndex, FinalFields } = Object.values(node)[0]!;
    if (LedgerEntryType !== 'Bridge') continue;
    const { Account, XChainBridge } = fromJson(FinalFields as never);
    const bridge = XChainBridge as Bridge;
    const chain = Account === bridge.LockingChainDoor ? 'locking' : 'issuing';
    text = text.replaceAll(String(LedgerIndex), keyOn(bridge, chain));
  }
  return { ...recorded, meta: JSON.parse(text) };
}

/** Entries that the transaction read and did not change. */
export function supplyDrafts(state: Before): void {
  const { tx } = state;
  if (tx.MPTokenIssuanceID !== undefined && tx.Holder !== undefined)
    state.add({
      LedgerEntryType: 'MPTokenIssuance',
      index: keylets.mptIssuance(tx.MPTokenIssuanceID),
      Flags: Lsf.lsfMPTRequireAuth,
      Issuer: issuerOf(tx.MPTokenIssuanceID),
      Sequence: 1,
      OutstandingAmount: 0n,
    });
  supplyVault(state);
  if (tx.XChainBridge !== undefined && tx.XChainClaimID !== undefined) supplyBridge(state, tx.XChainBridge);
  // A DIDSet that changes nothing is not shown.
  const did = keylets.did(tx.Account);
  if (tx.TransactionType === 'DIDSet')
    state.add({
      LedgerEntryType: 'DID',
      index: did,
      Flags: 0,
      Account: tx.Account,
      ...(tx.URI ? { URI: tx.URI } : {}),
    });
}

function supplyVault(state: Before): void {
  const vault = state.tx.VaultID === undefined ? undefined : state.entries.get(state.tx.VaultID);
  if (vault === undefined) return;
  state.account(vault.Account!);
  const pseudo = state.root(vault.Account!)!;
  if (pseudo.VaultID === undefined && !state.created.has(pseudo.index))
    Object.assign(pseudo, { VaultID: vault.index, Balance: Amount.drops(0n) });
  if (!isIssued(vault.Asset!)) return;
  const issuer = state.root(issuerOf(vault.Asset!));
  const shown = state.of('ModifiedNode').some(({ index, after }) => index === issuer?.index && after?.Flags);
  if (issuer && !shown) issuer.Flags = Lsf.lsfDefaultRipple | Lsf.lsfAllowTrustLineClawback;
}

/** The issuing chain's bridge with one witness; for a claim also the claim id, without attestations. */
function supplyBridge(state: Before, bridge: Bridge): void {
  const { tx } = state;
  const door = bridge.IssuingChainDoor;
  state.add({
    LedgerEntryType: 'Bridge',
    index: keyOn(bridge, 'issuing'),
    Flags: 0,
    Account: door,
    XChainBridge: bridge,
  });
  state.add({
    LedgerEntryType: 'SignerList',
    index: keylets.signerList(door),
    Flags: 0,
    SignerQuorum: 1,
    SignerEntries: [{ SignerEntry: { Account: tx.AttestationSignerAccount ?? door, SignerWeight: 1 } }],
  });
  state.account(door);
  if (tx.TransactionType !== 'XChainClaim') return;
  const id = tx.XChainClaimID ?? 0n;
  state.add({
    LedgerEntryType: 'XChainOwnedClaimID',
    index: keylets.xchainClaimId(bridge, id),
    Flags: 0,
    Account: tx.Account,
    XChainBridge: bridge,
    XChainClaimID: id,
    XChainClaimAttestations: [],
  });
}
