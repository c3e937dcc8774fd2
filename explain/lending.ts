/** Sentences of vaults (XLS-65), loans (XLS-66) and confidential amounts (XLS-96), for words.ts. */
import { shifted } from './decimal.ts';
import { clawedBack, paidBySender, vaultAmount } from './effects.ts';
import {
  type AmountJson,
  type AssetJson,
  changedEntries,
  isAsset,
  isDecimal,
  isMpt,
  type Meta,
} from './json.ts';
import { account, amount, asset, id, isText, say, type Writer, when } from './sentence.ts';

/** Fields that are numbers without an asset: that of the vault, which the metadata shows. */
function vaultNumber(value: unknown, meta: Meta): AmountJson | undefined {
  const vault = changedEntries(meta).find(({ type }) => type === 'Vault')?.fields;
  const of: AssetJson = vault?.Asset ?? { currency: 'XRP' };
  if (!vault || !isDecimal(value) || !isAsset(of)) return undefined;
  const plain = shifted(value, 0);
  if (isMpt(of)) return { ...of, value: plain };
  return of.issuer === undefined ? plain : { currency: of.currency, issuer: of.issuer, value: plain };
}

const vault = (of: unknown) => say`the vault ${id(of)}`;
const loan = (of: unknown) => say`the loan ${id(of)}`;
const broker = (of: unknown) => (isText(of) ? say`the loan broker ${id(of)}` : 'a loan broker');

/** A withdrawal may go to another account. */
const forOther: Writer = ({ Account, Destination: to }) =>
  when(to !== undefined && to !== Account, () => say` for ${account(to)}`) ?? [];

const vaultClawback: Writer = (tx, meta) => {
  const [taken] = clawedBack(tx, meta);
  return taken === undefined
    ? say`[clawed|claw] back what ${account(tx.Holder)} has in ${vault(tx.VaultID)}`
    : say`[clawed|claw] back ${amount(taken)} of ${account(tx.Holder)} from ${vault(tx.VaultID)}`;
};

/** Who borrows is the sender, or the one who signs beside the broker: the loan that was made shows it. */
const lending: Writer = (tx, meta) => {
  const made = changedEntries(meta).find(({ type, action }) => type === 'Loan' && action === 'created');
  const to = when(made, () => say` to ${account(made?.fields.Borrower)}`);
  const principal = vaultNumber(tx.PrincipalRequested, meta);
  const what = principal === undefined ? 'a loan' : say`a loan of ${amount(principal)}`;
  return say`[agreed on|agree on] ${what}${to} by ${broker(tx.LoanBrokerID)}`;
};

const DEFAULTS = 0x10000;
const IMPAIRS = 0x20000;
const UNIMPAIRS = 0x40000;
const loanState: Writer = ({ Flags: flags, LoanID }) => {
  if (flags & DEFAULTS) return say`[declared|declare] a default of ${loan(LoanID)}`;
  if (flags & IMPAIRS) return say`[marked|mark] ${loan(LoanID)} as impaired`;
  if (flags & UNIMPAIRS) return say`[marked|mark] ${loan(LoanID)} as impaired no longer`;
  return say`[changed|change] ${loan(LoanID)}`;
};

const coverClawback: Writer = (tx, meta) => {
  const [taken] = clawedBack(tx, meta);
  const what = taken === undefined ? 'tokens' : amount(taken);
  // Without an id, it is the broker whose account the amount names.
  const found = changedEntries(meta).find(({ type }) => type === 'LoanBroker')?.index;
  return say`[clawed|claw] back ${what} of the cover of ${broker(tx.LoanBrokerID ?? found)}`;
};

const mpt = ({ MPTokenIssuanceID: of, MPTAmount: value }: Record<string, unknown>) =>
  amount({ mpt_issuance_id: of, value });
const mptAsset = ({ MPTokenIssuanceID: of }: Record<string, unknown>) => asset({ mpt_issuance_id: of });

export const LENDING: Readonly<Record<string, Writer>> = {
  VaultCreate: (tx) => say`[created|create] a vault of ${asset(tx.Asset)}`,
  VaultSet: (tx) => say`[changed|change] ${vault(tx.VaultID)}`,
  VaultDelete: (tx) => say`[removed|remove] ${vault(tx.VaultID)}`,
  VaultDeposit: (tx, meta) =>
    say`[put|put] ${amount(vaultAmount(meta) ?? tx.Amount)} into ${vault(tx.VaultID)}`,
  VaultWithdraw: (tx, meta) =>
    say`[withdrew|withdraw] ${amount(vaultAmount(meta) ?? tx.Amount)} from ${vault(tx.VaultID)}${forOther(tx, meta)}`,
  VaultClawback: vaultClawback,
  LoanBrokerSet: (tx) =>
    tx.LoanBrokerID
      ? say`[changed|change] ${broker(tx.LoanBrokerID)}`
      : say`[created|create] a loan broker of ${vault(tx.VaultID)}`,
  LoanBrokerDelete: (tx) => say`[removed|remove] ${broker(tx.LoanBrokerID)}`,
  LoanBrokerCoverDeposit: (tx) =>
    say`[put|put] ${amount(tx.Amount)} into the cover of ${broker(tx.LoanBrokerID)}`,
  LoanBrokerCoverWithdraw: (tx, meta) =>
    say`[withdrew|withdraw] ${amount(tx.Amount)} from the cover of ${broker(tx.LoanBrokerID)}${forOther(tx, meta)}`,
  LoanBrokerCoverClawback: coverClawback,
  LoanSet: lending,
  LoanManage: loanState,
  LoanDelete: (tx) => say`[removed|remove] ${loan(tx.LoanID)}`,
  LoanPay: (tx, meta) => say`[paid|pay] ${amount(paidBySender(tx, meta) ?? tx.Amount)} on ${loan(tx.LoanID)}`,
  ConfidentialMPTConvert: (tx) => say`[made|make] ${mpt(tx)} confidential`,
  ConfidentialMPTConvertBack: (tx) => say`[made|make] ${mpt(tx)} public again`,
  ConfidentialMPTMergeInbox: (tx) =>
    say`[made|make] what it received confidentially of ${mptAsset(tx)} spendable`,
  ConfidentialMPTSend: (tx) =>
    say`[sent|send] a confidential amount of ${mptAsset(tx)} to ${account(tx.Destination)}`,
  ConfidentialMPTClawback: (tx, meta) =>
    say`[clawed|claw] back ${amount(clawedBack(tx, meta)[0])}, confidential, from ${account(tx.Holder)}`,
};
