/** Values for the examples of rows, all of the public network. Tests replace them by values of their own ledgers. */
export const samples = {
  /** RLUSD. */
  token: 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De-524C555344000000000000000000000000000000',
  /** Its issuer. */
  account: 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De',
  transaction: 'FE286600AC66A0438D0E01B5BA59E1EEAA0106A979248330E52D15C23F2416A2',
  /** The example of an NFTokenID in the documentation of the XRP Ledger. */
  nft: '000B013A95F14B0044F78A264E41713C64B5F89242540EE208C3098E00000D65',
  /** SourceTag of First Ledger. */
  platform: '74920348',
  /** Unix ms: 14 November 2023, 22:13:20 UTC. */
  time: 1_700_000_000_000,
} as const;
