/**
 * The whole service on a network that closes ledgers by hand, with keys, payments in XRP and by card (a stand-in of the
 * processor), and a price of XRP (a stand-in of the feed): killed and started again on the same folder.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'ripple-keypairs';
import { Wallet } from 'xrpl';
import { leaveNewKey } from '../../../service/new-keys.ts';
import { SECRET_KEY, StandInStripe, WEBHOOK_SECRET } from '../../outside/stand-in-stripe.ts';
import {
  type Answer,
  ask,
  eventually,
  killedStart,
  type Program,
  startProgram,
} from '../../sandbox-program.ts';

const NETWORK_ID = 52168;
const GENESIS = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb', { algorithm: 'ecdsa-secp256k1' as never });
/** No limit but those of a day, so that nothing is refused for its rate. */
const FAST = {
  burst: 'unlimited',
  'per-second': 'unlimited',
  'per-minute': 'unlimited',
  multiplier: 'unlimited',
};
const TIERS: Readonly<Record<string, object>> = {
  anonymous: { ...FAST, 'per-day': 'unlimited' },
  ...Object.fromEntries(['free', 'developer', 'partner'].map((tier) => [tier, { ...FAST, keys: 50 }])),
};
/** A ledger is closed so often, ms. */
const CLOSE_MS = 250;

/** The connection broke: nobody knows what became of the request. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

export interface Reply {
  readonly status: number;
  readonly body: Answer;
  readonly headers: Headers;
}

export interface Sent {
  readonly method?: string;
  readonly body?: object | string;
  readonly headers?: Record<string, string> | Headers;
}

export class StoredRig {
  readonly dir = mkdtempSync(join(tmpdir(), 'millrace-stored-'));
  readonly stripe = new StandInStripe();
  readonly merchant = Wallet.generate();
  readonly issuer = Wallet.generate();
  program!: Program;
  /** Unix ms at which it was killed last. */
  killedAt = 0;
  admin = '';
  readonly #feed = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json({ error: [], result: { XXRPZUSD: { c: ['2.0', '1'] } } }),
  });
  #closing: Promise<void> = Promise.resolve();
  #signed = 0;
  readonly #tiers: string;

  /** @param tiers what differs of them */
  constructor(tiers: Readonly<Record<string, object>> = {}) {
    const changed = Object.entries(TIERS).map(([name, tier]) => [name, { ...tier, ...tiers[name] }]);
    this.#tiers = JSON.stringify(Object.fromEntries(changed));
  }

  get #options(): string[] {
    return [
      '--sandbox-days=0',
      '--sandbox-interval=0',
      '--workers=0',
      '--admission=keys',
      '--proxies=127.0.0.1',
      '--generic-agents=allow',
      `--tiers=${this.#tiers}`,
      `--rate-feed=kraken:http://127.0.0.1:${this.#feed.port}`,
      `--payment-address=${this.merchant.classicAddress}`,
      `--stripe-key=${SECRET_KEY}`,
      `--stripe-webhook-secret=${WEBHOOK_SECRET}`,
      `--stripe-url=${this.stripe.url}`,
    ];
  }

  /** The first start, with accounts in the ledger and tokens of the issuer. */
  async open(funded: readonly Wallet[], currencies: readonly string[]): Promise<void> {
    this.admin = leaveNewKey(this.dir, 'admin', 'admin', Date.now());
    await this.start();
    const all = [this.merchant, this.issuer, ...funded];
    const { account_data } = await ask(this.program.node, 'account_info', {
      account: GENESIS.classicAddress,
    });
    for (const [at, { classicAddress }] of all.entries())
      await this.submit(
        GENESIS,
        { TransactionType: 'Payment', Destination: classicAddress, Amount: '10000000000' },
        account_data.Sequence + at,
      );
    const holder = funded[0]!;
    await this.#validated(holder);
    for (const currency of currencies) {
      const limit = { currency, issuer: this.issuer.classicAddress, value: '1000' };
      await this.submit(holder, { TransactionType: 'TrustSet', LimitAmount: limit });
      await this.#nextLedger();
      const paid = { currency, issuer: this.issuer.classicAddress, value: '10' };
      await this.submit(this.issuer, {
        TransactionType: 'Payment',
        Destination: holder.classicAddress,
        Amount: paid,
      });
    }
    await eventually('the price of XRP', async () => {
      const { body } = await this.ask('/keys/packages');
      return body.packages?.[0]?.priceXrp ?? undefined;
    });
  }

  /** Starts it and closes ledgers from then on. Resolves when it serves every address. */
  async start(): Promise<void> {
    this.program = await startProgram(this.dir, ...this.#options);
    this.#closing = this.#closeLedgers(this.program);
    await eventually('customers', async () => {
      const { status } = await this.ask('/keys/tiers');
      return status === 200 || undefined;
    });
  }

  /** Starts it and kills it so many ms later, wherever it is then. */
  startAndKill(ms: number): Promise<void> {
    return killedStart(ms, this.dir, ...this.#options);
  }

  async kill(): Promise<void> {
    this.killedAt = Date.now();
    await this.program.kill();
    await this.#closing;
  }

  /** Asks it to stop: what was answered is all there then, also what a kill may forget. @returns the exit code */
  async stop(): Promise<number> {
    const code = await this.program.stop();
    this.killedAt = Number.POSITIVE_INFINITY;
    await this.#closing;
    return code;
  }

  async close(): Promise<void> {
    await this.kill().catch(() => undefined);
    await Promise.all([this.stripe.stop(), this.#feed.stop(true)]);
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** @throws GoneError where the connection broke */
  async ask(path: string, { method = 'GET', body, headers }: Sent = {}): Promise<Reply> {
    try {
      const response = await fetch(`${this.program.url}/v1${path}`, {
        method,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        ...(headers && { headers }),
      });
      const answer = (await response.json()) as Answer;
      return { status: response.status, body: answer, headers: response.headers };
    } catch (fault) {
      throw new GoneError(String(fault));
    }
  }

  /** Headers of a signature that was not used before. */
  signed(by: Wallet): Record<string, string> {
    this.#signed = Math.max(this.#signed + 1, Date.now());
    const message = Buffer.from(`${by.classicAddress}:${this.#signed}`).toString('hex');
    return {
      'X-Wallet': by.classicAddress,
      'X-Timestamp': String(this.#signed),
      'X-Public-Key': by.publicKey,
      'X-Signature': sign(message, by.privateKey),
    };
  }

  /** @returns hash. @throws GoneError */
  async submit(by: Wallet, fields: object, sequence?: number): Promise<string> {
    try {
      const { node } = this.program;
      const account = by.classicAddress;
      const Sequence =
        sequence ??
        (await ask(node, 'account_info', { account, ledger_index: 'current' })).account_data.Sequence;
      const { tx_blob, hash } = by.sign({
        Account: account,
        Fee: '1000',
        NetworkID: NETWORK_ID,
        ...fields,
        Sequence,
      } as never);
      const { engine_result } = await ask(node, 'submit', { tx_blob });
      if (!/^(tes|ter)/.test(engine_result)) throw new Error(`submit: ${engine_result}`);
      return hash;
    } catch (fault) {
      if (fault instanceof Error && fault.message.startsWith('submit:')) throw fault;
      throw new GoneError(String(fault));
    }
  }

  /** Payments to the merchant, as the node has them validated, in the order of the ledger. */
  async payments(): Promise<{ hash: string; tag: number; drops: number }[]> {
    const { transactions } = await ask(this.program.node, 'account_tx', {
      account: this.merchant.classicAddress,
      ledger_index_min: -1,
      forward: true,
      limit: 5000,
    });
    return (transactions as Answer[])
      .map(({ tx, tx_json, meta, hash }) => ({ ...(tx ?? tx_json), hash: hash ?? tx?.hash, meta }))
      .filter(({ DestinationTag }) => DestinationTag !== undefined)
      .map(({ hash, DestinationTag, meta }) => ({
        hash,
        tag: DestinationTag,
        drops: Number(meta.delivered_amount),
      }));
  }

  /** Resolves when the service has the newest ledger of the network. */
  async caughtUp(): Promise<void> {
    const { info } = await ask(this.program.node, 'server_info');
    const newest = info.validated_ledger.seq as number;
    await eventually('the newest ledger', async () => {
      const { body } = await this.ask('/ledger');
      return body.ledger_index >= newest || undefined;
    });
  }

  async #validated({ classicAddress: account }: Wallet): Promise<void> {
    await eventually('accounts', async () => {
      const found = await ask(this.program.node, 'account_info', {
        account,
        ledger_index: 'validated',
      }).catch(() => undefined);
      return found && true;
    });
  }

  async #nextLedger(): Promise<void> {
    await ask(this.program.node, 'ledger_accept');
  }

  async #closeLedgers(program: Program): Promise<void> {
    try {
      for (;;) {
        await ask(program.node, 'ledger_accept');
        await Bun.sleep(CLOSE_MS);
      }
    } catch {
      // It was killed.
    }
  }
}
