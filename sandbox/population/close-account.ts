/**
 * Closing an account: an agent returns what it has and deletes its account, in as many ledgers as it takes. What is left
 * to do is read from the ledger every time, so no state is kept between steps.
 *
 * Offers are cancelled, NFTs burnt, LP tokens redeemed, tokens returned (those of the markets to their reserve), trust
 * lines removed, checks cancelled, escrows and channels closed where they are due; then, once the account has sent
 * nothing for 256 ledgers, it is deleted and its XRP goes to the treasury.
 */
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, issued } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Agent } from './agents.ts';
import { amountOf, type SimulationStep, type TransactionTemplate } from './simulation-step.ts';

/** NFTs burnt in one ledger by one agent. */
const BURNS_MAX = 8;
/** An account may be deleted when its sequence number is this far below the ledger's index. */
const QUIET_LEDGERS = 255;
const DELETE_XRP = 0.2;

/** The transactions, in this order, that remove an entry from the owner directory. */
type Cleanup = (step: SimulationStep, agent: Agent, entry: Readonly<Entry>) => TransactionTemplate[];

function trustLineCleanup(
  step: SimulationStep,
  { account }: Agent,
  line: Readonly<Entry>,
): TransactionTemplate[] {
  const low = line.LowLimit!.issuer === account;
  const [mine, theirs] = low ? [line.LowLimit!, line.HighLimit!] : [line.HighLimit!, line.LowLimit!];
  const other = theirs.issuer;
  const balance = low ? line.Balance! : line.Balance!.negate();
  // An issuer waits until the holders have returned its tokens.
  if (balance.signum < 0) return [];
  const pool = step.view.read(keylets.account(other))?.AMMID;
  const asset = issued(mine.asset.slice(0, 40), other);
  if (pool !== undefined) return balance.isZero ? [] : lpTokenCleanup(step.view.read(pool));
  const templates: TransactionTemplate[] = [];
  if (!balance.isZero) templates.push(returnTokens(step, asset, balance.withAsset(asset)));
  // A line is deleted when both its sides are in the default state that their accounts' settings define.
  const ripples = !hasAny(line.Flags, low ? Lsf.lsfLowNoRipple : Lsf.lsfHighNoRipple);
  const rippleByDefault = hasAny(step.accountRoot({ account })?.Flags, Lsf.lsfDefaultRipple);
  if (!balance.isZero || !mine.isZero || ripples !== rippleByDefault)
    templates.push({
      TransactionType: 'TrustSet',
      LimitAmount: Amount.zero(asset),
      Flags: rippleByDefault ? Tf.tfClearNoRipple : Tf.tfSetNoRipple,
    });
  return templates;
}

function lpTokenCleanup(amm: Readonly<Entry> | undefined): TransactionTemplate[] {
  if (amm === undefined) return [];
  return [
    { TransactionType: 'AMMWithdraw', Asset: amm.Asset, Asset2: amm.Asset2, Flags: Tf.tfWithdrawAll },
  ] as TransactionTemplate[];
}

/** Pays all of it to the issuer; a token of the markets without a transfer fee goes to its reserve. */
function returnTokens({ economy }: SimulationStep, asset: Asset, all: Amount): TransactionTemplate {
  const token = economy.tokens.find((one) => one.asset === asset && one.transferFee === 0);
  const Destination: AccountId = token?.reserve.account ?? asset.slice(40);
  return { TransactionType: 'Payment', Destination, Amount: all };
}

const CLEANUPS: Readonly<Record<string, Cleanup>> = {
  Offer: (_, __, { Sequence }) =>
    [{ TransactionType: 'OfferCancel', OfferSequence: Sequence }] as TransactionTemplate[],
  Check: (_, __, { index }) => [{ TransactionType: 'CheckCancel', CheckID: index }],
  Escrow: ({ now }, _, { Account, Sequence, FinishAfter, CancelAfter, Condition }) => {
    const escrowId = { Owner: Account, OfferSequence: Sequence };
    if (CancelAfter !== undefined && CancelAfter < now)
      return [{ TransactionType: 'EscrowCancel', ...escrowId }] as TransactionTemplate[];
    if (Condition !== undefined || (FinishAfter ?? 0) >= now) return [];
    return [{ TransactionType: 'EscrowFinish', ...escrowId }] as TransactionTemplate[];
  },
  PayChannel: (_, __, { index }) => [
    { TransactionType: 'PaymentChannelClaim', Channel: index, Flags: Tf.tfClose },
  ],
  RippleState: trustLineCleanup,
};

/** Types of entries that are deleted together with their account. */
const DELETED_WITH_ACCOUNT = new Set(['Offer', 'SignerList', 'Ticket', 'NFTokenOffer', 'DepositPreauth']);

function canBeDeleted(step: SimulationStep, root: Readonly<Entry>, kinds: readonly string[]): boolean {
  const { Sequence = 0, FirstNFTokenSequence = 0, MintedNFTokens = 0, BurnedNFTokens = 0 } = root;
  const quietSince = step.index - QUIET_LEDGERS;
  return (
    MintedNFTokens === BurnedNFTokens &&
    Sequence <= quietSince &&
    FirstNFTokenSequence + MintedNFTokens <= quietSince &&
    kinds.every((kind) => DELETED_WITH_ACCOUNT.has(kind))
  );
}

/** Sends what can be sent now. Nothing when the account is deleted, or must wait for others. */
export function closeAccount(step: SimulationStep, agent: Agent): void {
  const root = step.accountRoot(agent);
  if (root === undefined) return;
  const nfts = step.nfts(agent.account);
  for (const NFTokenID of nfts.slice(0, BURNS_MAX))
    step.send(agent, { TransactionType: 'NFTokenBurn', NFTokenID });
  const entries = step.entriesIn(keylets.ownerDirectory(agent.account));
  for (const entry of entries)
    for (const template of CLEANUPS[entry.LedgerEntryType]?.(step, agent, entry) ?? [])
      step.send(agent, template);
  if (step.sequence(agent) !== root.Sequence || nfts.length > 0) return;
  const kinds = entries.map(({ LedgerEntryType }) => LedgerEntryType);
  if (!canBeDeleted(step, root, kinds)) return;
  const Destination = step.agents.get('treasury').account;
  step.send(agent, { TransactionType: 'AccountDelete', Destination, Fee: amountOf('XRP', DELETE_XRP) });
}
