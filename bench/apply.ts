/**
 * How fast the embedded network applies transactions: those that its population makes in some hours (payments, offers
 * across books and pools, pools, NFTs, escrows ...), sent as signed bytes to a second network with the same start.
 *
 *     grown:   population -> transactions -> ledgers         (not measured; gives the expected hashes)
 *     ours:    bytes -> decode -> verify signature -> apply -> metadata -> trees -> ledger hash
 *     bare:    verify signature -> hash transaction and metadata -> hash as many inner nodes
 *
 * Everything runs on one thread with a store in memory. Each ledger must have the same hash as in the first network. The
 * bare side is the work that every implementation needs; the ratio shows the cost of the ledger's rules on top of it.
 */
import { sha512Half, transactionHash } from '../engine/codec/hash.ts';
import { verify } from '../engine/codec/signatures.ts';
import { transactionOfBlob } from '../sandbox/apply/transaction.ts';
import type { ClosedLedger } from '../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../sandbox/ledger/memory-store.ts';
import { Network } from '../sandbox/node/network.ts';
import { HISTORY_STEP } from '../sandbox/node/pace.ts';
import { Population } from '../sandbox/population/population.ts';
import { hasAny, Tf } from '../sandbox/protocol/flags.ts';
import { signingBytes } from '../sandbox/protocol/keys.ts';
import type { Figure } from './budgets.ts';

/** Number of ledgers that create the market, and of measured ledgers. */
const SET_UP = 60;
const MEASURED = 900;
/** Ripple epoch seconds, any. */
const START = 840_000_000;
const SEED = 'bench';
/** About the number of inner nodes of the two trees that one transaction changes: 4 entries, 4 levels, some shared. */
const INNER_NODES = 12;
const INNER_NODE = new Uint8Array(512).fill(7);

const network = () => new Network({ store: new MemoryStore(), now: () => 0, verify, startTime: START });

function grown(): ClosedLedger[] {
  const growing = network();
  const population = new Population({ network: growing, seed: SEED, size: 'small' });
  const ledgers: ClosedLedger[] = [];
  for (let i = 0; i < SET_UP + MEASURED; i++) {
    const parent = growing.validated;
    const closeTime = parent.closeTime + HISTORY_STEP;
    ledgers.push(
      growing.build(population.transactions(parent, closeTime), closeTime, { trusted: true }).ledger,
    );
  }
  return ledgers;
}

/** Applies ledgers from their transactions' bytes. @returns seconds. @throws Error when a hash differs */
function apply(into: Network, ledgers: readonly ClosedLedger[]): number {
  const started = performance.now();
  for (const { transactions, closeTime, hash } of ledgers) {
    const parsed = transactions.map(({ blob }) => transactionOfBlob(blob));
    const made = into.build(
      parsed.filter(({ fields }) => !isInner(fields)),
      closeTime,
    );
    if (made.ledger.hash !== hash) throw new Error(`ledger ${made.ledger.index} came out otherwise`);
  }
  return (performance.now() - started) / 1000;
}

/** Inner transactions of a batch are also separate transactions of the ledger; they are sent with their batch only. */
const isInner = ({ Flags }: { Flags?: number | undefined }) => hasAny(Flags, Tf.tfInnerBatchTxn);

/** Verifies and hashes, nothing else. @returns seconds */
function bare(ledgers: readonly ClosedLedger[]): number {
  const work = ledgers.flatMap(({ transactions }) =>
    transactions.map(({ fields, blob, meta }) => ({ fields, blob, meta, message: signingBytes(fields) })),
  );
  const started = performance.now();
  for (const { fields, blob, meta, message } of work) {
    if (fields.TxnSignature && !verify(fields.SigningPubKey!, message, fields.TxnSignature))
      throw new Error('a signature does not verify');
    transactionHash(blob);
    sha512Half(blob, meta);
    for (let i = 0; i < INNER_NODES; i++) sha512Half(INNER_NODE);
  }
  return (performance.now() - started) / 1000;
}

function run(): Figure[] {
  const ledgers = grown();
  const measured = ledgers.slice(SET_UP);
  const count = measured.reduce((sum, { transactions }) => sum + transactions.length, 0);
  const kinds = new Map<string, number>();
  for (const { transactions } of measured)
    for (const { fields } of transactions)
      kinds.set(fields.TransactionType, (kinds.get(fields.TransactionType) ?? 0) + 1);
  const mix = [...kinds].sort((a, b) => b[1] - a[1]).map(([kind, times]) => `${kind} ${times}`);
  console.log(`${count} transactions in ${measured.length} ledgers: ${mix.join(', ')}`);
  const into = network();
  apply(into, ledgers.slice(0, SET_UP));
  const ours = count / apply(into, measured);
  const other = count / bare(measured);
  return [
    {
      name: 'sandbox.apply',
      value: ours / other,
      ours: `${Math.round(ours)} tx/s`,
      other: `${Math.round(other)} tx/s bare`,
    },
  ];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(run())}`);
