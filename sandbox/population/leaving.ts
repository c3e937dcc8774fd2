/**
 * Leaving: somebody gives back what he has and closes his account, in as many ledgers as it takes. What is still to be
 * done is read from the ledger every time, so it does not matter what came before.
 *
 * Offers are withdrawn, NFTs burnt, shares of pools taken out, tokens given back (those of the markets to their
 * reserve), lines removed, checks torn up, escrows and channels ended where they are due; then, once the account has
 * been quiet for 256 ledgers, it is deleted and its XRP goes to the treasury.
 */
import { Amount } from '../protocol/amount.ts';
import { type AccountId, type Asset, issued } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Agent } from './agents.ts';
import { amountOf, type SimulationStep, type TransactionTemplate } from './simulation-step.ts';

/** NFTs burnt in one ledger by one person. */
const BURNS_MAX = 8;
/** Ledgers between an account's sequence numbers and its deletion. */
const QUIET_LEDGERS = 255;
const DELETE_XRP = 0.2;

/** What is to be sent for an entry in one's directory, in this order. */
type Ending = (step: SimulationStep, agent: Agent, entry: Readonly<Entry>) => TransactionTemplate[];

function lineEnding(step: SimulationStep, { account }: Agent, line: Readonly<Entry>): TransactionTemplate[] {
  const low = line.LowLimit!.issuer === account;
  const [mine, theirs] = low ? [line.LowLimit!, line.HighLimit!] : [line.HighLimit!, line.LowLimit!];
  const other = theirs.issuer;
  const balance = low ? line.Balance! : line.Balance!.negate();
  // Who has issued waits until others have given back.
  if (balance.signum < 0) return [];
  const pool = step.view.read(keylets.account(other))?.AMMID;
  const asset = issued(mine.asset.slice(0, 40), other);
  if (pool !== undefined) return balance.isZero ? [] : shareEnding(step.view.read(pool));
  const templates: TransactionTemplate[] = [];
  if (!balance.isZero) templates.push(giveBack(step, asset, balance.withAsset(asset)));
  // A line goes when both its sides are as their accounts' settings have them.
  const ripples = !hasAny(line.Flags, low ? Lsf.lsfLowNoRipple : Lsf.lsfHighNoRipple);
  const rippleMeant = hasAny(step.accountRoot({ account })?.Flags, Lsf.lsfDefaultRipple);
  if (!balance.isZero || !mine.isZero || ripples !== rippleMeant)
    templates.push({
      TransactionType: 'TrustSet',
      LimitAmount: Amount.zero(asset),
      Flags: rippleMeant ? Tf.tfClearNoRipple : Tf.tfSetNoRipple,
    });
  return templates;
}

function shareEnding(amm: Readonly<Entry> | undefined): TransactionTemplate[] {
  if (amm === undefined) return [];
  return [
    { TransactionType: 'AMMWithdraw', Asset: amm.Asset, Asset2: amm.Asset2, Flags: Tf.tfWithdrawAll },
  ] as TransactionTemplate[];
}

/** All of it to the issuer; of a token of the markets, where it costs nothing, to its reserve. */
function giveBack({ economy }: SimulationStep, asset: Asset, all: Amount): TransactionTemplate {
  const token = economy.tokens.find((one) => one.asset === asset && one.transferFee === 0);
  const Destination: AccountId = token?.reserve.account ?? asset.slice(40);
  return { TransactionType: 'Payment', Destination, Amount: all };
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  Offer: (_, __, { Sequence }) =>
    [{ TransactionType: 'OfferCancel', OfferSequence: Sequence }] as TransactionTemplate[],
  Check: (_, __, { index }) => [{ TransactionType: 'CheckCancel', CheckID: index }],
  Escrow: ({ now }, _, { Account, Sequence, FinishAfter, CancelAfter, Condition }) => {
    const numberedRoles = { Owner: Account, OfferSequence: Sequence };
    if (CancelAfter !== undefined && CancelAfter < now)
      return [{ TransactionType: 'EscrowCancel', ...numberedRoles }] as TransactionTemplate[];
    if (Condition !== undefined || (FinishAfter ?? 0) >= now) return [];
    return [{ TransactionType: 'EscrowFinish', ...numberedRoles }] as TransactionTemplate[];
  },
  PayChannel: (_, __, { index }) => [
    { TransactionType: 'PaymentChannelClaim', Channel: index, Flags: Tf.tfClose },
  ],
  RippleState: lineEnding,
};

/** What goes with an account when it is deleted. */
const GOES_ALONG = new Set(['Offer', 'SignerList', 'Ticket', 'NFTokenOffer', 'DepositPreauth']);

function mayBeDeleted(step: SimulationStep, root: Readonly<Entry>, kinds: readonly string[]): boolean {
  const { Sequence = 0, FirstNFTokenSequence = 0, MintedNFTokens = 0, BurnedNFTokens = 0 } = root;
  const quietSince = step.index - QUIET_LEDGERS;
  return (
    MintedNFTokens === BurnedNFTokens &&
    Sequence <= quietSince &&
    FirstNFTokenSequence + MintedNFTokens <= quietSince &&
    kinds.every((kind) => GOES_ALONG.has(kind))
  );
}

/** Does what can be done now. Nothing when the account is gone, or waits for others. */
export function leave(step: SimulationStep, agent: Agent): void {
  const root = step.accountRoot(agent);
  if (root === undefined) return;
  const nfts = step.nfts(agent.account);
  for (const NFTokenID of nfts.slice(0, BURNS_MAX))
    step.send(agent, { TransactionType: 'NFTokenBurn', NFTokenID });
  const entries = step.entriesIn(keylets.ownerDirectory(agent.account));
  for (const entry of entries)
    for (const template of ENDINGS[entry.LedgerEntryType]?.(step, agent, entry) ?? [])
      step.send(agent, template);
  if (step.sequence(agent) !== root.Sequence || nfts.length > 0) return;
  const kinds = entries.map(({ LedgerEntryType }) => LedgerEntryType);
  if (!mayBeDeleted(step, root, kinds)) return;
  const Destination = step.agents.get('treasury').account;
  step.send(agent, { TransactionType: 'AccountDelete', Destination, Fee: amountOf('XRP', DELETE_XRP) });
}
