/** Accounts without a key: https://xrpl.org/docs/concepts/accounts/addresses#special-addresses */
export const BLACK_HOLES: readonly string[] = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];
