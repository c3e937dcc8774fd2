/** A bridge to another chain (XLS-38); this network is the locking chain. */

import { type AccountId, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { attestationMessage, attestationOf } from '../../assets/xchain-attestations.ts';
import type { Fields, TransactionFields } from '../../protocol/fields.ts';
import { GENESIS_ACCOUNT } from '../../protocol/well-known.ts';
import type { Agent, Agents } from '../agents.ts';
import type { SimulationStep, TransactionTemplate } from '../simulation-step.ts';
import { CatalogueFamily, drops, xrp } from './family.ts';

const REWARD = 100;

export function bridges(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'bridge');
  const [door, a, b, other, newcomer] = ['door', 'a', 'b', 'other', 'newcomer'].map((name) =>
    family.agent(name),
  ) as [Agent, Agent, Agent, Agent, Agent];
  const witnesses = [0, 1].map((n) => family.agent(`witness ${n}`)) as [Agent, Agent];
  family.fund(0, 200, door, a, b, ...witnesses);
  const XChainBridge = {
    LockingChainDoor: door.account,
    LockingChainIssue: XRP,
    IssuingChainDoor: GENESIS_ACCOUNT,
    IssuingChainIssue: XRP,
  };
  const claimId = (step: SimulationStep) => step.owned(b.account, 'XChainOwnedClaimID')[0]?.XChainClaimID;
  /** The fields of a witness's attestation, signed. */
  const attested = (
    witness: Agent,
    kind: 'transfer' | 'account',
    attestation: Fields,
  ): Omit<TransactionTemplate, 'TransactionType'> => {
    const fields: Fields = {
      XChainBridge,
      OtherChainSource: other.account,
      AttestationRewardAccount: witness.account,
      AttestationSignerAccount: witness.account,
      WasLockingChainSend: 0,
      PublicKey: witness.publicKey,
      ...attestation,
    };
    const message = attestationMessage(XChainBridge, attestationOf(kind, fields as TransactionFields));
    return { ...fields, Signature: witness.sign(message) } as Omit<TransactionTemplate, 'TransactionType'>;
  };
  family.row(2, 'bridge-create', 'XChainCreateBridge', 'A bridge for XRP is opened', door, {
    XChainBridge,
    SignatureReward: drops(50),
    MinAccountCreateAmount: xrp(5),
  });
  family.prepare(3, door, {
    TransactionType: 'SignerListSet',
    SignerQuorum: 2,
    SignerEntries: witnesses
      .map(({ account }): AccountId => account)
      .sort()
      .map((Account) => ({ SignerEntry: { Account, SignerWeight: 1 } })),
  });
  family.row(4, 'bridge-modify', 'XChainModifyBridge', 'Its reward is changed', door, {
    XChainBridge,
    SignatureReward: drops(REWARD),
  });
  family.row(6, 'bridge-commit', 'XChainCommit', 'XRP goes to the other chain', a, {
    XChainBridge,
    XChainClaimID: 1n,
    Amount: xrp(40),
    OtherChainDestination: other.account,
  });
  family.row(8, 'bridge-account-commit', 'XChainAccountCreateCommit', 'XRP for a new account over there', a, {
    XChainBridge,
    Destination: other.account,
    Amount: xrp(20),
    SignatureReward: drops(REWARD),
  });
  family.row(10, 'bridge-claim-id', 'XChainCreateClaimID', 'A transfer from over there is announced', b, {
    XChainBridge,
    SignatureReward: drops(REWARD),
    OtherChainSource: other.account,
  });
  for (const [n, witness] of witnesses.entries())
    family.row(
      12,
      `bridge-attest-${n + 1}`,
      'XChainAddClaimAttestation',
      'A witness attests a transfer',
      witness,
      (step) => {
        const XChainClaimID = claimId(step);
        return XChainClaimID === undefined
          ? undefined
          : attested(witness, 'transfer', { Amount: xrp(15), XChainClaimID });
      },
    );
  family.row(14, 'bridge-claim', 'XChainClaim', 'What came over is claimed', b, (step) => {
    const XChainClaimID = claimId(step);
    return XChainClaimID === undefined
      ? undefined
      : { XChainBridge, XChainClaimID, Amount: xrp(15), Destination: b.account };
  });
  for (const [n, witness] of witnesses.entries())
    family.row(
      16 + n,
      `bridge-account-attest-${n + 1}`,
      'XChainAddAccountCreateAttestation',
      'A witness attests a transfer that makes an account',
      witness,
      attested(witness, 'account', {
        Amount: xrp(10),
        Destination: newcomer.account,
        XChainAccountCreateCount: 1n,
        SignatureReward: drops(REWARD),
      }),
    );
  return family;
}
