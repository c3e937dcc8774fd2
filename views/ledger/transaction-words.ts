/**
 * A transaction in one plain sentence, from its fields and what its metadata says was delivered. Types without words of their own
 * are named as the ledger names them.
 */
import { isJsonObject, type Json, type JsonObject } from '../../engine/codec/json.ts';

interface Told {
  readonly tx_json: JsonObject;
  readonly meta: JsonObject;
}

/** @param about r-address: named `this account` */
export function transactionWords({ tx_json: tx, meta }: Told, about?: string): string {
  const result = String(meta.TransactionResult ?? '');
  const who = (address: unknown) =>
    address === about && about !== undefined ? 'this account' : String(address);
  const words =
    WORDS[String(tx.TransactionType)]?.(tx, meta, who) ?? `sent ${withArticle(String(tx.TransactionType))}`;
  const outcome = result === 'tesSUCCESS' ? '' : ` It failed (${result}); only the fee was taken.`;
  // An address keeps its small r: in capitals it would be another one.
  const sender = who(tx.Account) === 'this account' ? 'This account' : who(tx.Account);
  return `${sender} ${words}.${outcome}`;
}

type Words = (tx: JsonObject, meta: JsonObject, who: (address: unknown) => string) => string;

const WORDS: Readonly<Record<string, Words>> = {
  Payment: (tx, meta, who) => {
    const delivered = meta.delivered_amount ?? tx.DeliverMax ?? tx.Amount;
    return tx.Account === tx.Destination
      ? `exchanged up to ${amount(tx.SendMax ?? tx.Amount)} for ${amount(delivered)}`
      : `paid ${amount(delivered)} to ${who(tx.Destination)}`;
  },
  OfferCreate: (tx) => `offered ${amount(tx.TakerGets)} for ${amount(tx.TakerPays)}`,
  OfferCancel: (tx) => `cancelled its offer ${tx.OfferSequence}`,
  TrustSet: (tx, _, who) =>
    isJsonObject(tx.LimitAmount)
      ? `set its limit for ${currency(tx.LimitAmount.currency)} of ${who(tx.LimitAmount.issuer)} to ${tx.LimitAmount.value}`
      : 'changed a trust line',
  AccountSet: () => 'changed its settings',
  AccountDelete: (tx, _, who) => `closed its account; what was left went to ${who(tx.Destination)}`,
  SetRegularKey: (tx) =>
    tx.RegularKey ? `set its regular key to ${tx.RegularKey}` : 'removed its regular key',
  SignerListSet: (tx) => (tx.SignerQuorum === 0 ? 'removed its list of signers' : 'set its list of signers'),
  TicketCreate: (tx) => `made ${tx.TicketCount} tickets`,
  CheckCreate: (tx, _, who) => `wrote a check over at most ${amount(tx.SendMax)} to ${who(tx.Destination)}`,
  CheckCash: (tx) => `cashed a check for ${amount(tx.Amount ?? tx.DeliverMin)}`,
  CheckCancel: () => 'cancelled a check',
  EscrowCreate: (tx, _, who) => `put ${amount(tx.Amount)} into escrow for ${who(tx.Destination)}`,
  EscrowFinish: (tx, _, who) => `released the escrow ${tx.OfferSequence} of ${who(tx.Owner)}`,
  EscrowCancel: (tx, _, who) => `cancelled the escrow ${tx.OfferSequence} of ${who(tx.Owner)}`,
  PaymentChannelCreate: (tx, _, who) =>
    `opened a payment channel of ${amount(tx.Amount)} to ${who(tx.Destination)}`,
  PaymentChannelFund: (tx) => `added ${amount(tx.Amount)} to a payment channel`,
  PaymentChannelClaim: () => 'claimed from a payment channel',
  AMMCreate: (tx) => `made a pool of ${amount(tx.Amount)} and ${amount(tx.Amount2)}`,
  AMMDeposit: (tx) =>
    `put ${
      [tx.Amount, tx.Amount2]
        .filter(Boolean)
        .map((one) => amount(one))
        .join(' and ') || 'assets'
    } into a pool`,
  AMMWithdraw: (tx) =>
    `took ${
      [tx.Amount, tx.Amount2]
        .filter(Boolean)
        .map((one) => amount(one))
        .join(' and ') || 'assets'
    } out of a pool`,
  AMMVote: (tx) => `voted for a pool's fee of ${Number(tx.TradingFee) / 1000} %`,
  AMMBid: () => "bid for a pool's auction slot",
  Clawback: (tx, _, who) =>
    isJsonObject(tx.Amount)
      ? `took back ${tx.Amount.value} ${currency(tx.Amount.currency)} from ${who(tx.Holder ?? tx.Amount.issuer)}`
      : 'took tokens back',
  NFTokenMint: () => 'made an NFT',
  NFTokenBurn: () => 'destroyed an NFT',
  NFTokenCreateOffer: (tx) =>
    Number(tx.Flags) & 1 ? `offered an NFT for ${amount(tx.Amount)}` : `bid ${amount(tx.Amount)} for an NFT`,
  NFTokenCancelOffer: () => 'cancelled offers for NFTs',
  NFTokenAcceptOffer: () => 'accepted an offer for an NFT',
  DepositPreauth: (tx, _, who) =>
    tx.Authorize ? `allows ${who(tx.Authorize)} to pay it` : 'changed who may pay it',
  OracleSet: () => 'published prices',
  MPTokenIssuanceCreate: () => 'made a token (MPT)',
  MPTokenAuthorize: () => 'agreed to hold a token (MPT), or changed who may',
  MPTokenIssuanceSet: () => 'locked or unlocked a token (MPT) of its own, or changed its settings',
  MPTokenIssuanceDestroy: () => 'removed a token (MPT) of its own',
  AMMClawback: (tx, _, who) => `took back what ${who(tx.Holder)} has of its token in a pool`,
  AMMDelete: () => 'removed an empty pool',
  NFTokenModify: () => 'changed what an NFT refers to',
  OracleDelete: () => 'stopped publishing prices',
  Batch: (tx) =>
    `sent ${Array.isArray(tx.RawTransactions) ? tx.RawTransactions.length : 'several'} transactions together`,
  CredentialCreate: (tx, _, who) => `issued a credential to ${who(tx.Subject)}`,
  CredentialAccept: (tx, _, who) => `accepted a credential of ${who(tx.Issuer)}`,
  CredentialDelete: () => 'removed a credential',
  DIDSet: () => 'set its decentralised identifier',
  DIDDelete: () => 'removed its decentralised identifier',
  DelegateSet: (tx, _, who) => `lets ${who(tx.Authorize)} send some transactions for it, or changed which`,
  PermissionedDomainSet: () => 'made a permissioned domain, or changed whom it admits',
  PermissionedDomainDelete: () => 'removed a permissioned domain',
  VaultCreate: () => 'made a vault',
  VaultSet: () => 'changed the settings of a vault',
  VaultDelete: () => 'removed a vault',
  VaultDeposit: (tx) => `put ${amount(tx.Amount)} into a vault`,
  VaultWithdraw: (tx) => `took ${amount(tx.Amount)} out of a vault`,
  VaultClawback: (tx, _, who) => `took back what ${who(tx.Holder)} has of its token in a vault`,
  XChainCreateBridge: () => 'made a bridge to another chain',
  XChainModifyBridge: () => 'changed the settings of a bridge',
  XChainCreateClaimID: () => 'got a number for a transfer over a bridge',
  XChainCommit: (tx) => `sent ${amount(tx.Amount)} over a bridge`,
  XChainClaim: (tx, _, who) =>
    `claimed ${amount(tx.Amount)} that came over a bridge, for ${who(tx.Destination)}`,
  XChainAccountCreateCommit: (tx) => `sent ${amount(tx.Amount)} over a bridge to create an account`,
  XChainAddClaimAttestation: (tx) => `attested that ${amount(tx.Amount)} was sent over a bridge`,
  XChainAddAccountCreateAttestation: (tx) =>
    `attested that ${amount(tx.Amount)} was sent over a bridge to create an account`,
};

const withArticle = (type: string) => (/^[AEIOU]/.test(type) ? `an ${type}` : `a ${type}`);

/** XRP in XRP; tokens by the name of their currency. */
function amount(value: Json | undefined): string {
  if (typeof value === 'string') {
    if (!/^\d+$/.test(value)) return value === 'unavailable' ? 'an unknown amount' : value;
    const digits = value.padStart(7, '0');
    const decimals = digits.slice(-6).replace(/0+$/, '');
    return `${digits.slice(0, -6)}${decimals ? `.${decimals}` : ''} XRP`;
  }
  if (!isJsonObject(value)) return 'an amount';
  if (value.mpt_issuance_id !== undefined) return `${value.value} of the token ${value.mpt_issuance_id}`;
  return `${value.value} ${currency(value.currency)}`;
}

/** A code of 40 digits that is text is shown as text. */
function currency(code: unknown): string {
  const text = String(code);
  if (!/^[0-9A-F]{40}$/.test(text) || text.startsWith('03')) return text;
  const decoded = Buffer.from(text.replace(/(00)+$/, ''), 'hex').toString('latin1');
  return /^[\x20-\x7e]+$/.test(decoded) ? decoded : text;
}
