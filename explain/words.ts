/**
 * A transaction as a sentence: what its sender did, or tried to do. The sentence is a list of pieces, so that the page can
 * make accounts and amounts what they are; nothing in it is ever read as markup.
 *
 *   [paid|pay] ${amount} to ${account}    success: "r… paid 5 XRP to r…"    otherwise: "r… tried to pay 5 XRP to r…"
 */
import { shifted } from './decimal.ts';
import { claimedDrops, clawedBack, deliveredBy, isUnfreezing, poolAmounts, removedOf } from './effects.ts';
import { changedEntries, currencyText, type Fields, hexText, isAmount, type Meta, named } from './json.ts';
import { LENDING } from './lending.ts';
import {
  account,
  amount,
  amounts,
  asset,
  id,
  isText,
  lengthOf,
  type Piece,
  plural,
  say,
  text,
  type Writer,
  when,
  whole,
} from './sentence.ts';

const poolOf = ({ Asset, Asset2 }: Fields) => say`the pool of ${asset(Asset)} and ${asset(Asset2)}`;
/** Fees of pools are in units of 1/100,000. */
const poolFee = (units: unknown) => `${shifted(String(Number.isSafeInteger(units) ? units : 0), 3)}%`;

const payment: Writer = (tx, meta) => {
  const asked = tx.DeliverMax ?? tx.Amount;
  const isUnknown = meta.delivered_amount === 'unavailable';
  const paid = deliveredBy(tx, meta) ?? (isUnknown ? 'unavailable' : asked);
  const source = when(
    tx.SendMax && !isSameAsset(tx.SendMax, asked),
    () => say` for at most ${amount(tx.SendMax)}`,
  );
  if (tx.Account === tx.Destination) return say`[exchanged|exchange] to get ${amount(paid)}${source}`;
  const tag = when(tx.DestinationTag !== undefined, () => say` (tag ${whole(tx.DestinationTag)})`);
  return say`[paid|pay] ${amount(paid)} to ${account(tx.Destination)}${tag}${source}`;
};

function isSameAsset(a: unknown, b: unknown): boolean {
  const of = (one: unknown) =>
    JSON.stringify(typeof one === 'string' ? 'XRP' : { ...(one as object), value: 0 });
  return of(a) === of(b);
}

const offer: Writer = (tx) => {
  const instead = when(tx.OfferSequence, () => say` in place of offer ${whole(tx.OfferSequence)}`);
  return say`[offered|offer] ${amount(tx.TakerGets)} for ${amount(tx.TakerPays)}${instead}`;
};

/** Of TrustSet: what an issuer does to the line of a holder, without a limit of its own. */
const AUTHORISES = 0x10000;
const FREEZES = 0x100000 | 0x400000;

const trust: Writer = (tx, meta) => {
  const { Account: issuer, Flags: flags, LimitAmount: limit } = tx;
  if (Number(limit?.value) !== 0) return say`[allowed|allow] itself to hold up to ${amount(limit)}`;
  const [holder, token] = [account(limit.issuer), asset({ currency: limit.currency, issuer })];
  if (flags & FREEZES) return say`[froze|freeze] the trust line of ${holder} for ${token}`;
  if (isUnfreezing(tx, meta)) return say`[unfroze|unfreeze] the trust line of ${holder} for ${token}`;
  if (flags & AUTHORISES) return say`[authorised|authorise] ${holder} to hold ${token}`;
  return say`[set|set] the limit of the trust line for ${asset(limit)} to nothing`;
};

const settings: Writer = (tx) => {
  const domain = when(tx.Domain !== undefined, () => say`; domain “${text(hexText(tx.Domain))}”`);
  const set = when(tx.SetFlag, () => say`; flag ${accountFlag(tx.SetFlag)} set`);
  const clear = when(tx.ClearFlag, () => say`; flag ${accountFlag(tx.ClearFlag)} cleared`);
  return say`[changed|change] the settings of its account${domain}${set}${clear}`;
};

const ACCOUNT_FLAGS: Readonly<Record<number, string>> = {
  1: 'tags are required',
  2: 'tokens need authorisation',
  3: 'XRP is not wanted',
  4: 'master key disabled',
  5: 'its last transaction is recorded',
  6: 'no freeze, for ever',
  7: 'global freeze',
  8: 'rippling by default',
  9: 'deposits need authorisation',
  10: 'another account mints its NFTs',
  12: 'offers for NFTs are not wanted',
  13: 'checks are not wanted',
  14: 'payment channels are not wanted',
  15: 'trust lines are not wanted',
  16: 'clawback is allowed',
  17: 'its tokens may go into escrow',
};
const accountFlag = (number: number) => `“${ACCOUNT_FLAGS[number] ?? number}”`;

/** `Owner` is there where it is not the sender. */
const nftOf = ({ NFTokenID, Owner: owner }: Fields) =>
  say`the NFT ${id(NFTokenID)}${when(owner, () => say` of ${account(owner)}`)}`;

/** An amount makes an offer of it, too (XLS-52). */
const mint: Writer = (tx, { nftoken_id: made }) => {
  const nft = isText(made) ? say`the NFT ${id(made)}` : 'an NFT';
  const of = when(tx.Issuer && tx.Issuer !== tx.Account, () => say` of the issuer ${account(tx.Issuer)}`);
  const offered = when(tx.Amount, () => say`, offered for ${amount(tx.Amount)}${toAlone(tx)}`);
  return say`[minted|mint] ${nft} of taxon ${whole(tx.NFTokenTaxon)}${of}${offered}`;
};

const toAlone = ({ Destination: to }: Fields) => when(to, () => say` to ${account(to)} alone`);

const SELLS_NFT = 1;
const nftOffer: Writer = (tx) => {
  if (tx.Flags & SELLS_NFT)
    return say`[offered|offer] the NFT ${id(tx.NFTokenID)} for ${amount(tx.Amount)}${toAlone(tx)}`;
  const nft = say`the NFT ${id(tx.NFTokenID)} of ${account(tx.Owner)}`;
  const by = when(tx.Destination, () => say`, which ${account(tx.Destination)} alone may accept`);
  return say`[offered|offer] ${amount(tx.Amount)} for ${nft}${by}`;
};

/** Who sold what to whom: the offers that were taken show it. */
const nftDeal: Writer = (tx, meta) => {
  const taken = meta.TransactionResult === 'tesSUCCESS' ? removedOf('NFTokenOffer', meta) : [];
  const sell = taken.find(({ Flags: flags }) => flags & SELLS_NFT);
  const buy = taken.find(({ Flags: flags }) => !(flags & SELLS_NFT));
  const nft = say`the NFT ${id((sell ?? buy)?.NFTokenID)}`;
  if (sell && buy)
    return say`brokered the sale of ${nft} of ${account(sell.Owner)} to ${account(buy.Owner)} for ${amount(buy.Amount)}`;
  if (sell?.Amount === '0') return say`got ${nft} of ${account(sell.Owner)} for nothing`;
  if (sell) return say`bought ${nft} of ${account(sell.Owner)} for ${amount(sell.Amount)}`;
  if (buy) return say`sold ${nft} to ${account(buy.Owner)} for ${amount(buy.Amount)}`;
  return say`[accepted|accept] the NFT offer ${id(tx.NFTokenSellOffer ?? tx.NFTokenBuyOffer)}`;
};

/** What it had locked, and for whom. */
const released: Writer = (tx, meta) => {
  const [escrow] = removedOf('Escrow', meta);
  const what = when(escrow, () => say`: ${amount(escrow!.Amount)} for ${account(escrow!.Destination)}`);
  return say`[released|release] escrow ${whole(tx.OfferSequence)} of ${account(tx.Owner)}${what}`;
};

/** Of the up to ten prices of one oracle. */
const PRICES_SHOWN = 3;

const prices: Writer = (tx) => {
  const series: readonly (Fields | null)[] = Array.isArray(tx.PriceDataSeries) ? tx.PriceDataSeries : [];
  const shown = series.flatMap((each) => {
    const { AssetPrice: hex, Scale: scale = 0, BaseAsset: base, QuoteAsset: quote } = each?.PriceData ?? {};
    if (!isText(hex) || !/^[0-9a-f]{1,16}$/i.test(hex) || !isText(base) || !isText(quote)) return [];
    const price = shifted(BigInt(`0x${hex}`).toString(), Number.isSafeInteger(scale) ? scale : 0);
    return [`1 ${currencyText(base)} = ${price} ${currencyText(quote)}`];
  });
  const more = shown.length - PRICES_SHOWN;
  const rest = when(more > 0, () => say` and ${more} more`);
  return say`[published|publish] prices as an oracle: ${text(shown.slice(0, PRICES_SHOWN).join(', ') || 'none')}${rest}`;
};

/** What came of it; where the metadata does not show it, what was asked for: limits, often (XLS-30). */
const poolDeposit: Writer = (tx, meta) => {
  const done = amounts(...poolAmounts(tx, meta));
  const put = done.length > 0 ? done : amounts(tx.Amount, tx.Amount2);
  return put.length > 0
    ? say`[put|put] ${put} into ${poolOf(tx)}`
    : say`[put|put] what ${amount(tx.LPTokenOut)} cost into ${poolOf(tx)}`;
};

const WITHDRAWS_ALL = 0x20000;
const poolWithdrawal: Writer = (tx, meta) => {
  const done = amounts(...poolAmounts(tx, meta));
  if (tx.Flags & WITHDRAWS_ALL) {
    const what = when(done.length > 0, () => say`, ${done},`);
    return say`[withdrew|withdraw] its whole share${what} from ${poolOf(tx)}`;
  }
  const taken = done.length > 0 ? done : amounts(tx.Amount, tx.Amount2);
  const what = taken.length > 0 ? taken : [tx.LPTokenIn ? amount(tx.LPTokenIn) : 'its whole share'];
  return say`[withdrew|withdraw] ${what} from ${poolOf(tx)}`;
};

const poolClawback: Writer = (tx, meta) => {
  const taken = clawedBack(tx, meta);
  const what = taken.length > 0 ? amounts(...taken) : asset(tx.Asset);
  return say`[clawed|claw] back ${what} of ${account(tx.Holder)} from ${poolOf(tx)}`;
};

const CLOSES_CHANNEL = 0x20000;

/** `Balance` is all that the channel has paid after the claim, not what the claim adds to it. */
const channelClaim: Writer = (tx, meta) => {
  const entry = changedEntries(meta).find(({ type, index }) => type === 'PayChannel' && index === tx.Channel);
  // One that still holds XRP for its destination stays for some time.
  const isClosed = entry?.action === 'removed';
  if (!tx.Balance && tx.Flags & CLOSES_CHANNEL)
    return isClosed
      ? say`[closed|close] the payment channel ${id(tx.Channel)}`
      : say`[asked|ask] to close the payment channel ${id(tx.Channel)}`;
  if (!tx.Balance) return say`[changed|change] the payment channel ${id(tx.Channel)}`;
  const drops = claimedDrops(tx, meta);
  const what = drops === undefined ? say`a total of ${amount(tx.Balance)}` : amount(drops);
  const from = say`from the payment channel ${id(tx.Channel)}${when(isClosed, () => say` and closed it`)}`;
  // Who pays by it may send what it owes, too.
  return entry && entry.fields.Account === tx.Account
    ? say`[paid|pay] ${what} to ${account(entry.fields.Destination)} ${from}`
    : say`[claimed|claim] ${what} ${from}`;
};

const credentialsOf = (list: unknown) => plural(lengthOf(list), 'credential');

const preauthorization: Writer = (tx) => {
  if (tx.Unauthorize) return say`[stopped|stop] accepting payments of ${account(tx.Unauthorize)}`;
  const { AuthorizeCredentials: allowed, UnauthorizeCredentials: stopped } = tx;
  if (allowed) return say`[allowed|allow] payments of holders of ${credentialsOf(allowed)}`;
  if (stopped) return say`[stopped|stop] accepting payments of holders of ${credentialsOf(stopped)}`;
  return say`[allowed|allow] payments of ${account(tx.Authorize)}`;
};

const TAKES_BACK = 1;
const mptAuthorization: Writer = (tx) => {
  const token = say`the multi-purpose token ${id(tx.MPTokenIssuanceID)}`;
  if (!tx.Holder)
    return tx.Flags & TAKES_BACK
      ? say`[stopped|stop] holding ${token}`
      : say`[agreed|agree] to hold ${token}`;
  return tx.Flags & TAKES_BACK
    ? say`[stopped|stop] authorising ${account(tx.Holder)} to hold ${token}`
    : say`[authorised|authorise] ${account(tx.Holder)} to hold ${token}`;
};

const LOCKS = 1;
const UNLOCKS = 2;
const mptSettings: Writer = ({ Flags: flags, Holder: holder, MPTokenIssuanceID }) => {
  const token = say`the multi-purpose token ${id(MPTokenIssuanceID)}`;
  const what = holder ? say`what ${account(holder)} holds of ${token}` : token;
  if (flags & LOCKS) return say`[locked|lock] ${what}`;
  if (flags & UNLOCKS) return say`[unlocked|unlock] ${what}`;
  return say`[changed|change] ${token}`;
};

/** By the names of types of transactions, or of parts of them; up to ten. A list without any takes all of them away (XLS-75). */
const delegation: Writer = ({ Authorize: to, Permissions: list }) => {
  if (lengthOf(list) === 0) return say`[stopped|stop] allowing ${account(to)} to act for it`;
  const permissions: readonly (Fields | null)[] = list;
  const names = permissions.map((each) => each?.Permission?.PermissionValue ?? '?').join(', ');
  return say`[allowed|allow] ${account(to)} to act for it: ${text(names)}`;
};

const GOT_MAJORITY = 0x10000;
const LOST_MAJORITY = 0x20000;
const amendment: Writer = ({ Amendment, Flags: flags }) => {
  if (flags & GOT_MAJORITY) return say`[found|find] a majority for the amendment ${id(Amendment)}`;
  if (flags & LOST_MAJORITY) return say`[found|find] no majority any more for the amendment ${id(Amendment)}`;
  return say`[enabled|enable] the amendment ${id(Amendment)}`;
};

/** By the type's name; what is not here is said by its name alone. */
const WRITERS: Readonly<Record<string, Writer>> = {
  Payment: payment,
  OfferCreate: offer,
  OfferCancel: (tx) => say`[cancelled|cancel] offer ${whole(tx.OfferSequence)}`,
  TrustSet: trust,
  AccountSet: settings,
  AccountDelete: (tx, { delivered_amount: rest }) =>
    isAmount(rest)
      ? say`[deleted|delete] its account; ${amount(rest)} went to ${account(tx.Destination)}`
      : say`[deleted|delete] its account in favour of ${account(tx.Destination)}`,
  SetRegularKey: (tx) =>
    tx.RegularKey
      ? say`[allowed|allow] the key of ${account(tx.RegularKey)} to sign for it`
      : say`[removed|remove] its regular key`,
  SignerListSet: (tx) =>
    tx.SignerQuorum
      ? say`[named|name] ${plural(lengthOf(tx.SignerEntries), 'signer')}, of whom a weight of ${whole(tx.SignerQuorum)} must sign`
      : say`[removed|remove] its list of signers`,
  TicketCreate: (tx) => say`[reserved|reserve] ${plural(tx.TicketCount, 'sequence number')}`,
  DepositPreauth: preauthorization,
  EscrowCreate: (tx) => say`[put|put] ${amount(tx.Amount)} into escrow for ${account(tx.Destination)}`,
  EscrowFinish: released,
  EscrowCancel: (tx) => say`[cancelled|cancel] escrow ${whole(tx.OfferSequence)} of ${account(tx.Owner)}`,
  CheckCreate: (tx) =>
    say`[wrote|write] a check for up to ${amount(tx.SendMax)} to ${account(tx.Destination)}`,
  CheckCash: (tx, { delivered_amount: cashed }) =>
    say`[cashed|cash] ${amount(cashed ?? tx.Amount ?? tx.DeliverMin)} of the check ${id(tx.CheckID)}`,
  CheckCancel: (tx) => say`[cancelled|cancel] the check ${id(tx.CheckID)}`,
  PaymentChannelCreate: (tx) =>
    say`[opened|open] a payment channel with ${amount(tx.Amount)} to ${account(tx.Destination)}`,
  PaymentChannelFund: (tx) => say`[added|add] ${amount(tx.Amount)} to the payment channel ${id(tx.Channel)}`,
  PaymentChannelClaim: channelClaim,
  NFTokenMint: mint,
  NFTokenBurn: (tx) => say`[burned|burn] ${nftOf(tx)}`,
  NFTokenModify: (tx) => say`[changed|change] ${nftOf(tx)}`,
  NFTokenCreateOffer: nftOffer,
  NFTokenCancelOffer: (tx) => say`[cancelled|cancel] ${plural(lengthOf(tx.NFTokenOffers), 'NFT offer')}`,
  NFTokenAcceptOffer: nftDeal,
  AMMCreate: (tx) =>
    say`[created|create] a pool of ${amounts(tx.Amount, tx.Amount2)} with a fee of ${poolFee(tx.TradingFee)}`,
  AMMDeposit: poolDeposit,
  AMMWithdraw: poolWithdrawal,
  AMMVote: (tx) => say`[voted|vote] for a fee of ${poolFee(tx.TradingFee)} in ${poolOf(tx)}`,
  AMMBid: (tx) => say`[bid|bid] for the auction slot of ${poolOf(tx)}`,
  AMMDelete: (tx) => say`[removed|remove] ${poolOf(tx)}`,
  AMMClawback: poolClawback,
  Clawback: (tx, meta) =>
    say`[clawed|claw] back ${amount(clawedBack(tx, meta)[0])} from ${account(tx.Holder ?? tx.Amount?.issuer)}`,
  OracleSet: prices,
  OracleDelete: (tx) => say`[removed|remove] its price oracle ${whole(tx.OracleDocumentID)}`,
  MPTokenIssuanceCreate: (_, { mpt_issuance_id: made }) =>
    isText(made)
      ? say`[created|create] the multi-purpose token ${id(made)}`
      : say`[created|create] a multi-purpose token`,
  MPTokenIssuanceDestroy: (tx) => say`[removed|remove] the multi-purpose token ${id(tx.MPTokenIssuanceID)}`,
  MPTokenIssuanceSet: mptSettings,
  MPTokenAuthorize: mptAuthorization,
  CredentialCreate: (tx) =>
    say`[gave|give] ${account(tx.Subject)} the credential “${text(hexText(tx.CredentialType))}”`,
  CredentialAccept: (tx) =>
    say`[accepted|accept] the credential “${text(hexText(tx.CredentialType))}” of ${account(tx.Issuer)}`,
  CredentialDelete: (tx) => say`[removed|remove] the credential “${text(hexText(tx.CredentialType))}”`,
  DIDSet: () => say`[set|set] its decentralised identifier`,
  DIDDelete: () => say`[removed|remove] its decentralised identifier`,
  PermissionedDomainSet: (tx) => {
    const domain = tx.DomainID ? say`the domain ${id(tx.DomainID)}` : 'a domain';
    return say`[set|set] ${domain} for holders of ${credentialsOf(tx.AcceptedCredentials)}`;
  },
  PermissionedDomainDelete: (tx) => say`[removed|remove] the domain ${id(tx.DomainID)}`,
  DelegateSet: delegation,
  ...LENDING,
  XChainCommit: (tx) => say`[sent|send] ${amount(tx.Amount)} into a bridge to another chain`,
  XChainClaim: (tx) => say`[claimed|claim] ${amount(tx.Amount)} from a bridge for ${account(tx.Destination)}`,
  XChainCreateBridge: () => say`[created|create] a bridge to another chain`,
  XChainModifyBridge: () => say`[changed|change] a bridge to another chain`,
  XChainCreateClaimID: () => say`[asked|ask] for a number of a transfer over a bridge`,
  XChainAccountCreateCommit: (tx) =>
    say`[sent|send] ${amount(tx.Amount)} into a bridge, to create ${account(tx.Destination)} on another chain`,
  XChainAddClaimAttestation: (tx) => say`[attested|attest] that ${amount(tx.Amount)} entered a bridge`,
  XChainAddAccountCreateAttestation: (tx) =>
    say`[attested|attest] that ${amount(tx.Amount)} entered a bridge to create ${account(tx.Destination)}`,
  // The only mending that is defined is that of an account's list of NFTs.
  LedgerStateFix: (tx) => say`[mended|mend] the list of NFTs of ${account(tx.Owner)}`,
  Batch: (tx) => say`[sent|send] a batch of ${plural(lengthOf(tx.RawTransactions), 'transaction')}`,
  EnableAmendment: amendment,
  SetFee: () => say`[set|set] the fees of the network`,
  UNLModify: () => say`[changed|change] the list of validators that are not counted`,
};

const NO_SENDER = 'rrrrrrrrrrrrrrrrrrrrrhoLvTp';

/** `tec…` took a fee and did nothing else, but for what `removedBeside` names (results.ts). */
export function wordsOf(tx: Fields, meta: Meta): readonly Piece[] {
  const isDone = meta.TransactionResult === 'tesSUCCESS';
  const writer = named(WRITERS, tx.TransactionType);
  const said = writer
    ? writer(tx, meta)
    : say`[sent|send] a transaction of type ${typeWords(tx.TransactionType)}`;
  const chosen = said.map((piece) =>
    typeof piece === 'string'
      ? piece.replace(/\[([^|\]]*)\|([^\]]*)\]/, isDone ? '$1' : 'tried to $2')
      : piece,
  );
  const sender: Piece = tx.Account === NO_SENDER || !tx.Account ? 'The network' : account(tx.Account);
  // Who signs and pays the fee in its place (XLS-75).
  const by = when(isText(tx.Delegate), () => say`, by its delegate ${account(tx.Delegate)}`) ?? [];
  return [sender, ' ', ...chosen, ...by].filter((piece) => piece !== '');
}

/** NFTokenCreateOffer -> 'NFT create offer'. */
export function typeWords(type: unknown): string {
  const spaced = String(type ?? 'unknown')
    .replace('NFToken', 'NFT')
    .replace('MPToken', 'MPT')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2');
  return spaced.replace(/ ([A-Z])(?=[a-z])/g, (_, letter: string) => ` ${letter.toLowerCase()}`);
}

/** Words for the kinds of entries of the ledger. */
export const entryWords: Readonly<Record<string, string>> = {
  AccountRoot: 'account',
  RippleState: 'trust line',
  DirectoryNode: 'directory page',
  NFTokenPage: 'page of NFTs',
  NFTokenOffer: 'NFT offer',
  MPToken: 'holding of a multi-purpose token',
  MPTokenIssuance: 'multi-purpose token',
  AMM: 'pool',
  PayChannel: 'payment channel',
  Oracle: 'price oracle',
};
