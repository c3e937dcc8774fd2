/**
 * XChainAddClaimAttestation and XChainAddAccountCreateAttestation (XLS-38; rippled `XChainBridge.cpp`): a witness's
 * attestation of an event on the other chain. The attestation that reaches the quorum triggers the transfer.
 */

import { type Amount, isLegal } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { verify } from '../../engine/codec/signatures.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { insertOwned } from '../assets/owned.ts';
import { coversReserve } from '../assets/reserve.ts';
import {
  type Attestation,
  type AttestationKind,
  attestationMessage,
  attestationOf,
  checkWitness,
  rewardedBy,
  stillValid,
  type Witnesses,
  withAttestation,
  witnessesOf,
} from '../assets/xchain-attestations.ts';
import { bridgeOf, type Chain, chainOf, issueOf, otherChain, readBridge } from '../assets/xchain-bridges.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Bridge, Fields, TransactionFields } from '../protocol/fields.ts';
import {
  account as accountKey,
  xchainClaimId as claimKey,
  xchainCreateAccountClaimId as createClaimKey,
} from '../protocol/keylets.ts';
import { isTef, type Result } from '../protocol/results.ts';
import { settleClaim } from './xchain-transfer.ts';

const PUBLIC_KEY = /^(ED|02|03)[0-9A-F]{64}$/;
/** Account-creating transfers that wait for earlier ones. */
const CREATES_WAITING_MAX = 128n;

const chainSentFrom = (attestation: Attestation): Chain =>
  attestation.wasLockingChainSend ? 'locking' : 'issuing';

function preflight(kind: AttestationKind, tx: Readonly<TransactionFields>): Result {
  if (!PUBLIC_KEY.test(tx.PublicKey ?? '')) return 'temMALFORMED';
  const attestation = attestationOf(kind, tx);
  const bridge = bridgeOf(tx);
  if (!verify(attestation.publicKey, attestationMessage(bridge, attestation), tx.Signature ?? ''))
    return 'temXCHAIN_BAD_PROOF';
  if (!isLegal(attestation.amount) || (attestation.reward !== undefined && !isLegal(attestation.reward)))
    return 'temXCHAIN_BAD_PROOF';
  if (attestation.amount.signum <= 0) return 'temXCHAIN_BAD_PROOF';
  return attestation.amount.asset === issueOf(bridge, chainSentFrom(attestation))
    ? 'tesSUCCESS'
    : 'temXCHAIN_BAD_PROOF';
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const entry = readBridge(view, bridgeOf(tx));
  if (entry === undefined) return 'tecNO_ENTRY';
  const witnesses = witnessesOf(view, entry);
  if (typeof witnesses === 'string') return witnesses;
  return checkWitness(view, witnesses, tx.AttestationSignerAccount as AccountId, tx.PublicKey as Hex);
}

/** A new attestation with its bridge on this chain. */
interface AttestationContext {
  readonly bridge: Bridge;
  readonly bridgeKey: Hex;
  readonly door: AccountId;
  readonly sourceChain: Chain;
  readonly witnesses: Witnesses;
  readonly attestation: Attestation;
}

function attestationContextOf(
  view: ReadView,
  kind: AttestationKind,
  tx: Readonly<TransactionFields>,
): AttestationContext | Result {
  const bridge = bridgeOf(tx);
  const entry = readBridge(view, bridge);
  if (entry === undefined) return 'tecNO_ENTRY';
  const here = chainOf(entry, bridge);
  if (here === undefined) return 'tecINTERNAL';
  const witnesses = witnessesOf(view, entry);
  if (typeof witnesses === 'string') return witnesses;
  const attestation = attestationOf(kind, tx);
  const door = entry.Account as AccountId;
  return { bridge, bridgeKey: entry.index, door, sourceChain: otherChain(here), witnesses, attestation };
}

/** The list with the new attestation and without those of former witnesses, and the accounts to reward at the quorum. */
function listed(
  view: ReadView,
  { witnesses, attestation }: AttestationContext,
  before: readonly Fields[],
): { readonly list: Fields[]; readonly rewarded: AccountId[] | undefined } {
  const list = stillValid(view, witnesses, attestation.kind, withAttestation(before, attestation));
  return { list, rewarded: rewardedBy(witnesses, list, attestation) };
}

function addTransfer(view: ApplyView, context: AttestationContext): Result {
  const { bridge, sourceChain, witnesses, attestation } = context;
  const key = claimKey(bridge, attestation.id);
  const claim = view.peek(key);
  if (claim === undefined) return 'tecXCHAIN_NO_CLAIM_ID';
  if (!witnesses.weights.has(attestation.signer)) return 'tecXCHAIN_PROOF_UNKNOWN_KEY';
  if (attestation.sender !== claim.OtherChainSource) return 'tecXCHAIN_SENDING_ACCOUNT_MISMATCH';
  if (chainSentFrom(attestation) !== sourceChain) return 'tecXCHAIN_WRONG_CHAIN';
  const { list, rewarded } = listed(view, context, claim.XChainClaimAttestations ?? []);
  claim.XChainClaimAttestations = list;
  if (rewarded === undefined || attestation.destination === undefined) return 'tesSUCCESS';
  const owner = claim.Account as AccountId;
  const attempt = new EntryTable(view);
  const result = settleClaim(attempt, {
    bridge,
    sourceChain,
    destination: attestation.destination,
    amount: attestation.amount,
    rewardPayer: owner,
    reward: claim.SignatureReward as Amount,
    rewarded,
    key,
    goesAnyway: false,
  });
  if (result === 'tesSUCCESS') attempt.applyTo(view);
  else if (result === 'tecINTERNAL' || result === 'tefBAD_LEDGER') return result;
  // Otherwise the attestation is stored, and the owner of the claim id may claim the funds in another way.
  return 'tesSUCCESS';
}

/** Conditions for a transfer that creates an account. */
function checkCreate(view: ReadView, context: AttestationContext, exists: boolean, done: bigint): Result {
  const { attestation, sourceChain, door, witnesses } = context;
  if (attestation.id <= done) return 'tecXCHAIN_ACCOUNT_CREATE_PAST';
  if (attestation.id >= done + CREATES_WAITING_MAX) return 'tecXCHAIN_ACCOUNT_CREATE_TOO_MANY';
  if (chainSentFrom(attestation) !== sourceChain) return 'tecXCHAIN_WRONG_CHAIN';
  if (!exists) {
    const account = view.read(accountKey(door));
    if (account === undefined) return 'tecINTERNAL';
    if (!coversReserve(view, account, 1)) return 'tecINSUFFICIENT_RESERVE';
  }
  return witnesses.weights.has(attestation.signer) ? 'tesSUCCESS' : 'tecXCHAIN_PROOF_UNKNOWN_KEY';
}

/** Stores the attestations of a transfer that creates an account, in an entry of the door. */
function keepCreate(view: ApplyView, context: AttestationContext, key: Hex, list: readonly Fields[]): Result {
  const { door, bridge, attestation } = context;
  const owner = view.peek(accountKey(door));
  if (owner === undefined) return 'tecINTERNAL';
  return insertOwned(view, owner, {
    LedgerEntryType: 'XChainOwnedCreateAccountClaimID',
    index: key,
    Flags: 0,
    Account: door,
    XChainBridge: bridge,
    XChainAccountCreateCount: attestation.id,
    XChainCreateAccountAttestations: list,
  });
}

function settleCreate(
  view: ApplyView,
  context: AttestationContext,
  key: Hex,
  rewarded: readonly AccountId[],
): Result {
  const { bridge, bridgeKey, sourceChain, door, attestation } = context;
  const result = settleClaim(view, {
    bridge,
    sourceChain,
    destination: attestation.destination as AccountId,
    amount: attestation.amount,
    rewardPayer: door,
    reward: attestation.reward as Amount,
    rewarded,
    key,
    goesAnyway: true,
  });
  if (result === 'tecINTERNAL' || result === 'tecUNFUNDED_PAYMENT' || isTef(result)) return result;
  const entry = view.peek(bridgeKey);
  if (entry === undefined) return 'tecINTERNAL';
  // Increased even after a failure, so that the next ones are not blocked.
  entry.XChainAccountClaimCount = attestation.id;
  return 'tesSUCCESS';
}

function addCreate(view: ApplyView, context: AttestationContext): Result {
  const { bridge, bridgeKey, attestation } = context;
  const done = view.read(bridgeKey)?.XChainAccountClaimCount;
  if (done === undefined) return 'tecINTERNAL';
  const key = createClaimKey(bridge, attestation.id);
  const claim = view.peek(key);
  const checked = checkCreate(view, context, claim !== undefined, done);
  if (checked !== 'tesSUCCESS') return checked;
  const { list, rewarded } = listed(view, context, claim?.XChainCreateAccountAttestations ?? []);
  if (claim !== undefined) claim.XChainCreateAccountAttestations = list;
  // They are settled in order.
  if (rewarded !== undefined && attestation.id === done + 1n)
    return settleCreate(view, context, key, rewarded);
  return claim === undefined ? keepCreate(view, context, key, list) : 'tesSUCCESS';
}

function apply(kind: AttestationKind, { view, tx }: ApplyContext): Result {
  const context = attestationContextOf(view, kind, tx);
  if (typeof context === 'string') return context;
  return kind === 'transfer' ? addTransfer(view, context) : addCreate(view, context);
}

const rule = (type: string, kind: AttestationKind): Rule => ({
  type,
  amendment: 'XChainBridge',
  flags: 0,
  preflight: (tx) => preflight(kind, tx),
  preclaim,
  apply: (context) => apply(kind, context),
});

export const xchainAddClaimAttestation = rule('XChainAddClaimAttestation', 'transfer');
export const xchainAddAccountCreateAttestation = rule('XChainAddAccountCreateAttestation', 'account');
