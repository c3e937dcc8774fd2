/**
 * The errors of the node's commands: rippled's tokens, codes, texts and HTTP statuses (`ErrorCodes.h`, `ErrorCodes.cpp`).
 * Clients match on the tokens and the codes; both are stable by rippled's own promise.
 */

/** Token: code, text, status of a JSON-RPC answer under API version 3 and later, and of load balancers. */
const ERRORS = {
  badSyntax: [1, 'Syntax error.', 400],
  json_rpc: [2, 'JSON-RPC transport error.', 500],
  forbidden: [3, 'Bad credentials.', 403],
  wrongNetwork: [4, 'Wrong network.', 503],
  noPermission: [6, "You don't have permission for this command.", 401],
  noEvents: [7, 'Current transport does not support events.', 405],
  tooBusy: [9, 'The server is too busy to help you now.', 503],
  slowDown: [10, 'You are placing too much load on the server.', 429],
  highFee: [11, 'Current transaction fee exceeds your limit.', 402],
  notEnabled: [12, 'Not enabled in configuration.', 501],
  notReady: [13, 'Not ready to handle this request.', 503],
  noClosed: [15, 'Closed ledger is unavailable.', 503],
  noCurrent: [16, 'Current ledger is unavailable.', 503],
  noNetwork: [17, 'Not synced to the network.', 503],
  actNotFound: [19, 'Account not found.', 404],
  lgrNotFound: [21, 'Ledger not found.', 404],
  lgrNotValidated: [22, 'Ledger not validated.', 202],
  masterDisabled: [23, 'Master key is disabled.', 403],
  txnNotFound: [29, 'Transaction not found.', 404],
  invalidHotWallet: [30, 'Invalid hotwallet.', 400],
  invalidParams: [31, 'Invalid parameters.', 400],
  unknownCmd: [32, 'Unknown method.', 405],
  noPathRequest: [33, 'No pathfinding request in progress.', 404],
  actMalformed: [35, 'Account malformed.', 400],
  alreadyMultisig: [36, 'Already multisigned.', 400],
  alreadySingleSig: [37, 'Already single-signed.', 400],
  badFeature: [40, 'Feature unknown or invalid.', 500],
  badIssuer: [41, 'Issuer account malformed.', 400],
  badMarket: [42, 'No such market.', 404],
  badSecret: [43, 'Secret does not match account.', 403],
  badSeed: [44, 'Disallowed seed.', 403],
  channelMalformed: [45, 'Payment channel is malformed.', 400],
  channelAmtMalformed: [46, 'Payment channel amount is malformed.', 400],
  commandMissing: [47, 'Missing command entry.', 400],
  dstActMalformed: [48, 'Destination account is malformed.', 400],
  dstActMissing: [49, 'Destination account not provided.', 400],
  dstActNotFound: [50, 'Destination account not found.', 404],
  dstAmtMalformed: [51, 'Destination amount/currency/issuer is malformed.', 400],
  dstAmtMissing: [52, 'Destination amount/currency/issuer is missing.', 400],
  dstIsrMalformed: [53, 'Destination issuer is malformed.', 400],
  lgrIdxsInvalid: [57, 'Ledger indexes invalid.', 400],
  lgrIdxMalformed: [58, 'Ledger index malformed.', 400],
  publicMalformed: [62, 'Public key is malformed.', 400],
  signingMalformed: [63, 'Signing of transaction is malformed.', 400],
  sendMaxMalformed: [64, 'SendMax amount malformed.', 400],
  srcActMalformed: [65, 'Source account is malformed.', 400],
  srcActMissing: [66, 'Source account not provided.', 400],
  srcActNotFound: [67, 'Source account not found.', 404],
  srcCurMalformed: [69, 'Source currency is malformed.', 400],
  srcIsrMalformed: [70, 'Source issuer is malformed.', 400],
  malformedStream: [71, 'Stream malformed.', 400],
  deprecated: [72, 'Use the new API or specify a ledger range.', 400],
  internal: [73, 'Internal error.', 500],
  notImpl: [74, 'Not implemented.', 501],
  notSupported: [75, 'Operation not supported.', 501],
  badKeyType: [76, 'Bad key type.', 400],
  dbDeserialization: [77, 'Database deserialization error.', 502],
  excessiveLgrRange: [78, 'Ledger range exceeds 1000.', 400],
  invalidLgrRange: [79, 'Ledger range is invalid.', 400],
  objectNotFound: [92, 'The requested object was not found.', 404],
  issueMalformed: [93, 'Issue is malformed.', 400],
  oracleMalformed: [94, 'Oracle request is malformed.', 400],
  badCredentials: [95, 'Credentials do not exist, are not accepted, or have expired.', 400],
  transactionSigned: [96, 'Transaction should not be signed.', 400],
  domainMalformed: [97, 'Domain is malformed.', 400],
  entryNotFound: [98, 'Entry not found.', 400],
  unexpectedLedgerType: [99, 'Unexpected ledger type.', 400],
} as const satisfies Record<string, readonly [code: number, message: string, status: number]>;

export type RpcToken = keyof typeof ERRORS;

/** Tokens that rippled has in single commands only, without a code. */
export type CommandToken =
  | 'fieldNotFoundTransaction'
  | 'invalidTransaction'
  | 'internalTransaction'
  | 'notStandAlone'
  | 'notYetImplemented'
  | 'transactionNotFound';

/** Thrown by commands, and answered with one of rippled's errors. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** One of the tokens above, or one that a single command defines for itself (`malformedRequest`, ...). */
  readonly token: string;
  readonly code: number | undefined;
  /** Further members of the answer. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    token: RpcToken | CommandToken,
    message?: string,
    members: Readonly<Record<string, unknown>> = {},
  ) {
    const [code, text] = token in ERRORS ? ERRORS[token as RpcToken] : [undefined, ''];
    super(message ?? text);
    this.token = token;
    this.code = code;
    this.members = members;
  }

  /** `error`, `error_code`, `error_message` as rippled puts them into an answer, as far as the error has them. */
  json(): Record<string, unknown> {
    return {
      error: this.token,
      ...(this.code === undefined ? {} : { error_code: this.code }),
      ...(this.message === '' ? {} : { error_message: this.message }),
      ...this.members,
    };
  }
}

export const missingField = (name: string) => new RpcError('invalidParams', `Missing field '${name}'.`);
export const invalidField = (name: string) => new RpcError('invalidParams', `Invalid field '${name}'.`);
/** @param expected as in "Invalid field 'x', not string." */
export const expectedField = (name: string, expected: string) =>
  new RpcError('invalidParams', `Invalid field '${name}', not ${expected}.`);
