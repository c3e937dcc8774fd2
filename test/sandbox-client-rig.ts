/** An embedded network without a population, closed by hand, and the public `xrpl` package connected to it. */
import { expect } from 'bun:test';
import { Client, type SubmittableTransaction, Wallet } from 'xrpl';
import { timerClock } from '../engine/ledger/clock.ts';
import { MemoryStore } from '../sandbox/ledger/memory-store.ts';
import { Sandbox, type SandboxOptions } from '../sandbox/sandbox.ts';
import { quiet } from './live-rig.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Answer = Record<string, any>;

/** The account that all XRP begins with, by the seed everybody knows. */
export const GENESIS = Wallet.fromSeed('snoPBrXtMeMyMHUVTgbuqAfg1SUTb', {
  algorithm: 'ecdsa-secp256k1' as never,
});
/** What `autofill` offers where the network is idle: 10 drops and a fifth more. */
export const FEE = 12;
export const drops = (xrp: number): string => String(Math.round(xrp * 1e6));

export class ClientRig {
  readonly faults: unknown[] = [];
  readonly sandbox: Sandbox;
  readonly client: Client;
  /** Seconds that the network's clock is ahead of this machine's. */
  ahead = 0;

  private constructor(options: Partial<SandboxOptions>) {
    this.sandbox = new Sandbox({
      store: new MemoryStore(),
      seed: 'nobody lives here',
      size: 'small',
      days: 0,
      interval: 0,
      port: 0,
      now: () => Date.now() + this.ahead * 1000,
      clock: timerClock(() => performance.now()),
      entropy: () => crypto.getRandomValues(new Uint8Array(16)),
      log: { ...quiet, error: (fields) => this.faults.push(fields) },
      onFault: (fault) => this.faults.push(fault),
      ...options,
    });
    this.client = new Client(this.sandbox.url);
  }

  static async open(options: Partial<SandboxOptions> = {}): Promise<ClientRig> {
    const rig = new ClientRig(options);
    await rig.client.connect();
    return rig;
  }

  async close(): Promise<void> {
    await this.client.disconnect();
    await this.sandbox.stop();
    expect(this.faults).toEqual([]);
  }

  /** Any command; the members of `result`. @throws RippledError */
  async ask(command: string, params: Answer = {}): Promise<Answer> {
    const { result } = await this.client.request({ command, ...params } as never);
    return result as Answer;
  }

  /** The error of a refused command. */
  async refused(command: string, params: Answer = {}): Promise<Answer> {
    try {
      await this.ask(command, params);
    } catch (fault) {
      return (fault as { data: Answer }).data;
    }
    throw new Error(`${command} was not refused`);
  }

  accept(): Promise<Answer> {
    return this.ask('ledger_accept');
  }

  /** New accounts with so many XRP, from the genesis account. */
  async funded(...xrp: readonly number[]): Promise<Wallet[]> {
    const wallets = xrp.map(() => Wallet.generate());
    for (const [i, { address }] of wallets.entries())
      await this.submit(GENESIS, {
        TransactionType: 'Payment',
        Destination: address,
        Amount: drops(xrp[i]!),
      });
    await this.accept();
    return wallets;
  }

  /** Filled in, signed and submitted; not yet in a closed ledger. */
  async submit(wallet: Wallet, tx: Answer): Promise<Answer> {
    const filled = await this.client.autofill({ Account: wallet.address, ...tx } as SubmittableTransaction);
    const { result } = await this.client.submit(wallet.sign(filled).tx_blob);
    return result as Answer;
  }

  /** Submits, closes the ledger, and gives back what the ledger has of it. @param meant result it is to have */
  async does(wallet: Wallet, tx: Answer, meant = 'tesSUCCESS'): Promise<Answer> {
    return this.settled(await this.submit(wallet, tx), meant);
  }

  /**
   * The transaction of a submission in its ledger: `tx_json` and `meta`. For a blob the hash is in `tx_json`, of
   * one signed part by part beside it (API version 2).
   */
  async settled(
    { engine_result, engine_result_message, tx_json, hash = tx_json.hash }: Answer,
    meant = 'tesSUCCESS',
  ): Promise<Answer> {
    expect(`${engine_result}: ${engine_result_message}`).toStartWith(`${meant}: `);
    await this.accept();
    const found = await this.ask('tx', { transaction: hash });
    expect(found).toMatchObject({ validated: true, hash, meta: { TransactionResult: meant } });
    return found;
  }

  /** Drops of an account in the newest validated ledger. */
  async xrp({ address }: Wallet): Promise<number> {
    const { account_data } = await this.ask('account_info', { account: address, ledger_index: 'validated' });
    return Number(account_data.Balance);
  }

  /** What an account has of an issued currency, from its side. */
  async holds({ address }: Wallet, currency: string, issuer: Wallet): Promise<string> {
    const balances = await this.client.getBalances(address);
    return (
      balances.find((row) => row.currency === currency && row.issuer === issuer.address)?.value ?? 'none'
    );
  }
}

export const amount = (currency: string, issuer: Wallet, value: number | string) => ({
  currency,
  issuer: issuer.address,
  value: String(value),
});

/** The node of a kind that a transaction created. */
export function created(meta: Answer, type: string): Answer {
  const node = meta.AffectedNodes.find(({ CreatedNode }: Answer) => CreatedNode?.LedgerEntryType === type) as
    | Answer
    | undefined;
  if (!node) throw new Error(`no ${type} was created`);
  return node.CreatedNode;
}
