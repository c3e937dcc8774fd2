/** Trust lines, offers, clawback, MPTs, pools. */
import { type Asset, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Agent, Agents } from '../agents.ts';
import { hex } from '../hex.ts';
import { CROWD } from '../holders.ts';
import { tokenOf } from '../scenarios/market-actions.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { CatalogueFamily, xrp } from './family.ts';

function issuedToken(
  family: CatalogueFamily,
  name: string,
  holders: readonly Agent[],
  each: number,
): { asset: Asset; issuer: Agent } {
  const issuer = family.agent('issuer');
  const asset = tokenOf(issuer, name);
  for (const [n, SetFlag] of [
    Asf.asfDefaultRipple,
    Asf.asfAllowTrustLineClawback,
    Asf.asfAllowTrustLineLocking,
  ].entries())
    family.prepare(2 + n, issuer, { TransactionType: 'AccountSet', SetFlag });
  for (const agent of holders) {
    family.schedule(6, (step) => void step.trust(agent, asset, 1e9));
    family.schedule(8, (step) => void step.pay(issuer, agent.account, asset, each));
  }
  return { asset, issuer };
}

export function trade(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'trade');
  const [a, b] = ['a', 'b'].map((name) => family.agent(name)) as [Agent, Agent];
  family.fund(0, 300, family.agent('issuer'), a, b);
  const { asset, issuer } = issuedToken(family, 'CAT', [a], 10_000);
  family.row(8, 'trust-set', 'TrustSet', 'A line of trust to an issuer', b, {
    LimitAmount: amountOf(asset, 50_000),
  });
  family.row(10, 'payment-token', 'Payment', 'Tokens from one holder to another', a, {
    Destination: b.account,
    Amount: amountOf(asset, 1_000),
  });
  family.row(12, 'offer-create', 'OfferCreate', 'An offer that waits in the book', a, {
    TakerGets: amountOf(asset, 100),
    TakerPays: xrp(50),
  });
  family.row(14, 'payment-cross-currency', 'Payment', 'XRP in, tokens out, through the book', b, {
    Destination: b.account,
    Amount: amountOf(asset, 40),
    SendMax: xrp(25),
  });
  family.row(16, 'offer-cancel', 'OfferCancel', 'What is left of the offer is withdrawn', a, (step) => {
    const offer = step.owned(a.account, 'Offer')[0];
    return offer && { OfferSequence: offer.Sequence };
  });
  family.row(
    18,
    'offer-killed',
    'OfferCreate',
    'An offer that must fill at once and finds nothing',
    a,
    { TakerGets: amountOf(asset, 100), TakerPays: xrp(50), Flags: Tf.tfFillOrKill },
    { expectedResult: 'tecKILLED' },
  );
  family.row(20, 'clawback-token', 'Clawback', 'The issuer takes tokens back', issuer, {
    Amount: amountOf(`${asset.slice(0, 40)}${b.account}`, 250),
  });
  family.row(22, 'escrow-token', 'EscrowCreate', 'Tokens locked in an escrow', a, (step) => ({
    Destination: b.account,
    Amount: amountOf(asset, 75),
    FinishAfter: step.closeTime + 120,
    CancelAfter: step.closeTime + 3_600,
  }));
  family.row(28, 'escrow-token-finish', 'EscrowFinish', 'The locked tokens are paid out', b, (step) => {
    const escrow = step.owned(a.account, 'Escrow')[0];
    return escrow && { Owner: a.account, OfferSequence: escrow.Sequence };
  });
  family.row(30, 'trust-freeze', 'TrustSet', "The issuer freezes a holder's line", issuer, {
    LimitAmount: amountOf(`${asset.slice(0, 40)}${b.account}`, 1).sub(
      amountOf(`${asset.slice(0, 40)}${b.account}`, 1),
    ),
    Flags: Tf.tfSetFreeze,
  });
  return family;
}

/** Issuances of one issuer, oldest first. */
export function issuances(step: SimulationStep, issuer: Agent): Asset[] {
  return step
    .owned(issuer.account, 'MPTokenIssuance')
    .map(({ Sequence }) => keylets.mptId(Sequence ?? 0, issuer.account))
    .sort();
}

export const MPT_HOLDERS = 12;

/** Has their icons. */
export const MPT_ICONS_HOST = 'tokens.example';

/** Metadata of an MPT in the standard's form (XLS-89). */
const metadata = (fields: Record<string, string>) =>
  hex(
    JSON.stringify({
      ...fields,
      icon: `https://${MPT_ICONS_HOST}/${fields.ticker}.png`,
      issuer_name: 'Issuer of MPTs',
    }),
  );

export function mpts(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'mpt');
  const issuer = family.agent('issuer');
  const holders = agents.group('mpt:holder', MPT_HOLDERS);
  family.fund(0, 100, issuer, ...holders);
  const first = (step: SimulationStep) => issuances(step, issuer)[0];
  const flags =
    Tf.tfMPTCanLock | Tf.tfMPTCanTransfer | Tf.tfMPTCanClawback | Tf.tfMPTCanTrade | Tf.tfMPTCanEscrow;
  family.row(2, 'mpt-create', 'MPTokenIssuanceCreate', 'A token of short-term bills', issuer, {
    Flags: flags,
    AssetScale: 2,
    MaximumAmount: 1_000_000_000n,
    TransferFee: 50,
    MPTokenMetadata: metadata({
      ticker: 'TBILL',
      name: 'Treasury bills',
      asset_class: 'rwa',
      asset_subclass: 'treasury',
    }),
  });
  family.row(4, 'mpt-create-points', 'MPTokenIssuanceCreate', 'Points of a shop', issuer, {
    Flags: Tf.tfMPTCanTransfer | Tf.tfMPTCanLock,
    MPTokenMetadata: metadata({ ticker: 'PTS', name: 'Points', asset_class: 'other' }),
  });
  family.row(6, 'mpt-authorize', 'MPTokenAuthorize', 'A holder opts in', holders[0]!, (step) => {
    const id = first(step);
    return id && { MPTokenIssuanceID: id };
  });
  family.schedule(6, (step) => {
    const [bills, points] = issuances(step, issuer);
    for (const holder of holders)
      for (const MPTokenIssuanceID of holder === holders[0] ? [points] : [bills, points])
        if (MPTokenIssuanceID) step.send(holder, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID });
  });
  family.row(8, 'payment-mpt', 'Payment', 'The issuer pays units of an MPT', issuer, (step) => {
    const id = first(step);
    return id && { Destination: holders[0]!.account, Amount: amountOf(id, 50_000) };
  });
  family.schedule(8, (step) => {
    const [bills, points] = issuances(step, issuer);
    for (const [n, { account }] of holders.entries()) {
      if (bills && n > 0) step.pay(issuer, account, bills, 10_000 * (n + 1));
      if (points) step.pay(issuer, account, points, 500 + 75 * n);
    }
  });
  family.row(10, 'mpt-lock', 'MPTokenIssuanceSet', "A holder's units are locked", issuer, (step) => {
    const id = first(step);
    return id && { MPTokenIssuanceID: id, Holder: holders[0]!.account, Flags: Tf.tfMPTLock };
  });
  family.row(
    12,
    'payment-mpt-locked',
    'Payment',
    'A payment of locked units',
    holders[0]!,
    (step) => {
      const id = first(step);
      return id && { Destination: holders[1]!.account, Amount: amountOf(id, 10), SendMax: amountOf(id, 20) };
    },
    { expectedResult: 'tecLOCKED' },
  );
  family.prepare(14, issuer, (step) => {
    const id = first(step);
    return (
      id && {
        TransactionType: 'MPTokenIssuanceSet',
        MPTokenIssuanceID: id,
        Holder: holders[0]!.account,
        Flags: Tf.tfMPTUnlock,
      }
    );
  });
  family.row(16, 'clawback-mpt', 'Clawback', 'The issuer takes units back', issuer, (step) => {
    const id = first(step);
    return id && { Amount: amountOf(id, 1_000), Holder: holders[0]!.account };
  });
  family.prepare(18, issuer, { TransactionType: 'MPTokenIssuanceCreate' });
  family.row(
    20,
    'mpt-destroy',
    'MPTokenIssuanceDestroy',
    'An issuance nobody holds is given up',
    issuer,
    (step) => {
      const id = issuances(step, issuer)[2];
      return id && { MPTokenIssuanceID: id };
    },
  );
  return family;
}

/** Trust lines for the LP token of an empty pool: more than the last withdrawal deletes by itself. */
const LINES_A_MINUTE = 8;
const LINES_BEGIN = 900;
const LINES_END = LINES_BEGIN + CROWD / LINES_A_MINUTE + 5;

export function pools(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'amm');
  const [a, b] = ['a', 'b'].map((name) => family.agent(name)) as [Agent, Agent];
  family.fund(0, 1_000, family.agent('issuer'), a, b);
  const { asset, issuer } = issuedToken(family, 'POOLED', [a, b], 10_000);
  const both = { Asset: asset, Asset2: XRP };
  const lp = (step: SimulationStep) => step.view.read(keylets.amm(asset, XRP))?.LPTokenBalance?.asset;
  family.row(10, 'amm-create', 'AMMCreate', 'A pool is opened', a, {
    Amount: amountOf(asset, 2_000),
    Amount2: xrp(400),
    TradingFee: 500,
    Fee: xrp(0.2),
  });
  family.row(12, 'amm-deposit', 'AMMDeposit', 'Both assets go into a pool', b, {
    ...both,
    Amount: amountOf(asset, 500),
    Amount2: xrp(100),
    Flags: Tf.tfTwoAsset,
  });
  family.row(14, 'amm-vote', 'AMMVote', "A vote on the pool's fee", b, { ...both, TradingFee: 300 });
  family.row(16, 'amm-bid', 'AMMBid', 'The slot with the low fee is bid for', b, (step) => {
    const asset = lp(step);
    return asset && { ...both, BidMin: amountOf(asset, 10_000) };
  });
  family.row(18, 'payment-amm', 'Payment', 'A swap in the pool', b, {
    Destination: b.account,
    Amount: amountOf(asset, 50),
    SendMax: xrp(20),
  });
  family.row(20, 'amm-withdraw', 'AMMWithdraw', 'One asset is taken out of a pool', b, {
    ...both,
    Amount: xrp(10),
    Flags: Tf.tfSingleAsset,
  });
  family.row(22, 'amm-clawback', 'AMMClawback', "The issuer takes tokens out of a holder's share", issuer, {
    ...both,
    Holder: b.account,
    Amount: amountOf(asset, 100),
  });
  for (let n = 0; n < CROWD; n++)
    family.schedule(LINES_BEGIN + Math.floor(n / LINES_A_MINUTE), (step) => {
      const shares = lp(step);
      if (shares) step.trust(agents.get(`crowd:${n}`), shares, 1_000);
    });
  family.prepare(LINES_END, b, { TransactionType: 'AMMWithdraw', ...both, Flags: Tf.tfWithdrawAll });
  family.prepare(LINES_END + 2, a, { TransactionType: 'AMMWithdraw', ...both, Flags: Tf.tfWithdrawAll });
  family.row(
    LINES_END + 4,
    'amm-delete',
    'AMMDelete',
    'An empty pool with too many lines is cleared away',
    a,
    both,
  );
  return family;
}
