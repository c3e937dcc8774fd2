/**
 * Documents that other sites show in a frame: a live chart, and the score of a token's review.
 *
 * Safe in any frame: no cookie, no storage, no script but the one of this service, and a Content-Security-Policy that lets a
 * frame load from this service alone, and the one image that was asked for as a logo. That image is loaded by the browser,
 * never by this service. What strangers wrote is escaped. The frame shows public data and has nothing to click that does
 * anything, so being framed by strangers does no harm; it works in a sandboxed frame too.
 */
import type { WebPages } from './web-pages.ts';

export type EmbedTheme = 'dark' | 'light';

/** What a document needs of its address. */
interface Placed {
  /** Steps up from the address to the root of the service, behind whatever prefix: '../../'. */
  readonly root: string;
  readonly theme: EmbedTheme;
}

export interface ChartEmbed extends Placed {
  /** Of the mount, before `/ws`: '' or '/test-network'. */
  readonly mount: string;
  readonly md5: string;
  readonly name: string;
  readonly interval: string | undefined;
  readonly range: string | undefined;
  /** CSS pixels. */
  readonly height: number;
  readonly showVolume: boolean;
  /** Address of the image beside the name; undefined: none. */
  readonly logo: string | undefined;
}

/** What the score's document shows; without a score nobody trades the token. */
export interface ScoreEmbed extends Placed {
  readonly name: string;
  /** 0 to 100. */
  readonly score: number | undefined;
  readonly riskLevel: string | undefined;
  /** Shown in size `full`. */
  readonly factors: readonly { readonly title: string; readonly share: number; readonly effect: string }[];
}

/** Longest name that is shown, characters. */
const LONGEST_NAME = 60;

export async function chartEmbed(pages: WebPages, embed: ChartEmbed): Promise<Response> {
  const { md5, name, interval, range, height, showVolume, logo, mount, theme, root } = embed;
  const { script, styles } = await pages.embedFiles();
  const data = { md5, name, interval, range, height, volume: showVolume, logo };
  const attributes = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` data-${key}="${escaped(String(value))}"`)
    .join('');
  const html = `<!doctype html>
<html lang="en" data-theme="${theme}" data-mount="${escaped(mount)}"${pages.attributes}>
<head>
${headOf(root, shortened(name), `The price of ${shortened(name)}, as the ledgers of the XRP Ledger close`)}
<link rel="stylesheet" href="assets/${styles}">
<script type="module" src="assets/${script}"></script>
</head>
<body class="embed"><div id="embed"${attributes}></div></body>
</html>`;
  return response(html, logo === undefined ? undefined : imageSource(logo));
}

export async function scoreEmbed(pages: WebPages, embed: ScoreEmbed): Promise<Response> {
  const { name, score, riskLevel, factors, theme, root } = embed;
  const { styles } = await pages.embedFiles();
  const shown = score === undefined ? 'not traded' : score.toFixed(0);
  const bars = factors.map(
    ({ title, share, effect }) =>
      `<li><span>${escaped(title)}</span><progress class="${escaped(effect)}" max="100" value="${(share * 100).toFixed(0)}"></progress></li>`,
  );
  const html = `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
${headOf(root, `${shortened(name)}: ${shown}`, `The score of the review of ${shortened(name)}`)}
<link rel="stylesheet" href="assets/${styles}">
</head>
<body class="embed">
<main class="score">
${gauge(score)}
<div>
<h1><bdi>${escaped(shortened(name))}</bdi></h1>
<p>${score === undefined ? 'Nobody trades it: it is not judged' : `Risk: ${escaped(riskLevel ?? '')}`}</p>
</div>
${bars.length > 0 ? `<ul>${bars.join('')}</ul>` : ''}
</main>
</body>
</html>`;
  return response(html, undefined);
}

/** What both documents say of themselves, to programs that show links, too. */
function headOf(root: string, title: string, about: string): string {
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<base href="${root}">
<link rel="icon" href="data:,">
<title>${escaped(title)}</title>
<meta name="description" content="${escaped(about)}">
<meta property="og:title" content="${escaped(title)}">
<meta property="og:description" content="${escaped(about)}">`;
}

/** Half a circle that is filled as far as the score goes. */
function gauge(score: number | undefined): string {
  const arc = 'M6 42A36 36 0 0 1 78 42';
  const filled = score === undefined ? 0 : Math.max(0, Math.min(100, score));
  const label = score === undefined ? 'No score' : `Score ${filled.toFixed(0)} of 100`;
  return `<svg viewBox="0 0 84 50" width="126" height="75" role="img" aria-label="${label}">
<path class="track" d="${arc}"/><path class="fill" d="${arc}" pathLength="100" stroke-dasharray="${filled.toFixed(1)} 100"/>
<text x="42" y="41" text-anchor="middle">${score === undefined ? '–' : filled.toFixed(0)}</text></svg>`;
}

function response(html: string, image: string | undefined): Response {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${image === undefined ? '' : ` ${image}`}`,
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    'frame-ancestors *',
  ];
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Cache-Control': 'public, max-age=60',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

/** Of a host, as addresses have it: in a policy `*` would mean any host, and `;` or `,` would end the source. */
const HOST = /^([a-z\d._-]+|\[[a-f\d:]+\])$/;

/** An https address without user and password, else undefined: it becomes part of a policy and of an attribute. */
export function logoAddress(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined;
  return HOST.test(url.hostname) ? url.href : undefined;
}

/** As a source of a policy, where `;` and `,` would end it; sources have no query. */
function imageSource(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
}

const shortened = (name: string): string => {
  const characters = [...name.replace(/[\p{Cc}\p{Cf}]/gu, ' ')];
  return characters.length > LONGEST_NAME
    ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…`
    : characters.join('');
};

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
