/** Accounts, signer lists and trust lines' sides that a recorded transaction read and did not write. */
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { type AccountId, issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import type { Entry, Fields } from '../../../sandbox/protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { typePermission } from '../../../sandbox/protocol/permissions.ts';
import type { Before } from './before.ts';
import { isBeforeDefaultRipple, type Json } from './recorded.ts';

/** Results that say that the destination does not exist. */
const NO_DESTINATION = /^tecNO_DST/;

/** Every account that is named gets a root, with the flags, rates and tick sizes that other recordings show. */
export function supplyAccounts(state: Before): void {
  const { tx, recorded, archive } = state;
  const issuers = issuersIn(state);
  const { TakerPays: pays, TakerGets: gets } = tx;
  const tickSize = pays && gets && archive.tickSize(pays, gets, recorded.ledgerIndex);
  for (const id of state.named) {
    if (NO_DESTINATION.test(recorded.result) && id === tx.Destination) continue;
    const known = archive.root(id, recorded);
    const fields: Fields = {};
    if (issuers.has(id)) fields.Flags = Lsf.lsfDefaultRipple;
    for (const name of ['Flags', 'TickSize', 'AMMID'] as const)
      if (known?.[name] !== undefined) Object.assign(fields, { [name]: known[name] });
    const rate = archive.transferRate(id, recorded);
    if (rate !== undefined) fields.TransferRate = rate;
    if (issuers.has(id) && tickSize !== undefined) fields.TickSize ??= tickSize;
    if (tx.TransactionType === 'EscrowCreate') fields.Flags = Lsf.lsfAllowTrustLineLocking;
    // The result says that the destination requires a tag.
    if (recorded.result === 'tecDST_TAG_NEEDED' && id === tx.Destination)
      fields.Flags = Lsf.lsfRequireDestTag;
    state.account(id, fields);
  }
  supplySigners(state);
  supplyDelegate(state);
  supplyDomain(state);
}

/** Issuers of every amount in the transaction and in the entries. */
function issuersIn({ tx, entries, nodes }: Before): Set<AccountId> {
  const found = new Set<AccountId>();
  for (const fields of [tx, ...entries.values(), ...nodes.flatMap(({ after }) => after ?? [])])
    for (const value of Object.values(fields))
      if (value instanceof Amount && value.isIssued) found.add(value.issuer);
  for (const step of tx.Paths?.flat() ?? []) if (step.issuer !== undefined) found.add(step.issuer);
  return found;
}

/** A delegate that acted had the permission. */
function supplyDelegate(state: Before): void {
  const { tx } = state;
  if (tx.Delegate === undefined) return;
  const PermissionValue = typePermission(tx.TransactionType)!;
  state.add({
    LedgerEntryType: 'Delegate',
    index: keylets.delegate(tx.Account, tx.Delegate),
    Flags: 0,
    Account: tx.Account,
    Authorize: tx.Delegate,
    Permissions: [{ Permission: { PermissionValue } }],
  });
}

/** Accounts that trade or pay in a domain are members of it: here the sender as its owner, the receiver by a credential. */
function supplyDomain(state: Before): void {
  const { tx } = state;
  if (tx.DomainID === undefined) return;
  const CredentialType = 'AB';
  state.add({
    LedgerEntryType: 'PermissionedDomain',
    index: tx.DomainID,
    Flags: 0,
    Owner: tx.Account,
    Sequence: 1,
    AcceptedCredentials: [{ Credential: { Issuer: tx.Account, CredentialType } }],
  });
  const { Destination: Subject } = tx;
  if (Subject === undefined) return;
  const index = keylets.credential(Subject, tx.Account, CredentialType);
  state.add({
    LedgerEntryType: 'Credential',
    index,
    Flags: Lsf.lsfAccepted,
    Subject,
    Issuer: tx.Account,
    CredentialType,
  });
}

/** Metadata does not show a line that TrustSet left unchanged: the line is as the transaction sets it, and in use. */
export function supplyTrustLine(state: Before): void {
  const { tx, recorded } = state;
  const limit = tx.LimitAmount;
  if (!limit || recorded.result !== 'tesSUCCESS' || state.nodes.some(({ type }) => type === 'RippleState'))
    return;
  const asset = limit.asset;
  const line = lineWith(tx.Account, Amount.issued(asset, 1n, 0));
  const high = tx.Account > issuerOf(asset);
  line[high ? 'HighLimit' : 'LowLimit'] = limit.withAsset(asset.slice(0, 40) + tx.Account);
  if (tx.QualityIn) line[high ? 'HighQualityIn' : 'LowQualityIn'] = tx.QualityIn;
  if (tx.QualityOut) line[high ? 'HighQualityOut' : 'LowQualityOut'] = tx.QualityOut;
  const own = high
    ? { noRipple: Lsf.lsfHighNoRipple, freeze: Lsf.lsfHighFreeze }
    : { noRipple: Lsf.lsfLowNoRipple, freeze: Lsf.lsfLowFreeze };
  if (hasAny(tx.Flags, Tf.tfSetNoRipple)) line.Flags = line.Flags! | own.noRipple;
  if (hasAny(tx.Flags, Tf.tfSetFreeze)) line.Flags = line.Flags! | own.freeze;
  state.add(line);
}

/** The accounts that signed were allowed to sign. */
function supplySigners(state: Before): void {
  const { tx } = state;
  if (tx.Signers === undefined) return;
  state.add({
    LedgerEntryType: 'SignerList',
    index: keylets.signerList(tx.Account),
    Flags: 0,
    SignerQuorum: 1,
    SignerEntries: tx.Signers.map(({ Signer }) => ({
      SignerEntry: { Account: Signer!.Account, SignerWeight: 1 },
    })),
    SignerListID: 0,
  });
}

/**
 * Whether an unchanged account ripples by default is seen on its lines: a new line takes the no-ripple flag of its side
 * from that, and an old line pays reserve where its flag differs.
 */
export function supplyDefaultRipple(state: Before): void {
  const shown = new Set(
    state.nodes
      .filter(({ json }) => (json.FinalFields as Json | undefined)?.Flags !== undefined)
      .map(({ index }) => index),
  );
  for (const { type, after, before } of state.nodes) {
    const fields = after ?? before;
    if (type !== 'RippleState' || !fields?.LowLimit) continue;
    for (const [limit, noRipple, reserve] of [
      [fields.LowLimit, Lsf.lsfLowNoRipple, Lsf.lsfLowReserve],
      [fields.HighLimit!, Lsf.lsfHighNoRipple, Lsf.lsfHighReserve],
    ] as const) {
      const account = state.root(issuerOf(limit.asset));
      if (!account || shown.has(account.index)) continue;
      const flags = fields.Flags ?? 0;
      const paid = (flags & reserve) !== 0;
      const ripples = (flags & noRipple) === 0;
      const others = (account.Flags ?? 0) & ~Lsf.lsfDefaultRipple;
      account.Flags = ripples !== paid ? others | Lsf.lsfDefaultRipple : others;
    }
  }
}

/** A trust line with the balance that `holder` has of an asset. */
export function lineWith(holder: AccountId, balance: Amount, flags = 0): Entry {
  const { asset } = balance;
  const [currency, issuer] = [asset.slice(0, 40), issuerOf(asset)];
  const high = holder > issuer;
  const [low, other] = high ? [issuer, holder] : [holder, issuer];
  return {
    LedgerEntryType: 'RippleState',
    index: keylets.line(holder, issuer, currency),
    Flags: (flags | (high ? Lsf.lsfHighReserve : Lsf.lsfLowReserve)) >>> 0,
    Balance: (high ? balance.negate() : balance).withAsset(`${currency + '0'.repeat(39)}1`),
    LowLimit: Amount.zero(currency + low),
    HighLimit: Amount.zero(currency + other),
    LowNode: 0n,
    HighNode: 0n,
  };
}

/** All accounts rippled by default before the flag existed: `differences` does not compare it for that time. */
export function supplyEarlyRippling(state: Before): void {
  if (!isBeforeDefaultRipple(state.recorded)) return;
  for (const entry of state.entries.values())
    if (entry.LedgerEntryType === 'AccountRoot') entry.Flags = (entry.Flags ?? 0) | Lsf.lsfDefaultRipple;
}
