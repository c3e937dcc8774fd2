/**
 * Problems of a ledger as a whole, computed from its entries alone:
 *
 *     owner counts      every entry counted for its owner, tickets and NFT pages too
 *     directories       each listing is on its page, each page lists only such; rings closed, no page empty
 *     order books       a page's key, rate, currencies and offers agree
 *     supplies          LP tokens on lines = the pool's entry; MPTs held and locked = outstanding; no negative XRP
 *     NFT pages         chained both ways, in order
 *
 * Written from the ledger format's documentation, not from the code under test; keys are computed by keylets.ts, which
 * has tests of its own.
 */
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import { type AccountId, currencyOf, type Hex, issuerOf } from '../../engine/codec/arithmetic/asset.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';
import { hasAny, Lsf } from '../../sandbox/protocol/flags.ts';
import * as keylets from '../../sandbox/protocol/keylets.ts';

type Ledger = ReadonlyMap<Hex, Readonly<Entry>>;

/** The listing of an entry, and the account whose reserve it raises. */
interface Place {
  readonly root: Hex;
  readonly page: bigint | undefined;
}
interface Standing {
  readonly places: readonly Place[];
  readonly counts: readonly (readonly [AccountId, number])[];
}

const owned = (account: AccountId, page: bigint | undefined): Place => ({
  root: keylets.ownerDirectory(account),
  page,
});

/** Listed with its owner, and with a second account when it has a page there. */
function simple(
  owner: AccountId | undefined,
  entry: Readonly<Entry>,
  more: readonly Place[] = [],
  count = 1,
): Standing {
  const account = owner as AccountId;
  const places = [owned(account, entry.OwnerNode), ...more.filter(({ page }) => page !== undefined)];
  return { places, counts: [[account, count]] };
}

function lineStanding(line: Readonly<Entry>): Standing {
  const low = issuerOf(line.LowLimit!.asset);
  const high = issuerOf(line.HighLimit!.asset);
  return {
    places: [owned(low, line.LowNode), owned(high, line.HighNode)],
    counts: [
      [low, hasAny(line.Flags, Lsf.lsfLowReserve) ? 1 : 0],
      [high, hasAny(line.Flags, Lsf.lsfHighReserve) ? 1 : 0],
    ],
  };
}

function credentialStanding(entry: Readonly<Entry>): Standing {
  const { Issuer: issuer, Subject: subject } = entry;
  const accepted = hasAny(entry.Flags, Lsf.lsfAccepted);
  const places = [owned(issuer!, entry.IssuerNode)];
  if (issuer !== subject) places.push(owned(subject!, entry.SubjectNode));
  return { places, counts: [[accepted ? subject! : issuer!, 1]] };
}

function offerStanding(offer: Readonly<Entry>): Standing {
  const books = (offer.AdditionalBooks ?? []).map(({ Book }) => Book!);
  return simple(
    offer.Account,
    offer,
    [offer, ...books].map(({ BookDirectory, BookNode }) => ({ root: BookDirectory!, page: BookNode ?? 0n })),
  );
}

function standingOf(entry: Readonly<Entry>, owners: ReadonlyMap<Hex, AccountId>): Standing {
  switch (entry.LedgerEntryType) {
    case 'RippleState':
      return lineStanding(entry);
    case 'Offer':
      return offerStanding(entry);
    case 'Credential':
      return credentialStanding(entry);
    case 'Check':
    case 'Escrow':
    case 'PayChannel': {
      const others = [owned(entry.Destination!, entry.DestinationNode)];
      if (entry.IssuerNode !== undefined) others.push(owned(issuerOf(entry.Amount!.asset), entry.IssuerNode));
      return simple(entry.Account, entry, others);
    }
    case 'Delegate':
      return simple(entry.Account, entry, [owned(entry.Authorize!, entry.DestinationNode)]);
    case 'NFTokenOffer': {
      const sells = hasAny(entry.Flags, Lsf.lsfSellNFToken);
      const root = (sells ? keylets.nftSellOffers : keylets.nftBuyOffers)(entry.NFTokenID!);
      return simple(entry.Owner, entry, [{ root, page: entry.NFTokenOfferNode ?? 0n }]);
    }
    case 'SignerList': {
      const one = hasAny(entry.Flags, Lsf.lsfOneOwnerCount);
      const count = one ? 1 : 2 + (entry.SignerEntries?.length ?? 0);
      return simple(owners.get(entry.index), entry, [], count);
    }
    case 'Oracle':
      return simple(entry.Owner, entry, [], (entry.PriceDataSeries?.length ?? 0) > 5 ? 2 : 1);
    case 'Vault':
      // One for the vault, one for its account.
      return simple(entry.Owner, entry, [], 2);
    case 'AMM':
      return simple(entry.Account, entry, [], 0);
    case 'PermissionedDomain':
      return simple(entry.Owner, entry);
    case 'MPTokenIssuance':
      return simple(entry.Issuer, entry);
    case 'NFTokenPage':
      return { places: [], counts: [[entry.index.slice(0, 40), 1]] };
    case 'AccountRoot':
    case 'DirectoryNode':
    case 'FeeSettings':
    case 'Amendments':
    case 'LedgerHashes':
    case 'NegativeUNL':
      return { places: [], counts: [] };
    default:
      return simple(entry.Account, entry);
  }
}

function ownerCountProblems(ledger: Ledger, standings: ReadonlyMap<Hex, Standing>): string[] {
  const counted = new Map<AccountId, number>();
  const tickets = new Map<AccountId, number>();
  for (const [key, { counts }] of standings) {
    for (const [account, count] of counts) counted.set(account, (counted.get(account) ?? 0) + count);
    const { LedgerEntryType: type, Account: account } = ledger.get(key)!;
    if (type === 'Ticket') tickets.set(account!, (tickets.get(account!) ?? 0) + 1);
  }
  const problems: string[] = [];
  for (const root of ledger.values()) {
    if (root.LedgerEntryType !== 'AccountRoot') continue;
    const [count, says] = [counted.get(root.Account!) ?? 0, root.OwnerCount ?? 0];
    if (count !== says) problems.push(`account ${root.Account} owns ${count}, says ${says}`);
    counted.delete(root.Account!);
    const held = tickets.get(root.Account!) ?? 0;
    if (held !== (root.TicketCount ?? 0)) problems.push(`account ${root.Account} holds ${held} tickets`);
    if (root.Balance!.drops < 0n) problems.push(`account ${root.Account} has less than nothing`);
  }
  for (const [account, count] of counted)
    if (count !== 0) problems.push(`${count} entries of ${account}, which is not there`);
  return problems;
}

/** Walks one directory from its root. @returns keys of its pages; broken links are reported. */
function ringOf(ledger: Ledger, root: Readonly<Entry>, problems: string[]): Set<Hex> {
  const seen = new Set<Hex>();
  let number = 0n;
  let before = root.IndexPrevious ?? 0n;
  do {
    const page = ledger.get(keylets.directoryPage(root.index, number));
    if (page === undefined || seen.has(page.index)) {
      problems.push(`directory ${root.index}: page ${number} is ${page ? 'met twice' : 'missing'}`);
      return seen;
    }
    seen.add(page.index);
    if (page.RootIndex !== root.index) problems.push(`directory page ${page.index} names another root`);
    if ((page.IndexPrevious ?? 0n) !== before) problems.push(`directory page ${page.index} links back wrong`);
    before = number;
    number = page.IndexNext ?? 0n;
  } while (number !== 0n);
  return seen;
}

function bookProblems(root: Readonly<Entry>, offers: readonly Readonly<Entry>[]): string[] {
  const problems: string[] = [];
  if (keylets.directoryQuality(root.index) !== root.ExchangeRate)
    problems.push(`book ${root.index} says another rate than its key`);
  for (const { index, TakerPays, TakerGets, DomainID, AdditionalBooks } of offers) {
    const sides = { takerPays: TakerPays!.asset, takerGets: TakerGets!.asset };
    const bases = [keylets.bookBase({ ...sides, domain: DomainID })];
    if (AdditionalBooks !== undefined) bases.push(keylets.bookBase(sides));
    if (!bases.some((base) => base.slice(0, 48) === root.index.slice(0, 48)))
      problems.push(`offer ${index} is in the book of another pair`);
    if (TakerPays!.signum <= 0 || TakerGets!.signum <= 0) problems.push(`offer ${index} is of nothing`);
  }
  return problems;
}

function directoryProblems(ledger: Ledger, standings: ReadonlyMap<Hex, Standing>): string[] {
  const problems: string[] = [];
  const expected = new Set<string>();
  for (const [key, { places }] of standings)
    for (const { root, page } of places) expected.add(`${keylets.directoryPage(root, page ?? 0n)} ${key}`);
  const reached = new Set<Hex>();
  for (const page of ledger.values()) {
    if (page.LedgerEntryType !== 'DirectoryNode') continue;
    const keys = page.Indexes ?? [];
    const isRoot = page.RootIndex === page.index;
    if (isRoot) for (const key of ringOf(ledger, page, problems)) reached.add(key);
    // An owner's root may stay when it lists nothing.
    if (keys.length === 0 && !(isRoot && page.Owner !== undefined) && !(isRoot && page.IndexNext))
      problems.push(`directory page ${page.index} is empty`);
    if (keys.length > 32) problems.push(`directory page ${page.index} is too long`);
    const listed = keys.flatMap((key) => ledger.get(key) ?? []);
    if (isRoot && page.ExchangeRate !== undefined) problems.push(...bookProblems(page, listed));
    for (const key of keys)
      if (!expected.delete(`${page.index} ${key}`))
        problems.push(`directory page ${page.index} lists ${key}, which is not there or elsewhere`);
  }
  for (const place of expected) problems.push(`not listed where it says: ${place}`);
  for (const page of ledger.values())
    if (page.LedgerEntryType === 'DirectoryNode' && !reached.has(page.index))
      problems.push(`directory page ${page.index} cannot be reached`);
  return problems;
}

/**
 * Equal to within about a millionth: shares that move between holders are rounded on each line separately, and the
 * network allows the sum to drift (a thousandth, `verifyAndAdjustLPTokenBalance`). An error in the last digit of a large
 * pool is relatively larger when the pool has become small.
 */
function isNearly(held: Amount, says: Amount): boolean {
  const off = held.sub(says).abs();
  return off.isZero || off.exponent + 6 < says.exponent;
}

function supplyProblems(ledger: Ledger): string[] {
  const problems: string[] = [];
  const shares = new Map<string, Amount>();
  const tokens = new Map<Hex, bigint>();
  for (const entry of ledger.values()) {
    if (entry.LedgerEntryType === 'RippleState') {
      const { Balance: balance, LowLimit: low, HighLimit: high } = entry;
      // The low account's balance is issued by the high one, and the other way round.
      const issuer = issuerOf((balance!.signum > 0 ? high! : low!).asset);
      const key = `${currencyOf(low!.asset)} ${issuer}`;
      const held = balance!.abs();
      const sum = shares.get(key);
      if (!held.isZero) shares.set(key, sum ? sum.add(held.withAsset(sum.asset)) : held);
    } else if (entry.LedgerEntryType === 'MPToken') {
      const key = keylets.mptIssuance(entry.MPTokenIssuanceID!);
      const held = (entry.MPTAmount ?? 0n) + (entry.LockedAmount ?? 0n);
      tokens.set(key, (tokens.get(key) ?? 0n) + held);
    }
  }
  for (const entry of ledger.values()) {
    if (entry.LedgerEntryType === 'AMM') {
      const says = entry.LPTokenBalance!;
      const sum = shares.get(`${currencyOf(says.asset)} ${entry.Account}`);
      if (!isNearly(sum?.withAsset(says.asset) ?? Amount.zero(says.asset), says))
        problems.push(`pool ${entry.index} says ${says.text()} LP tokens, ${sum?.text() ?? 0} are held`);
    } else if (entry.LedgerEntryType === 'MPTokenIssuance') {
      const [held, says] = [tokens.get(entry.index) ?? 0n, entry.OutstandingAmount ?? 0n];
      if (held !== says) problems.push(`issuance ${entry.index} says ${says}, ${held} are held`);
      tokens.delete(entry.index);
    }
  }
  for (const [key, held] of tokens) if (held !== 0n) problems.push(`${held} held of no issuance ${key}`);
  return problems;
}

/** The order of tokens on pages: the low 96 bits, then the whole id. */
const place = (id: Hex): string => id.slice(40) + id;

function nftPageProblems(ledger: Ledger): string[] {
  const problems: string[] = [];
  const pages = [...ledger.values()].filter(({ LedgerEntryType }) => LedgerEntryType === 'NFTokenPage');
  pages.sort((a, b) => (a.index < b.index ? -1 : 1));
  for (const [at, page] of pages.entries()) {
    const mine = (other: Readonly<Entry> | undefined): boolean =>
      other?.index.slice(0, 40) === page.index.slice(0, 40);
    const [before, after] = [pages[at - 1], pages[at + 1]].map((other) => (mine(other) ? other : undefined));
    if (page.PreviousPageMin !== before?.index || page.NextPageMin !== after?.index)
      problems.push(`NFT page ${page.index} is linked wrong`);
    if (!after && page.index !== keylets.nftPageMax(page.index.slice(0, 40)))
      problems.push(`NFT page ${page.index} is last without being the last`);
    const ids = (page.NFTokens ?? []).map(({ NFToken }) => NFToken!.NFTokenID!);
    const low = before ? before.index.slice(40) : '';
    const good =
      ids.length > 0 &&
      ids.length <= 32 &&
      ids.every((id, i) => i === 0 || place(id) > place(ids[i - 1]!)) &&
      ids.every((id) => id.slice(40) >= low && (after === undefined || id.slice(40) < page.index.slice(40)));
    if (!good) problems.push(`NFT page ${page.index} is not in order`);
  }
  return problems;
}

/** All problems of a ledger's entries taken together. */
export function wholeLedgerProblems(entries: Iterable<Readonly<Entry>>): string[] {
  const ledger = new Map([...entries].map((entry) => [entry.index, entry]));
  const owners = new Map<Hex, AccountId>();
  for (const { LedgerEntryType, Account } of ledger.values())
    if (LedgerEntryType === 'AccountRoot') owners.set(keylets.signerList(Account!), Account!);
  const standings = new Map([...ledger].map(([key, entry]) => [key, standingOf(entry, owners)]));
  return [
    ...ownerCountProblems(ledger, standings),
    ...directoryProblems(ledger, standings),
    ...supplyProblems(ledger),
    ...nftPageProblems(ledger),
  ];
}
