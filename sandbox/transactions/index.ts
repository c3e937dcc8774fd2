/** The implemented transaction types: their rules by name. Other types answer `temDISABLED`. */
import type { Rule } from '../apply/rule.ts';
import type { ReadView } from '../ledger/view.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { accountDelete } from './account-delete.ts';
import { accountSet } from './account-set.ts';
import { ammBid } from './amm-bid.ts';
import { ammClawback } from './amm-clawback.ts';
import { ammCreate } from './amm-create.ts';
import { ammDelete } from './amm-delete.ts';
import { ammDeposit } from './amm-deposit.ts';
import { ammVote } from './amm-vote.ts';
import { ammWithdraw } from './amm-withdraw.ts';
import { batchRule } from './batch.ts';
import { checkCancel } from './check-cancel.ts';
import { checkCash } from './check-cash.ts';
import { checkCreate } from './check-create.ts';
import { clawback } from './clawback.ts';
import { credentialAccept } from './credential-accept.ts';
import { credentialCreate } from './credential-create.ts';
import { credentialDelete } from './credential-delete.ts';
import { delegateSetRule } from './delegate-set.ts';
import { depositPreauth } from './deposit-preauth.ts';
import { didDelete, didSet } from './did.ts';
import { escrowCancel } from './escrow-cancel.ts';
import { escrowCreate } from './escrow-create.ts';
import { escrowFinish } from './escrow-finish.ts';
import { mptokenAuthorize } from './mptoken-authorize.ts';
import { mptokenIssuanceCreate, mptokenIssuanceDestroy, mptokenIssuanceSet } from './mptoken-issuance.ts';
import { nftokenAcceptOffer } from './nftoken-accept-offer.ts';
import { nftokenBurn } from './nftoken-burn.ts';
import { nftokenCancelOffer } from './nftoken-cancel-offer.ts';
import { nftokenCreateOffer } from './nftoken-create-offer.ts';
import { nftokenMint } from './nftoken-mint.ts';
import { nftokenModify } from './nftoken-modify.ts';
import { offerCancel } from './offer-cancel.ts';
import { offerCreate } from './offer-create.ts';
import { oracleDelete, oracleSet } from './oracle.ts';
import { payment } from './payment.ts';
import { paymentChannelClaim, paymentChannelCreate, paymentChannelFund } from './payment-channel.ts';
import { permissionedDomainDelete, permissionedDomainSet } from './permissioned-domain.ts';
import { setRegularKey } from './set-regular-key.ts';
import { signerListSet } from './signer-list-set.ts';
import { ticketCreate } from './ticket-create.ts';
import { trustSet } from './trust-set.ts';
import { vaultClawback } from './vault-clawback.ts';
import { vaultCreate } from './vault-create.ts';
import { vaultDelete } from './vault-delete.ts';
import { vaultDeposit } from './vault-deposit.ts';
import { vaultSet } from './vault-set.ts';
import { vaultWithdraw } from './vault-withdraw.ts';
import { xchainAddAccountCreateAttestation, xchainAddClaimAttestation } from './xchain-attestation.ts';
import { xchainCreateBridge, xchainModifyBridge } from './xchain-bridge.ts';
import { xchainClaim, xchainCreateClaimId } from './xchain-claim.ts';
import { xchainAccountCreateCommit, xchainCommit } from './xchain-commit.ts';

/** In alphabetical order. */
const SINGLE: readonly Rule[] = [
  accountDelete,
  accountSet,
  ammBid,
  ammClawback,
  ammCreate,
  ammDelete,
  ammDeposit,
  ammVote,
  ammWithdraw,
  checkCancel,
  checkCash,
  checkCreate,
  clawback,
  credentialAccept,
  credentialCreate,
  credentialDelete,
  depositPreauth,
  didDelete,
  didSet,
  escrowCancel,
  escrowCreate,
  escrowFinish,
  mptokenAuthorize,
  mptokenIssuanceCreate,
  mptokenIssuanceDestroy,
  mptokenIssuanceSet,
  nftokenAcceptOffer,
  nftokenBurn,
  nftokenCancelOffer,
  nftokenCreateOffer,
  nftokenMint,
  nftokenModify,
  offerCancel,
  offerCreate,
  oracleDelete,
  oracleSet,
  payment,
  paymentChannelClaim,
  paymentChannelCreate,
  paymentChannelFund,
  permissionedDomainDelete,
  permissionedDomainSet,
  setRegularKey,
  signerListSet,
  ticketCreate,
  trustSet,
  vaultClawback,
  vaultCreate,
  vaultDelete,
  vaultDeposit,
  vaultSet,
  vaultWithdraw,
  xchainAccountCreateCommit,
  xchainAddAccountCreateAttestation,
  xchainAddClaimAttestation,
  xchainClaim,
  xchainCommit,
  xchainCreateBridge,
  xchainCreateClaimId,
  xchainModifyBridge,
];

const BY_TYPE: ReadonlyMap<string, Rule> = new Map(SINGLE.map((rule) => [rule.type, rule]));

/** What an inner transaction adds to the batch's fee: the fee of its own type. */
function innerFee(view: ReadView, inner: Readonly<TransactionFields>): bigint {
  const { base } = view.fees;
  return BY_TYPE.get(inner.TransactionType)?.baseFee?.(view, inner, base) ?? base;
}

/** Rules by `TransactionType`. */
export const RULES: ReadonlyMap<string, Rule> = new Map([
  ...BY_TYPE,
  ['Batch', batchRule(innerFee)],
  ['DelegateSet', delegateSetRule((type) => (type === 'Batch' ? undefined : BY_TYPE.get(type)))],
]);
