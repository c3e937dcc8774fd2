/** Where the texts of a token come from: each of them has one source, the first of these that has the text. */
import type { MptMetadata } from '../engine/state/mpt-metadata.ts';
import { XRP } from '../engine/state/tokens.ts';
import type { TokenMetadata } from '../platform/token-metadata.ts';
import type { PublishedTexts } from './issuer-texts.ts';
import type { TokenFacts } from './token-facts.ts';

export const SOURCES = { ledger: 'ledger', service: 'service', file: 'xrp-ledger.toml' } as const;
type Source = (typeof SOURCES)[keyof typeof SOURCES];

export const SOURCED = ['user', 'domain', 'icon', 'website', 'description'] as const;
type Sourced = (typeof SOURCED)[number];

interface Texts {
  readonly ledger: Partial<Record<Sourced, string | undefined>>;
  readonly service: Partial<Record<Sourced, string | undefined>>;
  readonly file: Partial<Record<Sourced, string | undefined>>;
}

/** undefined: everything that is said is on the ledger. */
export function sourcesOf(token: TokenFacts): Partial<Record<Sourced, Source>> | undefined {
  const { given, published } = token;
  if (!given && !published) return undefined;
  const texts = textsOf(token, given, published);
  const sources: [Sourced, Source][] = [];
  for (const name of SOURCED) {
    // An image that was given here comes before an address that somebody else serves.
    const isGiven = name === 'icon' && texts.service.icon !== undefined;
    if (isGiven) sources.push([name, SOURCES.service]);
    else if (texts.ledger[name] !== undefined) sources.push([name, SOURCES.ledger]);
    else if (texts.service[name] !== undefined) sources.push([name, SOURCES.service]);
    else if (texts.file[name] !== undefined) sources.push([name, SOURCES.file]);
  }
  return sources.some(([, source]) => source !== SOURCES.ledger) ? Object.fromEntries(sources) : undefined;
}

function textsOf(
  { metadata, token, state: { accounts, tokens }, image }: TokenFacts,
  given: TokenMetadata | undefined,
  published: PublishedTexts | undefined,
): Texts {
  return {
    ledger: {
      ...ofMetadata(metadata),
      domain: token === XRP ? undefined : accounts.domain(tokens.issuer(token)),
    },
    service: {
      user: given?.user,
      domain: given?.domain,
      icon: image,
      website: given?.social?.website,
      description: given?.description,
    },
    file: published ?? {},
  };
}

function ofMetadata(metadata: MptMetadata | undefined): Texts['ledger'] {
  const { issuerName, icon, website, description } = metadata ?? {};
  return { user: issuerName, icon, website, description };
}
