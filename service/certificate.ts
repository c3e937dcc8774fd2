/**
 * The certificate that the service shows, read again when its file becomes another: whoever renews it need not stop the
 * service. Until certificate and key are both the new ones and belong together, the old ones stay.
 */
import { statSync } from 'node:fs';
import type { Log } from '../engine/log.ts';
import { DAY_MS } from '../engine/ripple-time.ts';
import type { Options } from './options.ts';
import { type Certificate, daysLeft, outOfTime, RENEW_DAYS, tlsOf } from './server-settings.ts';

/** Certificates are renewed weeks before they end. */
const EVERY_MS = 60_000;
/** What is said again while nobody acts on it. */
const REMINDER_MS = DAY_MS;

export class CertificateFiles {
  readonly #options: Options;
  readonly #log: Log;
  readonly #renew: (tls: Certificate['pem']) => Promise<void>;
  readonly #now: () => number;
  #used: Certificate;
  #seen: string;
  /** When each line was written last, ms. */
  readonly #said = new Map<string, number>();
  readonly #timer: Timer;
  #checking: Promise<void> = Promise.resolve();

  /**
   * @param used the one that is in use, read from the files of the options
   * @param renew takes another one into use
   * @param now Unix ms
   */
  constructor(
    options: Options,
    log: Log,
    used: Certificate,
    renew: (tls: Certificate['pem']) => Promise<void>,
    now: () => number = Date.now,
  ) {
    this.#options = options;
    this.#log = log;
    this.#renew = renew;
    this.#now = now;
    this.#used = used;
    this.#seen = this.#look();
    this.#warnOfTimes();
    this.#timer = setInterval(() => void this.check(), EVERY_MS);
    this.#timer.unref();
  }

  /** Resolves when another certificate, if there is one, is in use. */
  check(): Promise<void> {
    this.#checking = this.#checking.then(() => this.#check());
    return this.#checking;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  async #check(): Promise<void> {
    try {
      await this.#takeOther();
    } catch (fault) {
      const { message } = fault as Error;
      this.#warn(
        message,
        { reason: message },
        'the certificate is another one, and cannot be used: the old one stays',
      );
    }
    this.#warnOfTimes();
  }

  async #takeOther(): Promise<void> {
    // Throws where a folder of its path may no longer be entered.
    const now = this.#look();
    if (now === this.#seen) return;
    const certificate = tlsOf(this.#options)!;
    await this.#renew(certificate.pem);
    this.#seen = now;
    this.#used = certificate;
    this.#said.clear();
    this.#log.info({}, 'another certificate is in use');
  }

  #warnOfTimes(): void {
    const { own } = this.#used;
    const file = this.#options.tlsCert;
    const reason = outOfTime(own, this.#now());
    const days = daysLeft(own, this.#now());
    if (reason) this.#warn(reason, { reason, file }, 'clients refuse the certificate');
    else if (days < RENEW_DAYS)
      this.#warn('soon', { days, ends: own.validTo, file }, 'the certificate ends soon: renew it');
  }

  /** @param key of what is said at most once a day */
  #warn(key: string, fields: object, message: string): void {
    const now = this.#now();
    if (now - (this.#said.get(key) ?? Number.NEGATIVE_INFINITY) < REMINDER_MS) return;
    this.#said.set(key, now);
    this.#log.warn(fields, message);
  }

  /** Names what is in the files, without reading them. */
  #look(): string {
    const { tlsCert, tlsKey } = this.#options;
    return [tlsCert!, tlsKey!]
      .map((path) => statSync(path, { throwIfNoEntry: false }))
      .map((file) => `${file?.ino} ${file?.size} ${file?.mtimeMs}`)
      .join();
  }
}
