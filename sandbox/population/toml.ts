/**
 * The xrp-ledger.toml files of the issuers' domains, as XLS-26 defines them; the node serves them to requests whose Host
 * header names the domain. Domains end in `.example`, which no name server resolves (RFC 2606).
 *
 * Made when asked for: nothing of them is kept.
 */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { Agents } from './agents.ts';
import { EXCHANGES, exchangeDomain } from './exchanges.ts';
import { SUBCLASSES } from './projects/names.ts';
import type { Project } from './projects/project.ts';
import type { Projects } from './projects/projects.ts';
import { type Economy, FIAT_TOKENS, type Token, tokenDomain } from './tokens.ts';

interface TomlFilesOptions {
  readonly agents: Agents;
  readonly economy: Economy;
  readonly projects: Projects;
}

/** Of a domain's icon. */
export const ICON_PATH = '/icon.png';

type Table = Readonly<Record<string, string | undefined>>;

/** A table of an array of tables; entries without a value are left out. Values are plain text. */
function table(name: string, entries: Table): string {
  const lines = Object.entries(entries).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = ${JSON.stringify(value)}`],
  );
  return [`[[${name}]]`, ...lines, ''].join('\n');
}

/** As issuers write it: three letters, or the code in hex. */
const codeOf = (name: string, currency: Hex): string => (name.length === 3 ? name : currency);

function tokenFile(token: Token): string {
  const isFiat = token.role === 'stablecoin' || (FIAT_TOKENS as readonly string[]).includes(token.name);
  const { address } = token.issuer;
  return [
    table('ISSUERS', { address, name: `${token.name} issuer`, desc: `Issues ${token.name}.` }),
    table('TOKENS', {
      issuer: address,
      currency: codeOf(token.name, token.currency),
      name: token.name,
      desc: isFiat ? `${token.name}, redeemable one for one` : `${token.name} of the embedded network`,
      asset_class: isFiat ? 'rwa' : 'other',
      asset_subclass: isFiat ? 'stablecoin' : undefined,
      icon: `https://${tokenDomain(token)}${ICON_PATH}`,
    }),
    table('TOKENS.URLS', { url: `https://${tokenDomain(token)}`, type: 'website' }),
  ].join('\n');
}

function projectFile(project: Project, issuer: string): string {
  const { name, currency, domain } = project;
  return [
    table('ISSUERS', { address: issuer, name: name.name, desc: name.about }),
    table('TOKENS', {
      issuer,
      currency: codeOf(name.ticker, currency),
      name: name.name,
      desc: name.about,
      asset_class: name.assetClass,
      asset_subclass: SUBCLASSES[name.word],
      icon: `https://${domain}${ICON_PATH}`,
    }),
    table('TOKENS.URLS', { url: `https://${domain}`, type: 'website', title: name.name }),
    table('TOKENS.URLS', { url: `https://social.example/${name.ticker.toLowerCase()}`, type: 'social' }),
  ].join('\n');
}

export class TomlFiles {
  readonly #options: TomlFilesOptions;
  readonly #projects: ReadonlyMap<string, Project>;

  constructor(options: TomlFilesOptions) {
    this.#options = options;
    this.#projects = new Map(
      options.projects.all.flatMap((project) =>
        project.domain === undefined ? [] : [[project.domain, project]],
      ),
    );
  }

  /** Undefined where the domain serves none. @param domain in lower case */
  of(domain: string): string | undefined {
    const { agents, economy, projects } = this.#options;
    const token = economy.tokens.find((one) => tokenDomain(one) === domain);
    if (token !== undefined) return tokenFile(token);
    const project = this.#projects.get(domain);
    if (project?.toml === 'own') return projectFile(project, project.issuer.address);
    // The file names another account: nothing in it describes the issuer that links to it.
    if (project?.toml === 'other')
      return projectFile(project, projects.all[(project.n + 1) % projects.all.length]!.issuer.address);
    const exchange = agents.group('exchange', EXCHANGES).findIndex((_, n) => exchangeDomain(n) === domain);
    if (exchange < 0) return undefined;
    const { address } = agents.get(`exchange:${exchange}`);
    return table('ACCOUNTS', { address, desc: 'Deposits of customers, told apart by destination tags' });
  }
}
