/**
 * Texts that lure: a web address, and a promise or an order to act, in one text.
 *
 * The words are those of the campaigns that wallets warn of, for example
 * https://help.xaman.app/app/learning-more-about-xaman/spam-on-the-xrp-ledger and
 * https://xahau.xrplwin.com/account-scams-fraud-phishing-notice.
 */

/**
 * `https://host/...`, or a bare name with one of the endings that such campaigns use; not those that are words, since a reader
 * forgets the blank after a full stop. Lengths are bounded, so that the time is linear.
 */
const ADDRESS =
  /(?:https?:\/\/|www\.)([a-z0-9][a-z0-9.-]{2,252})|(?<![a-z0-9.-])((?:[a-z0-9-]{1,63}\.){1,4}(?:com|net|org|io|app|xyz|site|online|info|live|top|club|fund|finance|gift|link|la|cc|co|ru|gg|ai|pw|vip|pro|dev|network|cash|exchange|claims|example))(?![a-z0-9-])/i;

const WORDS =
  /claim|reward|airdrop|air-drop|give-?away|bonus|voucher|gift|free-?\s?xrp|free-?\s?nft|prize|winner|you(?:'ve| have) won|eligible|verify your|validate your|connect your|sync(?:hroni[sz]e)? your|wallet ?connect|restore your|unlock your|seed phrase|secret key|double your|urgent/i;

/** Host of the first web address in a text, in lower case; undefined: there is none. */
export function hostIn(text: string): string | undefined {
  const found = ADDRESS.exec(text);
  return (found?.[1] ?? found?.[2])?.toLowerCase().replace(/[.-]+$/, '');
}

/** Whether it names a web address and lures there. */
export function lures(text: string): boolean {
  return WORDS.test(text) && hostIn(text) !== undefined;
}
