/**
 * Tells sessions what happens: closed ledgers, transactions, books. Each message is made once for all who want it in
 * the same shape (API version), not once a socket.
 */
import type { ClosedLedger } from '../ledger/ledger.ts';
import { ledgerClosedMessage } from './messages.ts';
import type { Network } from './network.ts';
import type { Session } from './session.ts';

export class Publisher {
  readonly #network: Network;
  readonly #sessions = new Set<Session>();
  readonly #stops: readonly (() => void)[];

  constructor(network: Network) {
    this.#network = network;
    this.#stops = [network.on('ledger', (ledger) => this.#ledgerClosed(ledger))];
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  remove(session: Session): void {
    this.#sessions.delete(session);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #ledgerClosed(ledger: ClosedLedger): void {
    let text: string | undefined;
    for (const session of this.#sessions) {
      session.pathFind?.update();
      if (!session.streams.has('ledger')) continue;
      text ??= JSON.stringify(ledgerClosedMessage(this.#network, ledger));
      session.sendText(text);
    }
  }
}
