/** The forms of identifiers: as regular expressions for the documents, and as checks for the readers of requests. */

const ADDRESS = 'r[1-9A-HJ-NP-Za-km-z]{24,34}';
const HASH = '^[0-9A-Fa-f]{64}$';

/** Every form of a token id (section 2.1 of the contract); MPT ids are also read without `mpt-`. */
const tokenForms = (currency: string) =>
  `^([0-9A-Fa-f]{32}|${ADDRESS}[-_]${currency}|(mpt[-_])?[0-9A-Fa-f]{48}|[Xx][Rr][Pp]([Ll][-_][Xx][Rr][Pp])?)$`;

/** For the documents. */
export const patterns = {
  account: `^${ADDRESS}$`,
  nftokenId: HASH,
  /** Of a transaction, and the index of a ledger entry. */
  txHash: HASH,
  md5: '^[0-9a-f]{32}$',
  token: tokenForms('.+'),
} as const;

const accountForm = new RegExp(patterns.account);
const hashForm = new RegExp(HASH);
const tokenForm = new RegExp(tokenForms('.{1,64}'), 'i');

/** Whether a text looks like an r-address; its checksum is not verified. */
export const isAccountForm = (text: string): boolean => accountForm.test(text);

/** Whether a text is 64 hex digits: a hash, or the index of a ledger entry. */
export const isHashForm = (text: string): boolean => hashForm.test(text);

/** Whether a text looks like a token id, in either case. */
export const isTokenForm = (text: string): boolean => tokenForm.test(text);
