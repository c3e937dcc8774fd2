/** Open sockets in all and by client address. The hubs of a process share one: a client has one allowance for all. */
import { CloseCode, type Limits, Refusal } from './limits.ts';

export class ConnectionCounts {
  readonly #limits: Pick<Limits, 'connections' | 'connectionsPerIp'>;
  readonly #byIp = new Map<string, number>();
  #total = 0;

  constructor(limits: Pick<Limits, 'connections' | 'connectionsPerIp'>) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether one more may open. @throws Refusal 4011, 4029 */
  check(ip: string): void {
    const { connections, connectionsPerIp } = this.#limits;
    if ((this.#byIp.get(ip) ?? 0) >= connectionsPerIp)
      throw new Refusal(CloseCode.connections, `at most ${connectionsPerIp} connections of one address`);
    if (this.#total >= connections)
      throw new Refusal(CloseCode.subscriptions, `at most ${connections} connections in all`);
  }

  add(ip: string): void {
    this.#byIp.set(ip, (this.#byIp.get(ip) ?? 0) + 1);
    this.#total++;
  }

  remove(ip: string): void {
    this.#total--;
    const left = (this.#byIp.get(ip) ?? 1) - 1;
    if (left > 0) this.#byIp.set(ip, left);
    else this.#byIp.delete(ip);
  }
}
