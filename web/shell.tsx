/** What every page has around it: navigation, the newest ledger, the state of the connection, currency and theme. */

import { useEffect, useLayoutEffect } from 'preact/hooks';
import * as format from './format.ts';
import licenses from './licenses.txt' with { type: 'file' };
import { connection, followLedgers, newestLedger } from './net/ledger.ts';
import { useAnswer } from './net/use-answer.ts';
import { useLoaded } from './net/use-loaded.ts';
import { Attribution } from './parts/attribution.tsx';
import { Search } from './parts/search.tsx';
import { ServiceState } from './parts/service-state.tsx';
import { linkTo, type Place, place } from './router.ts';
import { pageAt, pages } from './routes.ts';
import { CURRENCIES, choose, currency, theme } from './settings.ts';
import { useDocumentTitle } from './title.ts';

export function Shell() {
  useEffect(() => {
    const stream = followLedgers();
    return () => stream.close();
  }, []);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href={linkTo([])}>
          Millrace
        </a>
        <Menu />
        <div class="tools">
          <Search
            label="Search tokens"
            id="found"
            onChoose={({ md5 }) => {
              location.hash = linkTo(['token', md5]);
            }}
          />
          <NewestLedger />
          <Choice label="Currency" setting="currency" value={currency.value} values={CURRENCIES} />
          <Choice label="Theme" setting="theme" value={theme.value} values={['system', 'dark', 'light']} />
        </div>
      </header>
      <Rates />
      <Lost />
      <ServiceState />
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
      <footer class="bottom">
        <span>Every number here comes from this service's own proved ledgers.</span>
        <a href="reference">API reference</a>
        <Attribution />
        <a href={new URL(licenses, import.meta.url).href}>Licences of others’ work</a>
      </footer>
    </>
  );
}

function Menu() {
  const shown = pageAt(place.value);
  return (
    <nav class="menu" aria-label="Pages">
      {pages.map(
        (page) =>
          page.menu && (
            <a href={linkTo([page.path])} aria-current={page === shown ? 'page' : undefined}>
              {page.menu}
            </a>
          ),
      )}
    </nav>
  );
}

function NewestLedger() {
  const ledger = newestLedger.value;
  const live = connection.value === 'live';
  return (
    <span
      class="ledger"
      data-live={live}
      title={ledger && `${ledger.txn_count} transactions, ${format.time(ledger.close_time)}`}
    >
      <span class="dot" aria-hidden="true" />
      <span class="visually-hidden">{live ? 'Live, ledger ' : 'Not connected, ledger '}</span>
      <span class="number">{ledger ? format.whole(ledger.ledger_index) : format.NONE}</span>
    </span>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly setting: 'currency' | 'theme';
  readonly value: string;
  readonly values: readonly string[];
}

function Choice({ label, setting, value, values }: ChoiceProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => choose(setting, event.currentTarget.value)}>
      {values.map((one) => (
        <option value={one}>{one}</option>
      ))}
    </select>
  );
}

/** Ledgers between two askings for the rates of currencies. */
const RATES_EVERY = 5;

/** Keeps the rates of fiat money known while amounts are shown in it: most routes answer XRP and say nothing of them. */
function Rates() {
  useAnswer(currency.value === 'XRP' ? undefined : '/stats/rates', {}, { follow: RATES_EVERY });
  return null;
}

/** Says that numbers no longer move; takes no room of its own while they do. */
function Lost() {
  return (
    <p class="lost" role="status">
      {connection.value === 'lost' ? 'Connection lost. What is shown is of before; connecting again…' : ''}
    </p>
  );
}

function Page() {
  const now = place.value;
  const row = pageAt(now);
  const { value: Content, failure } = useLoaded(row?.path, async () => (await row!.load()).default);
  useKeptFocus(now);
  return (
    <>
      <Title usual={row?.title ?? 'Not found'} />
      {row?.of && !now.segments[1] ? (
        <Unnamed title={row.title} of={row.of} />
      ) : row === undefined ? (
        <Missing at={now} />
      ) : Content ? (
        <Content place={now} />
      ) : failure ? (
        <Failed />
      ) : (
        <div class="loading" />
      )}
    </>
  );
}

/** By itself: a title that moves with a price renders nothing of the page again. */
function Title({ usual }: { readonly usual: string }) {
  useDocumentTitle(usual);
  return null;
}

/**
 * Where a link that led here is gone, and the focus with it, keys go on from the content, and those who do not see it hear that
 * it is another.
 */
function useKeptFocus(shown: Place): void {
  const main = document.getElementById('main');
  // While this is rendered, what it takes the place of is still there.
  const hadFocus = main?.contains(document.activeElement);
  useLayoutEffect(() => {
    if (hadFocus && !main?.contains(document.activeElement)) main?.focus({ preventScroll: true });
  }, [shown]);
}

function Missing({ at }: { at: Place }) {
  return (
    <section>
      <h1>Not found</h1>
      <p>There is no page “{format.text(at.segments.join('/'))}”.</p>
    </section>
  );
}

function Unnamed({ title, of }: { readonly title: string; readonly of: string }) {
  return (
    <section>
      <h1>{title}</h1>
      <p class="failure">{`The address of this page names no ${of}.`}</p>
    </section>
  );
}

/** It is asked for again as ledgers close; a new version of the service has other names for its files, which only the document has. */
function Failed() {
  return (
    <section>
      <h1>This page could not be loaded</h1>
      <p>
        The service was not reached, or has been restarted.{' '}
        <button type="button" onClick={() => location.reload()}>
          Load again
        </button>
      </p>
    </section>
  );
}
