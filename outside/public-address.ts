/**
 * Whether an address is one of the public internet. Names in the ledger are written by attackers, who let them resolve to
 * addresses of this machine, of its network, or of the metadata service of its cloud (169.254.169.254, fd00:ec2::254).
 *
 * From IANA's registries of special-purpose addresses (RFC 6890), multicast (RFC 5771) and reserved space. Of IPv6 only
 * global unicast (2000::/3) is public at all; what embeds an IPv4 address (mapped, NAT64, 6to4, Teredo) is not.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

const SPECIAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
];

const special = listOf(SPECIAL_V4, SPECIAL_V6);
const globalUnicast = listOf([], [['2000::', 3]]);

function listOf(v4: typeof SPECIAL_V4, v6: typeof SPECIAL_V6): BlockList {
  const list = new BlockList();
  for (const [net, bits] of v4) list.addSubnet(net, bits, 'ipv4');
  for (const [net, bits] of v6) list.addSubnet(net, bits, 'ipv6');
  return list;
}

/** @param address as a resolver writes it; anything else is not public */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%') || address.includes('.')) return false;
  return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
}
