/**
 * The service's options: each row is a flag, an environment variable, a setting of the configuration file, a default and
 * a check. `options.ts` reads them, `--help` lists them.
 */
import { availableParallelism } from 'node:os';
import { SIZES } from '../sandbox/population/size.ts';
import { SANDBOX_NETWORK_ID } from '../sandbox/protocol/well-known.ts';
import { readForms } from '../views/forms.ts';
import { readEndpoints, readPackages, readTiers } from './admission-tables.ts';
import {
  addressList,
  adminWallets,
  filled,
  networkId,
  oneOf,
  paymentAddress,
  pemFile,
  portNumber,
  readAmendments,
  readKeep,
  readKeepTrades,
  readSource,
  readTestNetwork,
  SANDBOX_PORT,
  sandboxPort,
  secret,
  webUrl,
  webUrls,
  wholeNumber,
} from './option-values.ts';
import { outsideRows } from './outside-options.ts';

export interface Row {
  readonly flag: string;
  readonly env: string;
  readonly value: string;
  readonly about: string;
  readonly default: string;
  /** The value of a flag that is given without one. */
  readonly bare?: string;
  /** Its value is a table in the configuration file, and the same as JSON elsewhere. */
  readonly isTable?: true;
  /** Throws a sentence that says what is wrong with the value. */
  readonly read: (text: string) => unknown;
}

/** In the order of `--help`. */
export const rows = {
  config: {
    flag: '--config',
    env: 'MILLRACE_CONFIG',
    value: 'FILE',
    about:
      'configuration file (TOML), which has every other option by its name; auto: millrace.toml in this folder, if there is one; or none',
    default: 'auto',
    read: filled,
  },
  port: {
    flag: '--port',
    env: 'MILLRACE_PORT',
    value: 'N',
    about: 'port to listen on; 0 takes any free one and prints it',
    default: '3000',
    read: portNumber,
  },
  host: {
    flag: '--host',
    env: 'MILLRACE_HOST',
    value: 'ADDRESS',
    about: 'address to listen on',
    default: '127.0.0.1',
    read: filled,
  },
  admission: {
    flag: '--admission',
    env: 'MILLRACE_ADMISSION',
    value: 'auto|open|keys',
    about:
      'open: everybody is answered, without limits; keys: by key and tier, and nobody until an admin key has been made; auto: open on a loopback address, keys on any other',
    default: 'auto',
    read: oneOf('auto', 'open', 'keys'),
  },
  proxies: {
    flag: '--proxies',
    env: 'MILLRACE_PROXIES',
    value: 'ADDRESSES',
    about:
      'addresses or networks (10.0.0.0/8), separated by commas, of proxies before the service, whose X-Forwarded-For names the client; none: the connection is the client',
    default: 'none',
    read: addressList,
  },
  tiers: {
    flag: '--tiers',
    env: 'MILLRACE_TIERS',
    value: 'TABLE',
    about:
      'limits and prices of tiers that are not those of the contract; in the configuration file a table a tier, [tiers.free] per-minute = 1200',
    default: '{}',
    isTable: true,
    read: readTiers,
  },
  endpoints: {
    flag: '--endpoints',
    env: 'MILLRACE_ENDPOINTS',
    value: 'TABLE',
    about:
      'windows of 60 s by path prefix that are not those of the contract; in the configuration file [endpoints."/tokens"] base = 40',
    default: '{}',
    isTable: true,
    read: readEndpoints,
  },
  packages: {
    flag: '--packages',
    env: 'MILLRACE_PACKAGES',
    value: 'TABLE',
    about:
      'packages of credits that are sold in place of the usual ones; in the configuration file [packages.starter] credits = 1000000, usd = 5',
    default: '{}',
    isTable: true,
    read: readPackages,
  },
  paymentAddress: {
    flag: '--payment-address',
    env: 'MILLRACE_PAYMENT_ADDRESS',
    value: 'ADDRESS',
    about:
      'r-address, on the network that is followed, to which credits and tiers are paid in XRP; none: nothing is sold for XRP',
    default: 'none',
    read: paymentAddress,
  },
  stripeKey: {
    flag: '--stripe-key',
    env: 'MILLRACE_STRIPE_KEY',
    value: 'KEY',
    about:
      'secret key of Stripe, which takes payments by card: sk_..., rk_..., or file:PATH with it; none: no cards. Command lines are seen by others on the machine: prefer a file',
    default: 'none',
    read: secret(/^[sr]k_\w{8,255}$/, 'sk_... or rk_...'),
  },
  stripeWebhookSecret: {
    flag: '--stripe-webhook-secret',
    env: 'MILLRACE_STRIPE_WEBHOOK_SECRET',
    value: 'SECRET',
    about: "secret of Stripe's endpoint at /v1/keys/card/webhook: whsec_..., or file:PATH with it",
    default: 'none',
    read: secret(/^whsec_\w{8,255}$/, 'whsec_...'),
  },
  stripeUrl: {
    flag: '--stripe-url',
    env: 'MILLRACE_STRIPE_URL',
    value: 'URL',
    about: "another address than Stripe's own, as of a stand-in for tests; none: https://api.stripe.com",
    default: 'none',
    read: webUrl,
  },
  tlsCert: {
    flag: '--tls-cert',
    env: 'MILLRACE_TLS_CERT',
    value: 'FILE',
    about:
      'certificate chain (PEM): the service then speaks HTTPS and WSS only; none: plain HTTP, as behind a proxy',
    default: 'none',
    read: pemFile,
  },
  tlsKey: {
    flag: '--tls-key',
    env: 'MILLRACE_TLS_KEY',
    value: 'FILE',
    about: 'private key (PEM) of the certificate',
    default: 'none',
    read: pemFile,
  },
  genericAgents: {
    flag: '--generic-agents',
    env: 'MILLRACE_GENERIC_AGENTS',
    value: 'auto|allow|refuse',
    about:
      'requests of programs that send no User-Agent or that of their HTTP library; refuse: 403, except /health and streams; auto: allowed on a loopback address, refused on any other',
    default: 'auto',
    read: oneOf('auto', 'allow', 'refuse'),
  },
  bodyBytes: {
    flag: '--body-bytes',
    env: 'MILLRACE_BODY_BYTES',
    value: 'BYTES',
    about: 'largest body of a request that the server reads; each route has a smaller limit of its own',
    default: String(4 * 1024 * 1024),
    read: wholeNumber(64 * 1024, 64 * 1024 * 1024),
  },
  messageBytes: {
    flag: '--message-bytes',
    env: 'MILLRACE_MESSAGE_BYTES',
    value: 'BYTES',
    about: "largest message of a WebSocket client's; a larger one closes the connection with 4012",
    default: String(128 * 1024),
    read: wholeNumber(1024, 1024 * 1024),
  },
  data: {
    flag: '--data',
    env: 'MILLRACE_DATA',
    value: 'DIR',
    about: 'folder of the store',
    default: 'data-store',
    read: filled,
  },
  source: {
    flag: '--source',
    env: 'MILLRACE_SOURCE',
    value: 'SOURCE',
    about:
      'where ledgers come from: sandbox (the embedded network), ws(s)://…[,…], file:PATH, recorded (ledgers of the tests)',
    default: 'sandbox',
    read: readSource,
  },
  workers: {
    flag: '--workers',
    env: 'MILLRACE_WORKERS',
    value: 'N',
    about:
      'threads that decode and prove ledgers; 0: the main thread does. Usually one less than there are cores, at most 8',
    default: String(Math.max(1, Math.min(8, availableParallelism() - 1))),
    read: wholeNumber(0, 64),
  },
  history: {
    flag: '--history',
    env: 'MILLRACE_HISTORY',
    value: 'LEDGERS',
    about: 'how many ledgers before the newest one to fill on an empty store',
    default: '256',
    read: wholeNumber(0, 100_000_000),
  },
  keep: {
    flag: '--keep',
    env: 'MILLRACE_KEEP',
    value: 'AMOUNT',
    about:
      'how much of the ledgers the store keeps: all, or the newest ones as 200000ledgers, 30days, or 40GB (MB, GB or TB of the whole store). Older ledgers and what finds their transactions and entries are removed in the background; state, trades, candles and the history of accounts stay',
    default: 'all',
    read: readKeep,
  },
  keepTrades: {
    flag: '--keep-trades',
    env: 'MILLRACE_KEEP_TRADES',
    value: 'DAYS',
    about:
      'how long trades and liquidity events stay, in the history of tokens and accounts too: all, or 365days (of close time). Candles and totals stay',
    default: 'all',
    read: readKeepTrades,
  },
  snapshot: {
    flag: '--snapshot',
    env: 'MILLRACE_SNAPSHOT',
    value: 'yes|no',
    about:
      'on an empty store, take the whole state from a node before following; no: only what moves is known',
    default: 'yes',
    read: oneOf('yes', 'no'),
  },
  network: {
    flag: '--network',
    env: 'MILLRACE_NETWORK',
    value: 'ID',
    about:
      'network id of the ledgers (0 is mainnet, 1 testnet, 2 devnet); a store holds one network, the embedded one has its own',
    default: '0',
    read: networkId,
  },
  testnet: {
    flag: '--testnet',
    env: 'MILLRACE_TESTNET',
    value: 'SOURCE',
    about:
      'a test network beside the one of --source, shown under /testnet: none, sandbox (the embedded network), ws(s)://…[,…]. Where --source is sandbox, /testnet shows that network and no second one is made',
    default: 'none',
    read: readTestNetwork,
  },
  testnetNetwork: {
    flag: '--testnet-network',
    env: 'MILLRACE_TESTNET_NETWORK',
    value: 'ID',
    about: 'network id of the ledgers of --testnet ws(s)://… (1 is testnet, 2 devnet)',
    default: '1',
    read: networkId,
  },
  sandboxPort: {
    flag: '--sandbox-port',
    env: 'MILLRACE_SANDBOX_PORT',
    value: 'N|auto',
    about: `loopback port of the embedded network (WebSocket, JSON-RPC, faucet); auto: ${SANDBOX_PORT}, or any free one while that is taken`,
    default: 'auto',
    read: sandboxPort,
  },
  sandboxSeed: {
    flag: '--sandbox-seed',
    env: 'MILLRACE_SANDBOX_SEED',
    value: 'TEXT',
    about:
      'what the population of the embedded network is generated from: the same seed and day give the same ledgers',
    default: 'millrace',
    read: filled,
  },
  sandboxSize: {
    flag: '--sandbox-size',
    env: 'MILLRACE_SANDBOX_SIZE',
    value: SIZES.join('|'),
    about: 'tokens of a new embedded network: some 25, 130 or 5,000; an existing one keeps its size',
    default: 'default',
    read: oneOf(...SIZES),
  },
  sandboxDays: {
    flag: '--sandbox-days',
    env: 'MILLRACE_SANDBOX_DAYS',
    value: 'DAYS',
    about: 'days of history the embedded network makes at its first start',
    default: '7',
    read: wholeNumber(0, 30),
  },
  sandboxInterval: {
    flag: '--sandbox-interval',
    env: 'MILLRACE_SANDBOX_INTERVAL',
    value: 'SECONDS',
    about:
      'seconds between two ledgers of the embedded network; 0: only the admin command ledger_accept closes one',
    default: '4',
    read: wholeNumber(0, 60),
  },
  sandboxAmendments: {
    flag: '--sandbox-amendments',
    env: 'MILLRACE_SANDBOX_AMENDMENTS',
    value: 'LIST',
    about:
      'amendments that the embedded network starts with, beside those that rippled always has: names or ids with commas between, file:PATH (a list, or a configuration of rippled with [features]), default (what mainnet has, and what the built transaction types need)',
    default: 'default',
    read: readAmendments,
  },
  sandboxNetwork: {
    flag: '--sandbox-network',
    env: 'MILLRACE_SANDBOX_NETWORK',
    value: 'ID',
    about:
      'network id of the embedded network; up to 1024, transactions do not name it, so that what is signed here could be submitted to the public network of that id',
    default: String(SANDBOX_NETWORK_ID),
    read: networkId,
  },
  sandboxReset: {
    flag: '--sandbox-reset',
    env: 'MILLRACE_SANDBOX_RESET',
    value: '[yes|no]',
    about: 'delete the embedded network and what was stored of it, and start over',
    default: 'no',
    bare: 'yes',
    read: oneOf('yes', 'no'),
  },
  ...outsideRows,
  adminWallets: {
    flag: '--admin-wallets',
    env: 'MILLRACE_ADMIN_WALLETS',
    value: 'ADDRESSES',
    about:
      "r-addresses, separated by commas, whose signatures may write what is said of any token, and the admin's own marks: verified, kyc, xVerified, tags of platforms",
    default: 'none',
    read: adminWallets,
  },
  issuerFiles: {
    flag: '--issuer-files',
    env: 'MILLRACE_ISSUER_FILES',
    value: 'auto|yes|no',
    about:
      'read xrp-ledger.toml from the domains of issuers whose tokens are looked at (HTTPS, public addresses only), and the icons that it names; auto: only of the embedded network, whose node has them',
    default: 'auto',
    read: oneOf('auto', 'yes', 'no'),
  },
  nftMedia: {
    flag: '--nft-media',
    env: 'MILLRACE_NFT_MEDIA',
    value: 'auto|yes|no',
    about:
      'fetch metadata and pictures of NFTs from what their URIs name (public addresses only); auto: only of the embedded network, whose node has them',
    default: 'auto',
    read: oneOf('auto', 'yes', 'no'),
  },
  nftMediaSize: {
    flag: '--nft-media-size',
    env: 'MILLRACE_NFT_MEDIA_SIZE',
    value: 'GB',
    about:
      'most that is kept of metadata and pictures of NFTs; what nobody has asked for the longest goes first',
    default: '4',
    read: wholeNumber(1, 100_000),
  },
  ipfsGateways: {
    flag: '--ipfs-gateways',
    env: 'MILLRACE_IPFS_GATEWAYS',
    value: 'URLS',
    about:
      'where content of IPFS is read, in this order, as https://ipfs.io or http://127.0.0.1:8080 of a node of your own, separated by commas; none: it is not',
    default: 'https://ipfs.io,https://dweb.link,https://4everland.io',
    read: webUrls,
  },
  arweaveGateways: {
    flag: '--arweave-gateways',
    env: 'MILLRACE_ARWEAVE_GATEWAYS',
    value: 'URLS',
    about: 'where content of Arweave is read, in this order; none: it is not',
    default: 'https://arweave.net',
    read: webUrls,
  },
  ipfsNode: {
    flag: '--ipfs-node',
    env: 'MILLRACE_IPFS_NODE',
    value: 'URL',
    about: 'API of an IPFS node (Kubo) that pins media of NFTs, as http://127.0.0.1:5001; none: none does',
    default: 'none',
    read: webUrl,
  },
  imagesUrl: {
    flag: '--images-url',
    env: 'MILLRACE_IMAGES_URL',
    value: 'URL',
    about:
      'what the addresses of token images in answers begin with, as https://images.example, where a proxy passes /token and /thumb on to this service; none: they begin with /token',
    default: 'none',
    read: webUrl,
  },
  compat: {
    flag: '--compat',
    env: 'MILLRACE_COMPAT',
    value: 'FORMS',
    about:
      "forms that an existing client reads in place of the contract's: none, or exch-number (exch of token rows is a number) and count-total (count of /tokens is all that match) separated by commas",
    default: 'none',
    read: readForms,
  },
  sockets: {
    flag: '--sockets',
    env: 'MILLRACE_SOCKETS',
    value: 'N',
    about: 'most open WebSockets',
    default: '20000',
    read: wholeNumber(1, 1_000_000),
  },
  socketsPerIp: {
    flag: '--sockets-per-ip',
    env: 'MILLRACE_SOCKETS_PER_IP',
    value: 'N',
    about:
      'most open WebSockets of one client address; behind a proxy that --proxies does not name, all clients share its address',
    default: '200',
    read: wholeNumber(1, 1_000_000),
  },
  socketsPerKey: {
    flag: '--sockets-per-key',
    env: 'MILLRACE_SOCKETS_PER_KEY',
    value: 'N',
    about: 'most open WebSockets of one key of a wallet',
    default: '1000',
    read: wholeNumber(1, 1_000_000),
  },
  pace: {
    flag: '--pace',
    env: 'MILLRACE_PACE',
    value: 'full|ledger',
    about: 'how fast a file is read: full, or ledger (as fast as the ledgers closed)',
    default: 'full',
    read: oneOf('full', 'ledger'),
  },
  name: {
    flag: '--name',
    env: 'MILLRACE_NAME',
    value: 'TEXT',
    about: 'display name of the service, used in the attribution',
    default: 'Millrace',
    read: filled,
  },
  logLevel: {
    flag: '--log-level',
    env: 'MILLRACE_LOG_LEVEL',
    value: 'LEVEL',
    about: 'debug, info, warn, error or silent',
    default: 'info',
    read: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  },
  logFormat: {
    flag: '--log-format',
    env: 'MILLRACE_LOG_FORMAT',
    value: 'auto|json|text',
    about:
      'json: a JSON object a line; text: for people, on a terminal with a bar for what takes long and a line of status; ' +
      'auto: text where stdout is a terminal',
    default: 'auto',
    read: oneOf('auto', 'json', 'text'),
  },
} as const satisfies Record<string, Row>;
