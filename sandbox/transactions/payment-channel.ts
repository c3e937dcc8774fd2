/**
 * Payment channels: XRP locked for one receiver, who takes it by claims that the payer signs outside the ledger.
 * Rules: rippled `PaymentChannelCreate.cpp`, `PaymentChannelFund.cpp`, `PaymentChannelClaim.cpp`.
 *
 *     Create  ->  Fund*  ->  Claim*  ->  Claim with tfClose, or any use after CancelAfter or Expiration  ->  deleted
 *
 * `Amount` of a channel is the total paid in, `Balance` the total paid out; the difference is returned at the end.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { HASH_ZERO } from '../../engine/codec/arithmetic/asset.ts';
import { verify } from '../../engine/codec/signatures.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { verifyDepositPreauth } from '../assets/authorisation.ts';
import { credentialsValid, validCredentialIds } from '../assets/credentials.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { isPseudoAccountEntry } from '../assets/pseudo-accounts.ts';
import { reserveOf } from '../assets/reserve.ts';
import { listOwned, unlistOwned } from '../ledger/directory.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Rules } from '../protocol/amendments.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { claimBytes } from '../protocol/keys.ts';
import type { Result } from '../protocol/results.ts';
import { sequenceOf } from '../protocol/sequence.ts';
import { isPublicKey } from './keys-of.ts';

type Tx = Readonly<TransactionFields>;

const TIME_MAX = 0xffff_ffff;

const isPositiveXrp = (amount: Amount): boolean => amount.isNative && amount.signum > 0;

/** Since fixCleanup3_2_0 a channel still exists in the second of its expiry. */
function isPast(view: ReadView, time: number | undefined): boolean {
  if (time === undefined) return false;
  const now = view.header.parentCloseTime;
  return view.rules.enabled('fixCleanup3_2_0') ? now > time : now >= time;
}

/** The earliest time at which the payer can close a channel. */
function settledAt(view: ReadView, channel: Readonly<Entry>): number {
  const time = view.header.parentCloseTime + (channel.SettleDelay ?? 0);
  return view.rules.enabled('fixCleanup3_2_0') ? Math.min(time, TIME_MAX) : time >>> 0;
}

/** An id that no entry can have is malformed (fixCleanup3_2_0). */
const channelForm = (tx: Tx, rules: Rules): Result =>
  tx.Channel === HASH_ZERO && rules.enabled('fixCleanup3_2_0') ? 'temMALFORMED' : 'tesSUCCESS';

/** The view's own copy of the channel. */
function peekChannel(view: ApplyView, tx: Tx): Entry | undefined {
  return view.read(tx.Channel!)?.LedgerEntryType === 'PayChannel' ? view.peek(tx.Channel!) : undefined;
}

/** Closes a channel: the remainder is returned to the payer. */
function closeChannel(view: ApplyView, channel: Readonly<Entry>): Result {
  const payer = channel.Account!;
  const { DestinationNode: page, index } = channel;
  // Channels created before fixPayChanRecipientOwnerDir (2020) are listed with their payer only.
  if (page !== undefined && !unlistOwned(view, channel.Destination!, page, index, true))
    return 'tefBAD_LEDGER';
  const account = view.peek(keylets.account(payer));
  if (!account) return 'tefINTERNAL';
  account.Balance = Amount.drops(account.Balance!.drops + channel.Amount!.drops - channel.Balance!.drops);
  return deleteOwned(view, payer, channel, { keepRoot: true });
}

// Create

function preflightCreate(tx: Tx): Result {
  if (!isPositiveXrp(tx.Amount!)) return 'temBAD_AMOUNT';
  if (tx.Account === tx.Destination) return 'temDST_IS_SRC';
  return isPublicKey(tx.PublicKey ?? '') ? 'tesSUCCESS' : 'temMALFORMED';
}

function preclaimCreate(view: ReadView, tx: Tx): Result {
  const payer = view.read(keylets.account(tx.Account));
  if (!payer) return 'terNO_ACCOUNT';
  const balance = payer.Balance!.drops;
  const reserve = reserveOf(view, payer, 1);
  if (balance < reserve) return 'tecINSUFFICIENT_RESERVE';
  if (balance < reserve + tx.Amount!.drops) return 'tecUNFUNDED';
  const receiver = view.read(keylets.account(tx.Destination!));
  if (!receiver) return 'tecNO_DST';
  if (hasAny(receiver.Flags, Lsf.lsfDisallowIncomingPayChan)) return 'tecNO_PERMISSION';
  if (hasAny(receiver.Flags, Lsf.lsfRequireDestTag) && tx.DestinationTag === undefined)
    return 'tecDST_TAG_NEEDED';
  return isPseudoAccountEntry(receiver) ? 'tecNO_PERMISSION' : 'tesSUCCESS';
}

/** The fields that a channel copies from its transaction. */
function terms({
  Amount: amount,
  SettleDelay,
  PublicKey,
  CancelAfter,
  SourceTag,
  DestinationTag,
}: Tx): Fields {
  return {
    Amount: amount,
    SettleDelay,
    PublicKey,
    ...(CancelAfter !== undefined && { CancelAfter }),
    ...(SourceTag !== undefined && { SourceTag }),
    ...(DestinationTag !== undefined && { DestinationTag }),
  };
}

function applyCreate({ view, tx, account }: ApplyContext): Result {
  const payer = view.peek(keylets.account(account));
  if (!payer) return 'tefINTERNAL';
  if (
    view.rules.enabled('fixPayChanCancelAfter') &&
    tx.CancelAfter !== undefined &&
    view.header.parentCloseTime > tx.CancelAfter
  )
    return 'tecEXPIRED';
  const receiver = tx.Destination!;
  const sequence = sequenceOf(tx);
  const index = keylets.payChannel(account, receiver, sequence);
  const listed = view.rules.enabled('fixPayChanRecipientOwnerDir');
  const theirs = listed ? listOwned(view, receiver, index) : undefined;
  if (listed && theirs === undefined) return 'tecDIR_FULL';
  payer.Balance = Amount.drops(payer.Balance!.drops - tx.Amount!.drops);
  return insertOwned(view, payer, {
    ...terms(tx),
    LedgerEntryType: 'PayChannel',
    index,
    Flags: 0,
    Account: account,
    Destination: receiver,
    Balance: Amount.drops(0n),
    ...(view.rules.enabled('fixIncludeKeyletFields') && { Sequence: sequence }),
    ...(theirs !== undefined && { DestinationNode: theirs }),
  });
}

export const paymentChannelCreate: Rule = {
  type: 'PaymentChannelCreate',
  amendment: 'PayChan',
  flags: 0,
  spends: (tx) => (tx.Amount?.isNative ? tx.Amount.drops : 0n),
  preflight: preflightCreate,
  preclaim: preclaimCreate,
  apply: applyCreate,
};

// Fund

function preflightFund(tx: Tx, rules: Rules): Result {
  const form = channelForm(tx, rules);
  if (form !== 'tesSUCCESS') return form;
  return isPositiveXrp(tx.Amount!) ? 'tesSUCCESS' : 'temBAD_AMOUNT';
}

function applyFund({ view, tx, account }: ApplyContext): Result {
  const channel = peekChannel(view, tx);
  if (!channel) return 'tecNO_ENTRY';
  if (isPast(view, channel.CancelAfter) || isPast(view, channel.Expiration))
    return closeChannel(view, channel);
  if (account !== channel.Account) return 'tecNO_PERMISSION';
  if (tx.Expiration !== undefined) {
    const soonest = Math.min(settledAt(view, channel), channel.Expiration ?? TIME_MAX);
    if (tx.Expiration < soonest)
      return view.rules.enabled('fixCleanup3_2_0') ? 'tecNO_PERMISSION' : 'temBAD_EXPIRATION';
    channel.Expiration = tx.Expiration;
  }
  const payer = view.peek(keylets.account(account));
  if (!payer) return 'tefINTERNAL';
  const balance = payer.Balance!.drops;
  const reserve = reserveOf(view, payer);
  if (balance < reserve) return 'tecINSUFFICIENT_RESERVE';
  if (balance < reserve + tx.Amount!.drops) return 'tecUNFUNDED';
  if (!view.read(keylets.account(channel.Destination!))) return 'tecNO_DST';
  channel.Amount = channel.Amount!.add(tx.Amount!);
  payer.Balance = Amount.drops(balance - tx.Amount!.drops);
  return 'tesSUCCESS';
}

export const paymentChannelFund: Rule = {
  type: 'PaymentChannelFund',
  amendment: 'PayChan',
  flags: 0,
  spends: (tx) => (tx.Amount?.isNative ? tx.Amount.drops : 0n),
  preflight: preflightFund,
  apply: applyFund,
};

// Claim

function preflightClaim(tx: Tx, rules: Rules): Result {
  if (tx.CredentialIDs && !rules.enabled('Credentials')) return 'temDISABLED';
  const form = channelForm(tx, rules);
  if (form !== 'tesSUCCESS') return form;
  const { Balance: balance, Amount: amount } = tx;
  if ((balance && !isPositiveXrp(balance)) || (amount && !isPositiveXrp(amount))) return 'temBAD_AMOUNT';
  if (balance && amount && balance.compare(amount) > 0) return 'temBAD_AMOUNT';
  if (hasAny(tx.Flags, Tf.tfClose) && hasAny(tx.Flags, Tf.tfRenew)) return 'temMALFORMED';
  const signature = checkClaim(tx);
  return signature === 'tesSUCCESS' ? validCredentialIds(tx) : signature;
}

/** Checks the payer's signature of the channel and the total amount that may be taken. */
function checkClaim(tx: Tx): Result {
  if (tx.Signature === undefined) return 'tesSUCCESS';
  if (tx.PublicKey === undefined || tx.Balance === undefined) return 'temMALFORMED';
  if (!isPublicKey(tx.PublicKey)) return 'temMALFORMED';
  const allowed = tx.Amount ?? tx.Balance;
  const message = claimBytes(tx.Channel!, allowed.drops);
  return verify(tx.PublicKey, message, tx.Signature) ? 'tesSUCCESS' : 'temBAD_SIGNATURE';
}

/** Pays out up to a total of `tx.Balance`. */
function take(view: ApplyView, tx: Tx, channel: Entry): Result {
  const strict = view.rules.enabled('fixCleanup3_2_0');
  const wanted = tx.Balance!;
  if (tx.Account === channel.Destination && tx.Signature === undefined)
    return strict ? 'tecNO_PERMISSION' : 'temBAD_SIGNATURE';
  if (tx.Signature !== undefined && tx.PublicKey !== channel.PublicKey)
    return strict ? 'tecNO_PERMISSION' : 'temBAD_SIGNER';
  if (wanted.compare(channel.Amount!) > 0 || wanted.compare(channel.Balance!) <= 0)
    return 'tecUNFUNDED_PAYMENT';
  const receiver = view.peek(keylets.account(channel.Destination!));
  if (!receiver) return 'tecNO_DST';
  const allowed = verifyDepositPreauth(view, tx, tx.Account, channel.Destination!, receiver);
  if (allowed !== 'tesSUCCESS') return allowed;
  receiver.Balance = Amount.drops(receiver.Balance!.drops + wanted.drops - channel.Balance!.drops);
  channel.Balance = wanted;
  return 'tesSUCCESS';
}

function applyClaim({ view, tx, account }: ApplyContext): Result {
  const channel = peekChannel(view, tx);
  if (!channel) return 'tecNO_TARGET';
  if (isPast(view, channel.CancelAfter) || isPast(view, channel.Expiration))
    return closeChannel(view, channel);
  const isPayer = account === channel.Account;
  if (!isPayer && account !== channel.Destination) return 'tecNO_PERMISSION';
  if (tx.Balance) {
    const result = take(view, tx, channel);
    if (result !== 'tesSUCCESS') return result;
  }
  if (hasAny(tx.Flags, Tf.tfRenew)) {
    if (!isPayer) return 'tecNO_PERMISSION';
    delete channel.Expiration;
  }
  if (!hasAny(tx.Flags, Tf.tfClose)) return 'tesSUCCESS';
  // Only the payer must give the receiver time for its claims, and only while there is an amount to claim.
  if (!isPayer || channel.Balance!.equals(channel.Amount!)) return closeChannel(view, channel);
  const settled = settledAt(view, channel);
  channel.Expiration = Math.min(channel.Expiration ?? settled, settled);
  return 'tesSUCCESS';
}

export const paymentChannelClaim: Rule = {
  type: 'PaymentChannelClaim',
  amendment: 'PayChan',
  flags: Tf.tfRenew | Tf.tfClose,
  preflight: preflightClaim,
  preclaim: (view, tx) => credentialsValid(view, tx, tx.Account),
  apply: applyClaim,
};
