/** Random transactions of NFTs on an embedded network, and engines that follow it. */
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import type { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { type Ask, askerOf } from '../../embedded.ts';
import { NetworkRig } from '../../sandbox/node/network-rig.ts';
import type { TestAccount } from '../../sandbox/rig.ts';
import { asTheNode } from './node-nfts.ts';

const TRANSACTIONS = 6;
/** tfBurnable, tfTransferable, tfMutable */
const FLAGS = 1 | 8 | 16;
const SELL = 1;
/** Transfer fees in 1/100,000. */
const FEES = [0, 1, 777, 5000, 33_333, 50_000];

/** Sends random transactions of NFTs, mostly such that can succeed. */
export class RandomNfts {
  readonly rig = new NetworkRig();
  readonly ask: Ask;
  readonly #random: (below: number) => number;
  readonly #accounts: readonly TestAccount[];

  readonly #tags: readonly (number | undefined)[];
  readonly #expiresWithin: number;
  #sent = 0;

  /** @param tags source tags, which transactions have by turns @param expiresWithin seconds: of the offers that expire */
  constructor(
    random: (below: number) => number,
    tags: readonly (number | undefined)[] = [undefined],
    expiresWithin = 40,
  ) {
    this.#random = random;
    this.#expiresWithin = expiresWithin;
    this.#tags = tags;
    this.rig.network.ledgers.commitEvery = 1;
    this.ask = askerOf(this.rig.network);
    this.#accounts = this.rig.fund(['issuer', 'alice', 'bob', 'carol', 'broker']);
  }

  /** r-addresses of all that take part. */
  get accounts(): readonly { readonly account: string }[] {
    return this.#accounts.map(({ address }) => ({ account: address }));
  }

  /** The next ledger. */
  next(): ClosedLedger {
    this.#step();
    return this.rig.close();
  }

  #step(): void {
    const { nfts, offers } = asTheNode(this.ask);
    const owned = Object.entries(nfts);
    const open = Object.entries(offers);
    for (let i = 0; i < TRANSACTIONS; i++) this.#send(owned, open);
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  #account(address: unknown): TestAccount {
    return this.#accounts.find((account) => account.address === address)!;
  }

  #send(
    owned: readonly (readonly [string, { owner: string }])[],
    open: readonly (readonly [string, JsonObject])[],
  ): void {
    const roll = this.#random(100);
    const sender = this.#pick(this.#accounts);
    if (roll < 25 || owned.length === 0) {
      const URI = Buffer.from(`ipfs://${this.#random(1000)}\u00ff`.slice(0, 6 + this.#random(6)))
        .toString('hex')
        .toUpperCase();
      this.#submit(sender, {
        TransactionType: 'NFTokenMint',
        NFTokenTaxon: this.#random(3),
        Flags: FLAGS,
        TransferFee: this.#pick(FEES),
        ...(this.#random(4) > 0 && { URI }),
      });
      return;
    }
    const [NFTokenID, { owner }] = this.#pick(owned);
    const holder = this.#account(owner);
    if (roll < 45) {
      const isGift = this.#random(4) === 0;
      this.#submit(holder, {
        TransactionType: 'NFTokenCreateOffer',
        NFTokenID,
        Amount: isGift ? '0' : String(1 + this.#random(3_000_000)),
        Flags: SELL,
        ...(this.#random(3) === 0 && sender !== holder && { Destination: sender.address }),
        ...(this.#random(5) === 0 && { Expiration: this.rig.time + 1 + this.#random(this.#expiresWithin) }),
      });
    } else if (roll < 60) {
      if (sender === holder) return;
      this.#submit(sender, {
        TransactionType: 'NFTokenCreateOffer',
        NFTokenID,
        Owner: owner,
        Amount: String(1 + this.#random(9_000_000)),
      });
    } else if (roll < 88) this.#accept(sender, owned, open);
    else if (roll < 92 && open.length > 0) {
      const [index, offer] = this.#pick(open);
      this.#submit(this.#account(offer.owner), {
        TransactionType: 'NFTokenCancelOffer',
        NFTokenOffers: [index],
      });
    } else if (roll < 95) this.#submit(holder, { TransactionType: 'NFTokenBurn', NFTokenID });
    else {
      const issuer = this.#accounts.find(({ id }) => id === NFTokenID.slice(8, 48))!;
      this.#submit(issuer, {
        TransactionType: 'NFTokenModify',
        NFTokenID,
        Owner: owner,
        URI: this.#random(2) ? 'AB' : 'CDEF',
      });
    }
  }

  #accept(
    sender: TestAccount,
    owned: readonly (readonly [string, { owner: string }])[],
    open: readonly (readonly [string, JsonObject])[],
  ): void {
    if (open.length === 0) return;
    const [index, offer] = this.#pick(open);
    const isSell = offer.flags === SELL;
    if (!isSell) {
      const holder = owned.find(([id]) => id === offer.nft)?.[1].owner;
      const asked = open.find(
        ([, other]) => other.nft === offer.nft && other.flags === SELL && other.owner === holder,
      );
      const spread = Number(offer.amount) - Number(asked?.[1].amount ?? 0);
      if (asked && spread > 1 && this.#random(3) > 0)
        this.#submit(sender, {
          TransactionType: 'NFTokenAcceptOffer',
          NFTokenBuyOffer: index,
          NFTokenSellOffer: asked[0],
          ...(this.#random(4) > 0 && { NFTokenBrokerFee: String(1 + this.#random(spread - 1)) }),
        });
      else if (holder !== undefined)
        this.#submit(this.#account(holder), {
          TransactionType: 'NFTokenAcceptOffer',
          NFTokenBuyOffer: index,
        });
      return;
    }
    const taker = offer.destination === undefined ? sender : this.#account(offer.destination);
    this.#submit(taker, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: index });
  }

  #submit(account: TestAccount, json: Record<string, unknown>): void {
    const SourceTag = this.#tags[this.#sent++ % this.#tags.length];
    this.rig.submit(account, { ...json, ...(SourceTag !== undefined && { SourceTag }) });
  }
}

/** Proves a ledger and applies it. */
export async function follow(engine: Engine, ledger: ClosedLedger): Promise<PackedLedger> {
  const packed = ledger.packed();
  const answer = prepare(packed.bytes, false);
  if ('fault' in answer) throw new Error(`ledger ${ledger.index} does not prove: ${answer.fault}`);
  await engine.applyLedger(prepared(packed, answer), true);
  return packed;
}
