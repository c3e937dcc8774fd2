/**
 * The identity of a client. Every request and every connection carries one; keys and wallets will be further kinds of
 * identity. `admission.ts` decides what an identity may do.
 */
import { clientNetwork } from './address.ts';

/** A client that is known by its address alone. */
export interface Anonymous {
  readonly kind: 'anonymous';
  /** What counts as one client: an IPv4 address, or the /64 of an IPv6 address. '' if it is not known. */
  readonly ip: string;
}

export type Identity = Anonymous;

/** Gives the address of a request: the server that received it. */
export interface AddressSource {
  requestIP(request: Request): { readonly address: string } | null;
}

/** @param server undefined: the request did not come from a socket. */
export type Identify = (request: Request, server: AddressSource | undefined) => Identity;

/** Reads the address only when it is used: most answers do not need it. */
class AddressOnly implements Anonymous {
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
