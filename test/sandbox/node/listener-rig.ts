/** An embedded network with a listener: xrpl clients, JSON-RPC and the faucet use it through a loopback port. */
import { expect } from 'bun:test';
import { Client } from 'xrpl';
import { verify } from '../../../engine/codec/signatures.ts';
import { timerClock } from '../../../engine/ledger/clock.ts';
import { Faucet } from '../../../sandbox/node/faucet.ts';
import { Listener, type ListenerOptions } from '../../../sandbox/node/listener.ts';
import type { NetworkOptions } from '../../../sandbox/node/network.ts';
import { genesis } from '../../../sandbox/protocol/keys.ts';
import type { TestAccount } from '../rig.ts';
import { NetworkRig } from './network-rig.ts';

export type Reply = Record<string, unknown>;

/** The header of a browser for a page of another site. */
export const FOREIGN = { origin: 'https://wallet.example' };

export class ListenerRig extends NetworkRig {
  readonly listener: Listener;
  /** Exceptions of commands that are not RpcErrors. */
  readonly faults: unknown[] = [];
  readonly #clients: Client[] = [];
  #beat: ReturnType<typeof setInterval> | undefined;

  constructor(options: Partial<NetworkOptions> = {}, door: Partial<ListenerOptions> = {}) {
    super({ verify, ...options });
    let drawn = 0;
    const entropy = () => Uint8Array.from({ length: 16 }, (_, i) => (++drawn * 37 + i * 11) & 0xff);
    this.listener = new Listener({
      network: this.network,
      faucet: new Faucet(this.network, genesis(), entropy),
      clock: timerClock(() => performance.now()),
      entropy,
      manual: true,
      port: 0,
      onFault: (fault) => this.faults.push(fault),
      ...door,
    });
  }

  /** Ann, who trusts Ben's USD and bids XRP for it, and Ben. Their ledger is still open. */
  static withOffer(): { rig: ListenerRig; ann: TestAccount; ben: TestAccount } {
    const rig = new ListenerRig();
    const [ann, ben] = rig.fund(['ann', 'ben']) as [TestAccount, TestAccount];
    const usd = (value: string) => ({ currency: 'USD', issuer: ben.address, value });
    rig.submit(ann, { TransactionType: 'TrustSet', LimitAmount: usd('1000') });
    rig.submit(ann, { TransactionType: 'OfferCreate', TakerGets: '1000000', TakerPays: usd('5') });
    return { rig, ann, ben };
  }

  get url(): string {
    return `ws://127.0.0.1:${this.listener.port}`;
  }

  get host(): string {
    return `127.0.0.1:${this.listener.port}`;
  }

  /** Closes a ledger whenever the open one has transactions. */
  live(ms = 20): void {
    this.#beat = setInterval(() => {
      if (this.network.open.count > 0) this.close();
    }, ms);
  }

  async client(): Promise<Client> {
    const client = new Client(this.url);
    this.#clients.push(client);
    await client.connect();
    return client;
  }

  /** Sends one command over HTTP; returns the members of `result`. */
  async rpc(method: string, params: Reply = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(`http://${this.host}/`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ method, params: [params] }),
    });
    return ((await response.json()) as { result: Reply }).result;
  }

  async stop(): Promise<void> {
    clearInterval(this.#beat);
    await Promise.all(this.#clients.map((client) => client.disconnect()));
    await this.listener.stop();
  }

  /** Stops the network, and checks that there were no faults. */
  async end(): Promise<void> {
    await this.stop();
    expect(this.faults).toEqual([]);
  }
}
