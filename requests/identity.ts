/**
 * Who asks. Every request and every connection carries an identity; keys and wallets will be further kinds of it. What
 * the identity may do is for `admission.ts` to say.
 */
import { clientNetwork } from './address.ts';

/** Nobody in particular: known by their address alone. */
export interface Anonymous {
  readonly kind: 'anonymous';
  /** What counts as one client: an IPv4 address, or the /64 of an IPv6 one. '' where it is not known. */
  readonly ip: string;
}

export type Identity = Anonymous;

/** What knows the address of a request: the server that took it. */
export interface AddressSource {
  requestIP(request: Request): { readonly address: string } | null;
}

/** @param server undefined: the request came by no socket. */
export type Identify = (request: Request, server: AddressSource | undefined) => Identity;

/** Asks for the address only where somebody looks at it: most answers go out without. */
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

/** Whoever sends a request is anonymous, whatever its headers say. The address must be read while the request lasts. */
export const identifyByAddress: Identify = (request, server) => new AddressOnly(request, server);

/** Makes the identity of each request of one server, which is known once the first request comes. */
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
