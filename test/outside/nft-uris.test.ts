/** What URIs of NFTs name, in every way in which they are written, and that what names nothing is not guessed. */
import { describe, expect, test } from 'bun:test';
import { absoluteUri, type Gateways, namedBy } from '../../outside/nft-uris.ts';

const V0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
const V1 = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
const ARWEAVE = 'bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U';
const gateways: Gateways = {
  ipfs: ['https://one.example', 'http://two.example/pass'],
  arweave: ['https://weave.example'],
};

const places = (uri: string, base?: string) =>
  namedBy(absoluteUri(uri, base === undefined ? undefined : new URL(base)), gateways)?.places.map(
    ({ href }) => href,
  );
const both = (path: string) => [`https://one.example/ipfs/${path}`, `http://two.example/pass/ipfs/${path}`];

describe('a URI', () => {
  test.each([
    [`ipfs://${V0}/1.json`, `${V0}/1.json`],
    [`IPFS://${V1}`, V1],
    [`ipfs://ipfs/${V0}/a b.json`, `${V0}/a%20b.json`],
    [`ipfs://${V0}/Name #1?.png`, `${V0}/Name%20%231%3F.png`],
    [`ipfs://${V0}/Name%20%231.png`, `${V0}/Name%20%231.png`],
    [`cid:${V1}`, V1],
    [V0, V0],
    [`ipfs/${V0}/x`, `${V0}/x`],
    [`${V1}/7.json`, `${V1}/7.json`],
    [`/ipfs/${V0}/7.json`, `${V0}/7.json`],
    [`https://gone.example/ipfs/${V0}/7.json?filename=x#y`, `${V0}/7.json`],
    [`https://${V1}.ipfs.gone.example/7.json`, `${V1}/7.json`],
    [Buffer.from(`ipfs://${V0}/1.json`).toString('hex').toUpperCase(), `${V0}/1.json`],
    ['ipfs://blue-chip/1.json', 'blue-chip/1.json'],
  ])('%s names a content of IPFS, which any gateway has', (uri, path) => {
    expect(places(uri)).toEqual(both(path));
    expect(namedBy(uri, gateways)).toMatchObject({ isOfGateways: true, isFixed: !path.startsWith('blue') });
  });

  test('that is the CID of a raw block says which content it names, in every base', () => {
    const digest = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';
    expect(new Bun.CryptoHasher('sha256').update('hello world').digest('hex')).toBe(digest);
    // In base32, base58, base36 and hex.
    const cids = [
      'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
      'zb2rhj7crUKTQYRGCRATFaQ6YFLTde2YzdqbbhAASkL9uRDXn',
      'k2cwued9o1pvrt3q271rrqbo49x30tbxwpoeaq75z14e5ui2rzygpbe1',
      `f01551220${digest}`,
    ];
    // As it is published for an empty file.
    expect(namedBy('bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', gateways)?.hash).toBe(
      new Bun.CryptoHasher('sha256').digest('hex'),
    );
    for (const cid of cids) {
      expect(namedBy(`ipfs://${cid}`, gateways)?.hash).toBe(digest);
      expect(namedBy(`https://gone.example/ipfs/${cid}?x`, gateways)?.hash).toBe(digest);
      expect(namedBy(`ipfs://${cid}/1.json`, gateways)?.hash).toBeUndefined();
    }
    // dag-pb, SHA-512, a shorter hash, and a longer one.
    const others = ['f01701220', 'f01551340', 'f0155121f', 'f01551221'];
    for (const start of others) expect(namedBy(`ipfs://${start}${digest}`, gateways)?.hash).toBeUndefined();
    for (const cid of [V0, V1]) expect(namedBy(`ipfs://${cid}`, gateways)?.hash).toBeUndefined();
  });

  test('of Arweave is read at its gateway', () => {
    expect(places(`ar://${ARWEAVE}/1.json`)).toEqual([`https://weave.example/${ARWEAVE}/1.json`]);
    expect(places('ar://short')).toBeUndefined();
  });

  test('of the web is one place, which may change', () => {
    expect(namedBy(' https://a.example/x y.json?q=1#part', gateways)).toEqual({
      places: [new URL('https://a.example/x%20y.json?q=1')],
      isFixed: false,
      isOfGateways: false,
    });
    expect(places('https://a.example/ipfs/not-a-cid')).toEqual(['https://a.example/ipfs/not-a-cid']);
  });

  test('that is relative is one beside the metadata', () => {
    expect(places('7.png', 'https://a.example/meta/7.json')).toEqual(['https://a.example/meta/7.png']);
    expect(places('../7.png', `https://one.example/ipfs/${V0}/meta/7.json`)).toEqual(both(`${V0}/7.png`));
    expect(places('7.png')).toBeUndefined();
    expect(places('//b.example/7.png', 'https://a.example/')).toBeUndefined();
  });

  test('can have the content inside', () => {
    const inside = (uri: string) => {
      const named = namedBy(uri, gateways)!;
      expect(named.places).toEqual([]);
      return Buffer.from(named.bytes!).toString();
    };
    expect(inside('{"name":"é"}')).toBe('{"name":"é"}');
    expect(inside('data:application/json;base64,eyJhIjoxfQ==')).toBe('{"a":1}');
    expect(inside('data:application/json;charset=utf-8,%7B%22a%22:%22%C3%A9 é%22}')).toBe('{"a":"é é"}');
    expect(inside('DATA:,a%2zb%')).toBe('a%2zb%');
    expect(inside(Buffer.from('{"name":1}').toString('hex'))).toBe('{"name":1}');
  });

  test.each([
    [''],
    ['hello'],
    ['javascript:alert(1)'],
    ['file:///etc/passwd'],
    ['ftp://a.example/x'],
    ['gopher://a.example/x'],
    ['data:no comma'],
    ['https://'],
    ['ipfs://'],
    [`ipfs://${V0}/../../api/v0/id`],
    ['ipfs://a b/1'],
    ['ipfs://..'],
    [`https://a.example/${'x'.repeat(2048)}`],
    ['68656c6c6f'],
    ['\0\0\0'],
  ])('%p names nothing', (uri) => {
    expect(namedBy(uri, gateways)).toBeUndefined();
  });

  test('names nothing of IPFS where there is no gateway', () => {
    expect(namedBy(`ipfs://${V0}`, { ipfs: [], arweave: [] })).toBeUndefined();
  });
});
