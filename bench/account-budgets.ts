/** Budgets of what is kept and shown of accounts: see budgets.ts. */
export const ACCOUNT_BUDGETS = {
  'latency.accounts': {
    // 20 ms where the reference load takes 3.4 ms.
    what: 'a 400-transaction ledger: last byte in to last balance frame out, 5,000 watched accounts, p99',
    against: 'the reference load (bench/reference-load.ts)',
    rule: 'most',
    budget: 6,
    unit: 'x',
  },
  'accounts.history': {
    what: 'the 20 newest transactions of an account, 10 million entries in the account index',
    against: 'the same with 100,000 entries',
    rule: 'most',
    budget: 1.5,
    unit: 'x',
  },
  'replay.account-index': {
    what: 'replay, 100-transaction ledgers, one proving thread',
    against: 'the same without the account index',
    rule: 'least',
    budget: 0.75,
    unit: 'x',
  },
} as const;
