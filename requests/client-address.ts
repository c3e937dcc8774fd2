/**
 * The address of a client whose requests come through proxies.
 *
 *     X-Forwarded-For: written by anybody, ..., client, proxy 2      <- proxy 1 (the socket's address)
 *
 * Each proxy adds the address it got the request from at the end. Read from there, the first address that is no proxy of
 * ours is the client's; what stands before it was written by the client, and means nothing.
 */
import { isIP } from 'node:net';
import { addressBytes } from './address.ts';

interface Range {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** Entries of the header that are read: more proxies than that are not in a row. */
const HOPS_MAX = 16;

export class Proxies {
  readonly #ranges: readonly Range[];

  /** @param networks addresses, or networks as 10.0.0.0/8. @throws Error that names the one that is neither */
  constructor(networks: readonly string[]) {
    this.#ranges = networks.map(rangeOf);
  }

  /** Whether any proxy is believed. */
  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  /** @param remote address of the socket. @param forwarded the header; null: there is none */
  clientOf(remote: string, forwarded: string | null): string {
    if (forwarded === null || !this.#has(remote)) return remote;
    const hops = forwarded.split(',').slice(-HOPS_MAX).reverse();
    let client = remote;
    for (const hop of hops) {
      const address = bare(hop.trim());
      // What is no address was not written by a proxy of ours.
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.#has(address)) return client;
    }
    return client;
  }

  #has(address: string): boolean {
    const bytes = addressBytes(address);
    return bytes !== undefined && this.#ranges.some((range) => isWithin(bytes, range));
  }
}

/** Without the port that some proxies add, and without brackets. */
function bare(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed) return bracketed[1]!;
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop;
}

function rangeOf(network: string): Range {
  const [address = '', length] = network.trim().split('/');
  const bytes = addressBytes(address);
  // Of IPv4, the 96 bits before the address are always the same.
  const fixed = isIP(address) === 4 ? 96 : 0;
  const bits = length === undefined ? 128 : fixed + Number(length);
  if (!bytes || (length !== undefined && !/^\d{1,3}$/.test(length)) || bits > 128)
    throw new Error(`an address, or a network as 10.0.0.0/8, not ${JSON.stringify(network.slice(0, 60))}`);
  // This machine is one proxy, from whichever of its addresses it speaks (address.ts).
  return { bytes, bits: fixed > 0 && bytes[12] === 127 ? Math.min(bits, fixed + 8) : bits };
}

function isWithin(bytes: Uint8Array, range: Range): boolean {
  for (let bit = 0; bit < range.bits; bit += 8) {
    const mask = range.bits - bit >= 8 ? 0xff : (0xff << (8 - (range.bits - bit))) & 0xff;
    if ((bytes[bit >> 3]! ^ range.bytes[bit >> 3]!) & mask) return false;
  }
  return true;
}
