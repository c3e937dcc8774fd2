/**
 * The pages of `web/`: bundled by Bun when the service has started, or when they are first asked for, and kept in memory, compressed.
 *
 *   /               the document, for browsers (`routes/service.ts` answers JSON to everything else)
 *   /assets/NAME    scripts and styles (`web-assets.ts`); their names hold a hash of what is in them, so browsers keep them for ever
 *
 * Bundling takes about 20 ms and compression 100 ms in other threads, once: there is no second tool and nothing to build
 * before a start. The Content-Security-Policy lets the pages reach this service and nothing else.
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
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
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
}

export class WebPages {
  /** Of documents: what tells their scripts the settings. Attributes, with the space before them. */
  readonly attributes: string;
  #built: Promise<Built> | undefined;

  constructor({ key }: PageSettings = {}) {
    this.attributes = key === undefined ? '' : ` data-key="${key}"`;
  }

  /** Bundles now, so that nobody waits for it later. */
  async prepare(): Promise<void> {
    await this.#files();
  }

  /** The document for browsers. */
  async document(request: Request): Promise<Response> {
    const { document } = await this.#files();
    const headers = {
      'Content-Security-Policy': PAGES_POLICY,
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Accept-Encoding',
    };
    return answer(request, document, headers);
  }

  /** What documents in the frames of other sites load. */
  async embedFiles(): Promise<EntryFiles> {
    return (await this.#files()).embed;
  }

  async asset(request: Request, name: string): Promise<Response | undefined> {
    const asset = (await this.#files()).assets.get(name);
    return asset && answer(request, asset, { 'Cache-Control': FOR_EVER, Vary: 'Accept-Encoding' });
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
  return {
    document: await encoded('text/html; charset=utf-8', await documentOf(main!, attributes)),
    embed: embed!,
    assets: new Map(assets),
  };
}

function fileOf(entry: string, names: readonly string[]): string {
  const found = names.find((name) => name.startsWith(`${entry}-`));
  if (found === undefined) throw new ApiError('internal', `The pages lack ${entry}`);
  return found;
}

/** The document with the addresses of its script and its styles, relative to it. */
async function documentOf(
  { script, styles }: EntryFiles,
  attributes: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const links = `<link rel="stylesheet" href="assets/${styles}" />
    <script type="module" src="assets/${script}"></script>`;
  const text = await Bun.file(join(webFolder, 'index.html')).text();
  const html = text.replace('<html', () => `<html${attributes}`).replace('<!-- assets -->', () => links);
  return new TextEncoder().encode(html);
}

const inBrotli = promisify(brotliCompress);
const inGzip = promisify(gzip);

async function encoded(type: string, plain: Uint8Array<ArrayBuffer>): Promise<Encoded> {
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
  };
  const [br, gzipped] = await Promise.all([inBrotli(plain, { params }), inGzip(plain, { level: 9 })]);
  return {
    type,
    etag: `"${Bun.hash(plain).toString(36)}"`,
    plain,
    br: new Uint8Array(br),
    gzip: new Uint8Array(gzipped),
  };
}

function answer(request: Request, file: Encoded, headers: Record<string, string>): Response {
  const accepted = request.headers.get('accept-encoding') ?? '';
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
  const common = { ...headers, ETag: file.etag, 'X-Content-Type-Options': 'nosniff' };
  if (request.headers.get('if-none-match') === file.etag)
    return new Response(null, { status: 304, headers: common });
  const body = file[encoding ?? 'plain'];
  return new Response(request.method === 'HEAD' ? null : body, {
    headers: {
      ...common,
      'Content-Type': file.type,
      'Content-Length': String(body.length),
      ...(encoding && { 'Content-Encoding': encoding }),
    },
  });
}
