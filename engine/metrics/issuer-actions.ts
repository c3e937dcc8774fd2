import { accountText } from '../codec/base58.ts';
import { bytesOf } from '../codec/bytes.ts';
import { isJsonObject, type Json, type JsonObject } from '../codec/values.ts';

export const ISSUER_ACTIONS = [
  'issue',
  'redeem',
  'freeze',
  'unfreeze',
  'authorize',
  'unauthorize',
  'clawback',
  'lock',
  'unlock',
  'globalFreeze',
  'globalUnfreeze',
  'disableMaster',
  'transferRate',
  'keys',
  'pool',
  'tokenCreated',
  'tokenDestroyed',
  'settings',
] as const;

export type IssuerActionName = (typeof ISSUER_ACTIONS)[number];

export interface IssuerAction {
  readonly action: IssuerActionName;
  /** Whom it concerns. */
  readonly holder?: string;
  readonly currency?: string;
  /** Decimal text, every digit of the transaction. */
  readonly amount?: string;
}

/** Types of transactions in which issuers act; payments are asked for apart, since there are many. */
export const ISSUER_TYPES = [
  'AccountSet',
  'TrustSet',
  'Clawback',
  'AMMClawback',
  'VaultClawback',
  'LoanBrokerCoverClawback',
  'ConfidentialMPTClawback',
  'AMMCreate',
  'SetRegularKey',
  'SignerListSet',
  'MPTokenAuthorize',
  'MPTokenIssuanceCreate',
  'MPTokenIssuanceDestroy',
  'MPTokenIssuanceSet',
] as const;

/** What came of a transaction, by its metadata. */
export interface IssuerEffects {
  /** What a payment delivered. */
  readonly delivered?: Json | undefined;
  /** What a clawback took of one token. */
  readonly clawed?: Json | undefined;
  /** Whether a TrustSet ended a freeze: its flags alone do not show it. */
  readonly isUnfreezing?: boolean;
}

/** Flags of TrustSet: freeze and deep freeze; authorisation. */
const FREEZE = 0x0010_0000 | 0x0040_0000;
const AUTHORIZE = 0x0001_0000;
/** Flag of MPTokenAuthorize. */
const UNAUTHORIZE = 1;
/** Flags of MPTokenIssuanceSet. */
const [LOCK, UNLOCK] = [1, 2];
/** SetFlag and ClearFlag of AccountSet. */
const [DISABLE_MASTER, GLOBAL_FREEZE] = [4, 7];

/**
 * What an issuer did to its tokens or their holders by a transaction.
 * @param tx its JSON @param issuer whose actions these are
 * @returns undefined: it is no such action
 */
export function issuerAction(
  tx: JsonObject,
  effects: IssuerEffects,
  issuer: string,
): IssuerAction | undefined {
  if (tx.TransactionType === 'Payment') return paymentAction(tx, effects.delivered, issuer);
  if (tx.Account !== issuer) return undefined;
  switch (tx.TransactionType) {
    case 'TrustSet':
      return lineAction(tx, effects);
    case 'Clawback':
    case 'AMMClawback':
    case 'ConfidentialMPTClawback':
      return clawback(tx, effects);
    // The owner of a vault may end shares that are worth nothing by the first of them.
    case 'VaultClawback':
    case 'LoanBrokerCoverClawback':
      return isOf(effects.clawed, issuer) ? clawback(tx, effects) : undefined;
    case 'MPTokenIssuanceSet':
      return lockAction(tx);
    case 'MPTokenAuthorize':
      return holdingAction(tx);
    case 'MPTokenIssuanceCreate':
      return { action: 'tokenCreated' };
    case 'MPTokenIssuanceDestroy':
      return { action: 'tokenDestroyed' };
    case 'AMMCreate':
      return { action: 'pool' };
    case 'SetRegularKey':
    case 'SignerListSet':
      return { action: 'keys' };
    case 'AccountSet':
      return { action: settingOf(tx) };
    default:
      return undefined;
  }
}

/** A payment of the issuer's own token makes it, one back to the issuer ends it. */
function paymentAction(
  { Account, Destination }: JsonObject,
  delivered: Json | undefined,
  issuer: string,
): IssuerAction | undefined {
  const amount = amountOf(delivered);
  if (!amount || !isOf(delivered, issuer) || Account === Destination) return undefined;
  if (Account === issuer) return { action: 'issue', holder: String(Destination), ...amount };
  return Destination === issuer ? { action: 'redeem', holder: String(Account), ...amount } : undefined;
}

/** Amounts of MPTs name the issuance: 4 bytes of a sequence, then the issuer. */
function isOf(amount: Json | undefined, issuer: string): boolean {
  if (!isJsonObject(amount)) return false;
  const { issuer: named, mpt_issuance_id: id } = amount;
  return typeof id === 'string' && id.length === 48
    ? accountText(bytesOf(id), 4) === issuer
    : named === issuer;
}

function amountOf(amount: Json | undefined): { currency: string; amount: string } | undefined {
  if (!isJsonObject(amount)) return undefined;
  return { currency: String(amount.currency ?? amount.mpt_issuance_id), amount: String(amount.value) };
}

function lineAction(
  { Flags, LimitAmount }: JsonObject,
  { isUnfreezing }: IssuerEffects,
): IssuerAction | undefined {
  const flags = Number(Flags ?? 0);
  if (!isJsonObject(LimitAmount)) return undefined;
  const of = { holder: String(LimitAmount.issuer), currency: String(LimitAmount.currency) };
  if (flags & FREEZE) return { action: 'freeze', ...of };
  if (isUnfreezing) return { action: 'unfreeze', ...of };
  return flags & AUTHORIZE ? { action: 'authorize', ...of } : undefined;
}

/** Without a holder, it is one who agrees to hold the token. */
function holdingAction({ Flags, Holder, MPTokenIssuanceID }: JsonObject): IssuerAction | undefined {
  if (typeof Holder !== 'string') return undefined;
  const action = Number(Flags ?? 0) & UNAUTHORIZE ? 'unauthorize' : 'authorize';
  return { action, holder: Holder, currency: String(MPTokenIssuanceID) };
}

/** Of tokens of trust lines, the amount names the holder in place of the issuer. */
function clawback({ Amount, Holder }: JsonObject, { clawed }: IssuerEffects): IssuerAction {
  const holder = Holder ?? (isJsonObject(Amount) ? Amount.issuer : undefined);
  return { action: 'clawback', ...(holder !== undefined && { holder: String(holder) }), ...amountOf(clawed) };
}

function lockAction({ Flags, Holder, MPTokenIssuanceID }: JsonObject): IssuerAction | undefined {
  const flags = Number(Flags ?? 0);
  const of = { currency: String(MPTokenIssuanceID), ...(Holder !== undefined && { holder: String(Holder) }) };
  if (flags & LOCK) return { action: 'lock', ...of };
  return flags & UNLOCK ? { action: 'unlock', ...of } : { action: 'settings', ...of };
}

function settingOf({ SetFlag, ClearFlag, TransferRate }: JsonObject): IssuerActionName {
  if (SetFlag === GLOBAL_FREEZE) return 'globalFreeze';
  if (ClearFlag === GLOBAL_FREEZE) return 'globalUnfreeze';
  if (SetFlag === DISABLE_MASTER) return 'disableMaster';
  return TransferRate === undefined ? 'settings' : 'transferRate';
}
