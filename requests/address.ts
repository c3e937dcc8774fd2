/** What counts as one client: an IPv4 address unchanged, an IPv6 address by its /64 (which one household owns whole). */
export function clientNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1]!;
  const [head = '', tail] = address.toLowerCase().split('::');
  const first = groups(head);
  const last = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array<string>(zeros).fill('0'), ...last].slice(0, 4).join(':');
}

function groups(text: string): string[] {
  return text.split(':').filter((part) => part !== '');
}

/** Where a server listens that this machine alone can reach. Whoever does is this machine, from whichever of its 127.0.0.0/8. */
export const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '::1'];

/** The /64 of ::1, which nobody else has an address in. */
const LOOPBACK_V6 = clientNetwork('::1');

/** @param client as `clientNetwork` gives it. @returns whether it is this machine */
export const isLoopbackClient = (client: string): boolean =>
  client === LOOPBACK_V6 || /^127\.\d+\.\d+\.\d+$/.test(client);
