/** Trust lines, offers, clawback, MPTs, pools. */
import { type Asset, XRP } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { hex } from '../hex.ts';
import { CROWD } from '../holders.ts';
import type { People, Person } from '../people.ts';
import { tokenOf } from '../scenarios/deals.ts';
import { amountOf, type Turn } from '../turn.ts';
import { Book, xrp } from './book.ts';

function issuedToken(
  book: Book,
  name: string,
  holders: readonly Person[],
  each: number,
): { asset: Asset; issuer: Person } {
  const issuer = book.person('issuer');
  const asset = tokenOf(issuer, name);
  for (const [n, SetFlag] of [
    Asf.asfDefaultRipple,
    Asf.asfAllowTrustLineClawback,
    Asf.asfAllowTrustLineLocking,
  ].entries())
    book.also(2 + n, issuer, { TransactionType: 'AccountSet', SetFlag });
  for (const person of holders) {
    book.act(6, (turn) => void turn.trust(person, asset, 1e9));
    book.act(8, (turn) => void turn.pay(issuer, person.account, asset, each));
  }
  return { asset, issuer };
}

export function trade(people: People): Book {
  const book = new Book(people, 'trade');
  const [a, b] = ['a', 'b'].map((name) => book.person(name)) as [Person, Person];
  book.fund(0, 300, book.person('issuer'), a, b);
  const { asset, issuer } = issuedToken(book, 'CAT', [a], 10_000);
  book.row(8, 'trust-set', 'TrustSet', 'A line of trust to an issuer', b, {
    LimitAmount: amountOf(asset, 50_000),
  });
  book.row(10, 'payment-token', 'Payment', 'Tokens from one holder to another', a, {
    Destination: b.account,
    Amount: amountOf(asset, 1_000),
  });
  book.row(12, 'offer-create', 'OfferCreate', 'An offer that waits in the book', a, {
    TakerGets: amountOf(asset, 100),
    TakerPays: xrp(50),
  });
  book.row(14, 'payment-cross-currency', 'Payment', 'XRP in, tokens out, through the book', b, {
    Destination: b.account,
    Amount: amountOf(asset, 40),
    SendMax: xrp(25),
  });
  book.row(16, 'offer-cancel', 'OfferCancel', 'What is left of the offer is withdrawn', a, (turn) => {
    const offer = turn.owned(a.account, 'Offer')[0];
    return offer && { OfferSequence: offer.Sequence };
  });
  book.row(
    18,
    'offer-killed',
    'OfferCreate',
    'An offer that must fill at once and finds nothing',
    a,
    { TakerGets: amountOf(asset, 100), TakerPays: xrp(50), Flags: Tf.tfFillOrKill },
    { meant: 'tecKILLED' },
  );
  book.row(20, 'clawback-token', 'Clawback', 'The issuer takes tokens back', issuer, {
    Amount: amountOf(`${asset.slice(0, 40)}${b.account}`, 250),
  });
  book.row(22, 'escrow-token', 'EscrowCreate', 'Tokens locked in an escrow', a, (turn) => ({
    Destination: b.account,
    Amount: amountOf(asset, 75),
    FinishAfter: turn.closeTime + 120,
    CancelAfter: turn.closeTime + 3_600,
  }));
  book.row(28, 'escrow-token-finish', 'EscrowFinish', 'The locked tokens are paid out', b, (turn) => {
    const escrow = turn.owned(a.account, 'Escrow')[0];
    return escrow && { Owner: a.account, OfferSequence: escrow.Sequence };
  });
  book.row(30, 'trust-freeze', 'TrustSet', "The issuer freezes a holder's line", issuer, {
    LimitAmount: amountOf(`${asset.slice(0, 40)}${b.account}`, 1).sub(
      amountOf(`${asset.slice(0, 40)}${b.account}`, 1),
    ),
    Flags: Tf.tfSetFreeze,
  });
  return book;
}

/** Issuances of one issuer, oldest first. */
export function issuances(turn: Turn, issuer: Person): Asset[] {
  return turn
    .owned(issuer.account, 'MPTokenIssuance')
    .map(({ Sequence }) => keylets.mptId(Sequence ?? 0, issuer.account))
    .sort();
}

export const MPT_HOLDERS = 12;

/** Metadata of an MPT in the standard's form (XLS-89). */
const metadata = (told: Record<string, string>) =>
  hex(
    JSON.stringify({
      ...told,
      icon: `https://tokens.example/${told.ticker}.png`,
      issuer_name: 'Issuer of MPTs',
    }),
  );

export function mpts(people: People): Book {
  const book = new Book(people, 'mpt');
  const issuer = book.person('issuer');
  const holders = people.group('mpt:holder', MPT_HOLDERS);
  book.fund(0, 100, issuer, ...holders);
  const first = (turn: Turn) => issuances(turn, issuer)[0];
  const flags =
    Tf.tfMPTCanLock | Tf.tfMPTCanTransfer | Tf.tfMPTCanClawback | Tf.tfMPTCanTrade | Tf.tfMPTCanEscrow;
  book.row(2, 'mpt-create', 'MPTokenIssuanceCreate', 'A token of short-term bills', issuer, {
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
  book.row(4, 'mpt-create-points', 'MPTokenIssuanceCreate', 'Points of a shop', issuer, {
    Flags: Tf.tfMPTCanTransfer | Tf.tfMPTCanLock,
    MPTokenMetadata: metadata({ ticker: 'PTS', name: 'Points', asset_class: 'other' }),
  });
  book.row(6, 'mpt-authorize', 'MPTokenAuthorize', 'A holder opts in', holders[0]!, (turn) => {
    const id = first(turn);
    return id && { MPTokenIssuanceID: id };
  });
  book.act(6, (turn) => {
    const [bills, points] = issuances(turn, issuer);
    for (const holder of holders)
      for (const MPTokenIssuanceID of holder === holders[0] ? [points] : [bills, points])
        if (MPTokenIssuanceID) turn.send(holder, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID });
  });
  book.row(8, 'payment-mpt', 'Payment', 'The issuer pays units of an MPT', issuer, (turn) => {
    const id = first(turn);
    return id && { Destination: holders[0]!.account, Amount: amountOf(id, 50_000) };
  });
  book.act(8, (turn) => {
    const [bills, points] = issuances(turn, issuer);
    for (const [n, { account }] of holders.entries()) {
      if (bills && n > 0) turn.pay(issuer, account, bills, 10_000 * (n + 1));
      if (points) turn.pay(issuer, account, points, 500 + 75 * n);
    }
  });
  book.row(10, 'mpt-lock', 'MPTokenIssuanceSet', "A holder's units are locked", issuer, (turn) => {
    const id = first(turn);
    return id && { MPTokenIssuanceID: id, Holder: holders[0]!.account, Flags: Tf.tfMPTLock };
  });
  book.row(
    12,
    'payment-mpt-locked',
    'Payment',
    'A payment of locked units',
    holders[0]!,
    (turn) => {
      const id = first(turn);
      return id && { Destination: holders[1]!.account, Amount: amountOf(id, 10), SendMax: amountOf(id, 20) };
    },
    { meant: 'tecLOCKED' },
  );
  book.also(14, issuer, (turn) => {
    const id = first(turn);
    return (
      id && {
        TransactionType: 'MPTokenIssuanceSet',
        MPTokenIssuanceID: id,
        Holder: holders[0]!.account,
        Flags: Tf.tfMPTUnlock,
      }
    );
  });
  book.row(16, 'clawback-mpt', 'Clawback', 'The issuer takes units back', issuer, (turn) => {
    const id = first(turn);
    return id && { Amount: amountOf(id, 1_000), Holder: holders[0]!.account };
  });
  book.also(18, issuer, { TransactionType: 'MPTokenIssuanceCreate' });
  book.row(
    20,
    'mpt-destroy',
    'MPTokenIssuanceDestroy',
    'An issuance nobody holds is given up',
    issuer,
    (turn) => {
      const id = issuances(turn, issuer)[2];
      return id && { MPTokenIssuanceID: id };
    },
  );
  return book;
}

/** Lines that hold on to a pool's empty LP token: more than a withdrawal clears away by itself. */
const LINES_A_MINUTE = 8;
const LINES_BEGIN = 900;
const LINES_END = LINES_BEGIN + CROWD / LINES_A_MINUTE + 5;

export function pools(people: People): Book {
  const book = new Book(people, 'amm');
  const [a, b] = ['a', 'b'].map((name) => book.person(name)) as [Person, Person];
  book.fund(0, 1_000, book.person('issuer'), a, b);
  const { asset, issuer } = issuedToken(book, 'POOLED', [a, b], 10_000);
  const both = { Asset: asset, Asset2: XRP };
  const lp = (turn: Turn) => turn.view.read(keylets.amm(asset, XRP))?.LPTokenBalance?.asset;
  book.row(10, 'amm-create', 'AMMCreate', 'A pool is opened', a, {
    Amount: amountOf(asset, 2_000),
    Amount2: xrp(400),
    TradingFee: 500,
    Fee: xrp(0.2),
  });
  book.row(12, 'amm-deposit', 'AMMDeposit', 'Both assets go into a pool', b, {
    ...both,
    Amount: amountOf(asset, 500),
    Amount2: xrp(100),
    Flags: Tf.tfTwoAsset,
  });
  book.row(14, 'amm-vote', 'AMMVote', "A vote on the pool's fee", b, { ...both, TradingFee: 300 });
  book.row(16, 'amm-bid', 'AMMBid', 'The slot with the low fee is bid for', b, (turn) => {
    const asset = lp(turn);
    return asset && { ...both, BidMin: amountOf(asset, 10_000) };
  });
  book.row(18, 'payment-amm', 'Payment', 'A swap in the pool', b, {
    Destination: b.account,
    Amount: amountOf(asset, 50),
    SendMax: xrp(20),
  });
  book.row(20, 'amm-withdraw', 'AMMWithdraw', 'One asset is taken out of a pool', b, {
    ...both,
    Amount: xrp(10),
    Flags: Tf.tfSingleAsset,
  });
  book.row(22, 'amm-clawback', 'AMMClawback', "The issuer takes tokens out of a holder's share", issuer, {
    ...both,
    Holder: b.account,
    Amount: amountOf(asset, 100),
  });
  for (let n = 0; n < CROWD; n++)
    book.act(LINES_BEGIN + Math.floor(n / LINES_A_MINUTE), (turn) => {
      const shares = lp(turn);
      if (shares) turn.trust(people.get(`crowd:${n}`), shares, 1_000);
    });
  book.also(LINES_END, b, { TransactionType: 'AMMWithdraw', ...both, Flags: Tf.tfWithdrawAll });
  book.also(LINES_END + 2, a, { TransactionType: 'AMMWithdraw', ...both, Flags: Tf.tfWithdrawAll });
  book.row(
    LINES_END + 4,
    'amm-delete',
    'AMMDelete',
    'An empty pool with too many lines is cleared away',
    a,
    both,
  );
  return book;
}
