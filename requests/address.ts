/** Addresses of clients as bytes, and what of them counts as one client. */
import { isIP } from 'node:net';

/**
 * What counts as one client: an IPv4 address, however it is written, or an IPv6 address by its /64 (which one household owns whole).
 * What is no address counts as it is.
 */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const bytes = addressBytes(address);
  if (!bytes) return address;
  if (isMapped(bytes)) return bytes.subarray(12).join('.');
  const groups = [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16));
  return groups.join(':');
}

/** Whether it is an IPv4 address (RFC 4291, 2.5.5.2). */
const isMapped = (bytes: Uint8Array): boolean =>
  bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0);

/** 16 bytes; IPv4 as ::ffff:a.b.c.d. undefined: it is no address. */
export function addressBytes(address: string): Uint8Array | undefined {
  const kind = isIP(address);
  if (kind === 0) return undefined;
  if (kind === 4) return v4(address);
  const mapped = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const text = mapped ? mapped[1]! + hexPair(mapped[2]!) : address;
  const [head = '', tail] = text.split('%')[0]!.split('::');
  const first = head.split(':').filter(Boolean);
  const last = (tail ?? '').split(':').filter(Boolean);
  const groups = [...first, ...Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0'), ...last];
  const bytes = new Uint8Array(16);
  for (const [at, group] of groups.entries()) {
    const value = Number.parseInt(group, 16);
    bytes[2 * at] = value >> 8;
    bytes[2 * at + 1] = value & 0xff;
  }
  return bytes;
}

function v4(address: string): Uint8Array {
  const bytes = new Uint8Array(16);
  bytes[10] = 0xff;
  bytes[11] = 0xff;
  for (const [at, part] of address.split('.').entries()) bytes[12 + at] = Number(part);
  return bytes;
}

function hexPair(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** Where a server listens that this machine alone can reach. Whoever does is this machine, from whichever of its 127.0.0.0/8. */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

/** The /64 of ::1, which nobody else has an address in. */
const LOOPBACK_V6 = clientNetwork('::1');

/** @param client as `clientNetwork` gives it. @returns whether it is this machine */
export const isLoopbackClient = (client: string): boolean =>
  client === LOOPBACK_V6 || /^127\.\d+\.\d+\.\d+$/.test(client);
