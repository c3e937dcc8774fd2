/** Content identifiers of IPFS, as URIs of NFTs name them. */

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
