/**
 * The faucet, as public test networks have it: POST {destination?, xrpAmount?} to /accounts pays an account with XRP of
 * the genesis account. Without a destination it creates a new key pair and answers with its seed.
 * Shape: what xrpl's `Client.fundWallet` reads, and the answers of the public faucets.
 */
import { classicAddressToXAddress, isValidXAddress, xAddressToClassicAddress } from 'xrpl';
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { Amount, addressOf } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';
import { isJsonObject } from '../../engine/codec/values.ts';
import { isNamed } from '../apply/preflight.ts';
import { transactionOfFields } from '../apply/transaction.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { type KeyPair, keyPair, sign, signingBytes } from '../protocol/keys.ts';
import { FaucetLimit } from './faucet-limit.ts';
import type { Network } from './network.ts';
import { requestJson } from './request-text.ts';
import { accountIdOf } from './rpc/params.ts';

/** The amount that the public test network pays, XRP. */
const XRP_DEFAULT = 100;
const XRP_MAX = 10_000;
/** Ledgers after which a payment that was not included is given up. */
const LEDGERS_TO_LIVE = 20;
/** Minimum fee in drops; more when the open ledger is crowded. */
const FEE_MIN = 12n;

export interface FaucetAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  /** Seconds after which the client should try again. */
  readonly retryAfter?: number;
}

interface Payee {
  readonly account: AccountId;
  readonly tag?: number;
}

/** The account of an address; an X-address (XLS-5) may also carry a destination tag. */
function payeeOf(destination: unknown): Payee | undefined {
  if (typeof destination !== 'string') return undefined;
  if (!isValidXAddress(destination)) {
    const account = accountIdOf(destination);
    return account === undefined ? undefined : { account };
  }
  const { classicAddress, tag } = xAddressToClassicAddress(destination);
  return { account: accountIdOf(classicAddress)!, ...(typeof tag === 'number' ? { tag } : {}) };
}

const refused = (status: number, error: string): FaucetAnswer => ({ status, body: { error } });

function toWait(ms: number): FaucetAnswer {
  const seconds = Math.ceil(ms / 1_000);
  return { status: 429, body: { error: 'cooldown active', retryAfterSeconds: seconds }, retryAfter: seconds };
}

export class Faucet {
  readonly #network: Network;
  readonly #fundingAccount: KeyPair;
  readonly #entropy: () => Uint8Array;
  readonly #limit = new FaucetLimit();

  /**
   * @param fundingAccount sends the payments; it must have the XRP
   * @param entropy 16 unpredictable bytes, for new key pairs
   */
  constructor(network: Network, fundingAccount: KeyPair, entropy: () => Uint8Array) {
    this.#network = network;
    this.#fundingAccount = fundingAccount;
    this.#entropy = entropy;
  }

  /** Pays, and answers as soon as the payment is in the open ledger; it is validated with the next ledger. */
  answer(text: string): FaucetAnswer {
    const request = parsed(text);
    if (request === undefined) return refused(400, 'the body is no JSON object');
    const { destination, xrpAmount = XRP_DEFAULT } = request;
    const amount = typeof xrpAmount === 'string' ? Number(xrpAmount) : xrpAmount;
    if (typeof amount !== 'number' || !Number.isFinite(amount) || amount <= 0 || amount > XRP_MAX)
      return refused(400, `xrpAmount must be above 0 and at most ${XRP_MAX}`);
    const made = destination === undefined ? keyPair(this.#entropy(), 'ed25519') : undefined;
    const payee = made ?? payeeOf(destination);
    if (payee === undefined) return refused(400, 'destination is no address');
    const address = addressOf(payee.account);
    const now = this.#network.unixMs;
    const wait = this.#limit.wait(payee.account, now);
    if (wait > 0) return toWait(wait);
    const paid = this.#pay(payee, BigInt(Math.round(amount * DROPS_PER_XRP)));
    if ('error' in paid) return refused(503, paid.error);
    this.#limit.record(payee.account, now);
    return {
      status: 200,
      body: {
        account: {
          classicAddress: address,
          address,
          xAddress: classicAddressToXAddress(address, false, true),
          ...(made ? { secret: made.seed } : {}),
        },
        amount,
        transactionHash: paid.hash,
        ...(made ? { seed: made.seed } : {}),
      },
    };
  }

  #pay({ account: Destination, tag }: Payee, drops: bigint): { hash: string } | { error: string } {
    const network = this.#network;
    const from = this.#fundingAccount.account;
    const cost = network.openLedgerCost;
    const fields: TransactionFields = {
      TransactionType: 'Payment',
      Account: from,
      Destination,
      ...(tag === undefined ? {} : { DestinationTag: tag }),
      Amount: Amount.drops(drops),
      Fee: Amount.drops(cost > FEE_MIN ? cost : FEE_MIN),
      Flags: 0,
      Sequence: network.nextSequence(from),
      LastLedgerSequence: network.closed.index + LEDGERS_TO_LIVE,
      SigningPubKey: this.#fundingAccount.publicKey,
      ...(isNamed(network.networkId) ? { NetworkID: network.networkId } : {}),
    };
    // In a ledger it would cost its fee and pay nothing: the account wants a tag, or takes no payments.
    const { result: expected } = network.simulate(transactionOfFields(fields));
    if (expected.startsWith('tec')) return { error: `the payment would fail: ${expected}` };
    fields.TxnSignature = sign(signingBytes(fields), this.#fundingAccount);
    const transaction = transactionOfFields(fields);
    const { result, applied, queued } = network.submit(transaction);
    return applied || queued ? { hash: transaction.hash } : { error: `the payment was not taken: ${result}` };
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  const body = requestJson(text);
  return isJsonObject(body) ? body : undefined;
}
