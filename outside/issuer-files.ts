/**
 * The xrp-ledger.toml files of issuers, read when somebody looks at their tokens, and kept over a restart.
 *
 *     of(domain) -- known: what the file said --> reader
 *          `-- not known, or too old --> queue, bounded (fetch-queue.ts) --> fetch, parse --> known from the next ledger on
 *
 * Goals: a domain in the ledger, which anyone can write, makes this service connect to public addresses only (the address
 * that was checked is the one that is connected to, so a name that resolves differently a moment later gains nothing), over
 * HTTPS with a certificate of that name, for a bounded time and size, without following redirects; never more than a
 * request a domain and hour; and one that is slow does not hold up the others. Non-goals: images, anything but the one path.
 */
import { DAY_MS, HOUR_MS } from '../engine/ripple-time.ts';
import {
  ISSUER_FILES,
  ISSUER_FILES_MAX,
  type IssuerFile,
  type IssuerFiles,
} from '../platform/issuer-files.ts';
import type { PlatformStore } from '../platform/store.ts';
import { boundedText, type FetchBounds } from './bounded-fetch.ts';
import { type FetchJob, FetchQueue } from './fetch-queue.ts';
import { readIssuerFile } from './issuer-toml.ts';
import { checkedAddress, hostOf, PUBLIC_READS, type PublicReads } from './public-fetch.ts';

const PATH = '/.well-known/xrp-ledger.toml';
/** Files of issuers have 1 to 10 KB; parsing the worst of this size takes 6 ms. */
const BOUNDS: FetchBounds = { timeoutMs: 5_000, bytesMax: 32 * 1024 };
/** A file is asked for again after a day; one that could not be read after an hour. */
const KEPT_MS = DAY_MS;
const RETRY_MS = HOUR_MS;
/**
 * An answer takes 32 KB at most, and a domain that does not answer 5 s: four names that share their last two labels, as those of one
 * owner do, hold up none of the others.
 */
const LIMITS = { atOnce: 32, atOncePerHost: () => 4, waiting: 1_000 };
/** Of all files that are kept, as JSON: three times as much memory at most. */
const CHARACTERS_MAX = 32 * 1024 * 1024;
/** A name whose last label begins with a letter: never an address, in any of the forms that resolvers take for one. */
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}$/;

/** Reads the file of a domain. @throws OutsideError */
export type ReadFile = (domain: string) => Promise<string>;

export interface IssuerFileParts {
  readonly read: ReadFile;
  /** ms of a clock that never goes back. */
  readonly now: () => number;
  /** ms of the clock by which a restart knows how old a file is. */
  readonly unixMs: () => number;
  readonly charactersMax?: number;
}

interface Known {
  readonly file: IssuerFile | undefined;
  /** Of the file as JSON. */
  readonly characters: number;
  /** When it is asked for again, ms of the clock. */
  readonly until: number;
}

export class StoredIssuerFiles implements IssuerFiles {
  readonly #parts: IssuerFileParts;
  readonly #charactersMax: number;
  readonly #queue: FetchQueue<FetchJob>;
  #store: PlatformStore | undefined;
  /** The one that was read first first. */
  readonly #known = new Map<string, Known>();
  #characters = 0;
  /** Domains that are stored and no longer known. */
  readonly #dropped = new Set<string>();
  #changed: string[] = [];
  #closed = false;

  constructor(parts: IssuerFileParts) {
    this.#parts = parts;
    this.#charactersMax = parts.charactersMax ?? CHARACTERS_MAX;
    this.#queue = new FetchQueue(LIMITS, parts.now, ({ key }) => this.#run(key));
  }

  attach(store: PlatformStore): void {
    const rows: [string, { readonly file: IssuerFile; readonly readAt: number }][] = [];
    store.walk(ISSUER_FILES, {}, (row, [domain]) => {
      rows.push([String(domain), row]);
      return true;
    });
    rows.sort(([, a], [, b]) => a.readAt - b.readAt);
    const [now, unixMs] = [this.#parts.now(), this.#parts.unixMs()];
    for (const [domain, { file, readAt }] of rows) {
      // The clock may have been ahead when it was read.
      const age = Math.max(0, unixMs - readAt);
      if (this.#known.has(domain)) continue;
      this.#remember(domain, file, JSON.stringify(file).length, now + KEPT_MS - age);
      this.#changed.push(domain);
    }
    this.#store = store;
  }

  of(domain: string): IssuerFile | undefined {
    const name = domain.toLowerCase();
    const known = this.#known.get(name);
    if (known === undefined || known.until <= this.#parts.now()) this.#ask(name);
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
    this.#queue.close();
  }

  #ask(domain: string): void {
    if (!DOMAIN.test(domain)) return;
    this.#queue.ask({ key: domain, host: domain.split('.').slice(-2).join('.') });
  }

  /** @returns true: a domain that does not answer is asked again in an hour, and says nothing of the others of its owner */
  async #run(domain: string): Promise<true> {
    const file = await this.#fetch(domain);
    if (!this.#closed) this.#keep(domain, file);
    return true;
  }

  /** undefined: it has none that can be read. That is ordinary, so nothing is logged. */
  async #fetch(domain: string): Promise<IssuerFile | undefined> {
    try {
      return readIssuerFile(await this.#parts.read(domain));
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
    const until = this.#parts.now() + (file ? KEPT_MS : RETRY_MS);
    this.#remember(domain, shown, json?.length ?? 0, until);
    if (isChanged) this.#changed.push(domain);
    if (file) this.#write(domain, file);
  }

  #remember(domain: string, file: IssuerFile | undefined, characters: number, until: number): void {
    this.#forget(domain);
    while (
      this.#known.size > 0 &&
      (this.#known.size >= ISSUER_FILES_MAX || this.#characters + characters > this.#charactersMax)
    ) {
      const oldest = this.#known.keys().next().value!;
      if (this.#known.get(oldest)!.file) this.#dropped.add(oldest);
      this.#forget(oldest);
    }
    this.#known.set(domain, { file, characters, until });
    this.#characters += characters;
  }

  #forget(domain: string): void {
    this.#characters -= this.#known.get(domain)?.characters ?? 0;
    this.#known.delete(domain);
  }

  /** What cannot be written is read again after a restart. */
  #write(domain: string, file: IssuerFile): void {
    const row = { file, readAt: this.#parts.unixMs() };
    const dropped = [...this.#dropped];
    this.#dropped.clear();
    this.#store
      ?.transaction((transaction) => {
        // One that is known again has been written since.
        for (const one of dropped) if (!this.#known.get(one)?.file) transaction.delete(ISSUER_FILES, [one]);
        transaction.put(ISSUER_FILES, [domain], row);
      })
      .catch(() => {
        for (const one of dropped) this.#dropped.add(one);
      });
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
