/**
 * Open sockets in all, by client address, and by key. The hubs of a process share one: a client has one allowance for all.
 * Keys of the operator are not counted: whoever shares one is counted by address.
 */
import type { Identity } from '../requests/identity.ts';
import { CloseCode, type Limits, Refusal } from './limits.ts';

/** What one open socket counts as. */
export interface Place {
  readonly ip: string;
  /** Id of the key; '' without one. */
  key: string;
}

type CountLimits = Pick<Limits, 'connections' | 'connectionsPerIp' | 'connectionsPerKey'>;

export class ConnectionCounts {
  readonly #limits: CountLimits;
  readonly #byIp = new Map<string, number>();
  readonly #byKey = new Map<string, number>();
  #total = 0;

  constructor(limits: CountLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether one more may open. @throws Refusal 4011, 4029 */
  check(identity: Identity): void {
    const { connections, connectionsPerIp } = this.#limits;
    if ((this.#byIp.get(identity.ip) ?? 0) >= connectionsPerIp)
      throw new Refusal(CloseCode.connections, `at most ${connectionsPerIp} connections of one address`);
    this.#checkKey(keyOf(identity));
    if (this.#total >= connections)
      throw new Refusal(CloseCode.subscriptions, `at most ${connections} connections in all`);
  }

  /** Its key may be known only since {@link check}: one that is offered as a protocol. @throws Refusal 4029 */
  add(identity: Identity): Place {
    const place = { ip: identity.ip, key: keyOf(identity) };
    this.#checkKey(place.key);
    change(this.#byIp, place.ip, 1);
    if (place.key !== '') change(this.#byKey, place.key, 1);
    this.#total++;
    return place;
  }

  /** The client may have sent another key. @throws Refusal 4029 */
  update(place: Place, identity: Identity): void {
    const key = keyOf(identity);
    if (key === place.key) return;
    this.#checkKey(key);
    if (place.key !== '') change(this.#byKey, place.key, -1);
    if (key !== '') change(this.#byKey, key, 1);
    place.key = key;
  }

  remove({ ip, key }: Place): void {
    this.#total--;
    change(this.#byIp, ip, -1);
    if (key !== '') change(this.#byKey, key, -1);
  }

  #checkKey(key: string): void {
    const { connectionsPerKey } = this.#limits;
    if (key !== '' && (this.#byKey.get(key) ?? 0) >= connectionsPerKey)
      throw new Refusal(CloseCode.connections, `at most ${connectionsPerKey} connections of one key`);
  }
}

const keyOf = ({ key }: Identity): string => (key && key.wallet !== '' ? key.id : '');

function change(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const left = (counts.get(name) ?? 0) + by;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
