/**
 * Random transactions of every type, valid, invalid and malformed, alone and in batches, with tickets, delegates, signer
 * lists and passing time. In every case: nothing throws, no invariant is violated, every refused transaction has a
 * proper result, and the ledger stays consistent.
 */

import { expect, test } from 'bun:test';
import { isTec, isTes, resultCode } from '../../../sandbox/protocol/results.ts';
import { RULES } from '../../../sandbox/transactions/index.ts';
import { casesOf } from '../../cases.ts';
import { FAULTS } from '../rig.ts';
import { seedOf } from '../seed.ts';
import { SETTINGS } from './settings.ts';
import { TRADE } from './trade.ts';
import { Draw, type Json, RandomLedger } from './world.ts';

const seed = seedOf('random transactions');

/** A vault's limit above the asset's maximum: the network's rounding throws, and the network reports that. */
const overflows = (tx: Json): boolean => Number(tx.AssetsMaximum) > 1e17;
const MAKERS = { ...TRADE, ...SETTINGS };
const TOTAL = Object.values(MAKERS).reduce((sum, [weight]) => sum + weight, 0);
const BATCH_MODES = [0x1_0000, 0x2_0000, 0x4_0000, 0x8_0000];
/** A number, not a time: the same seed does the same on every machine. */
const STEPS = casesOf(4_000, 12_000);
const LEDGER_SIZE = 12;
const LOOK_EVERY = 6;
const CHECK_EVERY = 400;

function one(world: RandomLedger): Json {
  const { draw } = world;
  const from = draw.pick(world.actors);
  const to = draw.pick(world.actors.filter((person) => person !== from));
  let at = draw.next() * TOTAL;
  for (const [TransactionType, [weight, make]] of Object.entries(MAKERS)) {
    at -= weight;
    if (at < 0) return { TransactionType, Account: from.address, ...make(world, from, to) };
  }
  throw new Error('weights do not add up');
}

/** Values that fit few places; most of them can be written into some. */
const ODD: readonly unknown[] = [
  0,
  1,
  4_294_967_295,
  '0',
  '-1',
  '18446744073709551615',
  '',
  'AB',
  '0'.repeat(64),
  'F'.repeat(48),
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  [],
  [{}],
  [{ Memo: { MemoData: 'AB' } }],
  [{ Credential: {} }],
  [[{ currency: 'XRP' }]],
  { currency: 'XRP' },
  { currency: 'USD', issuer: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp' },
  { currency: 'USD', issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', value: '-5' },
  { currency: 'USD', issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', value: '9999999999999999e80' },
  { currency: 'USD', issuer: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', value: '1e-81' },
  { mpt_issuance_id: '0'.repeat(48), value: '5' },
  { mpt_issuance_id: '0'.repeat(48) },
];

/** The same with an error: a field missing, foreign, with an unusual value, or unknown flags. */
function corrupted(draw: Draw, tx: Json, others: readonly Json[]): Json {
  const names = Object.keys(tx).filter((name) => name !== 'TransactionType');
  const name = draw.pick(names);
  switch (draw.below(5)) {
    case 0: {
      const { [name]: _gone, ...rest } = tx;
      return rest;
    }
    case 1:
      return { ...tx, Flags: (Number(tx.Flags ?? 0) | (1 << draw.below(31))) >>> 0 };
    case 2: {
      const [foreign, value] = draw.pick(Object.entries(draw.pick(others)));
      return foreign === 'TransactionType' ? tx : { ...tx, [foreign]: value };
    }
    default:
      return { ...tx, [name]: draw.pick(ODD) };
  }
}

function batch(world: RandomLedger): Json {
  const { draw } = world;
  const from = draw.pick(world.actors);
  const next = new Map([[from.address, world.sequenceOf(from.address) + 1]]);
  const inner = Array.from({ length: 2 + draw.below(3) }, () => {
    const tx = one(world);
    const Account = draw.chance(0.7) ? from.address : String(tx.Account);
    const Sequence = next.get(Account) ?? world.sequenceOf(Account);
    next.set(Account, Sequence + 1);
    const Flags = (Number(tx.Flags ?? 0) | 0x4000_0000) >>> 0;
    return { RawTransaction: { ...tx, Account, Sequence, Flags, Fee: '0', SigningPubKey: '' } };
  });
  const others = new Set(inner.map(({ RawTransaction }) => RawTransaction.Account));
  others.delete(from.address);
  const BatchSigners = world.actors
    .filter(({ address }) => others.has(address))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ address, publicKey }) => ({
      BatchSigner: { Account: address, SigningPubKey: publicKey, TxnSignature: 'AB' },
    }));
  const signers = BatchSigners.length > 0 ? { BatchSigners } : {};
  return {
    TransactionType: 'Batch',
    Account: from.address,
    Flags: draw.pick(BATCH_MODES),
    RawTransactions: inner,
    ...signers,
  };
}

/** The signature: by ticket, through a delegate, by the members of a list. */
function withSignature(world: RandomLedger, tx: Json): Json {
  const { draw } = world;
  const person = world.actors.find(({ address }) => address === tx.Account);
  if (person === undefined) return tx;
  const ticket = world.any('Ticket', ({ Account }) => Account === person.id);
  if (ticket && draw.chance(0.1)) return { ...tx, TicketSequence: ticket.TicketSequence };
  const delegate = world.any('Delegate', ({ Account }) => Account === person.id);
  if (delegate && draw.chance(0.3)) return { ...tx, Delegate: world.addressOf(delegate.Authorize) };
  const list = world.any('SignerList', ({ SignerEntries }) =>
    (SignerEntries ?? []).every(({ SignerEntry }) => world.personOf(SignerEntry?.Account) !== undefined),
  );
  if (list === undefined || !draw.chance(0.05)) return tx;
  const members = (list.SignerEntries ?? []).map(({ SignerEntry }) => world.personOf(SignerEntry?.Account)!);
  const Signers = members
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ address, publicKey }) => ({
      Signer: { Account: address, SigningPubKey: publicKey, TxnSignature: 'AB' },
    }));
  return { ...tx, SigningPubKey: '', TxnSignature: undefined, Signers };
}

test('every type has its maker', () => {
  const made = [...Object.keys(MAKERS), 'Batch'];
  expect(made.sort(), 'makers are in trade.ts and settings.ts').toEqual([...RULES.keys()].sort());
});

/**
 * The network's own rule refuses a deposit or a withdrawal whose amount ends in a half of the coarser of the two lines' last
 * digits: the lines round it to one side, and `ValidVault`, which compares them in those digits, to the other.
 */
const meetsHalf = ({ TransactionType }: Json): boolean =>
  TransactionType === 'VaultWithdraw' || TransactionType === 'VaultDeposit';
/** In one run: more would be a fault of ours. */
const HALVES_MAX = 3;

// Within a thousand transactions of the second seed there is a payment whose parts add up to one last digit too much, with the
// last two a withdrawal and a deposit that meet a half.
test.each([
  [seed, STEPS],
  [1_447_249_283, 1_000],
  [1_872_867_660, 2_500],
  [1_893_003_761, 1_000],
])('no random transaction breaks anything (seed %p, %p of them)', (seed, steps) => {
  const draw = new Draw(seed);
  const world = new RandomLedger(draw);
  const recent: Json[] = [one(world)];
  const tally = new Map<string, number>();
  let applied = 0;
  let unwritable = 0;
  let halves = 0;
  for (let step = 0; step < steps; step++) {
    if (step % LOOK_EVERY === 0) world.refresh();
    let tx = draw.chance(0.05) ? batch(world) : withSignature(world, one(world));
    if (draw.chance(0.25)) tx = corrupted(draw, tx, recent);
    recent[step % 40] = tx;
    const result = world.send(tx);
    if (result === undefined) unwritable++;
    else {
      tally.set(result, (tally.get(result) ?? 0) + 1);
      if (isTes(result as never) || isTec(result as never)) applied++;
      if (result === 'tefEXCEPTION' && (overflows(tx) || world.gaveUp(tx))) continue;
      if (result === 'tecINVARIANT_FAILED' && meetsHalf(tx)) {
        halves++;
        continue;
      }
      if (FAULTS.has(result) || resultCode(result as never) === undefined)
        throw new Error(`seed ${seed}, step ${step}: ${result} for ${JSON.stringify(tx)}`);
    }
    if (step % LEDGER_SIZE === 0) world.close(1 + draw.below(12));
    if (step % CHECK_EVERY === 0) expect(world.problems()).toEqual([]);
  }
  expect(world.problems()).toEqual([]);
  console.log(
    `${steps} tried, ${applied} applied, ${unwritable} not writable, ${tally.size} kinds of results`,
  );
  expect(halves).toBeLessThanOrEqual(HALVES_MAX);
  expect(applied).toBeGreaterThan(200);
  expect(tally.size).toBeGreaterThan(50);
});
