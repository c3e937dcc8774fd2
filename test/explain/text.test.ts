/** Transactions as plain text: the words of the pages, with everything in them written out. */
import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { getBalanceChanges } from 'xrpl';
import examples from '../../api/transaction-examples.json';
import { currencyName } from '../../engine/codec/currency.ts';
import { shifted } from '../../explain/decimal.ts';
import { currencyText, type Fields, type Meta } from '../../explain/json.ts';
import { transactionText } from '../../explain/text.ts';
import { typeWords } from '../../explain/words.ts';
import { ledgerFiles, readLedger } from '../../support/corpus.ts';
import { ConductSums } from '../../views/accounts/conduct-sums.ts';
import { read, World } from '../sandbox/population/world.ts';

const done = { TransactionResult: 'tesSUCCESS' };
const pay = { TransactionType: 'Payment', Account: 'rA', Destination: 'rB', DeliverMax: '5000001' };

describe('a transaction as text', () => {
  test('writes XRP in XRP, tokens by their text, and the account that is asked for as this account', () => {
    expect(transactionText(pay, done)).toBe('rA paid 5.000001 XRP to rB.');
    expect(transactionText(pay, done, { about: 'rA' })).toBe('This account paid 5.000001 XRP to rB.');
    expect(transactionText(pay, done, { about: 'rB' })).toBe('rA paid 5.000001 XRP to this account.');
    const currency = '504F4F4C45440000000000000000000000000000';
    const delivered_amount = { value: '12345678.90123', currency, issuer: 'rC' };
    expect(transactionText(pay, { ...done, delivered_amount })).toBe('rA paid 12345678.90123 POOLED to rB.');
    const mpt = { value: '7', mpt_issuance_id: '00AB' };
    expect(transactionText({ ...pay, DeliverMax: mpt }, done)).toBe('rA paid 7 MPT 00AB to rB.');
    const places = (id: string) => (id === '00AB' ? 6 : 0);
    expect(transactionText({ ...pay, DeliverMax: mpt }, done, { places })).toBe(
      'rA paid 0.000007 MPT 00AB to rB.',
    );
  });

  test('says why it failed', () => {
    expect(transactionText(pay, { TransactionResult: 'tecUNFUNDED_PAYMENT' }, { about: 'rA' })).toBe(
      'This account tried to pay 5.000001 XRP to rB. It failed: the account did not hold what it sent (tecUNFUNDED_PAYMENT); only the fee was taken.',
    );
  });

  test('says of what was done in part that it was', () => {
    const tx = {
      TransactionType: 'AMMDelete',
      Account: 'rA',
      Asset: { currency: 'XRP' },
      Asset2: { currency: 'USD', issuer: 'rC' },
    };
    expect(transactionText(tx, { TransactionResult: 'tecINCOMPLETE' })).toBe(
      'rA tried to remove the pool of XRP and USD. It was done in part: it is not complete, and the same transaction again does the rest (tecINCOMPLETE).',
    );
  });

  test('of what strangers wrote has no control characters, no marks that turn the direction, and no more than a line', () => {
    const Domain = Buffer.from(`a\u0000b\u202ec\n${'x'.repeat(500)}`).toString('hex');
    const text = transactionText({ TransactionType: 'AccountSet', Account: 'rA', Domain }, done);
    expect(text).toStartWith('rA changed the settings of its account; domain “a b c xx');
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThan(200);
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    'knows no type and no result %p, as other names that it does not know',
    (name) => {
      const tx = { TransactionType: name, Account: 'rA' };
      expect(transactionText(tx, done)).toBe(`rA sent a transaction of type ${typeWords(name)}.`);
      expect(transactionText(tx, { TransactionResult: name })).toEndWith(
        `(${name}); only the fee was taken.`,
      );
      expect(transactionText(tx, { TransactionResult: name })).not.toMatch(/native code|object/);
    },
  );

  test('is what the examples of the types say', () => {
    for (const [type, { json, summary }] of Object.entries(examples))
      expect([type, transactionText(json, done)]).toEqual([type, summary]);
  });

  test.each([
    [0x100000, '0', 'froze the trust line of rH for CAT'],
    [0x400000, '0', 'froze the trust line of rH for CAT'],
    [0x200000, '0', 'unfroze the trust line of rH for CAT'],
    [0x10000, '0', 'authorised rH to hold CAT'],
    [0x20000, '0', 'set the limit of the trust line for CAT to nothing'],
    [0x20000, '5', 'allowed itself to hold up to 5 CAT'],
  ])('names what flags %p of a trust line with limit %p do', (Flags, value, words) => {
    const LimitAmount = { currency: 'CAT', issuer: 'rH', value };
    const tx = { TransactionType: 'TrustSet', Account: 'rA', Flags, LimitAmount };
    expect(transactionText(tx, done)).toBe(`rA ${words}.`);
  });

  test('says what a pool gave, also where so little that its entry stays as it was', () => {
    const shares = '0376CD9DC788A7B5B6FF15C3042E637F798393FC';
    const line = (currency: string, low: string, high: string, had: string, has: string) => {
      const { ModifiedNode: node } = lineOf(0, 0);
      const balance = (value: string) => ({ currency, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value });
      const [LowLimit, HighLimit] = [low, high].map((issuer) => ({ currency, issuer, value: '0' }));
      const FinalFields = { ...node.FinalFields, Balance: balance(has), LowLimit, HighLimit };
      return { ModifiedNode: { ...node, FinalFields, PreviousFields: { Balance: balance(had) } } };
    };
    const tx = {
      TransactionType: 'AMMWithdraw',
      Account: 'rA',
      Flags: 0x40000,
      Amount: { currency: 'CAT', issuer: 'rI', value: '0.000000008' },
      Asset: { currency: 'XRP' },
      Asset2: { currency: 'CAT', issuer: 'rI' },
    };
    const AffectedNodes = [
      line('CAT', 'rA', 'rI', '7', '7.00000001'),
      line('CAT', 'rI', 'rPool', '-5.00000002', '-5.00000001'),
      line(shares, 'rA', 'rPool', '0.00000018', '0'),
    ];
    expect(transactionText(tx, { ...done, AffectedNodes })).toBe(
      'rA withdrew 0.00000001 CAT from the pool of XRP and CAT.',
    );
  });

  test('says what a claim took from a channel, not all that the channel has paid', () => {
    const claim = { TransactionType: 'PaymentChannelClaim', Account: 'rB', Channel: 'C1', Balance: '30000' };
    expect(transactionText(claim, { ...done, AffectedNodes: [channel] })).toBe(
      'rB claimed 0.01 XRP from the payment channel C1 and closed it.',
    );
    // Who pays by it may send what it owes.
    const paid = {
      ...channel.DeletedNode,
      FinalFields: { Account: 'rA', Destination: 'rB', Balance: '30000' },
    };
    const AffectedNodes = [{ ModifiedNode: paid }];
    for (const [Account, words] of [
      ['rA', 'paid 0.01 XRP to rB from the payment channel C1'],
      ['rB', 'claimed 0.01 XRP from the payment channel C1'],
    ])
      expect(transactionText({ ...claim, Account }, { ...done, AffectedNodes })).toBe(`${Account} ${words}.`);
    expect(transactionText(claim, { TransactionResult: 'tecNO_TARGET' })).toStartWith(
      'rB tried to claim a total of 0.03 XRP from the payment channel C1.',
    );
    const { Balance: _, ...close } = { ...claim, Flags: 0x20000 };
    expect(transactionText(close, { ...done, AffectedNodes: [channel] })).toBe(
      'rB closed the payment channel C1.',
    );
    expect(transactionText(close, done)).toBe('rB asked to close the payment channel C1.');
  });

  test('of flags that close a trust line, says what became of the line', () => {
    const LimitAmount = { currency: 'CAT', issuer: 'rZ', value: '0' };
    // Wallets close a line with these: no rippling, and no freeze.
    const tx = { TransactionType: 'TrustSet', Account: 'rA', Flags: 0x220000, LimitAmount };
    const closed = 'rA set the limit of the trust line for CAT to nothing.';
    expect(transactionText(tx, { ...done, AffectedNodes: [lineOf(0x110000, 0x100000)] })).toBe(closed);
    expect(transactionText(tx, { ...done, AffectedNodes: [] })).toBe(closed);
    expect(transactionText(tx, done)).toBe(closed);
    // The low end is the one that froze it.
    const unfrozen = { ...done, AffectedNodes: [lineOf(0x510000, 0x110000)] };
    expect(transactionText(tx, unfrozen)).toBe('rA unfroze the trust line of rZ for CAT.');
    const other = { ...done, AffectedNodes: [lineOf(0x910000, 0x110000)] };
    expect(transactionText(tx, other)).toBe(closed);
  });

  test('says what was clawed back, not what was asked for', () => {
    const Amount = { currency: 'CAT', issuer: 'rZ', value: '50' };
    const tx = { TransactionType: 'Clawback', Account: 'rA', Amount };
    const line = lineOf(0x10000, 0x10000, '-40', '-10.5');
    expect(transactionText(tx, { ...done, AffectedNodes: [line] })).toBe('rA clawed back 29.5 CAT from rZ.');
    const failed = { TransactionResult: 'tecINSUFFICIENT_FUNDS' };
    expect(transactionText(tx, failed)).toStartWith('rA tried to claw back 50 CAT from rZ.');
    const units = { TransactionType: 'Clawback', Account: 'rA', Holder: 'rZ' };
    const mpt = { mpt_issuance_id: '00AB', value: '50' };
    const AffectedNodes = [holdingOf('30', '7')];
    expect(transactionText({ ...units, Amount: mpt }, { ...done, AffectedNodes })).toBe(
      'rA clawed back 23 MPT 00AB from rZ.',
    );
    const [Asset, Asset2] = [{ currency: 'CAT', issuer: 'rI' }, { currency: 'XRP' }];
    const ofPool = { TransactionType: 'AMMClawback', Account: 'rI', Holder: 'rZ', Asset, Asset2, Amount };
    expect(transactionText(ofPool, done)).toBe('rI clawed back 50 CAT of rZ from the pool of CAT and XRP.');
    const { Amount: _, ...all } = ofPool;
    expect(transactionText(all, done)).toBe('rI clawed back CAT of rZ from the pool of CAT and XRP.');
  });

  test('of a claw back of both assets of a pool names both', () => {
    const [usd, eur] = ['USD', 'EUR'].map((currency) => ({ currency, issuer: 'rA' }));
    const tx = { TransactionType: 'AMMClawback', Account: 'rA', Holder: 'rH', Asset: usd, Asset2: eur };
    const amountOf = (currency: string, value: string) => ({ currency, issuer: 'rP', value });
    const line = (currency: string, before: string, after: string) => ({
      ModifiedNode: {
        LedgerEntryType: 'RippleState',
        FinalFields: {
          Balance: amountOf(currency, after),
          LowLimit: { ...amountOf(currency, '0'), issuer: 'rP' },
          HighLimit: { ...amountOf(currency, '0'), issuer: 'rA' },
        },
        PreviousFields: { Balance: amountOf(currency, before) },
      },
    });
    const AMM = { LedgerEntryType: 'AMM', FinalFields: { Account: 'rP' } };
    const AffectedNodes = [{ ModifiedNode: AMM }, line('USD', '9', '7'), line('EUR', '5', '4.5')];
    const text = (Flags: number) => transactionText({ ...tx, Flags }, { ...done, AffectedNodes });
    expect(text(0)).toBe('rA clawed back 2 USD of rH from the pool of USD and EUR.');
    expect(text(1)).toBe('rA clawed back 2 USD and 0.5 EUR of rH from the pool of USD and EUR.');
  });

  test('names no amount that a partial payment of before 2014 asked for as what it delivered', () => {
    const partial = { ...pay, Flags: 0x20000 };
    const unavailable = { ...done, delivered_amount: 'unavailable' };
    expect(transactionText(partial, unavailable)).toBe('rA paid an amount that was not recorded to rB.');
    expect(transactionText(pay, unavailable)).toBe('rA paid 5.000001 XRP to rB.');
    const negative = { ...done, delivered_amount: '-1' };
    expect(transactionText(partial, negative)).toBe('rA paid -0.000001 XRP to rB.');
  });

  test('of an account that could not be deleted, says of nothing that it went', () => {
    const tx = { TransactionType: 'AccountDelete', Account: 'rA', Destination: 'rB' };
    expect(transactionText(tx, { ...done, delivered_amount: '7' })).toBe(
      'rA deleted its account; 0.000007 XRP went to rB.',
    );
    expect(transactionText(tx, { TransactionResult: 'tecHAS_OBLIGATIONS' })).toStartWith(
      'rA tried to delete its account in favour of rB. It failed',
    );
  });

  test('says who sold an NFT to whom, and for what', () => {
    const tx = { TransactionType: 'NFTokenAcceptOffer', Account: 'rA', NFTokenSellOffer: 'O1' };
    const removed = (Owner: string, Amount: string, Flags: number) => ({
      DeletedNode: {
        LedgerEntryType: 'NFTokenOffer',
        LedgerIndex: 'O1',
        FinalFields: { Owner, Amount, Flags, NFTokenID: '0008' },
      },
    });
    const [sell, buy] = [removed('rS', '1000000', 1), removed('rB', '3000000', 0)];
    for (const [AffectedNodes, words] of [
      [[sell], 'bought the NFT 0008 of rS for 1 XRP'],
      [[removed('rS', '0', 1)], 'got the NFT 0008 of rS for nothing'],
      [[buy], 'sold the NFT 0008 to rB for 3 XRP'],
      [[buy, sell], 'brokered the sale of the NFT 0008 of rS to rB for 3 XRP'],
      [[], 'accepted the NFT offer O1'],
    ] as const)
      expect(transactionText(tx, { ...done, AffectedNodes })).toBe(`rA ${words}.`);
    // One that has expired is removed, too.
    const expired = { TransactionResult: 'tecEXPIRED', AffectedNodes: [sell] };
    expect(transactionText(tx, expired)).toBe(
      'rA tried to accept the NFT offer O1. It failed: it has expired (tecEXPIRED); the fee was taken, and 1 expired NFT offer removed.',
    );
  });

  test('says what an escrow had, and for whom it was', () => {
    const tx = { TransactionType: 'EscrowFinish', Account: 'rA', Owner: 'rO', OfferSequence: 7 };
    const FinalFields = { Account: 'rO', Destination: 'rB', Amount: '2500000' };
    const DeletedNode = { LedgerEntryType: 'Escrow', LedgerIndex: 'E1', FinalFields };
    expect(transactionText(tx, { ...done, AffectedNodes: [{ DeletedNode }] })).toBe(
      'rA released escrow 7 of rO: 2.5 XRP for rB.',
    );
    expect(transactionText(tx, done)).toBe('rA released escrow 7 of rO.');
  });

  test.each([
    [0, 'enabled the amendment 0AB1'],
    [0x10000, 'found a majority for the amendment 0AB1'],
    [0x20000, 'found no majority any more for the amendment 0AB1'],
  ])('says what flags %p of a change of an amendment mean', (Flags, words) => {
    const tx = { TransactionType: 'EnableAmendment', Amendment: '0AB1', Flags };
    expect(transactionText(tx, done)).toBe(`The network ${words}.`);
  });

  test.each([
    [{ NFTokenTaxon: 7 }, 'minted an NFT of taxon 7'],
    [{ NFTokenTaxon: 7, Issuer: 'rA' }, 'minted an NFT of taxon 7'],
    [
      { NFTokenTaxon: 7, Issuer: 'rI', Amount: '0' },
      'minted an NFT of taxon 7 of the issuer rI, offered for 0 XRP',
    ],
    [
      { NFTokenTaxon: 7, Amount: '5000000', Destination: 'rB' },
      'minted an NFT of taxon 7, offered for 5 XRP to rB alone',
    ],
  ])('says of a mint of %p for whom it was, and the offer that it made', (fields, words) => {
    const tx = { TransactionType: 'NFTokenMint', Account: 'rA', ...fields };
    expect(transactionText(tx, done)).toBe(`rA ${words}.`);
    const made = words.replace('an NFT', 'the NFT 0008');
    expect(transactionText(tx, { ...done, nftoken_id: '0008' })).toBe(`rA ${made}.`);
  });

  test('says who alone may accept an offer for an NFT', () => {
    const tx = { TransactionType: 'NFTokenCreateOffer', Account: 'rA', NFTokenID: '0008', Amount: '5000000' };
    const text = (fields: object) => transactionText({ ...tx, ...fields }, done);
    expect(text({ Owner: 'rO' })).toBe('rA offered 5 XRP for the NFT 0008 of rO.');
    expect(text({ Owner: 'rO', Destination: 'rB' })).toBe(
      'rA offered 5 XRP for the NFT 0008 of rO, which rB alone may accept.',
    );
    expect(text({ Flags: 1, Destination: 'rB' })).toBe('rA offered the NFT 0008 for 5 XRP to rB alone.');
  });

  test('names the delegate that signs and pays the fee', () => {
    expect(transactionText({ ...pay, Delegate: 'rD' }, done)).toBe(
      'rA paid 5.000001 XRP to rB, by its delegate rD.',
    );
  });

  test('names whose NFT was burned or changed', () => {
    const burn = { TransactionType: 'NFTokenBurn', Account: 'rA', NFTokenID: '0008' };
    expect(transactionText(burn, done)).toBe('rA burned the NFT 0008.');
    expect(transactionText({ ...burn, Owner: 'rB' }, done)).toBe('rA burned the NFT 0008 of rB.');
    const modify = { ...burn, TransactionType: 'NFTokenModify', Owner: 'rB' };
    expect(transactionText(modify, done)).toBe('rA changed the NFT 0008 of rB.');
  });

  test.each([
    [
      { TransactionType: 'DepositPreauth', AuthorizeCredentials: [{}, {}] },
      'allowed payments of holders of 2 credentials',
    ],
    [
      { TransactionType: 'DepositPreauth', UnauthorizeCredentials: [{}] },
      'stopped accepting payments of holders of 1 credential',
    ],
    [
      { TransactionType: 'DelegateSet', Authorize: 'rB', Permissions: [] },
      'stopped allowing rB to act for it',
    ],
    [
      {
        TransactionType: 'DelegateSet',
        Authorize: 'rB',
        Permissions: ['Payment', 'AccountDomainSet'].map((PermissionValue) => ({
          Permission: { PermissionValue },
        })),
      },
      'allowed rB to act for it: Payment, AccountDomainSet',
    ],
    [
      { TransactionType: 'MPTokenAuthorize', Holder: 'rB', Flags: 1, MPTokenIssuanceID: '00AB' },
      'stopped authorising rB to hold the multi-purpose token 00AB',
    ],
    [
      { TransactionType: 'MPTokenAuthorize', Flags: 1, MPTokenIssuanceID: '00AB' },
      'stopped holding the multi-purpose token 00AB',
    ],
    [
      { TransactionType: 'MPTokenIssuanceSet', Flags: 1, Holder: 'rB', MPTokenIssuanceID: '00AB' },
      'locked what rB holds of the multi-purpose token 00AB',
    ],
    [
      { TransactionType: 'MPTokenIssuanceSet', Flags: 2, MPTokenIssuanceID: '00AB' },
      'unlocked the multi-purpose token 00AB',
    ],
    [
      { TransactionType: 'AccountSet', SetFlag: 15 },
      'changed the settings of its account; flag “trust lines are not wanted” set',
    ],
  ])('%p: says what was taken away as taken away, and what a flag means', (tx, words) => {
    expect(transactionText({ Account: 'rA', ...tx }, done)).toBe(`rA ${words}.`);
  });
});

const channel = {
  DeletedNode: {
    LedgerEntryType: 'PayChannel',
    LedgerIndex: 'C1',
    FinalFields: { Balance: '30000' },
    PreviousFields: { Balance: '20000' },
  },
};

/** A trust line with rA as its low end. */
const lineOf = (before: number, after: number, had = '0', has = '0') => ({
  ModifiedNode: {
    LedgerEntryType: 'RippleState',
    LedgerIndex: 'L1',
    FinalFields: {
      Flags: after,
      Balance: { currency: 'CAT', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: has },
      LowLimit: { currency: 'CAT', issuer: 'rA', value: '0' },
      HighLimit: { currency: 'CAT', issuer: 'rZ', value: '0' },
    },
    PreviousFields: {
      ...(before !== after && { Flags: before }),
      ...(had !== has && { Balance: { currency: 'CAT', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: had } }),
    },
  },
});

const holdingOf = (before: string, after: string) => ({
  ModifiedNode: {
    LedgerEntryType: 'MPToken',
    LedgerIndex: 'H1',
    FinalFields: { Account: 'rZ', MPTokenIssuanceID: '00AB', MPTAmount: after },
    PreviousFields: { MPTAmount: before },
  },
});

const seed = Number(process.env.SEED ?? 20_261_128);
console.log(`seed ${seed} (repeat with SEED=${seed})`);

interface Applied {
  readonly tx: Fields;
  readonly meta: Meta;
}

describe('transactions of a network with every type', () => {
  const all: Applied[] = [];

  beforeAll(() => {
    const world = new World({ seed: `texts ${seed}` });
    for (let i = 0; i < 60; i++) all.push(...applied(world));
  }, 120_000);

  test('deposits and withdrawals name what the pool got and gave', () => {
    let compared = 0;
    for (const { tx, meta } of all) {
      if (!/^AMM(Deposit|Withdraw)$/.test(tx.TransactionType)) continue;
      if (meta.TransactionResult !== 'tesSUCCESS') continue;
      const text = transactionText(tx, meta);
      for (const amount of movedOfPool(tx, meta)) {
        expect(text).toMatch(new RegExp(` ${amount.replaceAll('.', '\\.')}[ ,]`));
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(10);
  });

  test('no odd field of a transaction or of its metadata is an error', () => {
    const recorded = ledgerFiles().flatMap((name) => readLedger(name).transactions ?? []);
    const odd = fc.constantFrom<unknown>(undefined, null, 0, -1, 1.5, '', 'x', '1e99', true, [], [null], {}, [
      {},
    ]);
    const one = fc.constantFrom(...(recorded as unknown as Applied[]), ...all);
    const changed = fc.tuple(one, fc.infiniteStream(fc.nat()), odd, fc.boolean());
    fc.assert(
      fc.property(changed, ([{ tx, meta }, steps, value, isOfMeta]) => {
        const copy: Applied = structuredClone({ tx, meta });
        replaceIn(isOfMeta ? copy.meta : copy.tx, steps, value);
        transactionText(copy.tx, copy.meta);
        new ConductSums(String(tx.Account)).add(copy.tx, copy.meta);
      }),
      { seed, numRuns: 3000 },
    );
  });
});

function applied(world: World): Applied[] {
  return read(world.step()).map(({ tx, meta }) => ({ tx, meta: meta as unknown as Meta }));
}

/** By the pool's own entries: `12.5 XRP`, `3 USD`. */
function movedOfPool({ Asset, Asset2 }: Fields, meta: Meta): string[] {
  const nodes = meta.AffectedNodes.map((wrapped) => Object.values(wrapped)[0] as Fields);
  const pool = nodes.find(({ LedgerEntryType: type }) => type === 'AMM')?.FinalFields.Account;
  const changes = getBalanceChanges(meta as never).find(({ account }) => account === pool)?.balances ?? [];
  return [Asset, Asset2].flatMap((asset: Fields) => {
    const found = changes.find(
      ({ currency, issuer }) => currency === asset.currency && issuer === asset.issuer,
    );
    return found ? [`${plain(found.value)} ${currencyText(asset.currency)}`] : [];
  });
}

/** Without sign and exponent. */
const plain = (value: string) => shifted(value.replace('-', ''), 0);

/** Puts a value in the place that the steps lead to. */
function replaceIn(root: object, steps: Iterable<number>, value: unknown): void {
  let at = root as Record<string, unknown>;
  for (const step of steps) {
    const names = Object.keys(at);
    const name = names[step % names.length];
    if (name === undefined) return;
    const next = at[name];
    if (typeof next !== 'object' || next === null || step % 5 === 0) {
      at[name] = value;
      return;
    }
    at = next as Record<string, unknown>;
  }
}

test('currencies are named as answers name tokens: in any script, and none of an issuer as XRP', () => {
  const code = (...bytes: number[]) =>
    Buffer.alloc(20).fill(Buffer.from(bytes), 0, bytes.length).toString('hex');
  const of = (text: string, ...before: number[]) => code(...before, ...Buffer.from(text)).toUpperCase();
  const names = {
    XRP: 'XRP',
    xrp: 'FakeXRP',
    USD: 'USD',
    [of('XRP')]: 'FakeXRP',
    [of('X\u200dRP')]: 'FakeXRP',
    [of('POOLED')]: 'POOLED',
    [of('😀🚀')]: '😀🚀',
    [of('مرحبا')]: 'مرحبا',
    [of('ab\u202ecd')]: 'abcd',
    [of('NFT', 2, 0, 0, 0, 7, 0, 0, 1)]: 'NFT',
  };
  for (const [currency, name] of Object.entries(names)) {
    expect(currencyText(currency)).toBe(name);
    expect(currencyName(currency)).toBe(name);
  }
  expect(currencyText(of('', 3, 0x83))).toBe('LP token');
  expect(currencyText(of('', 0xff, 0xfe, 0x41))).toBe('FFFE4100…');
  expect(currencyText(of('', 0x15))).toBe('15000000…');
});
