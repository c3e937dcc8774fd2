/**
 * The interactive reference page at `/reference`: the page of @elysiajs/swagger with our own OpenAPI 3.1 document (the
 * plugin would generate a 3.0.3 one) and a locally served script. A Content-Security-Policy prevents the browser from
 * loading anything from other hosts.
 */
import { dirname, join } from 'node:path';
import { Elysia } from 'elysia';
import type { Metrics } from './metrics.ts';
import type { RequestIds } from './request.ts';
import { iconElement } from './web-pages.ts';

const scriptPath = '/reference/standalone.js';

/** Data and blob addresses are the script's own icons and workers; inline styles and scripts are the page itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Over the theme that the plugin brings: text has a contrast of 4.5:1 to its ground, and neither texts nor lists scroll in boxes
 * that no key reaches. What else axe-core finds is in elements that the script makes and has no setting for: its sidebar
 * (`aria-selected` on buttons, items without a list), its button of the search (without a name), its choice of languages.
 */
const styles = `
.light-mode {
  --scalar-color-2: #5c6470;
  --scalar-color-3: #646b76;
  --scalar-color-accent: #c2185b;
  --scalar-color-green: #05714c;
  --scalar-color-red: #c80005;
  --scalar-color-yellow: #7a5200;
  --scalar-color-blue: #0067a6;
  --scalar-color-orange: #a8500a;
}
.dark-mode { --scalar-color-2: #b8c0cc; --scalar-color-3: #b0b7c3; }
.markdown pre, .markdown pre code { white-space: pre-wrap !important; overflow-wrap: anywhere; }
.endpoints, .scalar-card-content { max-height: none !important; overflow: visible !important; }
`;

export function referencePages(name: string, ids: RequestIds, metrics: Metrics) {
  // The package does not export its script by name; the file is in the folder of the exported one.
  const entry = Bun.resolveSync('@scalar/fastify-api-reference', import.meta.dir);
  const script = Bun.file(join(dirname(entry), 'js/standalone.js'));
  let html: Promise<string> | undefined;
  const tally = metrics.tally('', 'GET', '/reference');
  return new Elysia()
    .get('/reference', async ({ request }) => {
      tally.count(200);
      const headers = { ...pageHeaders, 'X-Request-ID': ids.of(request) };
      html ??= pageOf(name);
      return new Response(await html, { headers });
    })
    .get(scriptPath, ({ request }) => {
      tally.count(200);
      const headers = { ...scriptHeaders, 'X-Request-ID': ids.of(request) };
      return new Response(script, { headers });
    });
}

/**
 * The plugin's page, made when it is first asked for: loading the plugin takes longer than all routes. The plugin's own document
 * address stays unreachable.
 */
async function pageOf(name: string): Promise<string> {
  const { swagger } = await import('@elysiajs/swagger');
  const page = new Elysia().use(
    swagger({
      path: '/reference',
      specPath: '/reference/plugin.json',
      // Relative to the page, so that it works behind a path prefix.
      scalarCDN: scriptPath.slice(1),
      scalarConfig: {
        spec: { url: 'openapi.json' },
        // Fonts, sharing, telemetry and the desktop client would all contact the vendor's servers.
        withDefaultFonts: false,
        hideClientButton: true,
        telemetry: false,
        showDeveloperTools: 'never',
      } as never,
      documentation: {
        info: { title: `${name} API reference`, description: `Every address of ${name}`, version: '1.20' },
      },
    }),
  );
  const response = await page.handle(new Request('http://localhost/reference'));
  const html = await response.text();
  const icon = await iconElement();
  return (
    html
      // The plugin writes it where the script no longer wants it, and says so on the console.
      .replace('"spec":{"url":"openapi.json"}', '"url":"openapi.json"')
      .replace('<html>', '<html lang="en">')
      .replace('</title>', (end) => `${end}\n    ${icon}`)
      .replace('</head>', (end) => `<style>${styles}</style>\n  ${end}`)
  );
}

const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const scriptHeaders = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=86400',
  'X-Content-Type-Options': 'nosniff',
};
