/** Vaults (XLS-65). */
import { Asf } from '../../protocol/flags.ts';
import type { Agent, Agents } from '../agents.ts';
import { hex } from '../hex.ts';
import { tokenOf } from '../scenarios/market-actions.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { CatalogueFamily, xrp } from './family.ts';

export function vaults(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'vault');
  const [issuer, owner, a] = ['issuer', 'owner', 'a'].map((name) => family.agent(name)) as [
    Agent,
    Agent,
    Agent,
  ];
  const asset = tokenOf(issuer, 'VAULTED');
  family.fund(0, 300, issuer, owner, a);
  for (const [n, SetFlag] of [Asf.asfDefaultRipple, Asf.asfAllowTrustLineClawback].entries())
    family.prepare(2 + n, issuer, { TransactionType: 'AccountSet', SetFlag });
  family.schedule(6, (step) => {
    for (const agent of [owner, a]) step.trust(agent, asset, 1e9);
  });
  family.schedule(8, (step) => void step.pay(issuer, a.account, asset, 5_000));
  const vault = (step: SimulationStep) => {
    const entry = step.owned(owner.account, 'Vault').find(({ Asset }) => Asset === asset);
    return entry && { VaultID: entry.index };
  };
  family.row(10, 'vault-create', 'VaultCreate', 'A vault for a token', owner, {
    Asset: asset,
    Data: hex('savings'),
    Fee: xrp(0.2),
  });
  family.row(12, 'vault-set', 'VaultSet', "The vault's note is changed", owner, (step) => {
    const id = vault(step);
    return id && { ...id, Data: hex('long savings') };
  });
  family.row(14, 'vault-deposit', 'VaultDeposit', 'Tokens for shares of a vault', a, (step) => {
    const id = vault(step);
    return id && { ...id, Amount: amountOf(asset, 1_000) };
  });
  family.row(16, 'vault-withdraw', 'VaultWithdraw', 'Shares back into tokens', a, (step) => {
    const id = vault(step);
    return id && { ...id, Amount: amountOf(asset, 250) };
  });
  family.row(
    18,
    'vault-clawback',
    'VaultClawback',
    'The issuer takes tokens out of a vault',
    issuer,
    (step) => {
      const id = vault(step);
      return id && { ...id, Holder: a.account, Amount: amountOf(asset, 100) };
    },
  );
  family.prepare(20, owner, { TransactionType: 'VaultCreate', Asset: 'XRP', Fee: xrp(0.2) });
  family.row(22, 'vault-delete', 'VaultDelete', 'An empty vault is given up', owner, (step) => {
    const entry = step.owned(owner.account, 'Vault').find(({ Asset }) => Asset !== asset);
    return entry && { VaultID: entry.index };
  });
  return family;
}
