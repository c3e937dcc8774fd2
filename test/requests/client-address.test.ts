/** Whose address counts, behind proxies and without. */
import { describe, expect, test } from 'bun:test';
import { clientNetwork } from '../../requests/address.ts';
import { Proxies } from '../../requests/client-address.ts';

const proxies = new Proxies(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

test.each<[string, string, string | null, string]>([
  ['no header', '10.1.1.1', null, '10.1.1.1'],
  ['a client that is no proxy writes the header itself', '203.0.113.1', '1.1.1.1', '203.0.113.1'],
  ['one proxy', '10.1.1.1', '198.51.100.9', '198.51.100.9'],
  ['the client wrote something before', '10.1.1.1', '1.1.1.1, 198.51.100.9', '198.51.100.9'],
  ['two proxies', '10.1.1.1', '1.1.1.1, 198.51.100.9, 192.0.2.7', '198.51.100.9'],
  ['all are proxies', '10.1.1.1', '10.2.2.2, 10.3.3.3', '10.2.2.2'],
  ['what is no address', '10.1.1.1', '1.1.1.1, unknown', '10.1.1.1'],
  ['nothing', '10.1.1.1', '', '10.1.1.1'],
  ['with a port', '10.1.1.1', '198.51.100.9:4711', '198.51.100.9'],
  ['IPv6 with a port', '10.1.1.1', '[2001:db9::1]:80', '2001:db9::1'],
  ['an IPv6 proxy', '2001:db8:5::1', '198.51.100.9', '198.51.100.9'],
  ['an IPv4 proxy as IPv6', '::ffff:10.1.1.1', '198.51.100.9', '198.51.100.9'],
  ['no neighbour of a single address', '192.0.2.8', '198.51.100.9', '192.0.2.8'],
  ['very many', '10.1.1.1', `6.6.6.6, ${Array(40).fill('10.9.9.9').join(', ')}`, '10.9.9.9'],
])('%s', (_, remote, header, client) => {
  expect(proxies.clientOf(remote, header)).toBe(client);
});

test('all addresses of this machine are the same proxy', () => {
  const here = new Proxies(['127.0.0.2']);
  expect(here.clientOf('127.0.0.1', '198.51.100.9')).toBe('198.51.100.9');
  expect(here.clientOf('126.0.0.2', '198.51.100.9')).toBe('126.0.0.2');
});

test('without proxies no header counts', () => {
  const none = new Proxies([]);
  expect(none.isEmpty).toBe(true);
  expect(none.clientOf('10.1.1.1', '1.1.1.1')).toBe('10.1.1.1');
});

test.each([
  '',
  'x',
  '10.0.0.0/33',
  '127.0.0.1/33',
  '127.0.0.1/1e2',
  '10.0.0.0/a',
  '2001:db8::/129',
  '300.1.1.1',
])('%p is no network', (text) => {
  expect(() => new Proxies([text])).toThrow('an address, or a network');
});

describe('what counts as one client', () => {
  const cases = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::ffff:a01:203', '10.1.2.3'],
    ['0:0:0:0:0:FFFF:0a01:0203', '10.1.2.3'],
    ['::1', '0:0:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::9', '2001:db8:0:0'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['no:address', 'no:address'],
    ['', ''],
  ] as const;
  for (const [address, expected] of cases) {
    test(`${address} counts as ${expected}`, () => expect(clientNetwork(address)).toBe(expected));
  }
});
