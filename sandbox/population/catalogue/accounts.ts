/** Accounts: settings, keys, signer lists, tickets, deposits, delegation, batches, deletion. */
import { createHash } from 'node:crypto';
import { hexOf } from '../../../engine/codec/bytes.ts';
import { DAY } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { multiSigningBytes } from '../../protocol/keys.ts';
import { typePermission } from '../../protocol/permissions.ts';
import type { Agent, Agents } from '../agents.ts';
import { hex } from '../hex.ts';
import type { Annotation, SimulationStep } from '../simulation-step.ts';
import { CatalogueFamily, drops, xrp } from './family.ts';

/** An account can be deleted after 256 ledgers at the earliest. */
const DELETE_AFTER_MINUTES = 1_500;

/** A payment that members of a signer list sign. */
function multiSigned(
  step: SimulationStep,
  from: Agent,
  to: Agent,
  members: readonly Agent[],
  annotation: Annotation,
): void {
  const fields = step.autofill(from, {
    TransactionType: 'Payment',
    Destination: to.account,
    Amount: xrp(2),
    SigningPubKey: '',
    Fee: drops(12 * (members.length + 1)),
  });
  const sorted = [...members].sort((a, b) => (a.account < b.account ? -1 : 1));
  fields.Signers = sorted.map((member) => ({
    Signer: {
      Account: member.account,
      SigningPubKey: member.publicKey,
      TxnSignature: member.sign(multiSigningBytes(fields, member.account)),
    },
  }));
  step.add(from, fields, annotation);
}

/** An all-or-nothing batch of two payments. */
function batch(step: SimulationStep, from: Agent, to: Agent, annotation: Annotation): void {
  const sequence = step.sequence(from);
  const RawTransactions = [1, 2].map((n) => ({
    RawTransaction: {
      TransactionType: 'Payment',
      Account: from.account,
      Destination: to.account,
      Amount: xrp(n),
      Fee: drops(0),
      Flags: Tf.tfInnerBatchTxn,
      Sequence: sequence + n,
      SigningPubKey: '',
      NetworkID: step.networkId,
    },
  }));
  step.send(
    from,
    { TransactionType: 'Batch', RawTransactions, Fee: drops(60), Flags: Tf.tfAllOrNothing },
    annotation,
  );
  step.consumeSequences(from, RawTransactions.length);
}

export function accounts(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'account');
  const [a, b, c, shared, leaving] = ['a', 'b', 'c', 'shared', 'leaving'].map((name) =>
    family.agent(name),
  ) as [Agent, Agent, Agent, Agent, Agent];
  family.fund(0, 200, a, b, c, shared, leaving);
  family.row(2, 'account-set', 'AccountSet', 'A domain is written into an account', a, {
    Domain: hex('a.example'),
  });
  family.row(3, 'payment-xrp', 'Payment', 'XRP to another account, with a destination tag', a, {
    Destination: b.account,
    Amount: xrp(3),
    DestinationTag: 77,
  });
  family.row(4, 'set-regular-key', 'SetRegularKey', 'Another key may sign for the account', a, {
    RegularKey: c.account,
  });
  family.row(
    6,
    'payment-regular-key',
    'Payment',
    'A payment signed with the regular key',
    a,
    { Destination: b.account, Amount: xrp(1) },
    { signer: c },
  );
  family.row(8, 'signer-list-set', 'SignerListSet', 'Two of three may sign for a shared account', shared, {
    SignerQuorum: 2,
    SignerEntries: [a, b, c]
      .map(({ account }) => account)
      .sort()
      .map((Account) => ({ SignerEntry: { Account, SignerWeight: 1 } })),
  });
  family.customRow(
    10,
    { id: 'payment-multisigned', tx: 'Payment', about: 'A payment that two members of a signer list signed' },
    (step, annotation) => multiSigned(step, shared, a, [b, c], annotation),
  );
  family.row(12, 'ticket-create', 'TicketCreate', 'Three sequence numbers set aside', a, { TicketCount: 3 });
  family.row(14, 'account-set-ticket', 'AccountSet', 'A transaction that uses a ticket', a, (step) => {
    const ticket = step.owned(a.account, 'Ticket')[0];
    return ticket && { TicketSequence: ticket.TicketSequence, Domain: hex('ticket.example') };
  });
  family.prepare(16, b, { TransactionType: 'AccountSet', SetFlag: Asf.asfDepositAuth });
  family.row(
    18,
    'payment-no-permission',
    'Payment',
    'A payment to an account that takes none from strangers',
    a,
    { Destination: b.account, Amount: xrp(5) },
    { expectedResult: 'tecNO_PERMISSION' },
  );
  family.row(20, 'deposit-preauth', 'DepositPreauth', 'One account is let in', b, { Authorize: a.account });
  family.row(22, 'payment-preauthorized', 'Payment', 'The payment that was refused before', a, {
    Destination: b.account,
    Amount: xrp(5),
  });
  const PermissionValue = typePermission('Payment')!;
  family.row(24, 'delegate-set', 'DelegateSet', 'Another account may make payments for this one', a, {
    Authorize: c.account,
    Permissions: [{ Permission: { PermissionValue } }],
  });
  family.row(
    26,
    'payment-delegated',
    'Payment',
    'A payment that a delegate signed and paid the fee of',
    a,
    { Destination: shared.account, Amount: xrp(1), Delegate: c.account },
    { signer: c },
  );
  family.customRow(
    28,
    { id: 'batch', tx: 'Batch', about: 'Two payments, both or none' },
    (step, annotation) => batch(step, c, shared, annotation),
  );
  family.row(
    DELETE_AFTER_MINUTES,
    'account-delete',
    'AccountDelete',
    'An account is closed; what it had goes to another',
    leaving,
    { Destination: a.account, Fee: xrp(0.2) },
  );
  return family;
}

/** Objects with a deadline: escrows, checks, payment channels. */
export function deadlines(agents: Agents): CatalogueFamily {
  const family = new CatalogueFamily(agents, 'object');
  const [a, b] = ['a', 'b'].map((name) => family.agent(name)) as [Agent, Agent];
  family.fund(0, 300, a, b);
  const own = (step: SimulationStep, type: 'Escrow' | 'Check' | 'PayChannel', newest = true) => {
    const all = step.owned(a.account, type).filter((entry) => entry.Account === a.account);
    return newest ? all.at(-1) : all[0];
  };
  const escrowSequence = (step: SimulationStep) => {
    const escrow = own(step, 'Escrow');
    return escrow && { Owner: a.account, OfferSequence: escrow.Sequence };
  };
  family.row(2, 'escrow-create', 'EscrowCreate', 'XRP locked for five minutes', a, (step) => ({
    Destination: b.account,
    Amount: xrp(20),
    FinishAfter: step.closeTime + 300,
    CancelAfter: step.closeTime + DAY,
  }));
  family.row(4, 'escrow-finish-too-soon', 'EscrowFinish', 'Too soon to finish', b, escrowSequence, {
    expectedResult: 'tecNO_PERMISSION',
  });
  family.row(12, 'escrow-finish', 'EscrowFinish', 'The locked XRP is paid out', b, escrowSequence);
  family.row(14, 'escrow-create-cancel', 'EscrowCreate', 'XRP locked, to be taken back', a, (step) => ({
    Destination: b.account,
    Amount: xrp(15),
    FinishAfter: step.closeTime + 120,
    CancelAfter: step.closeTime + 300,
  }));
  family.row(24, 'escrow-cancel', 'EscrowCancel', 'The locked XRP goes back', a, escrowSequence);
  const secret = new Uint8Array(32).fill(7);
  const digest = createHash('sha256').update(secret).digest('hex').toUpperCase();
  family.row(26, 'escrow-create-condition', 'EscrowCreate', 'XRP locked by a hash', a, (step) => ({
    Destination: b.account,
    Amount: xrp(10),
    CancelAfter: step.closeTime + DAY,
    Condition: `A0258020${digest}810120`,
  }));
  family.row(28, 'escrow-finish-condition', 'EscrowFinish', 'The secret of the hash is shown', b, (step) => {
    const escrowId = escrowSequence(step);
    return (
      escrowId && {
        ...escrowId,
        Condition: `A0258020${digest}810120`,
        Fulfillment: `A0228020${hexOf(secret)}`,
        Fee: drops(10 * (33 + 2) + 100),
      }
    );
  });
  family.row(30, 'check-create', 'CheckCreate', 'A check over 25 XRP', a, {
    Destination: b.account,
    SendMax: xrp(25),
    InvoiceID: '5A'.repeat(32),
  });
  family.row(32, 'check-cash', 'CheckCash', 'Part of a check is cashed', b, (step) => {
    const check = own(step, 'Check');
    return check && { CheckID: check.index, Amount: xrp(20) };
  });
  family.prepare(34, a, { TransactionType: 'CheckCreate', Destination: b.account, SendMax: xrp(5) });
  family.row(36, 'check-cancel', 'CheckCancel', 'A check is torn up by its writer', a, (step) => {
    const check = own(step, 'Check');
    return check && { CheckID: check.index };
  });
  family.row(38, 'channel-create', 'PaymentChannelCreate', 'A channel with 30 XRP', a, {
    Destination: b.account,
    Amount: xrp(30),
    SettleDelay: 3_600,
    PublicKey: a.publicKey,
  });
  family.row(40, 'channel-fund', 'PaymentChannelFund', 'Ten more XRP for the channel', a, (step) => {
    const channel = own(step, 'PayChannel');
    return channel && { Channel: channel.index, Amount: xrp(10) };
  });
  family.row(
    42,
    'channel-claim',
    'PaymentChannelClaim',
    'The payer pays twelve XRP out and asks to close',
    a,
    (step) => {
      const channel = own(step, 'PayChannel');
      return channel && { Channel: channel.index, Balance: xrp(12), Flags: Tf.tfClose };
    },
  );
  family.row(44, 'escrow-create-standing', 'EscrowCreate', 'XRP locked for a year', a, (step) => ({
    Destination: b.account,
    Amount: xrp(30),
    FinishAfter: step.closeTime + 365 * DAY,
  }));
  family.row(46, 'check-create-standing', 'CheckCreate', 'A check that nobody cashes', a, {
    Destination: b.account,
    SendMax: xrp(15),
  });
  return family;
}
