/**
 * The pages of `web/`: bundled by Bun when the service has started, or when they are first asked for, and kept in memory, compressed.
 *
 *   /               the document, for browsers (`routes/service.ts` answers JSON to everything else)
 *   /assets/NAME    scripts and styles (`web-assets.ts`); their names hold a hash of what is in them, so browsers keep them for ever
 *
 * Bundling and gzip take about 100 ms in other threads, once: there is no second tool and nothing to build before a start.
 * Brotli takes a second of a free core and several of a busy one, so nobody waits for it: until it is done, browsers get gzip.
 * The Content-Security-Policy lets the pages reach this service and nothing else.
 */
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ApiError } from '../requests/errors.ts';

const webFolder = join(import.meta.dir, '..', 'web');

/** Images of tokens come from this service; the icon of the pages is a data address. */
export const PAGES_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The pages, and what other sites show in a frame. */
const ENTRIES = ['main', 'embed'] as const;

const FOR_EVER = 'public, max-age=31536000, immutable';

/** A file in the encodings that browsers take. */
interface Encoded {
  readonly type: string;
  readonly etag: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
  /** undefined: not made yet. */
  br: Uint8Array<ArrayBuffer> | undefined;
}

/** Names of an entry's files. */
export interface EntryFiles {
  readonly script: string;
  readonly styles: string;
}

/** What the pages are told of the service. */
export interface PageSettings {
  /** The key that all pages share, which everybody can read in them; undefined: they need none. */
  readonly key?: string | undefined;
}

interface Built {
  readonly document: Encoded;
  readonly embed: EntryFiles;
  readonly assets: ReadonlyMap<string, Encoded>;
  /** Resolves when all files are there in all encodings. */
  readonly compressed: Promise<void>;
}

export class WebPages {
  /** Of documents: what tells their scripts the settings. Attributes, with the space before them. */
  readonly attributes: string;
  #built: Promise<Built> | undefined;

  constructor({ key }: PageSettings = {}) {
    this.attributes = key === undefined ? '' : ` data-key="${key}"`;
  }

  /** Bundles and compresses now, so that nobody waits for it later. */
  async prepare(): Promise<void> {
    const { compressed } = await this.#files();
    await compressed;
  }

  /** The document for browsers. */
  async document(request: Request): Promise<Response> {
    const built = await this.#files();
    const headers = {
      'Content-Security-Policy': PAGES_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Accept-Encoding',
    };
    return answer(request, built.document, headers, built.compressed);
  }

  /** What documents in the frames of other sites load. */
  async embedFiles(): Promise<EntryFiles> {
    return (await this.#files()).embed;
  }

  async asset(request: Request, name: string): Promise<Response | undefined> {
    const { assets, compressed } = await this.#files();
    const asset = assets.get(name);
    const headers = { 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' };
    return asset && answer(request, asset, headers, compressed);
  }

  /** Bundled once; asked for again where that failed. */
  #files(): Promise<Built> {
    this.#built ??= build(this.attributes).catch((fault: unknown) => {
      this.#built = undefined;
      throw fault;
    });
    return this.#built;
  }
}

async function build(attributes: string): Promise<Built> {
  const naming = '[name]-[hash].[ext]';
  const { outputs } = await Bun.build({
    entrypoints: ENTRIES.map((entry) => join(webFolder, `${entry}.tsx`)),
    target: 'browser',
    minify: true,
    splitting: true,
    naming: { entry: naming, chunk: naming, asset: naming },
    define: { 'process.env.NODE_ENV': '"production"' },
    throw: true,
  });
  const named = outputs.map((output) => ({ output, name: output.path.replace(/^\.\//, '') }));
  const assets = await Promise.all(
    named.map(async ({ output, name }) => {
      const bytes = new Uint8Array(await output.arrayBuffer());
      return [name, await encoded(output.type, bytes)] as const;
    }),
  );
  const scripts = named.filter(({ output }) => output.kind === 'entry-point').map(({ name }) => name);
  const styles = named.map(({ name }) => name).filter((name) => name.endsWith('.css'));
  const [main, embed] = ENTRIES.map((entry) => ({
    script: fileOf(entry, scripts),
    styles: fileOf(entry, styles),
  }));
  const document = await encoded('text/html; charset=utf-8', await documentOf(main!, attributes));
  const compressed = compress([document, ...assets.map(([, file]) => file)]);
  // Where it fails, whoever prepares the pages hears of it, and the others get what there is.
  compressed.catch(() => undefined);
  return { document, embed: embed!, assets: new Map(assets), compressed };
}

/** One file after the other: the threads that compress also read files, which shall not wait for all of these. */
async function compress(files: readonly Encoded[]): Promise<void> {
  for (const file of files) {
    const params = {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: file.plain.length,
    };
    file.br = new Uint8Array(await inBrotli(file.plain, { params }));
  }
}

function fileOf(entry: string, names: readonly string[]): string {
  const found = names.find((name) => name.startsWith(`${entry}-`));
  if (found === undefined) throw new ApiError('internal', `The pages lack ${entry}`);
  return found;
}

const template = () => Bun.file(join(webFolder, 'index.html')).text();

/** The element with the icon of the pages, for other documents of this service: a browser asks for one that is not there otherwise. */
export async function iconElement(): Promise<string> {
  return /<link rel="icon"[^>]*>/.exec(await template())?.[0] ?? '';
}

/** The document with the addresses of its script and its styles, relative to it. */
async function documentOf(
  { script, styles }: EntryFiles,
  attributes: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const links = `<link rel="stylesheet" href="assets/${styles}" />
    <script type="module" src="assets/${script}"></script>`;
  const text = await template();
  const html = text.replace('<html', () => `<html${attributes}`).replace('<!-- assets -->', () => links);
  return new TextEncoder().encode(html);
}

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);

async function encoded(type: string, plain: Uint8Array<ArrayBuffer>): Promise<Encoded> {
  return {
    type,
    etag: `"${Bun.hash(plain).toString(36)}"`,
    plain,
    gzip: new Uint8Array(await inGzip(plain, { level: 9 })),
    br: undefined,
  };
}

async function answer(
  request: Request,
  file: Encoded,
  headers: Record<string, string>,
  compressed: Promise<void>,
): Promise<Response> {
  const accepted = request.headers.get('accept-encoding') ?? '';
  const [takesBrotli, takesGzip] = [/\bbr\b/.test(accepted), /\bgzip\b/.test(accepted)];
  if (takesBrotli && !takesGzip && !file.br) await compressed.catch(() => undefined);
  const encoding = takesBrotli && file.br ? 'br' : takesGzip ? 'gzip' : undefined;
  const common = { ...headers, ETag: file.etag, 'X-Content-Type-Options': 'nosniff' };
  if (request.headers.get('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers: common });
  const body = file[encoding ?? 'plain'] ?? file.plain;
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...common,
      'Content-Type': file.type,
      'Content-Length': String(body.length),
      ...(encoding && { 'Content-Encoding': encoding }),
    },
  });
}
