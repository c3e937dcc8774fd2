/** Changes that only some transaction types may make. Rules: rippled `transactions.macro` (`Privilege`). */

export type Privilege =
  | 'createAccount'
  | 'createPseudoAccount'
  | 'mustDeleteAccount'
  | 'mayDeleteAccount'
  | 'overrideFreeze'
  | 'changeTokenCounts'
  | 'createIssuance'
  | 'destroyIssuance'
  | 'mustAuthorizeMpt'
  | 'mayAuthorizeMpt'
  | 'mayDeleteMpt'
  | 'mustModifyVault';

const PRIVILEGES: Readonly<Record<string, readonly Privilege[]>> = {
  Payment: ['createAccount'],
  AccountDelete: ['mustDeleteAccount'],
  NFTokenMint: ['changeTokenCounts'],
  NFTokenBurn: ['changeTokenCounts'],
  AMMClawback: ['mayDeleteAccount', 'overrideFreeze', 'mayAuthorizeMpt'],
  AMMCreate: ['createPseudoAccount'],
  AMMWithdraw: ['mayDeleteAccount', 'mayAuthorizeMpt'],
  AMMDelete: ['mustDeleteAccount', 'mayDeleteMpt'],
  XChainAddClaimAttestation: ['createAccount'],
  XChainAddAccountCreateAttestation: ['createAccount'],
  MPTokenIssuanceCreate: ['createIssuance'],
  MPTokenIssuanceDestroy: ['destroyIssuance'],
  MPTokenAuthorize: ['mustAuthorizeMpt'],
  VaultCreate: ['createPseudoAccount', 'createIssuance', 'mustModifyVault'],
  VaultSet: ['mustModifyVault'],
  VaultDelete: ['mustDeleteAccount', 'destroyIssuance', 'mustModifyVault'],
  VaultDeposit: ['mayAuthorizeMpt', 'mustModifyVault'],
  VaultWithdraw: ['mayDeleteMpt', 'mayAuthorizeMpt', 'mustModifyVault'],
  VaultClawback: ['mayDeleteMpt', 'mustModifyVault'],
};

/** Whether a transaction type has one of these privileges. */
export const may = (type: string, ...privileges: readonly Privilege[]): boolean =>
  privileges.some((privilege) => PRIVILEGES[type]?.includes(privilege));
