/**
 * The certificate that the service shows, read again when its file becomes another: whoever renews it need not stop the
 * service. Until certificate and key are both the new ones and belong together, the old ones stay.
 */
import { statSync } from 'node:fs';
import type { Log } from '../engine/log.ts';
import type { Options } from './options.ts';
import { type Certificate, outOfTime, tlsOf } from './server-settings.ts';

/** Certificates are renewed weeks before they end. */
const EVERY_MS = 60_000;

export class CertificateFiles {
  readonly #options: Options;
  readonly #log: Log;
  readonly #renew: (tls: Certificate['pem']) => Promise<void>;
  #seen: string;
  readonly #timer: Timer;
  #checking: Promise<void> = Promise.resolve();

  /**
   * @param used the one that is in use, read from the files of the options
   * @param renew takes another one into use
   */
  constructor(
    options: Options,
    log: Log,
    used: Certificate,
    renew: (tls: Certificate['pem']) => Promise<void>,
  ) {
    this.#options = options;
    this.#log = log;
    this.#renew = renew;
    this.#seen = this.#look();
    this.#warnOfTimes(used);
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
      // Throws where a folder of its path may no longer be entered.
      const now = this.#look();
      if (now === this.#seen) return;
      const certificate = tlsOf(this.#options)!;
      await this.#renew(certificate.pem);
      this.#seen = now;
      this.#log.info({}, 'another certificate is in use');
      this.#warnOfTimes(certificate);
    } catch (err) {
      this.#log.warn({ err }, 'the certificate is another one, and cannot be used: the old one stays');
    }
  }

  #warnOfTimes({ own }: Certificate): void {
    const reason = outOfTime(own, Date.now());
    if (reason) this.#log.warn({ reason, file: this.#options.tlsCert }, 'clients refuse the certificate');
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
