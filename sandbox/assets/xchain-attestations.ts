/**
 * Attestations of a bridge's witnesses: their form, who may make them, and when the quorum is reached (XLS-38; rippled
 * `XChainAttestations.cpp`, `XChainBridge.cpp`).
 *
 * A witness signs that a transfer happened on the other chain. The attestation is stored in a claim id (or, for a
 * transfer that creates an account, in an entry of the door account) until equal attestations reach the quorum of the
 * door's signer list.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { accountOfKey } from '../../engine/codec/public-keys.ts';
import type { ReadView } from '../ledger/view.ts';
import { encodeFields } from '../protocol/encode.ts';
import type { Bridge, Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import { account as accountKey, signerList as signerListKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';

/** `transfer`: of funds, by a claim id. `account`: one that creates an account, numbered by the bridge. */
export type AttestationKind = 'transfer' | 'account';

/** The attestation of a witness. */
export interface Attestation {
  readonly kind: AttestationKind;
  readonly signer: AccountId;
  readonly publicKey: Hex;
  readonly sender: AccountId;
  readonly amount: Amount;
  readonly rewardAccount: AccountId;
  readonly wasLockingChainSend: boolean;
  /** May be absent for transfers: the owner of the claim id then chooses it. */
  readonly destination: AccountId | undefined;
  /** The claim id, or the number of the transfer that creates an account. */
  readonly id: bigint;
  /** Only in transfers that create accounts. */
  readonly reward: Amount | undefined;
}

export function attestationOf(kind: AttestationKind, tx: Readonly<TransactionFields>): Attestation {
  return {
    kind,
    signer: tx.AttestationSignerAccount as AccountId,
    publicKey: tx.PublicKey as Hex,
    sender: tx.OtherChainSource as AccountId,
    amount: tx.Amount as Amount,
    rewardAccount: tx.AttestationRewardAccount as AccountId,
    wasLockingChainSend: (tx.WasLockingChainSend ?? 0) !== 0,
    destination: tx.Destination,
    id: (kind === 'transfer' ? tx.XChainClaimID : tx.XChainAccountCreateCount) ?? 0n,
    reward: kind === 'account' ? tx.SignatureReward : undefined,
  };
}

/** The bytes a witness signs: the fields of the event, without any prefix. */
export function attestationMessage(bridge: Bridge, attestation: Attestation): Uint8Array {
  const fields: Fields = {
    Amount: attestation.amount,
    OtherChainSource: attestation.sender,
    AttestationRewardAccount: attestation.rewardAccount,
    WasLockingChainSend: attestation.wasLockingChainSend ? 1 : 0,
    XChainBridge: bridge,
  };
  if (attestation.destination !== undefined) fields.Destination = attestation.destination;
  if (attestation.kind === 'transfer') fields.XChainClaimID = attestation.id;
  else {
    fields.XChainAccountCreateCount = attestation.id;
    fields.SignatureReward = attestation.reward;
  }
  return encodeFields(fields);
}

/** The weights of a door's signers and the quorum they have to reach. */
export interface Witnesses {
  readonly weights: ReadonlyMap<AccountId, number>;
  readonly quorum: number;
}

export function witnessesOf(view: ReadView, entry: Readonly<Entry>): Witnesses | Result {
  const door = entry.Account as AccountId;
  if (view.read(accountKey(door)) === undefined) return 'tecINTERNAL';
  const list = view.read(signerListKey(door));
  if (list === undefined) return 'tecXCHAIN_NO_SIGNERS_LIST';
  const weights = new Map<AccountId, number>();
  for (const { SignerEntry } of list.SignerEntries ?? [])
    if (SignerEntry?.Account !== undefined) weights.set(SignerEntry.Account, SignerEntry.SignerWeight ?? 0);
  return { weights, quorum: list.SignerQuorum ?? 0 };
}

/** Whether the key may sign for a signer of the door account: its master key while enabled, or its regular key. */
export function checkWitness(
  view: ReadView,
  witnesses: Witnesses,
  signer: AccountId,
  publicKey: Hex,
): Result {
  if (!witnesses.weights.has(signer)) return 'tecNO_PERMISSION';
  const keyAccount = accountOfKey(publicKey);
  const account = view.read(accountKey(signer));
  const isMaster = keyAccount === signer;
  if (account === undefined) return isMaster ? 'tesSUCCESS' : 'tecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR';
  const disabled = hasAny(account.Flags, Lsf.lsfDisableMaster);
  const isWitness = isMaster ? !disabled : account.RegularKey === keyAccount;
  return isWitness ? 'tesSUCCESS' : 'tecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR';
}

const ELEMENT = { transfer: 'XChainClaimProofSig', account: 'XChainCreateAccountProofSig' } as const;

/** The stored form of an attestation in a claim's list. */
function storedForm(attestation: Attestation): Fields {
  const kept: Fields = {
    AttestationSignerAccount: attestation.signer,
    PublicKey: attestation.publicKey,
    Amount: attestation.amount,
    AttestationRewardAccount: attestation.rewardAccount,
    WasLockingChainSend: attestation.wasLockingChainSend ? 1 : 0,
  };
  if (attestation.reward !== undefined) kept.SignatureReward = attestation.reward;
  if (attestation.destination !== undefined) kept.Destination = attestation.destination;
  return { [ELEMENT[attestation.kind]]: kept };
}

const bodyOf = (kind: AttestationKind, element: Readonly<Fields>): Readonly<Fields> =>
  element[ELEMENT[kind]] ?? {};

/** The event that attestations are counted for. */
interface Event {
  readonly kind: AttestationKind;
  readonly amount: Amount;
  readonly reward: Amount | undefined;
  readonly wasLockingChainSend: boolean;
  /** `any`: the claimant chooses the destination. */
  readonly destination: AccountId | undefined | 'any';
}

function attests(kept: Readonly<Fields>, event: Event): boolean {
  if (kept.Amount?.equals(event.amount) !== true) return false;
  if (event.reward !== undefined && kept.SignatureReward?.equals(event.reward) !== true) return false;
  if (((kept.WasLockingChainSend ?? 0) !== 0) !== event.wasLockingChainSend) return false;
  return event.destination === 'any' || kept.Destination === event.destination;
}

/** A list of attestations without those of former witnesses. */
export function stillValid(
  view: ReadView,
  witnesses: Witnesses,
  kind: AttestationKind,
  list: readonly Fields[],
): Fields[] {
  return list.filter((element) => {
    const { AttestationSignerAccount, PublicKey } = bodyOf(kind, element);
    const checked = checkWitness(view, witnesses, AttestationSignerAccount as AccountId, PublicKey as Hex);
    return checked === 'tesSUCCESS';
  });
}

/** The list with one more; it replaces an earlier attestation of the same witness. */
export function withAttestation(list: readonly Fields[], attestation: Attestation): Fields[] {
  const { kind, signer } = attestation;
  const at = list.findIndex((element) => bodyOf(kind, element).AttestationSignerAccount === signer);
  return at < 0 ? [...list, storedForm(attestation)] : list.with(at, storedForm(attestation));
}

/** The accounts to reward when the attestations of the event reach the quorum; undefined when they do not. */
export function rewardedBy(
  witnesses: Witnesses,
  list: readonly Fields[],
  event: Event,
): AccountId[] | undefined {
  const rewarded: AccountId[] = [];
  let weight = 0;
  for (const element of list) {
    const kept = bodyOf(event.kind, element);
    if (!attests(kept, event)) continue;
    weight += witnesses.weights.get(kept.AttestationSignerAccount as AccountId) ?? 0;
    rewarded.push(kept.AttestationRewardAccount as AccountId);
  }
  return weight >= witnesses.quorum ? rewarded : undefined;
}
