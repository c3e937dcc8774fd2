/** The scam check: whether an account is on the blocklist and why; and what the ledgers show of scams in all. */
import { useState } from 'preact/hooks';
import { isAddress, NO_ADDRESS } from '../address.ts';
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Account } from '../parts/account.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Figures } from '../parts/figures.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { useTitle } from '../title.ts';

type Check = Answers['GET /scams/check/{account}'];
type Reason = Check['reasons'][number];
type Report = Answers['GET /scams'];

const DAY_SECONDS = 86_400;

/** How many ledgers pass before the sums are asked for again. */
const SUMS_EVERY = 5;

export default function Scams({ place: { segments } }: PageProps) {
  const address = segments[1] ?? '';
  useTitle(address === '' ? undefined : `Scam check of ${format.shortAddress(format.text(address))}`);
  return (
    <section class="scams">
      <h1>Scam check</h1>
      <p>
        Before you pay an account, trust a token or take an NFT: what the ledgers show of it. Nothing found is
        no proof that it is honest.
      </p>
      <AddressForm key={address} address={address} />
      {address !== '' && <Verdict address={address} />}
      <Overview />
    </section>
  );
}

function AddressForm({ address }: { readonly address: string }) {
  const [typed, type] = useState(address);
  const [isRefused, refuse] = useState(false);
  const open = (event: Event) => {
    event.preventDefault();
    const wanted = typed.trim();
    refuse(!isAddress(wanted));
    if (isAddress(wanted)) location.hash = linkTo(['scams', wanted]);
  };
  return (
    <form class="scams-form" onSubmit={open}>
      <input
        type="text"
        value={typed}
        maxLength={64}
        autocomplete="off"
        spellcheck={false}
        placeholder="r…"
        aria-label="Address of an account"
        aria-invalid={isRefused}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <button type="submit">Check</button>
      <span role="status" class="down">
        {isRefused ? NO_ADDRESS : ''}
      </span>
    </form>
  );
}

function Verdict({ address }: { readonly address: string }) {
  const shown = useAnswer('/scams/check/{account}', { account: address });
  const { value } = shown;
  if (!value) return <Unanswered shown={shown} what="This account" />;
  return (
    <div class="card scams-verdict">
      <h2 class={value.is_scam ? 'down' : ''}>{headingOf(value)}</h2>
      <p class="mono cut">{format.text(address)}</p>
      <Facts facts={factsOf(value)} />
      {value.reasons.map((reason) => (
        <ReasonRow key={`${reason.rule} ${reason.since}`} reason={reason} />
      ))}
      {value.suspected.length > 0 && <h3>Honest accounts may do this, too</h3>}
      {value.suspected.map((reason) => (
        <ReasonRow key={`${reason.rule} ${reason.since}`} reason={reason} />
      ))}
    </div>
  );
}

function headingOf({ is_scam, exists, suspected }: Check): string {
  if (is_scam) return 'On the blocklist';
  if (suspected.length > 0) return 'Not on the blocklist, but look closely';
  return exists ? 'Not on the blocklist' : 'Not on the blocklist, and not on the ledger';
}

const daysText = (days: number): string =>
  days === 0 ? 'Less than a day' : days === 1 ? '1 day' : `${format.whole(days)} days`;

function factsOf({ account, first_seen, age_seconds, new_account }: Check): readonly Fact[] {
  const days = age_seconds === null ? undefined : Math.floor(age_seconds / DAY_SECONDS);
  const age = days === undefined ? format.NONE : daysText(days);
  return [
    ['Created', first_seen === null ? 'Before the ledgers read here, or never' : format.time(first_seen)],
    ['Age', new_account ? `${age}: it is new` : age],
    [
      'More',
      <a key="account" href={linkTo(['account', account])}>
        What it has and did
      </a>,
    ],
  ];
}

/** Rules as a heading says them: the first letter is a capital. */
const titleOf = (rule: string): string => rule.charAt(0).toUpperCase() + rule.slice(1);

function ReasonRow({ reason }: { readonly reason: Reason }) {
  const { rule, since, transactions, affected, xrp, sample, token, copies, evidence } = reason;
  const facts: Fact[] = [['Listed', format.time(since)]];
  if (transactions !== undefined) facts.push(['Transactions', format.whole(transactions)]);
  if (affected !== undefined) facts.push(['Accounts concerned', format.whole(affected)]);
  if (xrp !== undefined) facts.push(['Took', `${format.amount(xrp)} XRP`]);
  if (token)
    facts.push([
      'Token',
      <a key="token" href={linkTo(['token', token.md5])}>
        <bdi>{format.text(token.name, 40)}</bdi>
      </a>,
    ]);
  if (token)
    facts.push([
      'Looks like',
      <a key="imitates" href={linkTo(['token', token.imitates])}>
        the established one
      </a>,
    ]);
  if (copies)
    facts.push([
      copies.name ? 'Has the name of' : 'Has a picture of',
      <a key="copies" href={linkTo(['collection', copies.collection.replace(':', '-')])}>
        a known collection
      </a>,
    ]);
  if (copies?.picture)
    facts.push([
      'Same picture',
      <span key="pictures">
        <a href={linkTo(['nft', copies.picture.nft])}>its own</a>
        {', '}
        <a href={linkTo(['nft', copies.picture.original])}>the other</a>
      </span>,
    ]);
  return (
    <section class="scams-reason">
      <h3>{titleOf(rule)}</h3>
      <Facts facts={facts} />
      {sample !== undefined && (
        <p>
          It sent, and you should not follow it: <bdi class="scams-sample">{format.text(sample, 200)}</bdi>
        </p>
      )}
      {evidence.length > 0 && (
        <p>
          {'Shown by '}
          {evidence.map((hash, i) => (
            <a key={hash} class="mono" href={linkTo(['tx', hash])} title={hash}>
              {`${i === 0 ? '' : ' '}${hash.slice(0, 8)}…`}
            </a>
          ))}
        </p>
      )}
    </section>
  );
}

function Overview() {
  const shown = useAnswer('/scams', {}, { follow: SUMS_EVERY });
  const { value } = shown;
  if (!value) return <Unanswered shown={shown} what="The report" />;
  const { overview } = value;
  const figures = [
    { title: 'On the blocklist', of: overview.blocklist, text: format.whole(overview.blocklist) },
    { title: 'XRP taken', of: overview.total_xrp_stolen, text: format.amount(overview.total_xrp_stolen) },
    {
      title: 'Spam transactions',
      of: overview.memo_spam.total_spam_txs,
      text: format.whole(overview.memo_spam.total_spam_txs),
    },
    {
      title: 'Tokens that imitate',
      of: overview.token_scams.fake_tokens,
      text: format.whole(overview.token_scams.fake_tokens),
    },
    {
      title: 'NFT scammers',
      of: overview.nft_scams.scam_accounts,
      text: format.whole(overview.nft_scams.scam_accounts),
    },
  ];
  return (
    <>
      <h2>What the ledgers show</h2>
      <div class="card">
        <Figures figures={figures} />
      </div>
      <TopScammers rows={value.top_scammers} />
      <Domains rows={value.domains} />
      <Rules rows={value.rules} />
    </>
  );
}

function TopScammers({ rows }: { readonly rows: Report['top_scammers'] }) {
  if (rows.length === 0) return null;
  return (
    <div class="card">
      <h3>Took most</h3>
      <ul class="scams-list">
        {rows.map(({ account, xrp_stolen }) => (
          <li key={account}>
            <a class="mono" href={linkTo(['scams', account])} title={account}>
              {format.shortAddress(account)}
            </a>
            <span>{`${format.amount(xrp_stolen)} XRP`}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Not as links: nobody should go there. */
function Domains({ rows }: { readonly rows: Report['domains'] }) {
  if (rows.length === 0) return null;
  return (
    <div class="card">
      <h3>Domains to keep away from</h3>
      <ul class="scams-list">
        {rows.map(({ domain, accounts, since }) => (
          <li key={domain}>
            <bdi>{format.text(domain, 60)}</bdi>
            <span>{accounts[0] === undefined ? format.time(since) : <Account address={accounts[0]} />}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Rules({ rows }: { readonly rows: Report['rules'] }) {
  return (
    <div class="card">
      <h3>How they are found</h3>
      <dl class="scams-rules">
        {rows.map(({ name, definition, source, verified }) => (
          <div key={name}>
            <dt>{titleOf(name)}</dt>
            <dd>
              {definition}. {!verified && 'Suspected only. '}
              <a href={source} rel="noreferrer noopener" target="_blank">
                {`Source of ${name}`}
              </a>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
