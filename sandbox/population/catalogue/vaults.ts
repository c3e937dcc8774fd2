/** Vaults (XLS-65). */
import { Asf } from '../../protocol/flags.ts';
import { hex } from '../hex.ts';
import type { People, Person } from '../people.ts';
import { tokenOf } from '../scenarios/deals.ts';
import { amountOf, type Turn } from '../turn.ts';
import { Book, xrp } from './book.ts';

export function vaults(people: People): Book {
  const book = new Book(people, 'vault');
  const [issuer, owner, a] = ['issuer', 'owner', 'a'].map((name) => book.person(name)) as [
    Person,
    Person,
    Person,
  ];
  const asset = tokenOf(issuer, 'VAULTED');
  book.fund(0, 300, issuer, owner, a);
  for (const [n, SetFlag] of [Asf.asfDefaultRipple, Asf.asfAllowTrustLineClawback].entries())
    book.also(2 + n, issuer, { TransactionType: 'AccountSet', SetFlag });
  book.act(6, (turn) => {
    for (const person of [owner, a]) turn.trust(person, asset, 1e9);
  });
  book.act(8, (turn) => void turn.pay(issuer, a.account, asset, 5_000));
  const vault = (turn: Turn) => {
    const entry = turn.owned(owner.account, 'Vault').find(({ Asset }) => Asset === asset);
    return entry && { VaultID: entry.index };
  };
  book.row(10, 'vault-create', 'VaultCreate', 'A vault for a token', owner, {
    Asset: asset,
    Data: hex('savings'),
    Fee: xrp(0.2),
  });
  book.row(12, 'vault-set', 'VaultSet', "The vault's note is changed", owner, (turn) => {
    const id = vault(turn);
    return id && { ...id, Data: hex('long savings') };
  });
  book.row(14, 'vault-deposit', 'VaultDeposit', 'Tokens for shares of a vault', a, (turn) => {
    const id = vault(turn);
    return id && { ...id, Amount: amountOf(asset, 1_000) };
  });
  book.row(16, 'vault-withdraw', 'VaultWithdraw', 'Shares back into tokens', a, (turn) => {
    const id = vault(turn);
    return id && { ...id, Amount: amountOf(asset, 250) };
  });
  book.row(
    18,
    'vault-clawback',
    'VaultClawback',
    'The issuer takes tokens out of a vault',
    issuer,
    (turn) => {
      const id = vault(turn);
      return id && { ...id, Holder: a.account, Amount: amountOf(asset, 100) };
    },
  );
  book.also(20, owner, { TransactionType: 'VaultCreate', Asset: 'XRP', Fee: xrp(0.2) });
  book.row(22, 'vault-delete', 'VaultDelete', 'An empty vault is given up', owner, (turn) => {
    const entry = turn.owned(owner.account, 'Vault').find(({ Asset }) => Asset !== asset);
    return entry && { VaultID: entry.index };
  });
  return book;
}
