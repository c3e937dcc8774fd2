/** Which addresses are of the public internet, transcribed from IANA's registries and from what clouds use. */
import { expect, test } from 'bun:test';
import { isPublicAddress } from '../../outside/public-address.ts';

const REFUSED = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.8.8.8 169.254.0.1
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.168.1.1 192.88.99.1 198.18.0.1 198.19.255.255
  198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1
  2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:db8::1 2002:7f00:1::1 2002:a00:1:: 3fff::1 5f00::1 fc00::1 fd00:ec2::254
  fd12:3456::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2606:4700::6810:1%1`;

const TAKEN = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
  169.255.0.1 172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
  2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::1 2003::1 2400:cb00::1`;

const words = (text: string) => text.split(/\s+/);

test('addresses of this machine, its network, its cloud and no network are not', () => {
  for (const address of words(REFUSED)) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test('those next to them are', () => {
  for (const address of words(TAKEN)) expect([address, isPublicAddress(address)]).toEqual([address, true]);
});

test('what is no address is not', () => {
  for (const text of [
    '',
    'localhost',
    '2130706433',
    '0x7f.1',
    '127.1',
    '010.8.8.8',
    '8.8.8.8 ',
    '8.8.8',
    '[::1]',
    'a:b',
  ])
    expect([text, isPublicAddress(text)]).toEqual([text, false]);
});
