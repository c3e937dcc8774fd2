/**
 * The xrp-ledger.toml files of issuers, read when somebody looks at their tokens.
 *
 *     of(domain) -- known: what the file said --> reader
 *          `-- not known, or too old --> queue, bounded --> 4 at a time: fetch, parse --> known from the next ledger on
 *
 * Goals: a domain in the ledger, which anyone can write, makes this service connect to public addresses only (the address
 * that was checked is the one that is connected to, so a name that resolves differently a moment later gains nothing), over
 * HTTPS with a certificate of that name, for a bounded time and size, without following redirects; and never more than a
 * request a domain and hour. Non-goals: images, anything but the one path, keeping files over a restart.
 */
import { DAY_MS, HOUR_MS } from '../engine/ripple-time.ts';
import type { IssuerFile, IssuerFiles } from '../platform/issuer-files.ts';
import { boundedText, type FetchBounds } from './bounded-fetch.ts';
import { readIssuerFile } from './issuer-toml.ts';
import { checkedAddress, hostOf, PUBLIC_READS, type PublicReads } from './public-fetch.ts';

const PATH = '/.well-known/xrp-ledger.toml';
/** Files of issuers have 1 to 10 KB; parsing the worst of this size takes 6 ms. */
const BOUNDS: FetchBounds = { timeoutMs: 5_000, bytesMax: 32 * 1024 };
/** A file is asked for again after a day; one that could not be read after an hour. */
const KEPT_MS = DAY_MS;
const RETRY_MS = HOUR_MS;
const AT_ONCE = 4;
const WAITING_MAX = 1_000;
/** At some 1 KB each; the longest take 50 KB of memory. */
const DOMAINS_MAX = 20_000;
/** Of all files that are kept, as JSON: three times as much memory at most. */
const CHARACTERS_MAX = 32 * 1024 * 1024;
/** A name whose last label begins with a letter: never an address, in any of the forms that resolvers take for one. */
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}$/;

/** Reads the file of a domain. @throws OutsideError */
export type ReadFile = (domain: string) => Promise<string>;

interface Known {
  readonly file: IssuerFile | undefined;
  /** Of the file as JSON. */
  readonly characters: number;
  /** When it is asked for again, ms of the clock. */
  readonly until: number;
}

export class CachedIssuerFiles implements IssuerFiles {
  readonly #read: ReadFile;
  readonly #now: () => number;
  readonly #charactersMax: number;
  /** The one that was read first first. */
  readonly #known = new Map<string, Known>();
  #characters = 0;
  readonly #asked = new Set<string>();
  readonly #waiting: string[] = [];
  #changed: string[] = [];
  #running = 0;
  #closed = false;

  /** @param now ms of a clock that never goes back */
  constructor(read: ReadFile, now: () => number, charactersMax = CHARACTERS_MAX) {
    this.#read = read;
    this.#now = now;
    this.#charactersMax = charactersMax;
  }

  of(domain: string): IssuerFile | undefined {
    const name = domain.toLowerCase();
    const known = this.#known.get(name);
    if (known === undefined || known.until <= this.#now()) this.#ask(name);
    return known?.file;
  }

  changed(): readonly string[] {
    const changed = this.#changed;
    if (changed.length > 0) this.#changed = [];
    return changed;
  }

  /** Asks for nothing more. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
  }

  #ask(domain: string): void {
    if (this.#closed || this.#asked.has(domain) || !DOMAIN.test(domain)) return;
    if (this.#waiting.length >= WAITING_MAX) return;
    this.#asked.add(domain);
    this.#waiting.push(domain);
    while (this.#running < AT_ONCE && this.#waiting.length > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#running++;
    for (let domain = this.#waiting.shift(); domain !== undefined; domain = this.#waiting.shift()) {
      const file = await this.#fetch(domain);
      this.#asked.delete(domain);
      if (!this.#closed) this.#keep(domain, file);
    }
    this.#running--;
  }

  /** undefined: it has none that can be read. That is ordinary, so nothing is logged. */
  async #fetch(domain: string): Promise<IssuerFile | undefined> {
    try {
      return readIssuerFile(await this.#read(domain));
    } catch {
      return undefined;
    }
  }

  #keep(domain: string, file: IssuerFile | undefined): void {
    const before = this.#known.get(domain)?.file;
    // What was read before stays while the domain does not answer.
    const json = JSON.stringify(file ?? before);
    const isChanged = json !== JSON.stringify(before);
    // A copy: the texts of the file would keep all of it in memory.
    const shown: IssuerFile | undefined = isChanged ? JSON.parse(json!) : before;
    const characters = json?.length ?? 0;
    this.#forget(domain);
    while (
      this.#known.size > 0 &&
      (this.#known.size >= DOMAINS_MAX || this.#characters + characters > this.#charactersMax)
    )
      this.#forget(this.#known.keys().next().value!);
    this.#known.set(domain, {
      file: shown,
      characters,
      until: this.#now() + (file ? KEPT_MS : RETRY_MS),
    });
    this.#characters += characters;
    if (isChanged) this.#changed.push(domain);
  }

  #forget(domain: string): void {
    this.#characters -= this.#known.get(domain)?.characters ?? 0;
    this.#known.delete(domain);
  }
}

interface FileReads extends Omit<PublicReads, 'isPortAllowed'> {
  readonly port: number;
  readonly bounds: FetchBounds;
}

/** Files of domains of the public internet. */
export function publicFiles(changed: Partial<FileReads> = {}): ReadFile {
  const reads = { ...PUBLIC_READS, port: 443, bounds: BOUNDS, ...changed };
  const { port, ca, bounds } = reads;
  return async (domain) => {
    const host = hostOf(await checkedAddress(domain, bounds.timeoutMs, reads));
    const tls = { serverName: domain, ...(ca !== undefined && { ca }) };
    return boundedText(`https://${host}:${port}${PATH}`, bounds, { host: domain, tls });
  };
}

/** Files that one server has for all domains: the node of an embedded network. @param url its own, on this machine */
export function filesOf(url: string): ReadFile {
  return (domain) => boundedText(`${url}${PATH}`, BOUNDS, { host: domain });
}
