/** The rules by which scams are found, by their numbers. Each is a file in rules/. */
import type { ScamRule } from './rule.ts';
import { DUST_MEMOS, DUST_SPAM } from './rules/dust-spam.ts';
import { FAKE_AIRDROPS } from './rules/fake-airdrops.ts';
import { IMPERSONATION } from './rules/impersonation.ts';
import { NFT_COPIES } from './rules/nft-copies.ts';
import { NFT_TRAPS } from './rules/nft-traps.ts';
import { PHISHING_MEMOS } from './rules/phishing-memos.ts';
import { WALLET_DRAINERS } from './rules/wallet-drainers.ts';

export const SCAM_RULES: readonly ScamRule[] = [
  DUST_SPAM,
  DUST_MEMOS,
  PHISHING_MEMOS,
  WALLET_DRAINERS,
  FAKE_AIRDROPS,
  NFT_TRAPS,
  IMPERSONATION,
  NFT_COPIES,
];

const BY_NUMBER = new Map(SCAM_RULES.map((rule) => [rule.number, rule]));

/** @throws Error when there is none */
export function scamRule(number: number): ScamRule {
  const rule = BY_NUMBER.get(number);
  if (rule === undefined) throw new Error(`no scam rule ${number}`);
  return rule;
}
