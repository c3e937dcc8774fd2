/**
 * Content identifiers of IPFS, as URIs of NFTs name them (https://github.com/multiformats/cid).
 *
 *     v1   multibase letter, then varints: 1, codec, hash function, its length; then the hash
 *
 * What a gateway answers can be proved where the codec is `raw`: the content is the block that the hash is of. That of `dag-pb`
 * (all of v0) is of a tree of blocks that whoever added the file cut as they liked, and a path leads through directories: a gateway gives
 * the file without them, and other bytes than expected prove nothing.
 */

/** Version 0 (base58), and version 1 in base32, base36, base58 or hex. */
const CID =
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,120}|k[a-z0-9]{45,120}|z[1-9A-HJ-NP-Za-km-z]{44,100}|f[0-9a-f]{60,160})$/;

export const isCid = (text: string): boolean => CID.test(text);

/**
 * The content that a URI names: `ipfs://CID/path`, `ipfs://ipfs/CID`, `CID/path`, `https://host/ipfs/CID/path`,
 * `https://CID.ipfs.host/path`.
 * @returns undefined: it names none of IPFS
 */
export function cidOf(uri: string): string | undefined {
  const text = uri.trim();
  const named =
    /^(?:ipfs|cid):\/*(?:ipfs\/+)*([^/?#]+)/i.exec(text) ??
    /^https?:\/\/[^/?#]+\/ipfs\/([^/?#]+)/i.exec(text) ??
    /^https?:\/\/([^./?#]+)\.ipfs\.[^/?#]+/i.exec(text) ??
    /^(?:\/?ipfs\/)?([^/?#:]+)/.exec(text);
  return named && isCid(named[1]!) ? named[1] : undefined;
}

const RAW = 0x55;
const SHA_256 = 0x12;
const DIGEST_BYTES = 32;
/** All of these numbers are below 128, so each varint is a byte. */
const RAW_SHA_256 = [1, RAW, SHA_256, DIGEST_BYTES];

/** Of the multibase letters that `isCid` knows. */
const ALPHABETS: Readonly<Record<string, string>> = {
  b: 'abcdefghijklmnopqrstuvwxyz234567',
  f: '0123456789abcdef',
  k: '0123456789abcdefghijklmnopqrstuvwxyz',
  z: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
};

/** The SHA-256 of what a CID names, in hex; undefined: its hash is not of the content itself, or another one. */
export function contentHashOf(cid: string): string | undefined {
  const alphabet = isCid(cid) ? ALPHABETS[cid[0]!] : undefined;
  if (!alphabet) return undefined;
  let number = 0n;
  for (const digit of cid.slice(1))
    number = number * BigInt(alphabet.length) + BigInt(alphabet.indexOf(digit));
  // Bits that fill the last digit up, which are 0.
  const spare = alphabet.length === 32 ? ((cid.length - 1) * 5) % 8 : 0;
  const hex = (number >> BigInt(spare)).toString(16);
  const start = Buffer.from(RAW_SHA_256).toString('hex').replace(/^0/, '');
  return hex.startsWith(start) && hex.length === start.length + 2 * DIGEST_BYTES
    ? hex.slice(start.length)
    : undefined;
}
