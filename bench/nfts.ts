/**
 * What NFTs (engine/nfts) cost a replay of ledgers that hold nothing else: 100 transactions each, a third of them minting, a
 * third offering and a third accepting. The embedded network makes them once, with pages that fill up, split and merge. They
 * are proved and decoded already; they are applied and made durable on the main thread, with the fold of NFTs and without it.
 * The store's writer has a thread of its own, as in the service. The figure is the median of the rounds' ratios.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../data/store.ts';
import { Amount } from '../engine/codec/arithmetic/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import { scrambleTaxon } from '../engine/codec/nft-id.ts';
import { Engine } from '../engine/engine.ts';
import { type Prepared, prepare, prepared } from '../engine/ledger/prepare.ts';
import type { Log } from '../engine/log.ts';
import type { ParsedTransaction } from '../sandbox/apply/environment.ts';
import { transactionOfFields } from '../sandbox/apply/transaction.ts';
import { MemoryStore } from '../sandbox/ledger/memory-store.ts';
import { Network } from '../sandbox/node/network.ts';
import * as keylets from '../sandbox/protocol/keylets.ts';
import { genesis, keyPair } from '../sandbox/protocol/keys.ts';
import { GENESIS_ACCOUNT } from '../sandbox/protocol/well-known.ts';
import type { BudgetName, Figure } from './budgets.ts';
import { median } from './http.ts';

const LEDGERS = 400;
const OF_EACH_TYPE = 34;
const ACCOUNTS = 120;
/** Repeats of the chain's NFTs would be no new ones: each side applies it once a round. */
const ROUNDS = 9;
/** Rounds before those that count: a replay of a network's ledgers is long, and the code of both sides is compiled early in it. */
const WARM_ROUNDS = 4;
/** Ripple epoch seconds, any. */
const START = 840_000_000;
/** tfTransferable */
const FLAGS = 8;
const TRANSFER_FEE = 5000;
const FUNDS = 100_000_000_000n;
const TAXONS = 3;
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };

interface Offered {
  readonly offer: string;
  readonly nft: Owned;
}

interface Owned {
  readonly id: string;
  readonly owner: number;
}

/** Makes the ledgers. Signatures are not checked: the engine does not check them either. */
class Chain {
  readonly #network = new Network({
    store: new MemoryStore(),
    now: () => 0,
    verify: () => true,
    startTime: START,
  });
  readonly #accounts: readonly string[];
  /** Public keys by account. */
  readonly #keys = new Map<string, string>();
  readonly #sequences = new Map<string, number>();
  readonly #minted = new Map<string, { first: number; count: number }>();
  #time = START;
  #fresh: Owned[] = [];
  #offered: Offered[] = [];
  #next = 0;

  constructor() {
    const pairs = Array.from({ length: ACCOUNTS }, (_, i) => keyPair(Buffer.alloc(16, i + 1), 'ed25519'));
    for (const { account, publicKey } of [genesis(), ...pairs]) this.#keys.set(account, publicKey);
    this.#accounts = pairs.map(({ account }) => account);
  }

  *ledgers(count: number): Generator<Prepared> {
    const ledgers = [this.#fund(), ...Array.from({ length: count }, () => undefined)];
    for (const first of ledgers) {
      const packed = (first ?? this.#trade()).packed();
      yield prepared(packed, prepare(packed.bytes));
    }
  }

  #fund() {
    const root = this.#network.open.view.read(keylets.account(GENESIS_ACCOUNT))!;
    this.#sequences.set(GENESIS_ACCOUNT, root.Sequence!);
    return this.#close(
      this.#accounts.map((Destination) =>
        this.#tx(GENESIS_ACCOUNT, { TransactionType: 'Payment', Destination, Amount: Amount.drops(FUNDS) }),
      ),
    );
  }

  #trade() {
    const accepted = this.#offered.map(({ offer, nft }) => {
      const buyer = (nft.owner + 1 + (this.#next++ % (ACCOUNTS - 1))) % ACCOUNTS;
      return this.#tx(this.#accounts[buyer]!, {
        TransactionType: 'NFTokenAcceptOffer',
        NFTokenSellOffer: offer,
      });
    });
    const offers: Offered[] = [];
    const offered = this.#fresh.map((nft) => {
      const account = this.#accounts[nft.owner]!;
      const fields = {
        TransactionType: 'NFTokenCreateOffer',
        NFTokenID: nft.id,
        Flags: 1,
        Amount: Amount.drops(1_000_000n + BigInt(this.#next++)),
      };
      const tx = this.#tx(account, fields);
      offers.push({ offer: keylets.nftOffer(account, tx.fields.Sequence!), nft });
      return tx;
    });
    const fresh: Owned[] = [];
    const minted = Array.from({ length: OF_EACH_TYPE }, () => {
      const owner = this.#next++ % ACCOUNTS;
      const { tx, id } = this.#mint(this.#accounts[owner]!, this.#next % TAXONS);
      fresh.push({ id, owner });
      return tx;
    });
    this.#offered = offers;
    this.#fresh = fresh;
    return this.#close([...accepted, ...offered, ...minted]);
  }

  #mint(account: string, taxon: number) {
    const tx = this.#tx(account, {
      TransactionType: 'NFTokenMint',
      NFTokenTaxon: taxon,
      Flags: FLAGS,
      TransferFee: TRANSFER_FEE,
      URI: Buffer.from(
        `ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/${this.#next}.json`,
      )
        .toString('hex')
        .toUpperCase(),
    });
    const of = this.#minted.get(account) ?? { first: tx.fields.Sequence!, count: 0 };
    this.#minted.set(account, of);
    const sequence = of.first + of.count++;
    const id = Buffer.alloc(32);
    id.writeUInt16BE(FLAGS, 0);
    id.writeUInt16BE(TRANSFER_FEE, 2);
    id.write(account, 4, 'hex');
    id.writeUInt32BE(scrambleTaxon(taxon, sequence), 24);
    id.writeUInt32BE(sequence, 28);
    return { tx, id: hexOf(id) };
  }

  #tx(Account: string, fields: object): ParsedTransaction {
    const Sequence =
      this.#sequences.get(Account) ?? this.#network.open.view.read(keylets.account(Account))!.Sequence!;
    this.#sequences.set(Account, Sequence + 1);
    const { networkId: NetworkID } = this.#network;
    return transactionOfFields({
      Account,
      Sequence,
      NetworkID,
      Fee: Amount.drops(10n),
      SigningPubKey: this.#keys.get(Account)!,
      ...fields,
    } as never);
  }

  #close(transactions: readonly ParsedTransaction[]) {
    this.#time += 4;
    const outcome = this.#network.build(transactions, this.#time, { trusted: true });
    const { ledger } = outcome;
    if (ledger.transactions.length !== transactions.length)
      throw new Error(`${outcome.failed.length} transactions failed`, { cause: outcome.failed[0] });
    return ledger;
  }
}

const SIDES = ['with', 'without'] as const;
type Side = (typeof SIDES)[number];

/** @returns ledgers a second */
async function replay(dir: string, ledgers: readonly Prepared[], side: Side): Promise<number> {
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  if (side === 'without') engine.nfts.applyLedger = () => undefined;
  const started = performance.now();
  for (const one of ledgers) await engine.applyLedger(one, true);
  await engine.drain();
  const seconds = (performance.now() - started) / 1000;
  const { existing } = engine.nfts.nfts;
  if (existing !== (side === 'with' ? LEDGERS * OF_EACH_TYPE : 0))
    throw new Error(`there are ${existing} NFTs`);
  await store.close();
  return ledgers.length / seconds;
}

async function nftFigures(): Promise<Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-nfts-'));
  try {
    const ledgers = [...new Chain().ledgers(LEDGERS)];
    const rates = { with: [] as number[], without: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
      for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed()) {
        const dir = join(base, `${round}-${side}`);
        const rate = await replay(dir, ledgers, side);
        if (round >= WARM_ROUNDS) rates[side].push(rate);
        rmSync(dir, { recursive: true, force: true });
      }
    }
    const text = (of: readonly number[]) => `${Math.round(median(of))} ledgers/s`;
    const name: BudgetName = 'replay.nfts';
    const value = median(rates.with.map((rate, i) => rate / rates.without[i]!));
    return [{ name, value, ours: text(rates.with), other: text(rates.without) }];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await nftFigures())}`);
