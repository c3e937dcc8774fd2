/** AMMVote: a liquidity provider's vote on a pool's trading fee, weighted by LP tokens (XLS-30; rippled AMMVote.cpp). */

import { TRADING_FEE_MAX } from '../../engine/codec/arithmetic/amm-math.ts';
import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { NUM_ZERO, type Num, type Numbers } from '../../engine/codec/arithmetic/number.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { ammLpHolds, discountedFee, setUnlessZero, VOTE_WEIGHT_UNITS } from '../assets/amm.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { amm as ammKey } from '../protocol/keylets.ts';
import { firstFailure, type Result } from '../protocol/results.ts';
import { checkAssetPair, checkNoMpt } from './amm-checks.ts';

/** Maximum number of votes of a pool (rippled `VOTE_MAX_SLOTS`). */
const VOTES_MAX = 8;

/** A vote with the present tokens of its account. */
interface Vote {
  readonly account: AccountId;
  /** Units of 1/100000. */
  readonly fee: number;
  readonly tokens: Amount;
}

function preflight(tx: Readonly<TransactionFields>): Result {
  return firstFailure(
    () => checkNoMpt(tx),
    () => checkAssetPair(tx),
    () => (tx.TradingFee! > TRADING_FEE_MAX ? 'temBAD_FEE' : 'tesSUCCESS'),
  );
}

function preclaim(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const amm = view.read(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'terNO_AMM';
  if (amm.LPTokenBalance!.isZero) return 'tecAMM_EMPTY';
  return ammLpHolds(view, amm, tx.Account).isZero ? 'tecAMM_INVALID_TOKENS' : 'tesSUCCESS';
}

/** The present votes of accounts that still hold LP tokens; the voter's own with its new fee. */
function standingVotes(view: ReadView, amm: Readonly<Entry>, voter: AccountId, fee: number): Vote[] {
  const votes: Vote[] = [];
  for (const { VoteEntry: entry } of amm.VoteSlots ?? []) {
    const account = entry!.Account!;
    const tokens = ammLpHolds(view, amm, account);
    if (!tokens.isZero)
      votes.push({ account, fee: account === voter ? fee : (entry!.TradingFee ?? 0), tokens });
  }
  return votes;
}

/** Orders votes by tokens, then fee, then account: the lowest is replaced first. */
function weaker(a: Vote, b: Vote): boolean {
  const byTokens = a.tokens.compare(b.tokens);
  if (byTokens !== 0) return byTokens < 0;
  return a.fee !== b.fee ? a.fee < b.fee : a.account < b.account;
}

/** The running sums of an average: fees times tokens, and tokens. Rounded at each step, so the order matters. */
class FeeAverage {
  readonly #numbers: Numbers;
  #weighted: Num = NUM_ZERO;
  #tokens: Num = NUM_ZERO;
  constructor(numbers: Numbers) {
    this.#numbers = numbers;
  }

  add({ fee, tokens }: Vote): void {
    const [numbers, amount] = [this.#numbers, this.#numbers.of(tokens)];
    this.#weighted = numbers.add(this.#weighted, numbers.mul(numbers.of(fee), amount));
    this.#tokens = numbers.add(this.#tokens, amount);
  }

  remove({ fee, tokens }: Vote): void {
    const [numbers, amount] = [this.#numbers, this.#numbers.of(tokens)];
    this.#weighted = numbers.sub(this.#weighted, numbers.mul(numbers.of(fee), amount));
    this.#tokens = numbers.sub(this.#tokens, amount);
  }

  /** Units of 1/100000, half to even. */
  fee(): number {
    return Number(this.#numbers.toInt64(this.#numbers.div(this.#weighted, this.#tokens)));
  }
}

/** Adds the voter to the votes; if all slots are taken it replaces the weakest vote, if it is stronger. */
function addVote(votes: Vote[], average: FeeAverage, own: Vote): void {
  if (votes.length < VOTES_MAX) {
    average.add(own);
    votes.push(own);
    return;
  }
  const at = votes.reduce((least, vote, index) => (weaker(vote, votes[least]!) ? index : least), 0);
  const least = votes[at]!;
  const byTokens = own.tokens.compare(least.tokens);
  if (byTokens < 0 || (byTokens === 0 && own.fee <= least.fee)) return;
  average.remove(least);
  average.add(own);
  votes[at] = own;
}

function voteEntry(numbers: Numbers, { account, fee, tokens }: Vote, total: Amount): Fields {
  const scaled = numbers.mul(numbers.of(tokens), numbers.of(VOTE_WEIGHT_UNITS));
  const weight = numbers.toInt64(numbers.div(scaled, numbers.of(total)));
  const entry: Fields = { Account: account, VoteWeight: Number(weight) };
  setUnlessZero(entry, 'TradingFee', fee);
  return { VoteEntry: entry };
}

function apply({ view, tx, account }: ApplyContext): Result {
  const amm = view.peek(ammKey(tx.Asset!, tx.Asset2!));
  if (amm === undefined) return 'tecINTERNAL';
  const { numbers } = view.rules;
  const fee = tx.TradingFee!;
  const votes = standingVotes(view, amm, account, fee);
  const average = new FeeAverage(numbers);
  for (const vote of votes) average.add(vote);
  if (!votes.some((vote) => vote.account === account))
    addVote(votes, average, { account, fee, tokens: ammLpHolds(view, amm, account) });
  amm.VoteSlots = votes.map((vote) => voteEntry(numbers, vote, amm.LPTokenBalance!));
  const agreed = average.fee();
  setUnlessZero(amm, 'TradingFee', agreed);
  if (amm.AuctionSlot !== undefined) {
    const slot = { ...amm.AuctionSlot };
    setUnlessZero(slot, 'DiscountedFee', discountedFee(agreed));
    amm.AuctionSlot = slot;
  }
  return 'tesSUCCESS';
}

export const ammVote: Rule = { type: 'AMMVote', amendment: 'AMM', flags: 0, preflight, preclaim, apply };
