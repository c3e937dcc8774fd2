/** Domain names as people send them: alone, or in an address. */

const NAME = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** Longest text that is read. */
export const DOMAIN_TEXT_MAX = 2048;

/** The name in lower case, of other scripts in its ASCII form (xn--), without `www.`; undefined: the text has none. */
export function domainName(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > DOMAIN_TEXT_MAX) return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.replace(/\.$/, '').replace(/^www\./, '');
  return NAME.test(host) ? host : undefined;
}
