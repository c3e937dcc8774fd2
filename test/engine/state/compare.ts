/** Every row of a state against the model, both ways. */
import { expect } from 'bun:test';
import { Presence } from '../../../engine/state/accounts.ts';
import { ORACLE_QUOTES } from '../../../engine/state/oracles.ts';
import type { State } from '../../../engine/state/state.ts';
import { Issuance } from '../../../engine/state/tokens.ts';
import {
  amountAsText,
  amountToken,
  exact,
  exactText,
  type Fields,
  issueName,
  type Model,
  rawAsText,
} from './model.ts';

const KINDS = ['xrp', 'issued', 'mpt'] as const;

export function compareAll(state: State, model: Model): void {
  compareAccounts(state, model);
  compareLines(state, model);
  compareHoldings(state, model);
  compareStandings(state, model);
  compareOffers(state, model);
  comparePools(state, model);
  compareOracles(state, model);
}

/** Prices of XRP in the quotes that are kept, as `owner document price scale update`. */
function compareOracles(state: State, model: Model): void {
  const { oracles, accounts } = state;
  for (const quote of ORACLE_QUOTES) {
    const expected: string[] = [];
    for (const fields of model.oracles.values()) {
      const series: Fields[] = fields.PriceDataSeries ?? [];
      const entry = series
        .map((row) => row.PriceData)
        .find(
          (data) => data.BaseAsset === 'XRP' && data.QuoteAsset === quote && data.AssetPrice !== undefined,
        );
      if (!entry) continue;
      const price = BigInt(`0x${entry.AssetPrice}`);
      const document = fields.OracleDocumentID ?? 0;
      expected.push(`${fields.Owner} ${document} ${price} ${entry.Scale ?? 0} ${fields.LastUpdateTime}`);
    }
    const ours = oracles.latest(quote).map((found) => {
      const price = (BigInt(found.hi) << 32n) | BigInt(found.lo);
      return `${accounts.text(found.owner)} ${found.documentId} ${price} ${found.scale} ${found.lastUpdate}`;
    });
    expect([quote, ours.sort()]).toEqual([quote, expected.sort()]);
  }
}

function compareAccounts(state: State, model: Model): void {
  const { accounts } = state;
  let existing = 0;
  for (const [address, fields] of model.accounts) {
    const id = accounts.findText(address)!;
    expect(accounts.text(id)).toBe(address);
    if (!fields) {
      expect(accounts.presence[id]).toBe(Presence.deleted);
      continue;
    }
    existing++;
    const ours = {
      presence: accounts.presence[id],
      balance: String(accounts.balanceDrops(id)),
      sequence: accounts.sequence[id],
      flags: accounts.flags[id],
      owners: accounts.ownerCount[id],
      rate: accounts.transferRate[id],
      tick: accounts.tickSize[id],
      amm: accounts.amm[id],
      domain: accounts.domain(id),
      lastActive: accounts.lastActive[id],
    };
    expect(ours).toEqual({
      presence: Presence.exists,
      balance: fields.Balance ?? '0',
      sequence: fields.Sequence ?? 0,
      flags: fields.Flags ?? 0,
      owners: fields.OwnerCount ?? 0,
      rate: fields.TransferRate ?? 0,
      tick: fields.TickSize ?? 0,
      amm: fields.AMMID ? 1 : 0,
      domain: fields.Domain ? Buffer.from(fields.Domain, 'hex').toString('utf8') : undefined,
      lastActive: model.lastActive.get(address) ?? 0,
    });
  }
  expect(accounts.existing).toBe(existing);
}

function compareLines(state: State, model: Model): void {
  const { accounts, currencies, lines, lineQualities } = state;
  let withQualities = 0;
  const seen = new Set<string>();
  for (let row = 1; row < lines.table.count; row++) {
    if (lines.lows[row] === 0 || lines.highs[row] === 0) continue;
    const low = accounts.text(lines.lows[row]!);
    const high = accounts.text(lines.highs[row]!);
    const key = `${low} ${high} ${currencies.text(lines.codes[row]!)}`;
    seen.add(key);
    const fields = model.lines.get(key)!;
    const ours = {
      balance: rawAsText('issued', lines.balancesHi[row]!, lines.balancesLo[row]!),
      low: rawAsText('issued', lines.lowLimitsHi[row]!, lines.lowLimitsLo[row]!),
      high: rawAsText('issued', lines.highLimitsHi[row]!, lines.highLimitsLo[row]!),
      flags: lines.flags[row]! * 65536,
      ins: [lineQualities.qualityIn(row, 'low'), lineQualities.qualityIn(row, 'high')],
      outs: [lineQualities.qualityOut(row, 'low'), lineQualities.qualityOut(row, 'high')],
    };
    if ([...ours.ins, ...ours.outs].some((quality) => quality !== 0)) withQualities++;
    expect(ours).toEqual({
      balance: fields.Balance ? amountAsText(fields.Balance) : '0e0',
      low: amountAsText(fields.LowLimit),
      high: amountAsText(fields.HighLimit),
      flags: fields.Flags ?? 0,
      ins: [fields.LowQualityIn ?? 0, fields.HighQualityIn ?? 0],
      outs: [fields.LowQualityOut ?? 0, fields.HighQualityOut ?? 0],
    });
  }
  expect(lineQualities.existing).toBe(withQualities);
  expect(seen.size).toBe(model.lines.size);
  expect(lines.existing).toBe(model.lines.size + model.holdings.size);
}

function compareHoldings(state: State, model: Model): void {
  const { lines, tokens, accounts } = state;
  for (const [key, fields] of model.holdings) {
    const [holder, id] = key.split(' ') as [string, string];
    const token = tokens.byMptId(id)!;
    const line = lines.find(accounts.findText(holder)!, token)!;
    expect(tokens.mptId(token)).toBe(id);
    expect(rawAsText('mpt', ...lines.balanceRaw(line, token))).toBe(String(fields.MPTAmount ?? 0));
    expect(rawAsText('mpt', ...lines.limitRaw(line, token))).toBe(String(fields.LockedAmount ?? 0));
    expect(lines.flags[line]).toBe(Number(fields.Flags ?? 0));
  }
  for (const [key, fields] of model.issuances) {
    const [issuer, sequence] = key.split(' ') as [string, string];
    const account = accounts.findText(issuer)!;
    const hex =
      Number(sequence).toString(16).padStart(8, '0') + Buffer.from(accounts.bytes(account)).toString('hex');
    const token = tokens.byMptId(hex)!;
    expect(tokens.issuanceState[token]).toBe(Issuance.exists);
    expect(String(lines.supply(token).m)).toBe(String(fields.OutstandingAmount ?? 0));
    expect(tokens.assetScale[token]).toBe(fields.AssetScale ?? 0);
    expect(tokens.transferFee[token]).toBe(fields.TransferFee ?? 0);
  }
}

function compareStandings(state: State, model: Model): void {
  const { tokens, lines, accounts } = state;
  const standings = model.standings();
  const seen = new Set<string>();
  for (let token = 1; token < tokens.count; token++) {
    const issued = tokens.kind(token) === 1;
    const key = issued ? tokens.key(token) : tokens.mptId(token);
    const standing = standings.get(key);
    if (standing) seen.add(key);
    const holders = lines.holders(token);
    const accountsOf = new Set(
      Array.from(holders, (line) => accounts.text(lines.holderAccount(line, token))),
    );
    expect([key, accountsOf]).toEqual([key, standing?.lines ?? new Set()]);
    expect([key, lines.lineCount(token)]).toEqual([key, standing?.lines.size ?? 0]);
    expect([key, lines.holdersCount(token)]).toEqual([key, standing?.holders ?? 0]);
    const frozen = holders.filter((line) => lines.frozenByIssuer(line, token)).length;
    expect([key, lines.frozenCount(token)]).toEqual([key, frozen]);
    const frozenLines = holders.filter((line) => lines.isFrozen(line));
    expect([key, [...lines.frozenLines(token)].sort()]).toEqual([key, [...frozenLines].sort()]);
    if (issued) expect([key, exactText(lines.supply(token))]).toEqual([key, standing?.supply ?? '0e0']);
    for (const line of holders) {
      expect(lines.find(lines.holderAccount(line, token), token)).toBe(line);
      expect(lines.tokensOf(line)).toContain(token);
    }
    expect(tokens.byMd5(tokens.md5(token))).toBe(token);
    expect(tokens.find(tokens.issuerText(token), tokens.currencyText(token))).toBe(token);
  }
  expect(seen.size).toBe(standings.size);
}

function compareOffers(state: State, model: Model): void {
  const { books, tokens, accounts, domains } = state;
  const nameOf = (token: number): string =>
    tokens.kind(token) === 2 ? tokens.mptId(token) : tokens.key(token);
  expect(books.existing).toBe(model.offers.size);
  for (const [key, { fields }] of model.offers) {
    const [address, sequence] = key.split(' ') as [string, string];
    const offer = books.find(accounts.findText(address)!, Number(sequence))!;
    const raw = (token: number, hi: number, lo: number) => rawAsText(KINDS[tokens.kind(token)], hi, lo);
    const ours = {
      pays: raw(books.paysTokens[offer]!, books.paysHi[offer]!, books.paysLo[offer]!),
      gets: raw(books.getsTokens[offer]!, books.getsHi[offer]!, books.getsLo[offer]!),
      paysToken: nameOf(books.paysTokens[offer]!),
      getsToken: nameOf(books.getsTokens[offer]!),
      flags: books.flags[offer],
      expiration: books.expirations[offer],
    };
    expect(ours).toEqual({
      pays: amountAsText(fields.TakerPays),
      gets: amountAsText(fields.TakerGets),
      paysToken: amountToken(fields.TakerPays),
      getsToken: amountToken(fields.TakerGets),
      flags: fields.Flags ?? 0,
      expiration: fields.Expiration ?? 0,
    });
  }
  const expected = model.books();
  let filled = 0;
  for (let book = 1; book < books.bookCount; book++) {
    const domain = books.bookDomain(book);
    const pair = `${nameOf(books.bookPays(book))}>${nameOf(books.bookGets(book))}`;
    const name = domain === 0 ? pair : `${pair}>${domains.text(domain)}`;
    const keys = Array.from(
      books.offers(book),
      (o) => `${accounts.text(books.accounts[o]!)} ${books.sequences[o]}`,
    );
    if (keys.length > 0) filled++;
    expect([name, keys]).toEqual([name, expected.get(name) ?? []]);
  }
  expect(filled).toBe(expected.size);
}

function comparePools(state: State, model: Model): void {
  const { pools, accounts, tokens } = state;
  expect(pools.existing).toBe(model.pools.size);
  for (const [address, fields] of model.pools) {
    const pool = pools.byAccount(accounts.findText(address)!)!;
    const [a, b] = [pools.asset1(pool), pools.asset2(pool)];
    expect([issueName(fields.Asset), issueName(fields.Asset2)]).toEqual([
      tokens.kind(a) === 2 ? tokens.mptId(a) : tokens.key(a),
      tokens.kind(b) === 2 ? tokens.mptId(b) : tokens.key(b),
    ]);
    expect(rawAsText('issued', ...pools.lpBalanceRaw(pool))).toBe(amountAsText(fields.LPTokenBalance));
    expect(pools.fee(pool)).toBe(fields.TradingFee ?? 0);
    expect(pools.byAssets(b, a)).toBe(pool);
    expect(tokens.poolOf(pools.lpToken(pool))).toBe(pool);
    const issues = [fields.Asset, fields.Asset2];
    for (const side of [1, 2] as const) {
      const token = side === 1 ? a : b;
      const reserve = rawAsText(KINDS[tokens.kind(token)], ...pools.reserveRaw(pool, side));
      expect([address, side, reserve]).toEqual([address, side, heldBy(model, address, issues[side - 1])]);
    }
  }
}

/** What an account holds of an issue, by the model, in the form of `rawAsText`. */
function heldBy(model: Model, address: string, issue: Fields = { currency: 'XRP' }): string {
  if (issue.mpt_issuance_id)
    return String(model.holdings.get(`${address} ${issue.mpt_issuance_id}`)?.MPTAmount ?? 0);
  // The model knows an XRP balance only once it saw the account.
  if (issue.currency === 'XRP') return model.accounts.get(address)?.Balance ?? '0';
  const asLow = model.lines.get(`${address} ${issue.issuer} ${issue.currency}`);
  if (asLow) return exactText(exact(asLow.Balance?.value ?? '0'));
  const asHigh = model.lines.get(`${issue.issuer} ${address} ${issue.currency}`);
  const seenFromLow = exact(asHigh?.Balance?.value ?? '0');
  return exactText({ m: -seenFromLow.m, e: seenFromLow.e });
}
