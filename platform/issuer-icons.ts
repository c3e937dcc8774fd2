/**
 * Icons that issuers name for their tokens, in their xrp-ledger.toml or in the metadata of an MPT: kept as the forms that are
 * served, WebP encoded again, never as they came. `outside/issuer-icons.ts` reads them.
 *
 *     issuer-icons        (hash of the address)          when it was read, or that nothing usable was there
 *     issuer-icon-forms   (hash of the address, side)    WebP of at most that many px
 */
import { FORM_BYTES_MAX } from './images.ts';
import type { Collection, PlatformStore } from './store.ts';

export interface IssuerIcon {
  /** WebP. */
  readonly bytes: Uint8Array;
  /** Unix ms when it was read. */
  readonly changedAt: number;
}

export interface IssuerIcons {
  /** From now on they are kept there; before, there are none. */
  attach(store: PlatformStore): void;
  /**
   * @param address of the web, that the issuer names
   * @param side one that is kept (platform/images.ts)
   * @returns undefined: not known, or not yet. It is read in the background when this asks for it.
   */
  form(address: string, side: number): IssuerIcon | undefined;
}

/** What is known of an address. */
export interface IconRecord {
  /** Unix ms; undefined: nothing that could be read has been there. */
  readonly changedAt?: number;
  /** Unix ms from which it is asked for again. */
  readonly until: number;
}

/** Addresses; each has some 40 KB of forms. */
export const ICONS_MAX = 4000;

export const ISSUER_ICONS: Collection<IconRecord> = {
  name: 'issuer-icons',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 64, rows: ICONS_MAX + 1 },
  indexes: {},
};

export const ISSUER_ICON_FORMS: Collection<Uint8Array> = {
  name: 'issuer-icon-forms',
  version: 1,
  upgrades: [],
  limits: { valueBytes: FORM_BYTES_MAX + 16, rows: (ICONS_MAX + 1) * 8 },
  indexes: {},
};

export const ICON_COLLECTIONS = [
  ISSUER_ICONS as Collection<unknown>,
  ISSUER_ICON_FORMS as Collection<unknown>,
];
