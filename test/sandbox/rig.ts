/**
 * A small ledger in memory for unit tests: accounts with XRP, signed transactions applied by the network's own
 * transactor, ledgers closed on demand.
 *
 *     const rig = new Rig();
 *     const [alice, bob] = rig.fund('alice', 'bob');
 *     expect(rig.apply({ TransactionType: 'Payment', Account: alice.address, ... }).result).toBe('tesSUCCESS');
 *     rig.close();
 *     expect(rig.root(bob).Balance?.drops).toBe(...);
 *     expect(rig.problems()).toEqual([]);
 */
import { encode, encodeForMultisigning, encodeForSigning } from 'ripple-binary-codec';
import { deriveAddress, deriveKeypair, generateSeed, sign as signText } from 'ripple-keypairs';
import { Amount, accountOf } from '../../engine/codec/arithmetic/amount.ts';
import {
  ACCOUNT_ONE,
  type AccountId,
  currencyOf,
  HASH_ZERO,
  type Hex,
  issued,
  issuerOf,
} from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { verify } from '../../engine/codec/signatures.ts';
import type { ApplyOptions, Outcome } from '../../sandbox/apply/environment.ts';
import { transactionOfBlob } from '../../sandbox/apply/transaction.ts';
import { applyTransaction } from '../../sandbox/apply/transactor.ts';
import { listOwned } from '../../sandbox/ledger/directory.ts';
import { EntryTable } from '../../sandbox/ledger/tables.ts';
import type { Fees, ViewHeader } from '../../sandbox/ledger/view.ts';
import { type Rules, SANDBOX_RULES } from '../../sandbox/protocol/amendments.ts';
import { decodeEntry, encodeEntry } from '../../sandbox/protocol/encode.ts';
import type { Entry } from '../../sandbox/protocol/fields.ts';
import { Lsf } from '../../sandbox/protocol/flags.ts';
import * as keylets from '../../sandbox/protocol/keylets.ts';
import { MapView } from './map-view.ts';
import { wholeLedgerProblems } from './whole-ledger.ts';

export { MapView };

type Json = Record<string, unknown>;

export interface TestAccount {
  readonly name: string;
  /** Base58. */
  readonly address: string;
  /** 40 hex digits. */
  readonly id: AccountId;
  readonly publicKey: Hex;
  readonly privateKey: string;
}

/** Results that no transaction may have. */
export const FAULTS: ReadonlySet<string> = new Set([
  'tefEXCEPTION',
  'tefINTERNAL',
  'tecINTERNAL',
  'tecINVARIANT_FAILED',
  'tefINVARIANT_FAILED',
  'tefBAD_LEDGER',
]);

/** An account whose keys are derived from its name. */
export function testAccount(name: string, algorithm: 'ed25519' | 'ecdsa-secp256k1' = 'ed25519'): TestAccount {
  const entropy = sha512Half(new TextEncoder().encode(name)).slice(0, 16);
  const { publicKey, privateKey } = deriveKeypair(generateSeed({ entropy, algorithm }));
  const address = deriveAddress(publicKey);
  return { name, address, id: accountOf(address) as AccountId, publicKey, privateKey };
}

const TOTAL = 100_000_000_000_000_000n;
const FEES: Fees = { base: 10n, reserve: 1_000_000n, increment: 200_000n };
const GENESIS = 'genesis';

export interface RigOptions {
  readonly rules?: Rules;
  readonly fees?: Fees;
  readonly networkId?: number;
  /** Ripple epoch seconds of the first ledger's parent. */
  readonly closeTime?: number;
}

export interface ApplyWith extends Partial<ApplyOptions> {
  /** The signer, when it is not the account (or its delegate): the holder of a regular key. */
  readonly signer?: TestAccount;
  /** Members of the account's signer list that sign. */
  readonly signers?: readonly TestAccount[];
  /** For members that sign with a regular key: the key's holder by the member's name. */
  readonly keys?: Readonly<Record<string, TestAccount>>;
}

export class Rig {
  readonly accounts = new Map<string, TestAccount>();
  /** The ledger being built. */
  ledger: EntryTable;
  #base: MapView;
  readonly #networkId: number;
  #index = 0;
  #destroyed = 0n;

  constructor({
    rules = SANDBOX_RULES,
    fees = FEES,
    networkId = 0,
    closeTime = 800_000_000,
  }: RigOptions = {}) {
    this.#networkId = networkId;
    const header: ViewHeader = {
      index: 3,
      parentHash: `${'0'.repeat(63)}2`,
      parentCloseTime: closeTime,
      closeTime: closeTime + 4,
      totalDrops: TOTAL,
    };
    this.#base = new MapView(header, rules, fees);
    this.ledger = new EntryTable(this.#base);
    const genesis = this.account(GENESIS);
    this.ledger.insert(this.#newRoot(genesis, TOTAL));
    this.close();
  }

  /** The account with a name, created on first use (it is not in the ledger until it is funded). */
  account(name: string): TestAccount {
    let account = this.accounts.get(name);
    if (account === undefined) {
      account = testAccount(name);
      this.accounts.set(name, account);
    }
    return account;
  }

  #newRoot(account: TestAccount, drops: bigint): Entry {
    return {
      LedgerEntryType: 'AccountRoot',
      index: keylets.account(account.id),
      Account: account.id,
      Balance: Amount.drops(drops),
      Sequence: this.ledger.header.index,
      OwnerCount: 0,
      Flags: 0,
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    };
  }

  /** Adds accounts to the ledger with 10,000 XRP each, from the genesis account. */
  fund(...names: string[]): TestAccount[] {
    return names.map((name) => this.fundWith(name, 10_000_000_000n));
  }

  /** One account with this many drops. */
  fundWith(name: string, drops: bigint): TestAccount {
    const account = this.account(name);
    const genesis = this.ledger.peek(keylets.account(this.account(GENESIS).id)) as Entry;
    genesis.Balance = Amount.drops((genesis.Balance as Amount).drops - drops);
    this.ledger.insert(this.#newRoot(account, drops));
    return account;
  }

  /** Lists an entry in its owner's directory. @returns the page */
  listed(owner: AccountId, index: Hex): bigint {
    return listOwned(this.ledger, owner, index) as bigint;
  }

  /** Adds a trust line to the ledger with balance `amount`, in the holder's reserve. */
  line(holder: AccountId, amount: Amount, { flags = 0, limit = Amount.zero(amount.asset) } = {}): void {
    const { asset } = amount;
    const issuer = issuerOf(asset);
    const currency = currencyOf(asset) as Hex;
    const index = keylets.line(holder, issuer, currency);
    const isLow = holder < issuer;
    const own = limit.withAsset(issued(currency, holder));
    const [low, high] = isLow ? [own, Amount.zero(asset)] : [Amount.zero(asset), own];
    this.ledger.insert({
      LedgerEntryType: 'RippleState',
      index,
      Flags: flags | (isLow ? Lsf.lsfLowReserve : Lsf.lsfHighReserve),
      Balance: (isLow ? amount : amount.negate()).withAsset(issued(currency, ACCOUNT_ONE)),
      LowLimit: low,
      HighLimit: high,
      LowNode: this.listed(low.issuer, index),
      HighNode: this.listed(high.issuer, index),
      PreviousTxnID: HASH_ZERO,
      PreviousTxnLgrSeq: 0,
    });
    const root = this.ledger.peek(keylets.account(holder)) as Entry;
    root.OwnerCount = (root.OwnerCount ?? 0) + 1;
  }

  /** The account's entry. @throws Error when it is not in the ledger. */
  root(account: TestAccount): Readonly<Entry> {
    const root = this.ledger.read(keylets.account(account.id));
    if (root === undefined) throw new Error(`${account.name} is not in the ledger`);
    return root;
  }

  /** Fills in a transaction's missing fields (fee, sequence, keys) and signs it. @returns its bytes. */
  signed(json: Json, { signer, signers, keys = {} }: ApplyWith = {}): Uint8Array {
    const byAddress = (address: unknown): TestAccount => {
      for (const account of this.accounts.values()) if (account.address === address) return account;
      throw new Error(`no account ${String(address)} in this rig`);
    };
    const account = byAddress(json.Account);
    const signing = signer ?? byAddress(json.Delegate ?? json.Account);
    const root = this.ledger.read(keylets.account(account.id));
    const fee = (this.ledger.fees.base * BigInt(1 + (signers?.length ?? 0))).toString();
    const sequence = json.TicketSequence === undefined ? (root?.Sequence ?? 0) : 0;
    const tx: Json = { Fee: fee, Sequence: sequence, ...json };
    if (signers === undefined) {
      tx.SigningPubKey = signing.publicKey;
      tx.TxnSignature = signText(encodeForSigning(tx), signing.privateKey);
    } else {
      tx.SigningPubKey = '';
      const sorted = [...signers].sort((a, b) => (a.id < b.id ? -1 : 1));
      tx.Signers = sorted.map((member) => {
        const key = keys[member.name] ?? member;
        const signature = signText(encodeForMultisigning(tx, member.address), key.privateKey);
        return { Signer: { Account: member.address, SigningPubKey: key.publicKey, TxnSignature: signature } };
      });
    }
    return bytesOf(encode(tx));
  }

  /** Signs (see `signed`) and applies. */
  apply(json: Json, options: ApplyWith = {}): Outcome {
    return this.applyBlob(this.signed(json, options), options);
  }

  /** Applies a signed blob. */
  applyBlob(blob: Uint8Array, options: Partial<ApplyOptions> = {}): Outcome {
    const outcome = applyTransaction(this.ledger, transactionOfBlob(blob), {
      networkId: this.#networkId,
      index: this.#index,
      verify,
      ...options,
    });
    if (outcome.applied) this.#index += 1 + (outcome.inner?.length ?? 0);
    return outcome;
  }

  /** Closes the ledger; the next one is `seconds` later. */
  close(seconds = 4): void {
    this.#destroyed += this.ledger.destroyed;
    const entries = this.entries();
    const { header } = this.ledger;
    this.#base = new MapView(
      {
        index: header.index + 1,
        parentHash: hexOf(sha512Half(new TextEncoder().encode(`${header.parentHash}${header.index}`))),
        parentCloseTime: header.closeTime,
        closeTime: header.closeTime + seconds,
        totalDrops: TOTAL - this.#destroyed,
      },
      this.ledger.rules,
      this.ledger.fees,
      false,
      entries,
    );
    this.ledger = new EntryTable(this.#base);
    this.#index = 0;
  }

  /** All entries of the ledger being built. */
  entries(): Entry[] {
    const entries = new Map(this.#base.entries);
    for (const { key, action, after } of this.ledger.changes()) {
      if (action === 'erase') entries.delete(key);
      else entries.set(key, after);
    }
    return [...entries.values()];
  }

  /** Problems of the ledger as a whole: XRP created or lost, entries that do not encode, whole-ledger.ts. */
  problems(): string[] {
    const entries = this.entries();
    const problems = wholeLedgerProblems(entries);
    let drops = this.#destroyed + this.ledger.destroyed;
    for (const entry of entries) {
      drops += dropsIn(entry);
      const bytes = encodeEntry(entry);
      const again = encodeEntry(decodeEntry(entry.index, bytes));
      if (hexOf(again) !== hexOf(bytes))
        problems.push(`${entry.LedgerEntryType} ${entry.index} does not come back`);
    }
    if (drops !== TOTAL) problems.push(`${drops - TOTAL} drops too many`);
    return problems;
  }
}

/** XRP of an entry, in drops. */
export function dropsIn(entry: Readonly<Entry>): bigint {
  const native = (amount: Amount | undefined): bigint => (amount?.isNative ? amount.drops : 0n);
  switch (entry.LedgerEntryType) {
    case 'AccountRoot':
      return native(entry.Balance);
    case 'Escrow':
      return native(entry.Amount);
    case 'PayChannel':
      return native(entry.Amount) - native(entry.Balance);
    default:
      return 0n;
  }
}
