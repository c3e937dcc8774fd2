/**
 * The keys of a wallet that has signed. The page never sees a secret of the wallet: it shows a text, and takes the signature
 * that the wallet makes of it. A signature reads for five minutes; each change needs one that was not seen before.
 */
import { useState } from 'preact/hooks';
import { isAddress } from '../../address.ts';
import * as format from '../../format.ts';
import { type Answer, get, post, remove } from '../../net/rest.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/virtual-table.tsx';

type Key = Answer<'/keys/{wallet}'>['keys'][number];
type Payment = Answer<'/keys/payments/{wallet}'>['payments'][number];
type Headers = Readonly<Record<string, string>>;

interface Shown {
  readonly keys: readonly Key[];
  readonly subscription: Answer<'/keys/{wallet}/subscription'> | undefined;
  readonly usage: Answer<'/keys/{wallet}/usage'> | undefined;
  readonly payments: readonly Payment[];
}

interface Signed {
  readonly wallet: string;
  readonly headers: Headers;
}

export function Account() {
  const [signed, setSigned] = useState<Signed>();
  const [shown, setShown] = useState<Shown>();
  const [said, setSaid] = useState('');
  const load = async (by: Signed) => {
    setSaid('');
    const asked = { query: { wallet: by.wallet }, headers: by.headers };
    const [keys, subscription, usage, payments] = await Promise.all([
      get('/keys/{wallet}', asked),
      get('/keys/{wallet}/subscription', asked),
      get('/keys/{wallet}/usage', asked),
      get('/keys/payments/{wallet}', asked),
    ]);
    const answers = [keys, subscription, usage, payments];
    // 404: it has none yet. Of what is not answered otherwise nothing is known, which is not the same as nothing.
    const failure = answers.map((one) => one.failure).find((one) => one && one.status !== 404);
    if (failure) return setSaid(failure.message);
    setSigned(by);
    setShown({
      keys: keys.value?.keys ?? [],
      subscription: subscription.value,
      usage: usage.value,
      payments: payments.value?.payments ?? [],
    });
  };
  return (
    <section class="card keys-account">
      <h2>Your keys</h2>
      {signed && shown ? (
        <Own signed={signed} shown={shown} again={load} leave={() => setShown(undefined)} />
      ) : (
        <Sign action="Show my keys" onSigned={load} />
      )}
      <p class="failure" role="status">
        {format.text(said, 200)}
      </p>
    </section>
  );
}

interface SignProps {
  /** On the button that hands it in. */
  readonly action: string;
  /** Whoever has signed before. */
  readonly before?: Signed;
  onSigned(signed: Signed): void;
}

/** A text with the time of now, and what the wallet makes of it. */
function Sign({ action, before, onSigned }: SignProps) {
  const [wallet, setWallet] = useState(before?.wallet ?? '');
  const [texts, setTexts] = useState(0);
  // By the service's clock, which judges it: that of the reader may be wrong.
  const { value: health, failure } = useAnswer('/health', {}, { version: texts });
  const time = health?.timestamp;
  const [publicKey, setPublicKey] = useState(before?.headers['X-Public-Key'] ?? '');
  const [signature, setSignature] = useState('');
  const isWallet = isAddress(wallet);
  const send = (event: Event) => {
    event.preventDefault();
    const headers = {
      'X-Wallet': wallet,
      'X-Timestamp': String(time),
      'X-Public-Key': publicKey,
      'X-Signature': signature,
    };
    if (isWallet && time !== undefined && signature !== '') onSigned({ wallet, headers });
  };
  const field = (label: string, value: string, set: (text: string) => void, most: number) => (
    <label>
      {label}
      <input
        type="text"
        class="mono"
        value={value}
        maxLength={most}
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value.trim())}
      />
    </label>
  );
  return (
    <form class="keys-form" onSubmit={send}>
      <p class="quiet">
        Sign the text with the key of your wallet, in the wallet. It is valid for five minutes, and nothing
        else can be done with it.
      </p>
      {!before && field('Wallet', wallet, setWallet, 40)}
      <p>
        <span class="quiet">Text to sign </span>
        {isWallet && time !== undefined ? (
          <Copyable text={`${wallet}:${time}`} what="the text to sign" class="mono to-sign" />
        ) : (
          <code class="to-sign">{format.NONE}</code>
        )}
      </p>
      <button type="button" onClick={() => setTexts(texts + 1)}>
        Another text
      </button>
      <FailureLine of={failure} />
      {field('Public key, in hex digits', publicKey, setPublicKey, 66)}
      {field('Signature, in hex digits', signature, setSignature, 144)}
      <button type="submit">{action}</button>
    </form>
  );
}

interface OwnProps {
  readonly signed: Signed;
  readonly shown: Shown;
  /** Reads everything again. */
  again(by: Signed): void;
  leave(): void;
}

/** What is done once the wallet has signed for it. */
interface Change {
  readonly title: string;
  /** @returns why it cannot be done */
  run(headers: Headers): Promise<string | undefined>;
}

function Own({ signed, shown, again, leave }: OwnProps) {
  const [said, setSaid] = useState('');
  const [secret, setSecret] = useState('');
  const [change, setChange] = useState<Change>();
  const { wallet } = signed;
  const begin = (title: string, run: Change['run']) => {
    setSaid('');
    setChange({ title, run });
  };
  const make = async (headers: Headers) => {
    const made = { name: 'made in the browser', agreePolicy: true };
    const { value, failure } = await post('/keys', made, { headers });
    setSecret(value?.apiKey ?? '');
    return failure?.message;
  };
  const revoke = (id: string) => async (headers: Headers) =>
    (await remove('/keys/{wallet}/{id}', { query: { wallet, id }, headers })).failure?.message;
  const finish = async (by: Signed) => {
    const failure = await change?.run(by.headers);
    setSaid(failure ?? '');
    setChange(undefined);
    if (failure === undefined) again(by);
  };
  const columns: readonly Column<Key>[] = [
    { key: 'prefix', title: 'Key', cell: ({ keyPrefix }) => <span class="mono">{keyPrefix}…</span> },
    { key: 'name', title: 'Name', wide: true, cell: ({ name }) => <bdi>{format.text(name)}</bdi> },
    { key: 'used', title: 'Today', number: true, cell: ({ id }) => format.whole(usedToday(shown, id)) },
    { key: 'status', title: 'State', cell: ({ status }) => status },
    {
      key: 'revoke',
      title: 'Change',
      cell: ({ id, status, keyPrefix }) => {
        const title = `${verb(status)} ${keyPrefix}`;
        return (
          <button type="button" aria-label={title} onClick={() => begin(title, revoke(id))}>
            {verb(status)}
          </button>
        );
      },
    },
  ];
  return (
    <>
      <Facts facts={factsOf(signed, shown)} />
      <Table
        isFlat
        label="Keys"
        columns={columns}
        rows={shown.keys}
        keyOf={({ id }) => id}
        empty="This wallet has no key yet."
        loading={false}
      />
      {secret !== '' && (
        <p class="notice">
          <span role="status">Keep this key, it is shown only now:</span>{' '}
          <Copyable text={secret} what="the key" class="mono secret" />
        </p>
      )}
      {change ? (
        <>
          <h3>{change.title}</h3>
          <Sign key={change.title} action="Sign for it" before={signed} onSigned={finish} />
          <p class="keys-buttons">
            <button type="button" onClick={() => setChange(undefined)}>
              Do nothing
            </button>
          </p>
        </>
      ) : (
        <p class="keys-buttons">
          <button type="button" onClick={() => begin('Make a key', make)}>
            Make a key
          </button>
          <button type="button" onClick={leave}>
            Sign again
          </button>
        </p>
      )}
      <p class="quiet">Each change needs a signature of its own.</p>
      <p class="failure" role="status">
        {format.text(said, 200)}
      </p>
      <Days usage={shown.usage?.usage ?? []} />
      <Payments payments={shown.payments} />
    </>
  );
}

const verb = (status: Key['status']) => (status === 'active' ? 'Revoke' : 'Delete');

const usedToday = ({ usage }: Shown, id: string): number =>
  usage?.keys.find((key) => key.id === id)?.today.used ?? 0;

function factsOf({ wallet }: Signed, { subscription }: Shown): readonly Fact[] {
  const facts: Fact[] = [['Wallet', <span class="mono">{format.shortAddress(wallet)}</span>]];
  if (!subscription) return facts;
  const { tier, credits, billingCycle } = subscription.subscription;
  facts.push(['Tier', tier], ['Credits left', credits === -1 ? 'any number' : format.whole(credits)]);
  if (billingCycle)
    facts.push([billingCycle.billing ? 'Term ends' : 'Renewed', format.time(billingCycle.end)]);
  const request = subscription.partnerRequest;
  if (request)
    facts.push([
      'Partner request',
      <bdi>{format.text([request.status, request.reason].filter(Boolean).join(': '), 160)}</bdi>,
    ]);
  return facts;
}

type Day = Answer<'/keys/{wallet}/usage'>['usage'][number];

/** Days that are shown, the newest. */
const DAYS = 7;

const dayColumns: readonly Column<Day>[] = [
  { key: 'date', title: 'Day (UTC)', cell: ({ date }) => date },
  { key: 'requests', title: 'Requests', number: true, cell: ({ requests }) => format.whole(requests) },
  { key: 'credits', title: 'Credits', number: true, cell: ({ credits }) => format.amount(credits) },
];

function Days({ usage }: { readonly usage: readonly Day[] }) {
  if (usage.length === 0) return null;
  return (
    <Table
      isFlat
      label="Usage"
      columns={dayColumns}
      rows={usage.slice(-DAYS).reverse()}
      keyOf={({ date }) => date}
      empty="None"
      loading={false}
    />
  );
}

const paymentColumns: readonly Column<Payment>[] = [
  { key: 'time', title: 'Payment', cell: ({ time }) => format.time(time) },
  { key: 'amount', title: 'XRP', number: true, cell: ({ amount }) => amount },
  { key: 'status', title: 'State', cell: ({ status }) => status.replaceAll('_', ' ') },
];

function Payments({ payments }: { readonly payments: readonly Payment[] }) {
  if (payments.length === 0) return null;
  return (
    <Table
      isFlat
      label="Payments"
      columns={paymentColumns}
      rows={payments}
      keyOf={({ txHash }) => txHash}
      empty="None"
      loading={false}
    />
  );
}
