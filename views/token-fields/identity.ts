/** Who the token is: names, issuer, type, origin. */
import { placeOfLaunchpad } from '../../engine/market/platforms.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { SOCIAL_NAMES } from '../../platform/token-metadata.ts';
import { tokenName } from '../identity.ts';
import { SOURCED, SOURCES, sourcesOf } from '../text-sources.ts';
import { EVERY, FULL, field, integer, LIGHT, NO_ROW, text } from './field.ts';

/** Of verification. */
const TIERS = 4;

export const IDENTITY_FIELDS = [
  field({
    name: 'md5',
    about: 'Canonical id: md5 of <issuer>_<currency>',
    schema: text,
    sizes: EVERY,
    presets: ['ticker', 'price', 'trading'],
    value: ({ state, token }) => state.tokens.md5(token),
  }),
  field({
    name: 'issuer',
    about: 'r-address of the issuer; XRPL for native XRP',
    schema: text,
    sizes: EVERY,
    value: ({ state, token }) => state.tokens.issuerText(token),
  }),
  field({
    name: 'currency',
    about: 'Code of three characters or 40 hex digits; of an MPT its issuance id',
    schema: text,
    sizes: EVERY,
    value: ({ state, token }) => state.tokens.currencyText(token),
  }),
  field({
    name: 'name',
    about: 'Ticker or name',
    schema: text,
    sizes: EVERY,
    presets: ['ticker'],
    sort: 'name',
    value: ({ state, token }) => tokenName(state, token),
  }),
  field({
    name: 'user',
    about:
      'Display name of the issuer, from the metadata of an MPT, else as creator or issuer gave it here, else from the xrp-ledger.toml of its domain',
    schema: text,
    sizes: EVERY,
    value: ({ metadata, given, published }) => metadata?.issuerName ?? given?.user ?? published?.user,
  }),
  field({
    name: 'slug',
    about: 'Id in links: <issuer>-<currency>, mpt-<id>',
    schema: text,
    sizes: EVERY,
    value: ({ state, token }) => state.tokens.slug(token),
  }),
  field({
    name: 'tokenType',
    about: 'trustline, lp, mpt, xls14, demurrage or nonstandard',
    schema: text,
    sizes: EVERY,
    value: ({ type }) => type,
  }),
  field({
    name: 'mptIssuanceID',
    about: 'Issuance id of an MPT',
    schema: text,
    sizes: EVERY,
    value: ({ state, token, type }) => (type === 'mpt' ? state.tokens.mptId(token) : undefined),
  }),
  field({
    name: 'metadata',
    about: 'Name and ticker that the metadata of an MPT gives',
    schema: { type: 'object', properties: { name: text, ticker: text } },
    sizes: LIGHT,
    value: ({ metadata }) => metadata && { name: metadata.name, ticker: metadata.ticker },
  }),
  field({
    name: 'assetScale',
    about: 'Decimal places of an MPT',
    schema: integer,
    sizes: FULL,
    value: ({ state, token, type }) => (type === 'mpt' ? state.tokens.assetScale[token] : undefined),
  }),
  field({
    name: 'icon',
    about:
      'Address of the image that creator or issuer gave here, else of the icon in the metadata of an MPT or in the xrp-ledger.toml of the issuer; /thumb has all of them encoded again',
    schema: text,
    sizes: EVERY,
    value: ({ metadata, image, published }) => image ?? metadata?.icon ?? published?.icon,
  }),
  field({
    name: 'imgUpdated',
    about: 'Time of the image that creator or issuer gave here',
    unit: 'Unix ms',
    schema: integer,
    sizes: FULL,
    value: ({ given }) => given?.image?.changedAt,
  }),
  field({
    name: 'origin',
    about: 'Platform that launched it. Sorted: by its name, ascending from A on; those without last',
    schema: text,
    sizes: EVERY,
    sort: ({ market }, token) => placeOfLaunchpad(market.launches.platform(token)),
    value: ({ market, token }) => market.launches.platform(token)?.launchpad,
  }),
  field({
    name: 'verified',
    about:
      "Tier of verification by the service's admin: 1, 2 or 4, 1 the highest; absent: unverified. Sorted: the highest first",
    schema: integer,
    sizes: EVERY,
    sort: (figures, token) => TIERS - (figures.standing(token)?.verified ?? Number.NaN),
    value: ({ figures, token }) => figures.standing(token)?.verified,
  }),
  field({
    name: 'kyc',
    about: 'The issuer has shown who it is, as the admin of the service says',
    schema: { type: 'boolean' },
    sizes: EVERY,
    sort: (figures, token) => (figures.standing(token)?.kyc ? 1 : undefined),
    value: ({ figures, token }) => figures.standing(token)?.kyc,
  }),
  field({
    name: 'xVerified',
    about: 'The linked account of X is that of the issuer, as the admin of the service says',
    schema: { type: 'boolean' },
    sizes: FULL,
    sort: (figures, token) => (figures.standing(token)?.xVerified ? 1 : undefined),
    value: ({ figures, token }) => figures.standing(token)?.xVerified,
  }),
  field({
    name: 'tags',
    about: 'Category tags',
    schema: { type: 'array', items: text },
    sizes: EVERY,
    value: ({ tags, token }) => tags.of(token),
  }),
  field({
    name: 'dateon',
    about: 'First appearance; absent where the token is older than the ledgers read',
    unit: 'Unix ms',
    schema: integer,
    sizes: LIGHT,
    sort: ({ state }, token) => state.tokens.createdAt(token) || undefined,
    sortNames: ['date'],
    value: ({ figures, token }) => figures.dateon(token),
  }),
  field({
    name: 'date',
    about: 'First appearance, ISO 8601',
    schema: text,
    sizes: LIGHT,
    value: ({ figures, token }) => {
      const dateon = figures.dateon(token);
      return dateon === undefined ? undefined : new Date(dateon).toISOString();
    },
  }),
  field({
    name: 'domain',
    about: "Domain of the issuer's account, else as creator or issuer gave it here",
    schema: text,
    sizes: EVERY,
    value: ({ state: { accounts, tokens }, token, given }) =>
      token === XRP ? undefined : (accounts.domain(tokens.issuer(token)) ?? given?.domain),
  }),
  field({
    name: 'creator',
    about:
      'r-address of who created the token: the first holder, where it opened the XRP pool within 7 days and held most with it; else the issuer. Absent for native XRP',
    schema: text,
    sizes: LIGHT,
    value: ({ state, figures, token }) =>
      token === XRP ? undefined : state.accounts.text(figures.creator(token)),
  }),
  field({
    name: 'social',
    about:
      "Accounts and pages that creator or issuer gave here; the website in the metadata of an MPT; else that in the xrp-ledger.toml of the issuer's domain",
    schema: { type: 'object', properties: Object.fromEntries(SOCIAL_NAMES.map((name) => [name, text])) },
    sizes: FULL,
    value: ({ metadata, given, published }) => {
      const website = metadata?.website ?? given?.social?.website ?? published?.website;
      return website || given?.social ? { ...given?.social, ...(website && { website }) } : undefined;
    },
  }),
  field({
    name: 'description',
    about:
      'What issuer or creator says of it, in answers of GET /token/{id} with desc=yes. Sorted: those that have one first',
    schema: text,
    sizes: NO_ROW,
    sort: (figures, token) => (figures.isDescribed(token) ? 1 : undefined),
  }),
  field({
    name: 'sources',
    about:
      'Where user, domain, icon, website and description come from: ledger, service (given here by creator or issuer), xrp-ledger.toml (of the domain that the account of the issuer names); only with any that is not of the ledger',
    schema: {
      type: 'object',
      properties: Object.fromEntries(SOURCED.map((name) => [name, { enum: Object.values(SOURCES) }])),
    },
    sizes: FULL,
    value: (token) => sourcesOf(token),
  }),
  field({
    name: 'whitepaper',
    about: 'Address of a paper that creator or issuer gave here',
    schema: text,
    sizes: FULL,
    value: ({ given }) => given?.whitepaper,
  }),
  field({
    name: 'linkedCollections',
    about: 'NFT collections that creator or issuer linked here: slug, which is <issuer>:<taxon> or a name',
    schema: {
      type: 'array',
      items: { type: 'object', properties: { slug: text, issuer: text, taxon: integer } },
    },
    sizes: FULL,
    value: ({ given }) => given?.linkedCollections?.map(collectionOf),
  }),
] as const;

/** What an id says of an NFT collection: `<issuer>:<taxon>`, or its name in links. */
function collectionOf(slug: string) {
  const at = slug.indexOf(':');
  return at < 0 ? { slug } : { slug, issuer: slug.slice(0, at), taxon: Number(slug.slice(at + 1)) };
}
