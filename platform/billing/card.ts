/**
 * Payments by card: what a processor must do. It takes the money on a page of its own and says so with a signed message,
 * or when it is asked; the service sees no card. A driver is a file in `outside/`.
 */

/** A page on which one invoice is paid. */
export interface CardSession {
  /** The processor's id of it. */
  readonly id: string;
  /** Where the customer pays. */
  readonly url: string;
}

export interface CardCheckout {
  /** Id of the invoice; a repeated request with the same id makes no second session. */
  readonly invoice: string;
  /** Shown on the page. */
  readonly title: string;
  readonly usdCents: number;
  /** Unix ms after which it cannot be paid. */
  readonly expiresAt: number;
  /** Where the customer is sent afterwards. */
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** `unpaid` may still become `paid`. `refunded`: all of it went back to the customer. */
export type CardStatus = 'unpaid' | 'paid' | 'expired' | 'refunded';

export interface CardState {
  /** '' of what is refunded: the payment tells what it was for. */
  readonly session: string;
  readonly status: CardStatus;
  /** Id of the payment; '' while there is none. */
  readonly payment: string;
  /** Cents of US dollars that were paid. */
  readonly usdCents: number;
}

/** The processor does not answer, or not as expected. The message names no secret. */
export class CardError extends Error {
  override readonly name = 'CardError';
}

/** A message that is not the processor's, or not of now. */
export class CardMessageError extends Error {
  override readonly name = 'CardMessageError';
}

export interface CardProcessor {
  readonly name: string;
  /** @throws CardError */
  checkout(checkout: CardCheckout): Promise<CardSession>;
  /** @throws CardError */
  state(session: string): Promise<CardState>;
  /**
   * What a message of the processor says.
   * @param body as it arrived. @param now Unix ms
   * @returns undefined: it is about nothing of ours
   * @throws CardMessageError
   */
  read(body: string, headers: Headers, now: number): CardState | undefined;
}
