/** The unmodified public `xrpl` package works as in applications. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type Client,
  classicAddressToXAddress,
  multisign,
  type SubmittableTransaction,
  type TxResponse,
  Wallet,
} from 'xrpl';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { BUILD_VERSION } from '../../../sandbox/node/rpc/server-info.ts';
import { ListenerRig } from './listener-rig.ts';

let rig: ListenerRig;
let client: Client;

beforeAll(async () => {
  rig = new ListenerRig();
  rig.live();
  client = await rig.client();
});

afterAll(() => rig.end());

async function funded(amount = '1000'): Promise<Wallet> {
  const { wallet } = await client.fundWallet(null, {
    faucetHost: rig.host,
    faucetProtocol: 'http',
    amount,
  } as Parameters<Client['fundWallet']>[1]);
  return wallet;
}

async function does(wallet: Wallet, tx: Record<string, unknown>): Promise<TxResponse['result']> {
  const { result } = await client.submitAndWait(
    { Account: wallet.address, ...tx } as unknown as SubmittableTransaction,
    { wallet },
  );
  expect((result.meta as { TransactionResult: string }).TransactionResult).toBe('tesSUCCESS');
  expect(result.validated).toBe(true);
  return result;
}

// Concurrent: the library looks for a validated transaction once a second, and the tests do not depend on each other.
describe.concurrent('xrpl', () => {
  test('knows the network', () => {
    expect(client.networkID).toBe(rig.network.networkId);
    expect(client.buildVersion).toBe(BUILD_VERSION);
  });

  test('funds wallets and reads their balances', async () => {
    const wallet = await funded('321');
    expect(await client.getXrpBalance(wallet.address)).toBe(321);
  });

  test('is funded at an X-address as at a classic one', async () => {
    const { address } = Wallet.generate();
    const ask = (destination: string) =>
      fetch(`http://${rig.host}/accounts`, { method: 'POST', body: JSON.stringify({ destination }) });
    const paid = (await (await ask(classicAddressToXAddress(address, 77, true))).json()) as {
      account: { address: string };
      transactionHash: string;
    };
    expect(paid.account.address).toBe(address);
    rig.close();
    expect(await client.getXrpBalance(address)).toBe(100);
    const { result } = await client.request({ command: 'tx', transaction: paid.transactionHash });
    expect(result.tx_json).toMatchObject({ Destination: address, DestinationTag: 77 });
  });

  test('pays, and finds the payment by hash and by CTID', async () => {
    const [ann, ben] = await Promise.all([funded(), funded()]);
    const paid = await does(ann, { TransactionType: 'Payment', Destination: ben.address, Amount: '7000000' });
    expect((paid.meta as { delivered_amount: string }).delivered_amount).toBe('7000000');
    expect(await client.getXrpBalance(ben.address)).toBe(1007);
    const { result: v1 } = await client.request({ command: 'tx', transaction: paid.hash, api_version: 1 });
    expect(v1).toMatchObject({
      Amount: '7000000',
      DeliverMax: '7000000',
      Account: ann.address,
      hash: paid.hash,
      validated: true,
    });
    const { ledger } = rig.network.ledgers.transaction(paid.hash)!;
    expect(paid).toMatchObject({
      ledger_hash: ledger.hash,
      ledger_index: ledger.index,
      tx_json: { DeliverMax: '7000000' },
    });
    const entry = await client.request({
      command: 'transaction_entry',
      tx_hash: paid.hash,
      ledger_index: ledger.index,
    });
    expect(entry.result.tx_json.Account).toBe(ann.address);
    const binary = await client.request({ command: 'tx', transaction: paid.hash, binary: true });
    expect(binary.result).toMatchObject({
      tx_blob: hexOf(rig.network.ledgers.transaction(paid.hash)!.transaction.blob),
    });
  });

  test('issues, trusts and trades', async () => {
    const [gate, ann, ben] = await Promise.all([funded(), funded(), funded()]);
    const usd = (value: string) => ({ currency: 'USD', issuer: gate.address, value });
    await does(gate, { TransactionType: 'AccountSet', SetFlag: 8 });
    await Promise.all(
      [ann, ben].map((one) => does(one, { TransactionType: 'TrustSet', LimitAmount: usd('1000') })),
    );
    await does(gate, { TransactionType: 'Payment', Destination: ann.address, Amount: usd('100') });
    const placed = { TransactionType: 'OfferCreate', TakerGets: usd('40'), TakerPays: '20000000' };
    await does(ann, placed);
    await does(ben, { TransactionType: 'OfferCreate', TakerPays: usd('10'), TakerGets: '5000000' });
    const balances = await client.getBalances(ben.address);
    expect(balances.find(({ currency }) => currency === 'USD')).toEqual({ ...usd('10') });
    expect(balances.find(({ currency }) => currency === 'XRP')?.value).toMatch(/^994\.99/);
    const { buy, sell } = await client.getOrderbook(
      { currency: 'XRP' },
      { currency: 'USD', issuer: gate.address },
    );
    expect([...buy, ...sell]).toEqual([
      expect.objectContaining({ Account: ann.address, TakerGets: usd('30'), TakerPays: '15000000' }),
    ]);
  });

  test('signs with several signers, uses tickets, and simulates before it submits', async () => {
    const [main, one, two] = await Promise.all([funded(), funded(), funded()]);
    await does(main, {
      TransactionType: 'SignerListSet',
      SignerQuorum: 2,
      SignerEntries: [one, two].map(({ address }) => ({
        SignerEntry: { Account: address, SignerWeight: 1 },
      })),
    });
    const made = await does(main, { TransactionType: 'TicketCreate', TicketCount: 2 });
    const first = (made.tx_json as { Sequence: number }).Sequence + 1;
    await does(main, { TransactionType: 'AccountSet', TicketSequence: first + 1, Sequence: 0 });
    const payment = await client.autofill(
      { TransactionType: 'Payment', Account: main.address, Destination: one.address, Amount: '1000000' },
      2,
    );
    const trial = await client.simulate({ ...payment, Fee: '30' });
    expect(trial.result).toMatchObject({ engine_result: 'tesSUCCESS', applied: false });
    const parts = [one, two].map((wallet) => wallet.sign(payment, true).tx_blob);
    const whole = multisign(parts);
    const { result } = await client.submitAndWait(whole);
    expect((result.meta as { TransactionResult: string }).TransactionResult).toBe('tesSUCCESS');
  });

  test('reports refused transactions', async () => {
    const wallet = await funded();
    const payment = await client.autofill({
      TransactionType: 'Payment',
      Account: wallet.address,
      Destination: Wallet.generate().address,
      Amount: '1',
    });
    const { Sequence: sequence = 0 } = payment as { Sequence?: number };
    const { tx_blob: blob } = wallet.sign(payment);
    const { result } = await client.submit(blob);
    expect(result.engine_result).toBe('tecNO_DST_INSUF_XRP');
    const broken = `${blob.slice(0, -44)}${blob.slice(-44).replaceAll('4', '5')}`;
    await expect(client.submit(broken)).rejects.toThrow();
    const wrong = await rig.rpc('submit', {
      tx_blob: wallet.sign({ ...payment, Fee: '1', Sequence: sequence + 1 }).tx_blob,
    });
    expect(wrong.engine_result).toBe('telINSUF_FEE_P');
  });
});
