/**
 * Quotes against recorded payments of the main network through books and pools: on the state before, as far as the recording
 * shows it, the quote over the payment's own paths spends and delivers what the payment did, to the last digit.
 *
 * Compared are payments of today's rules that the embedded network repeats in every field (test/sandbox/reexecution): of
 * others the state before is not known well enough. Left out are those that quotes do not cover, each with its reason.
 */
import { expect, test } from 'bun:test';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  issuerOf,
  XRP,
} from '../../../engine/codec/arithmetic/asset.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractEntries } from '../../../engine/codec/extract.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { assetOf } from '../../../engine/quotes/amounts.ts';
import { quoteOver } from '../../../engine/quotes/quote.ts';
import { MAIN_RULES } from '../../../engine/quotes/rules.ts';
import { State } from '../../../engine/state/state.ts';
import { XRP as XRP_TOKEN } from '../../../engine/state/tokens.ts';
import type { PathStep, TransactionFields } from '../../../sandbox/protocol/fields.ts';
import { hasAny, Tf } from '../../../sandbox/protocol/flags.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { applyAgain, stateBefore } from '../../sandbox/reexecution/again.ts';
import { Archive } from '../../sandbox/reexecution/archive.ts';
import type { Before } from '../../sandbox/reexecution/before.ts';
import { classOf, eraOf } from '../../sandbox/reexecution/classes.ts';
import { feesOf } from '../../sandbox/reexecution/execute.ts';
import { leftOut } from '../../sandbox/reexecution/left-out.ts';
import { type Recorded, recordedTransactions } from '../../sandbox/reexecution/recorded.ts';
import { pageOf, SMALL_LIMITS, STATE_TYPES } from './quote-rig.ts';

const CLASSES = new Set(['Payment through books', 'Payment through pools']);
const ERA = 'since fixAMMv1_1';

/** Why a payment is not compared. */
class NotCompared extends Error {}

/** The state of a recording as columns, and its names as ids. */
class RecordedState {
  readonly state = new State(SMALL_LIMITS);

  constructor(before: Before) {
    const entries = [...before.entries.values()].filter(({ LedgerEntryType }) =>
      STATE_TYPES.has(LedgerEntryType!),
    );
    const page = pageOf(entries);
    this.state.applyEntries(page, new Changes(extractEntries(page)));
    runToEnd(this.state.rebuilding());
    const header = new Uint8Array(118);
    new DataView(header.buffer).setUint32(112, before.recorded.parentCloseTime);
    this.state.fees.applyHeader(header);
  }

  account(id: AccountId): number {
    const found = this.state.accounts.find(bytesOf(id), 0);
    if (found === undefined) throw new NotCompared('an account is not in the recording');
    return found;
  }

  token(asset: Asset): number {
    if (asset === XRP) return XRP_TOKEN;
    const code = this.state.currencies.find(bytesOf(currencyOf(asset)!), 0);
    const token = this.state.tokens.findPair(this.account(issuerOf(asset)), code);
    if (token === 0) throw new NotCompared('the token of the sender or of the receiver is not named');
    return token;
  }

  /** The tokens between both ends. */
  path(steps: readonly PathStep[], source: Asset, destination: number): number[] {
    const path: number[] = [];
    let [currency, issuer] = source === XRP ? [undefined, undefined] : [currencyOf(source), issuerOf(source)];
    for (const step of steps) {
      if (step.mpt !== undefined) throw new NotCompared('MPTs');
      if (step.account !== undefined) {
        // The issuer by whom it leads anyway.
        if (step.account === issuer) continue;
        throw new NotCompared('a path through another account than an issuer');
      }
      if (step.currency !== undefined) currency = /^0+$/.test(step.currency) ? undefined : step.currency;
      issuer = currency === undefined ? undefined : (step.issuer ?? issuer);
      path.push(this.token(currency === undefined ? XRP : currency + issuer!));
    }
    if (path.at(-1) === destination) path.pop();
    return path;
  }
}

/** What the sender had and has of an asset; XRP with the fee of the transaction already taken from it. */
interface Held {
  readonly before: Amount;
  /** Of that without the reserve. */
  readonly free: Amount;
  readonly after: Amount;
}

function heldBySender({ nodes, tx, recorded }: Before, source: Asset): Held {
  const { reserve, increment } = feesOf(recorded);
  for (const { type, before, after } of nodes) {
    if (!before || !after) continue;
    const balances = [before.Balance as Amount, after.Balance as Amount] as const;
    if (source === XRP && type === 'AccountRoot' && before.Account === tx.Account) {
      const held = balances[0].add(tx.Fee!.negate());
      const kept = Amount.drops(reserve + BigInt(before.OwnerCount!) * increment);
      return { before: held, free: held.add(kept.negate()), after: balances[1] };
    }
    if (source === XRP || type !== 'RippleState') continue;
    const [low, high] = [before.LowLimit as Amount, before.HighLimit as Amount];
    const ends = [low.issuer, high.issuer];
    const isOfSource = currencyOf(low.asset) === currencyOf(source);
    if (!isOfSource || !ends.includes(issuerOf(source)) || !ends.includes(tx.Account!)) continue;
    const [was, is] = low.issuer === tx.Account ? balances : balances.map((one) => one.negate());
    const held = was!.withAsset(source);
    return { before: held, free: held, after: is!.withAsset(source) };
  }
  throw new NotCompared('what was spent is not in the recording');
}

function deliveredBy({ recorded, tx }: Before): Amount {
  const { delivered_amount: delivered, DeliveredAmount } = recorded.meta;
  const json = DeliveredAmount ?? delivered;
  return json === undefined || json === 'unavailable' ? (tx.Amount as Amount) : Amount.parse(json);
}

function refuseUncovered(tx: TransactionFields): void {
  const { Flags, DomainID } = tx as TransactionFields & { DomainID?: string };
  if (hasAny(Flags, Tf.tfLimitQuality)) throw new NotCompared('a limit of quality');
  if (hasAny(Flags, Tf.tfNoRippleDirect)) throw new NotCompared('without the default path');
  if (DomainID !== undefined) throw new NotCompared('in a domain');
}

/** The quote's amounts and the payment's, as texts. */
function compared(recorded: Recorded, archive: Archive): [quoted: string, paid: string] {
  const before = stateBefore(recorded, archive);
  const { tx } = before;
  refuseUncovered(tx);
  const world = new RecordedState(before);
  const wanted = tx.Amount as Amount;
  const source = ((tx.SendMax as Amount | undefined) ?? wanted).asset;
  const [from, to] = [world.token(source), world.token(wanted.asset)];
  if (from === to) throw new NotCompared('one token');
  const delivered = deliveredBy(before);
  const held = heldBySender(before, source);
  const paths = ((tx.Paths ?? []) as readonly (readonly PathStep[])[]).map((steps) =>
    world.path(steps, source, to),
  );
  const isWhole = delivered.compare(wanted) === 0;
  const known = new Set<string>();
  const most = tx.SendMax as Amount;
  const request = {
    source: from,
    destination: to,
    sender: world.account(tx.Account!),
    receiver: world.account(tx.Destination!),
    side: isWhole ? ('out' as const) : ('in' as const),
    amount: isWhole
      ? wanted.withAsset(assetOf(to))
      : (held.free.compare(most) < 0 ? held.free : most).withAsset(assetOf(from)),
  };
  const others = paths.filter((path) => path.length > 0 && !known.has(path.join()) && known.add(path.join()));
  const quote = quoteOver(world.state, request, others, MAIN_RULES);
  if (!quote) throw new NotCompared('quotes do not cover it');
  // A line keeps 16 digits of its balance: what was spent is known as far as that.
  const left = held.before.add(quote.in.withAsset(source).negate());
  const text = (one: Amount) => `${one.mantissa}e${one.exponent}`;
  return [`${text(left)} left for ${text(quote.out)}`, `${text(held.after)} left for ${text(delivered)}`];
}

test.skipIf(!corpusDir)('recorded payments spend and deliver what is quoted', () => {
  const all = recordedTransactions();
  const archive = new Archive(all);
  const reasons = new Map<string, number>();
  const wrong: string[] = [];
  let equal = 0;
  for (const recorded of all) {
    if (!CLASSES.has(classOf(recorded)) || eraOf(recorded) !== ERA || leftOut(recorded) !== undefined)
      continue;
    if (applyAgain(recorded, archive).differences.length > 0) continue;
    try {
      const [quoted, paid] = compared(recorded, archive);
      if (quoted === paid) equal++;
      else wrong.push(`${recorded.hash} ${classOf(recorded)}: quoted ${quoted}, paid ${paid}`);
    } catch (fault) {
      if (!(fault instanceof NotCompared)) throw fault;
      reasons.set(fault.message, (reasons.get(fault.message) ?? 0) + 1);
    }
  }
  console.log(
    `${equal} payments as quoted; not compared: ${JSON.stringify([...reasons])}\n${wrong.join('\n')}`,
  );
  expect(wrong).toEqual([]);
  expect(equal).toBeGreaterThan(20);
});
