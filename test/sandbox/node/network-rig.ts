/** An embedded network on a clock of its own, and accounts that sign for it with the public packages. */
import { encode, encodeForSigning } from 'ripple-binary-codec';
import { deriveAddress, deriveKeypair, sign, verify } from 'ripple-keypairs';
import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../../engine/codec/bytes.ts';
import { sha512Half } from '../../../engine/codec/hash.ts';
import { TreeHasher } from '../../../engine/ledger/tree.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { ParsedTransaction } from '../../../sandbox/apply/environment.ts';
import { transactionOfBlob } from '../../../sandbox/apply/transaction.ts';
import type { ClosedLedger } from '../../../sandbox/ledger/ledger.ts';
import { MemoryStore } from '../../../sandbox/ledger/memory-store.ts';
import { Network, type NetworkOptions } from '../../../sandbox/node/network.ts';
import { toJson } from '../../../sandbox/protocol/encode.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { type TestAccount, testAccount } from '../rig.ts';

export const START = 830_000_000;

const keys = deriveKeypair('snoPBrXtMeMyMHUVTgbuqAfg1SUTb');
export const GENESIS: TestAccount = {
  name: 'genesis',
  address: deriveAddress(keys.publicKey),
  id: 'B5F762798A53D543A014CAF8B297CFF8F2F937E8',
  ...keys,
};

export class NetworkRig {
  readonly network: Network;
  /** Ripple epoch seconds. */
  time = START;
  /** Sequence numbers given to transactions that need not be in any ledger yet. */
  readonly #sequences = new Map<string, number>();

  constructor(options: Partial<NetworkOptions> = {}) {
    this.network = new Network({
      store: new MemoryStore(),
      now: () => (this.time + RIPPLE_EPOCH) * 1000,
      verify: (key, message, signature) => {
        try {
          return verify(hexOf(message), signature, key);
        } catch {
          return false;
        }
      },
      ...options,
    });
  }

  account(name: string): TestAccount {
    return testAccount(name);
  }

  /** Signs a transaction with its missing fields: fee, the next sequence of the open ledger, network id. */
  signed(account: TestAccount, json: Record<string, unknown>): ParsedTransaction {
    const tx: Record<string, unknown> = {
      Account: account.address,
      Fee: '10',
      Sequence: json.TicketSequence === undefined ? this.network.nextSequence(account.id) : 0,
      NetworkID: this.network.networkId,
      SigningPubKey: account.publicKey,
      ...json,
    };
    tx.TxnSignature = sign(encodeForSigning(tx), account.privateKey);
    return transactionOfBlob(bytesOf(encode(tx)));
  }

  /** The next of an account's transactions in a series that is not submitted yet. */
  inSeries(account: TestAccount, json: Record<string, unknown>): ParsedTransaction {
    const Sequence = this.#sequences.get(account.id) ?? this.network.nextSequence(account.id);
    this.#sequences.set(account.id, Sequence + 1);
    return this.signed(account, { ...json, Sequence });
  }

  submit(account: TestAccount, json: Record<string, unknown>) {
    return this.network.submit(this.signed(account, json));
  }

  /** Next sequence number of an account in the open ledger. */
  root(id: AccountId): number {
    return this.network.open.view.read(keylets.account(id))?.Sequence ?? 0;
  }

  hasTicket(id: AccountId, ticket: number): boolean {
    return this.network.open.view.read(keylets.ticket(id, ticket)) !== undefined;
  }

  /** Closes the open ledger four seconds later. */
  close(): ClosedLedger {
    this.time += 4;
    return this.network.close();
  }

  /** Pays XRP from the genesis account to new ones, and closes a ledger. */
  fund(names: readonly string[], drops = '1000000000'): TestAccount[] {
    const accounts = names.map((name) => testAccount(name));
    for (const { address } of accounts)
      this.submit(GENESIS, { TransactionType: 'Payment', Destination: address, Amount: drops });
    this.close();
    return accounts;
  }
}

/** The state's root by the reference encoder and the engine's one-pass hasher. */
export function stateRoot({ state }: Pick<ClosedLedger, 'state'>): string {
  const tree = new TreeHasher();
  for (const { key, entry } of state.tree.items()) {
    const { index: _, ...json } = toJson(entry) as Record<string, unknown>;
    const leaf = sha512Half(Buffer.from('MLN\0'), bytesOf(encode(json)), bytesOf(key));
    tree.add(bytesOf(key), 0, leaf, 0);
  }
  const root = new Uint8Array(32);
  tree.root(root);
  return hexOf(root);
}
