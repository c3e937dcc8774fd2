/** Requests for the partner tier, reviewed on the command line, and tiers that are not sold: it asks the service that runs, as its admin. */
import { dayText } from '../views/date-text.ts';
import { askLocally, localUrl } from './health-check.ts';
import { OTHER_VARIABLES, quoted } from './option-values.ts';
import { OptionError, type Options } from './options.ts';

/** Longest wait for an answer, ms. */
const WAIT_MS = 10_000;

export const PARTNERS_USAGE =
  'partners list, partners approve WALLET, partners decline WALLET --reason TEXT, or partners tier WALLET enterprise|partner|none';

/** Tiers that are given, and none to take one back. */
const TIERS_GIVEN = ['enterprise', 'partner', 'none'];

interface Shown {
  readonly wallet: string;
  readonly tier: string;
  readonly contact: string;
  readonly request: { readonly status: string; readonly creditUrl: string; readonly requestedAt: number };
}

/** @param words before the options. @param key of the admin. @returns what is printed. @throws Error with the reason */
export async function partners(
  options: Options,
  [what, wallet, ...rest]: readonly string[],
  reason: string | undefined,
  key: string | undefined,
): Promise<string> {
  const isTier = what === 'tier' && wallet !== undefined && rest.length === 1;
  const isReview = (what === 'approve' || what === 'decline') && wallet !== undefined && rest.length === 0;
  const isList = what === 'list' && wallet === undefined;
  if (!isTier && !isReview && !isList) throw new OptionError(PARTNERS_USAGE);
  if (what === 'decline' && !reason) throw new OptionError('--reason is missing: the wallet sees it');
  if (!key) throw new OptionError(`the key of the admin is missing: --key, or ${OTHER_VARIABLES.adminKey}`);
  if (isTier) {
    if (!TIERS_GIVEN.includes(rest[0]!))
      throw new OptionError(`the tier must be one of ${TIERS_GIVEN.join(', ')}, not ${quoted(rest[0]!)}`);
    const path = `/${encodeURIComponent(wallet)}/tier`;
    const { tier } = await asAdmin<{ tier: string }>(options, key, path, { tier: rest[0] });
    return `the tier of ${wallet} is ${tier}`;
  }
  const path = `/partner-requests${isReview ? `/${encodeURIComponent(wallet)}/${what}` : ''}`;
  const sent = isReview ? (what === 'decline' ? { reason } : {}) : undefined;
  const body = await asAdmin<Shown & { requests: readonly Shown[] }>(options, key, path, sent);
  if (isReview) return `${body.wallet} is ${body.request.status}, its tier ${body.tier}`;
  return body.requests.length > 0 ? body.requests.map(lineOf).join('\n') : 'no request is pending';
}

/** @param body undefined: a GET. @throws Error with what the service says */
async function asAdmin<T>(options: Options, key: string, path: string, body?: object): Promise<T> {
  const response = await askLocally(`${localUrl(options)}/v1/keys${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'X-Admin-Key': key, 'User-Agent': 'millrace-tool/1' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(WAIT_MS),
  });
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `the service answers ${response.status}`);
  return answer;
}

function lineOf({ wallet, tier, contact, request }: Shown): string {
  const day = dayText(request.requestedAt);
  return [day, wallet, tier, request.creditUrl, printable(contact)].join('  ');
}

/** Written by the customer: nothing that moves the cursor of a terminal. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?');
