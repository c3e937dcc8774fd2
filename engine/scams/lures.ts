/**
 * Texts that lure: a web address, and a promise or an order to act, in one text. In any letters that read the same: words by
 * their skeleton (skeleton.ts), addresses as a browser reads them.
 *
 * The words are those of the campaigns that wallets warn of, for example
 * https://help.xaman.app/app/learning-more-about-xaman/spam-on-the-xrp-ledger and
 * https://xahau.xrplwin.com/account-scams-fraud-phishing-notice.
 */
import { skeleton } from './skeleton.ts';

/** Of hosts: letters of the scripts that have blanks between words, since in others a name follows the word before it. */
const LETTERS = String.raw`a-z\d\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Mn}`;
const ENDINGS =
  'com|net|org|io|app|xyz|site|online|info|live|top|club|fund|finance|gift|link|la|cc|co|ru|gg|ai|pw|vip|pro|dev|network|cash|' +
  'exchange|claims|example';

/**
 * `https://host/...`, or a bare name with one of the endings that such campaigns use; not those that are words, since a reader
 * forgets the blank after a full stop. Lengths are bounded, so that the time is linear.
 */
const ADDRESS = new RegExp(
  String.raw`(?:https?:\/\/(?:www\.)?|www\.)([${LETTERS}][${LETTERS}.\-]{2,252})|(?<![${LETTERS}.\-])((?:[${LETTERS}\-]{1,63}\.){1,4}(?:${ENDINGS})(?![${LETTERS}\-]))`,
  'giu',
);
const IS_ASCII = /^[ -~]*$/;

/** What an issuer says of what it gives its holders, too. */
const PROMISES = /reward|airdrop|air-drop|give-?away|bonus|gift/i;
/** What the reader is to do, or to get somewhere else. */
const ORDERS =
  /claim|voucher|free-?\s?xrp|free-?\s?nft|prize|winner|you(?:['’]ve| have) won|eligible|verify your|validate your|connect your|sync(?:hroni[sz]e)? your|wallet ?connect|restore your|unlock your|seed phrase|secret key|double your|urgent/i;
/** The same words in what `skeleton` makes of a text; its letters map one by one. */
const inSkeletons = ({ source }: RegExp): RegExp => new RegExp(source.replace(/[a-z]+/g, skeleton));
const SKELETON_PROMISES = inSkeletons(PROMISES);
const SKELETON_ORDERS = inSkeletons(ORDERS);

/** Letters of other shapes (full width, mathematical, circled) are the plain ones, and the ideographic full stop is a dot (UTS 46). */
const asTyped = (text: string): string =>
  text.replace(ARABIC_LIGATURES, ' ').normalize('NFKC').replaceAll('\u3002', '.');
/** One of them would become 18 letters. They are in no host and in none of the words. */
const ARABIC_LIGATURES = /[\ufb50-\ufdff]/g;

/** Hosts of the web addresses in a text, in lower case, without `www.` and in the ASCII form (xn--); undefined: it has none. */
function* hostsIn(text: string): Generator<string | undefined> {
  for (const [, host, name] of asTyped(text).matchAll(ADDRESS)) {
    const found = (host ?? name)!.toLowerCase().replace(/[.-]+$/, '');
    yield IS_ASCII.test(found) ? found : URL.parse(`http://${found}`)?.hostname;
  }
}

/** Host of the first web address in a text that has one; undefined: there is none. */
export function hostIn(text: string): string | undefined {
  for (const host of hostsIn(text)) if (host !== undefined) return host;
  return undefined;
}

/** Whether it names a web address and lures there. */
export function lures(text: string): boolean {
  if (hostIn(text) === undefined) return false;
  return PROMISES.test(text) || looksLike(text, SKELETON_PROMISES) || orders(text);
}

/** Whether it names the site of a domain and no other, and orders nobody to do anything there. @param domain as an account has it */
export function isOwnNews(text: string, domain: string): boolean {
  const own = hostIn(/^https?:\/\//i.test(domain) ? domain : `https://${domain}`);
  if (own === undefined || orders(text)) return false;
  for (const host of hostsIn(text)) if (host !== own) return false;
  return true;
}

const orders = (text: string): boolean => ORDERS.test(text) || looksLike(text, SKELETON_ORDERS);

const looksLike = (text: string, words: RegExp): boolean => words.test(skeleton(asTyped(text)));
