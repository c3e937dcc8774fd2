/**
 * How a project comes to be: one step a ledger, each of them read off the ledger, so that nothing is remembered.
 *
 *     no issuer ─► funded ─► settings ─► creator's line ─► supply issued ─► pool ─► (LP tokens to the issuer) ─► keys given up
 *                                                                       └► book only: nothing
 */
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { ACCOUNT_ONE, type Asset, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { Asf, hasAny, Lsf, Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { hex } from '../hex.ts';
import { tagged } from '../platforms.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { SUBCLASSES } from './names.ts';
import type { Project } from './project.ts';

const ISSUER_XRP = 20;
/** XRP of a creator beside what goes into the pool: the fee of its creation, reserves, its own trades. */
const CREATOR_XRP = 150;
const PARITY_RATE = 1_000_000_000;
/** Units of `TransferRate` in a transfer fee of 1/1000 percent. */
const RATE_STEP = 10_000;
const POOL_FEE_XRP = 0.2;

/** Sends the next transactions of a project that is not complete. @returns whether it is complete */
export function open(step: SimulationStep, project: Project): boolean {
  const { issuer, creator } = project;
  const root = step.accountRoot(issuer);
  if (root === undefined) {
    const treasury = step.agents.get('treasury');
    step.pay(treasury, issuer.account, 'XRP', ISSUER_XRP);
    step.pay(treasury, creator.account, 'XRP', project.poolXrp + CREATOR_XRP);
    return false;
  }
  if (project.kind === 'mpt') return openIssuance(step, project);
  if (!hasAny(root.Flags, Lsf.lsfDefaultRipple)) settings(step, project);
  else if (project.noFreeze && !hasAny(root.Flags, Lsf.lsfNoFreeze))
    step.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfNoFreeze });
  else if (step.line(creator.account, project.asset) === undefined)
    step.trust(creator, project.asset, project.supply, tagged(project.platform));
  else return distribute(step, project);
  return false;
}

function settings(step: SimulationStep, { issuer, domain, transferFee }: Project): void {
  step.send(issuer, {
    TransactionType: 'AccountSet',
    SetFlag: Asf.asfDefaultRipple,
    ...(domain !== undefined && { Domain: hex(domain) }),
    ...(transferFee > 0 && { TransferRate: PARITY_RATE + transferFee * RATE_STEP, TickSize: 6 }),
  });
}

/** From the issue on. */
function distribute(step: SimulationStep, project: Project): boolean {
  const { issuer, creator, asset } = project;
  const pool = step.view.read(keylets.amm(asset, XRP));
  const held = step.holds(creator.account, asset);
  if (pool === undefined && held === 0) {
    step.pay(issuer, creator.account, asset, project.supply);
    return false;
  }
  if (pool === undefined && project.poolXrp > 0) {
    createPool(step, project);
    return false;
  }
  if (project.lpBurned && !burnLpTokens(step, project, pool!.LPTokenBalance!.asset)) return false;
  return !project.blackholed || giveUpKeys(step, project);
}

function createPool(
  step: SimulationStep,
  { creator, asset, supply, share, poolXrp, poolFee, platform }: Project,
): void {
  step.send(creator, {
    TransactionType: 'AMMCreate',
    Amount: amountOf(asset, supply * share),
    Amount2: amountOf(XRP, poolXrp),
    TradingFee: poolFee,
    Fee: amountOf(XRP, POOL_FEE_XRP),
    ...tagged(platform),
  });
}

/** The creator gives its LP tokens to the issuer, which can never use them. @returns whether it has */
function burnLpTokens(step: SimulationStep, { issuer, creator, platform }: Project, lp: Asset): boolean {
  if (step.holds(issuer.account, lp) > 0) return true;
  if (step.line(issuer.account, lp) === undefined) step.trust(issuer, lp, 1e15);
  else {
    const all = step.line(creator.account, lp)?.Balance?.abs().withAsset(lp);
    if (all !== undefined && !all.isZero)
      step.pay(creator, issuer.account, lp, 0, { Amount: all, ...tagged(platform) });
  }
  return false;
}

/** @returns whether it is done */
function giveUpKeys(step: SimulationStep, { issuer }: Project): boolean {
  const root = step.accountRoot(issuer)!;
  if (hasAny(root.Flags, Lsf.lsfDisableMaster)) return true;
  if (root.RegularKey === undefined)
    step.send(issuer, { TransactionType: 'SetRegularKey', RegularKey: ACCOUNT_ONE });
  else step.send(issuer, { TransactionType: 'AccountSet', SetFlag: Asf.asfDisableMaster });
  return false;
}

/** The id of an MPT project's issuance; undefined before it exists. */
export function issuanceOf(step: SimulationStep, { issuer }: Project): Asset | undefined {
  const entry = step.owned(issuer.account, 'MPTokenIssuance')[0];
  return entry && keylets.mptId(entry.Sequence ?? 0, issuer.account);
}

function openIssuance(step: SimulationStep, project: Project): boolean {
  const { issuer, creator, name, domain } = project;
  const id = issuanceOf(step, project);
  if (id === undefined) {
    const subclass = SUBCLASSES[name.word];
    const metadata = {
      ticker: name.ticker.toUpperCase().slice(0, 6),
      name: name.name,
      desc: name.about,
      icon: `https://${domain ?? 'tokens.example'}/icon.png`,
      asset_class: name.assetClass,
      ...(subclass !== undefined && { asset_subclass: subclass }),
      issuer_name: name.name,
    };
    step.send(issuer, {
      TransactionType: 'MPTokenIssuanceCreate',
      Flags: Tf.tfMPTCanTransfer | (project.noFreeze ? 0 : Tf.tfMPTCanLock),
      AssetScale: project.assetScale,
      MaximumAmount: BigInt(project.supply) * 10n ** BigInt(project.assetScale),
      MPTokenMetadata: hex(JSON.stringify(metadata)),
      ...(project.transferFee > 0 && { TransferFee: project.transferFee }),
    });
    return false;
  }
  if (step.view.read(keylets.mptoken(id, creator.account)) === undefined) {
    step.send(creator, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id });
    return false;
  }
  if (step.holds(creator.account, id) > 0) return true;
  const Amount_ = Amount.mpt(id, project.supply * 10 ** project.assetScale);
  step.pay(issuer, creator.account, id, 0, { Amount: Amount_ });
  return false;
}

/** The LP token of a project's pool; undefined without one. */
export function lpTokenOf(step: SimulationStep, asset: Asset): Asset | undefined {
  return step.view.read(keylets.amm(asset, XRP))?.LPTokenBalance?.asset;
}
