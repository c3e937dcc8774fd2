/** The same state folded from JSON metadata into plain Maps, the slow and obvious way. */

import { decodeAccountID } from 'xrpl';

/** The ledger orders accounts by these bytes. */
export const idHex = (address: string): string => Buffer.from(decodeAccountID(address)).toString('hex');

export interface Metadata {
  readonly AffectedNodes: readonly Record<string, JsonNode>[];
}

export interface JsonNode {
  readonly LedgerEntryType: string;
  readonly LedgerIndex: string;
  readonly NewFields?: Fields;
  readonly FinalFields?: Fields;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the reference codec
export type Fields = Record<string, any>;

export interface ModelOffer {
  fields: Fields;
  quality: bigint;
  age: number;
}

export interface Standing {
  supply: string;
  holders: number;
  lines: Set<string>;
}

const LOW_RESERVE = 0x00010000;
const HIGH_RESERVE = 0x00020000;

export class Model {
  readonly accounts = new Map<string, Fields | undefined>();
  readonly lines = new Map<string, Fields>();
  readonly holdings = new Map<string, Fields>();
  readonly issuances = new Map<string, Fields>();
  readonly offers = new Map<string, ModelOffer>();
  readonly pools = new Map<string, Fields>();
  readonly oracles = new Map<string, Fields>();
  readonly lastActive = new Map<string, number>();
  #age = 0;

  apply(meta: Metadata): void {
    for (const affected of meta.AffectedNodes) {
      const [kind, node] = Object.entries(affected)[0]!;
      const fields = node.NewFields ?? node.FinalFields;
      this.#age++;
      if (fields) this.#node(kind, node.LedgerEntryType, fields);
    }
  }

  /** An entry of a snapshot: its age is not known. */
  entry(fields: Fields): void {
    this.#node('Snapshot', fields.LedgerEntryType, fields);
  }

  /** The state after a gap of ledgers. */
  gap(): void {
    this.offers.clear();
  }

  #node(kind: string, type: string, fields: Fields): void {
    const deleted = kind === 'DeletedNode';
    if (type === 'AccountRoot' && fields.Account) {
      this.accounts.set(fields.Account, deleted ? undefined : fields);
    } else if (type === 'RippleState' && fields.LowLimit && fields.HighLimit) {
      const key = `${fields.LowLimit.issuer} ${fields.HighLimit.issuer} ${fields.LowLimit.currency}`;
      put(this.lines, key, fields, deleted);
    } else if (type === 'MPToken' && fields.Account) {
      put(this.holdings, `${fields.Account} ${fields.MPTokenIssuanceID}`, fields, deleted);
    } else if (type === 'MPTokenIssuance' && fields.Issuer) {
      put(this.issuances, `${fields.Issuer} ${fields.Sequence ?? 0}`, fields, deleted);
    } else if (type === 'Offer' && fields.Account) {
      this.#offer(kind, fields, deleted);
    } else if (type === 'AMM' && fields.Account) {
      const pair = pairOf(fields);
      for (const [account, pool] of this.pools)
        if (!deleted && pairOf(pool) === pair) this.pools.delete(account);
      put(this.pools, fields.Account, fields, deleted);
    } else if (type === 'Oracle' && fields.Owner) {
      put(this.oracles, `${fields.Owner} ${fields.OracleDocumentID ?? 0}`, fields, deleted);
    }
  }

  #offer(kind: string, fields: Fields, deleted: boolean): void {
    const key = `${fields.Account} ${fields.Sequence ?? 0}`;
    if (deleted) {
      this.offers.delete(key);
      return;
    }
    const quality = BigInt(`0x${String(fields.BookDirectory).slice(48)}`);
    const before = this.offers.get(key);
    // Another place in the books without a creation: it was replaced unseen, so its age is not known.
    const moved = before && placeOf(before.fields) !== placeOf(fields);
    const age = kind === 'CreatedNode' ? this.#age : moved ? 0 : (before?.age ?? 0);
    this.offers.set(key, { fields, quality, age });
  }

  /** Tokens with their supply, holder and line counts, all counted again. Keys: `issuer_currency`, MPT ids. */
  standings(): Map<string, Standing> {
    const sums = new Map<string, { value: Exact; holders: number; lines: Set<string> }>();
    const at = (token: string) => {
      const found = sums.get(token) ?? { value: exact('0'), holders: 0, lines: new Set<string>() };
      sums.set(token, found);
      return found;
    };
    for (const [key, fields] of this.lines) {
      const [low, high, currency] = key.split(' ') as [string, string, string];
      const value = exact(fields.Balance?.value ?? '0');
      const flags = Number(fields.Flags ?? 0);
      let lowIn = value.m > 0n || exact(fields.LowLimit.value).m !== 0n;
      let highIn = value.m < 0n || exact(fields.HighLimit.value).m !== 0n;
      if (!lowIn && !highIn) {
        lowIn = (flags & LOW_RESERVE) !== 0;
        highIn = (flags & HIGH_RESERVE) !== 0;
      }
      if (lowIn) at(`${high}_${currency}`).lines.add(low);
      if (highIn) at(`${low}_${currency}`).lines.add(high);
      if (value.m === 0n) continue;
      const held = at(value.m > 0n ? `${high}_${currency}` : `${low}_${currency}`);
      held.holders++;
      held.value = plus(held.value, value.m > 0n ? value : { m: -value.m, e: value.e });
    }
    for (const [key, fields] of this.holdings) {
      const [holder, id] = key.split(' ') as [string, string];
      const token = at(id);
      token.lines.add(holder);
      if (BigInt(fields.MPTAmount ?? 0) > 0n) token.holders++;
    }
    return new Map([...sums].map(([token, s]) => [token, { ...s, supply: exactText(s.value) }]));
  }

  /** Books by `pays>gets[>domain]`: offer keys, best first. */
  books(): Map<string, string[]> {
    const books = new Map<string, { key: string; offer: ModelOffer }[]>();
    for (const [key, offer] of this.offers) {
      const { TakerPays, TakerGets, DomainID, Flags } = offer.fields;
      const pair = `${amountToken(TakerPays)}>${amountToken(TakerGets)}`;
      const names = DomainID ? [`${pair}>${DomainID}`] : [pair];
      if (DomainID && Number(Flags ?? 0) & 0x00040000) names.push(pair);
      for (const name of names) books.set(name, [...(books.get(name) ?? []), { key, offer }]);
    }
    const sorted = new Map<string, string[]>();
    for (const [name, rows] of books) {
      rows.sort(
        (a, b) =>
          Number(a.offer.quality > b.offer.quality) - Number(a.offer.quality < b.offer.quality) ||
          a.offer.age - b.offer.age ||
          Number(a.offer.fields.Sequence ?? 0) - Number(b.offer.fields.Sequence ?? 0) ||
          (idHex(a.offer.fields.Account) < idHex(b.offer.fields.Account) ? -1 : 1),
      );
      sorted.set(
        name,
        rows.map((row) => row.key),
      );
    }
    return sorted;
  }
}

/** `XRP`, `issuer_currency`, or an MPT id; an absent Issue is XRP. */
export function issueName(issue: Fields | undefined): string {
  if (issue?.mpt_issuance_id) return issue.mpt_issuance_id;
  return !issue || issue.currency === 'XRP' ? 'XRP' : `${issue.issuer}_${issue.currency}`;
}

function pairOf(pool: Fields): string {
  return [issueName(pool.Asset), issueName(pool.Asset2)].sort().join(' ');
}

function placeOf(offer: Fields): string {
  const hybrid = Number(offer.Flags ?? 0) & 0x00040000;
  const tokens = `${amountToken(offer.TakerPays)} ${amountToken(offer.TakerGets)}`;
  return `${tokens} ${offer.BookDirectory.slice(48)} ${offer.DomainID} ${hybrid}`;
}

function put(map: Map<string, Fields>, key: string, fields: Fields, deleted: boolean): void {
  if (deleted) map.delete(key);
  else map.set(key, fields);
}

/** `XRP`, `issuer_currency`, or an MPT id. */
export function amountToken(amount: string | Fields): string {
  if (typeof amount === 'string') return 'XRP';
  return amount.mpt_issuance_id ?? `${amount.issuer}_${amount.currency}`;
}

/** m x 10^e without trailing zeroes. */
export interface Exact {
  m: bigint;
  e: number;
}

/** Reads a decimal text, with or without exponent. */
export function exact(text: string): Exact {
  const [mantissa, exponent] = text.toLowerCase().split('e') as [string, string?];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  return strip({ m: BigInt(`${whole}${fraction}`), e: Number(exponent ?? 0) - fraction.length });
}

export function plus(a: Exact, b: Exact): Exact {
  const e = Math.min(a.e, b.e);
  return strip({ m: a.m * 10n ** BigInt(a.e - e) + b.m * 10n ** BigInt(b.e - e), e });
}

export function strip({ m, e }: Exact): Exact {
  if (m === 0n) return { m, e: 0 };
  let value = m;
  let exponent = e;
  while (value % 10n === 0n) {
    value /= 10n;
    exponent++;
  }
  return { m: value, e: exponent };
}

export function exactText(value: Exact): string {
  const { m, e } = strip(value);
  return `${m}e${e}`;
}

/** Raw words of an amount as text: `drops`, `mantissa e exponent`, or the MPT integer. */
export function rawAsText(kind: 'xrp' | 'issued' | 'mpt', hi: number, lo: number): string {
  const bits = (BigInt(hi) << 32n) | BigInt(lo);
  if (kind === 'mpt') return String(bits);
  const positive = (bits >> 62n) & 1n;
  if (kind === 'xrp') {
    const drops = bits & ((1n << 62n) - 1n);
    return String(positive || drops === 0n ? drops : -drops);
  }
  const m = bits & ((1n << 54n) - 1n);
  const e = Number((bits >> 54n) & 0xffn) - 97;
  return exactText({ m: positive ? m : -m, e: m === 0n ? 0 : e });
}

/** An amount of JSON in the form of `rawAsText`. */
export function amountAsText(amount: string | Fields): string {
  if (typeof amount === 'string') return amount;
  return amount.mpt_issuance_id ? String(amount.value) : exactText(exact(amount.value));
}
