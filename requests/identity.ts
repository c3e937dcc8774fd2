/**
 * The identity of a client. Every request and every connection carries one: its address, and the key that it sent.
 * `admission.ts` decides what an identity may do; `api/gate/caller.ts` makes those that have keys.
 */

import { clientNetwork } from './address.ts';
import type { Stamp } from './stamp.ts';
import type { Tier } from './tiers.ts';

export interface Identity {
  /** anonymous: known by its address alone. wrong-key: it sent one that does not work. */
  readonly kind: 'anonymous' | 'key' | 'admin' | 'wrong-key';
  /** What counts as one client: an IPv4 address, or the /64 of an IPv6 address. '' if it is not known. */
  readonly ip: string;
  /** Default: anonymous. */
  readonly tier?: Tier;
  /** Of the key that it sent: its id, and whose it is (r-address; '' of the operator's own). */
  readonly key?: { readonly id: string; readonly wallet: string } | undefined;
  /** Answers do not say whose data it is: the client pays for that. */
  readonly isPaid?: boolean;
  /** How the client stands, for the headers of its answer; undefined: it has no limits. */
  readonly stamp?: Stamp | undefined;
  /** Whether it is known by the key of this id, or is the admin by it. */
  usesKey?(id: string): boolean;
  /** A key that is sent later, on a socket. @returns whether it works; the client is then known by it */
  authenticate?(secret: string): boolean;
}

/** Gives the address of a request: the server that received it. */
export interface AddressSource {
  requestIP(request: Request): { readonly address: string } | null;
}

/** @param server undefined: the request did not come from a socket. */
export type Identify = (request: Request, server: AddressSource | undefined) => Identity;

/** Reads the address only when it is used: most answers do not need it. */
class AddressOnly implements Identity {
  readonly kind = 'anonymous';
  readonly #request: Request;
  readonly #server: AddressSource | undefined;
  #ip: string | undefined;

  constructor(request: Request, server: AddressSource | undefined) {
    this.#request = request;
    this.#server = server;
  }

  get ip(): string {
    this.#ip ??= clientNetwork(this.#server?.requestIP(this.#request)?.address ?? '');
    return this.#ip;
  }
}

/** Every client is anonymous, whatever its headers say. The address must be read before the request ends. */
export const identifyByAddress: Identify = (request, server) => new AddressOnly(request, server);

/** Identifies the client of each request of one server. The server is set when the first request arrives. */
export class Callers {
  server: AddressSource | undefined;
  readonly #identify: Identify;

  constructor(identify: Identify = identifyByAddress) {
    this.#identify = identify;
  }

  of(request: Request): Identity {
    return this.#identify(request, this.server);
  }
}
