/**
 * What the URI of an NFT, or of a picture in its metadata, names: bytes that it has inside, or places on the web where they
 * can be read, one as good as the other.
 *
 *     ipfs://CID/path, /ipfs/CID/path of any host, CID.ipfs.host, a bare CID -> each gateway of IPFS, in order
 *     ar://ID                                                                -> each gateway of Arweave
 *     data:...  and metadata itself in place of an address                   -> bytes
 *     http(s)://...                                                          -> the address
 *
 * Minters write any bytes: text, or hex of it a second time; everything that is none of these names nothing. Whether an
 * address may be connected to is decided where it is (public-fetch.ts).
 */

import { contentHashOf, isCid } from '../platform/ipfs-cid.ts';

export interface Gateways {
  /** What `/ipfs/CID` is appended to. */
  readonly ipfs: readonly string[];
  /** What `/ID` is appended to. */
  readonly arweave: readonly string[];
}

export interface Named {
  /** What it has inside. */
  readonly bytes?: Uint8Array;
  /** Places of the same bytes, in the order in which they are tried. */
  readonly places: readonly URL[];
  /** SHA-256 of its content, in hex, where its name says it. */
  readonly hash?: string | undefined;
  /** Its content follows from its name: what was read once needs no look later. */
  readonly isFixed: boolean;
  /** The places are gateways, which the operator chose, and not the writer of the URI. */
  readonly isOfGateways: boolean;
}

/** Longest address that is followed; what is longer has its content inside. */
const ADDRESS_MAX = 2048;
const ROOT = /^[A-Za-z0-9._~-]{1,128}$/;
const ARWEAVE_ID = /^[A-Za-z0-9_-]{43}$/;

/**
 * @param text the URI; one of a ledger as the text of its bytes
 * @returns undefined: it names nothing that can be read
 */
export function namedBy(text: string, gateways: Gateways): Named | undefined {
  const uri = withoutHex(text.trim());
  if (uri.startsWith('{')) return inside(Buffer.from(uri));
  if (/^data:/i.test(uri)) return dataOf(uri);
  if (uri.length > ADDRESS_MAX) return undefined;
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  switch (scheme.toLowerCase()) {
    case 'ipfs':
    case 'cid':
      return ofIpfs(rest.replace(/^\/+(?:ipfs\/)*/i, ''), gateways);
    case 'ar':
    case 'arweave':
      return ofArweave(rest.replace(/^\/+/, ''), gateways);
    case 'http':
    case 'https':
      return ofWeb(uri, gateways);
    case '':
      return isCid(rootOf(uri)) ? ofIpfs(withoutPrefix(uri), gateways) : undefined;
    default:
      return undefined;
  }
}

/** The URI of something beside the metadata at `base`, where it is relative to that; else as it is. */
export function absoluteUri(text: string, base: URL | undefined): string {
  const uri = text.trim();
  if (!base || /^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.startsWith('//') || isCid(rootOf(uri))) return uri;
  return URL.parse(uri, base.href)?.href ?? uri;
}

/** Some mint the hex of a text as the text. */
function withoutHex(text: string): string {
  if (!/^(?:[0-9a-f]{2}){4,}$/i.test(text)) return text;
  const decoded = Buffer.from(text, 'hex').toString();
  return /^(?:https?|ipfs|ar|cid|arweave):|^data:|^Qm|^baf|^\{/i.test(decoded) ? decoded : text;
}

function inside(bytes: Uint8Array): Named {
  return { bytes, places: [], isFixed: true, isOfGateways: false };
}

/** RFC 2397 */
function dataOf(uri: string): Named | undefined {
  const comma = uri.indexOf(',');
  if (comma < 0) return undefined;
  const data = uri.slice(comma + 1);
  const isBase64 = /;\s*base64\s*$/i.test(uri.slice(0, comma));
  return inside(
    isBase64
      ? Buffer.from(data.replace(/%2b/gi, '+').replace(/%2f/gi, '/').replace(/%3d/gi, '='), 'base64')
      : percentDecoded(data),
  );
}

function percentDecoded(text: string): Buffer {
  const latin = Buffer.from(text).toString('latin1');
  return Buffer.from(
    latin.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** @param rest `CID/path`, in which every character is one of a name: gateways get # and ? escaped */
function ofIpfs(rest: string, { ipfs }: Gateways): Named | undefined {
  const [root = '', ...names] = rest.replace(/\/+$/, '').split('/');
  if (!ROOT.test(root) || hasDots([root, ...names])) return undefined;
  const path = [root, ...names.map((name) => encodeURIComponent(unescaped(name)))].join('/');
  const named = ofGateways(
    ipfs.map((gateway) => `${gateway}/ipfs/${path}`),
    isCid(root),
  );
  const hash = names.length === 0 ? contentHashOf(root) : undefined;
  return named && hash !== undefined ? { ...named, hash } : named;
}

function ofArweave(rest: string, { arweave }: Gateways): Named | undefined {
  const [id = '', ...names] = rest.split('/');
  if (!ARWEAVE_ID.test(id) || hasDots(names)) return undefined;
  const path = [id, ...names.map((name) => encodeURIComponent(unescaped(name)))].join('/');
  return ofGateways(
    arweave.map((gateway) => `${gateway}/${path}`),
    true,
  );
}

/** What leads out of the content. */
function hasDots(names: readonly string[]): boolean {
  return names.some((name) => /^\.\.?$/.test(unescaped(name)));
}

function ofGateways(addresses: readonly string[], isFixed: boolean): Named | undefined {
  const places = addresses.flatMap((address) => URL.parse(address) ?? []);
  return places.length > 0 ? { places, isFixed, isOfGateways: true } : undefined;
}

/** The content of IPFS does not depend on the gateway that the minter chose, which may have gone. */
function ofWeb(uri: string, gateways: Gateways): Named | undefined {
  const [, inPath] = /^https?:\/\/[^?#]+?\/ipfs\/(.*)$/i.exec(uri) ?? [];
  if (inPath !== undefined && isCid(/^[^/?#]*/.exec(inPath)![0]))
    return ofIpfs(inPath.replace(/[?#].*$/, ''), gateways);
  const [, root, path = ''] = /^https?:\/\/([a-z0-9]+)\.ipfs\.[^/?#]+(?:\/([^?#]*))?/i.exec(uri) ?? [];
  if (root !== undefined && isCid(root)) return ofIpfs(path === '' ? root : `${root}/${path}`, gateways);
  return webPlace(URL.parse(uri));
}

function withoutPrefix(path: string): string {
  return path.replace(/^\/?ipfs\//i, '');
}

function rootOf(path: string): string {
  return withoutPrefix(path).split('/')[0]!;
}

function webPlace(place: URL | null): Named | undefined {
  if (!place || place.hostname === '') return undefined;
  place.hash = '';
  return { places: [place], isFixed: false, isOfGateways: false };
}

function unescaped(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
