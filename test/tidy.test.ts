/** The rules about source files: which folder may import which, how long a file may be, what it may not contain. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dir, '..');
const folders = [
  'service',
  'engine',
  'platform',
  'views',
  'requests',
  'sandbox',
  'workers',
  'data',
  'api',
  'ws',
  'outside',
  'bench',
  'support',
  'test',
];

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

const sources = folders.flatMap(walk);
const top = readdirSync(root).filter((name) => name.endsWith('.ts') || name.endsWith('.mjs'));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What each folder may import from, beside itself and packages. */
const mayImport: Record<string, readonly string[]> = {
  service: ['engine', 'platform', 'views', 'sandbox', 'workers', 'data', 'api', 'ws', 'outside', 'support'],
  engine: [],
  platform: ['engine'],
  views: ['engine'],
  sandbox: ['engine'],
  workers: ['engine', 'data', 'sandbox'],
  data: ['engine', 'platform', 'sandbox'],
  requests: [],
  api: ['engine', 'views', 'requests'],
  ws: ['engine', 'views', 'requests'],
  outside: ['engine'],
  bench: ['service', 'engine', 'views', 'sandbox', 'workers', 'data', 'api', 'ws', 'outside', 'support'],
  // What tests, benchmarks and `tool crash` share.
  support: ['engine', 'views', 'ws'],
  test: [
    'service',
    'engine',
    'platform',
    'views',
    'sandbox',
    'workers',
    'data',
    'requests',
    'api',
    'ws',
    'outside',
    'bench',
    'support',
    '.',
  ],
};

function importsOf(path: string): string[] {
  const named = /^\s*(?:import|export)\b[^;]*?from\s+'(\.[^']+)'/gms;
  const bare = /\bimport\s*\(?\s*'(\.[^']+)'/g;
  return [named, bare]
    .flatMap((pattern) => [...read(path).matchAll(pattern)])
    .map((match) => relative(root, resolve(root, path, '..', match[1]!)));
}

describe('imports point one way', () => {
  for (const folder of folders) {
    test(folder, () => {
      const wrong = sources
        .filter((path) => path.startsWith(`${folder}/`))
        .flatMap((path) => importsOf(path).map((target) => ({ path, target })))
        .filter(({ target }) => {
          const home = target.includes('/') ? target.split('/')[0]! : '.';
          return home !== folder && !mayImport[folder]!.includes(home);
        });
      expect(wrong).toEqual([]);
    });
  }
});

describe('the engine is pure', () => {
  const engine = sources.filter((path) => /^(engine|platform|views|sandbox)\//.test(path));

  test('no clock and no randomness of its own', () => {
    const wrong = engine.filter((path) =>
      /\b(Date\.now|performance\.now|Math\.random|new Date\(\))/.test(withoutComments(read(path))),
    );
    expect(wrong).toEqual([]);
  });

  test('only the sources of ledgers and the archive touch files and sockets', () => {
    const wrong = engine.filter(
      (path) =>
        !path.startsWith('engine/ledger/') &&
        /from '(node:)?(fs|net|http|https|worker_threads)/.test(read(path)),
    );
    expect(wrong).toEqual([]);
  });

  test('no module-level mutable state', () => {
    const wrong = [...sources, ...top]
      .filter((path) => !/^(test|bench)\//.test(path))
      .filter((path) => /^(export )?let /m.test(read(path)));
    expect(wrong).toEqual([]);
  });
});

describe('the event loop', () => {
  test('is yielded to by one helper', () => {
    const wrong = sources
      .filter((path) => !/^test\//.test(path) && path !== 'engine/event-loop.ts')
      .filter((path) => /\bsetImmediate\b/.test(withoutComments(read(path))));
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  test('are of one subject: at most 500 lines', () => {
    const long = [...sources, ...top].map((path) => ({ path, lines: read(path).split('\n').length }));
    expect(long.filter(({ lines }) => lines > 501)).toEqual([]);
  });

  test('name no machine path and no registry', () => {
    const texts = [
      ...sources,
      ...top,
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'package.json',
      'package-lock.json',
      '.npmrc',
    ];
    const wrong = texts.filter((path) =>
      /(^|[^A-Za-z0-9_.])\/(work|tmp|home|root)\/|https?:\/\/registry\./m.test(withoutPatterns(read(path))),
    );
    expect(wrong).toEqual([]);
  });

  test('the lockfile records no address a package came from', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  test('the lockfile names the platform packages of every machine, not only of the one that wrote it', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });

  test('every package has an exact version', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version as string),
    );
    expect(loose).toEqual([]);
  });
});

describe('worker entries', () => {
  test('stay thin: under 50 lines each', () => {
    const wrong = sources
      .filter((path) => path.startsWith('workers/') && path.endsWith('.worker.ts'))
      .map((path) => ({ path, lines: read(path).split('\n').length }));
    expect(wrong.filter(({ lines }) => lines > 51)).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/** The rule above must not find itself. */
function withoutPatterns(text: string): string {
  return text.replace(/^.*const wrong = texts.*$/gm, '');
}
