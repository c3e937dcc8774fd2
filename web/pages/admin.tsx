/** For the operator: requests for the partner tier, and the limits that are in force. The key stays in this page alone. */
import { useState } from 'preact/hooks';
import * as format from '../format.ts';
import { type Answer, get, post } from '../net/rest.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Table } from '../parts/table.tsx';
import { Unanswered } from '../parts/unanswered.tsx';
import type { Column } from '../parts/virtual-table.tsx';
import { type Tier, Tiers } from './keys.tsx';

type Endpoint = Answer<'/keys/tiers'>['endpoints'][number];
type Request = Answer<'/keys/partner-requests'>['requests'][number];

export default function AdminPage() {
  const tiers = useAnswer('/keys/tiers', {}, { follow: 'once' });
  return (
    <section class="keys">
      <h1>Admin</h1>
      <Requests />
      {tiers.value ? (
        <>
          <Tiers tiers={tiers.value.tiers} />
          <Endpoints tiers={tiers.value.tiers} endpoints={tiers.value.endpoints} />
        </>
      ) : (
        <Unanswered shown={tiers} what="The limits" />
      )}
    </section>
  );
}

interface EndpointsProps {
  readonly tiers: readonly Tier[];
  readonly endpoints: readonly Endpoint[];
}

function Endpoints({ tiers, endpoints }: EndpointsProps) {
  const columns: readonly Column<Endpoint>[] = [
    {
      key: 'prefix',
      title: 'Endpoint',
      cell: ({ prefix, scope }) => (
        <>
          {prefix === '*' ? 'each other one' : <code>{prefix}</code>}
          {scope === 'ip' && ' (an address)'}
        </>
      ),
    },
    ...tiers.map(({ name }) => ({
      key: name,
      title: name,
      number: true,
      cell: ({ perMinute }: Endpoint) => {
        const limit = perMinute[name] as number | null;
        return limit === null ? 'any' : format.whole(limit);
      },
    })),
  ];
  return (
    <section class="card">
      <h2>Requests a minute</h2>
      <Table
        isFlat
        label="Requests a minute"
        columns={columns}
        rows={endpoints}
        keyOf={({ prefix }) => prefix}
        empty="None"
        loading={false}
      />
    </section>
  );
}

function Requests() {
  const [key, setKey] = useState('');
  const [requests, setRequests] = useState<readonly Request[]>();
  const [said, setSaid] = useState('');
  const headers = { 'X-Admin-Key': key };
  const load = async () => {
    const { value, failure } = await get('/keys/partner-requests', { headers });
    setSaid(failure?.message ?? '');
    setRequests(value?.requests);
  };
  const approve = async (wallet: string) => {
    const { failure } = await post(
      '/keys/partner-requests/{wallet}/approve',
      {},
      { query: { wallet }, headers },
    );
    await load();
    if (failure) setSaid(failure.message);
  };
  const decline = async (wallet: string, reason: string) => {
    const asked = { query: { wallet }, headers };
    const { failure } = await post('/keys/partner-requests/{wallet}/decline', { reason }, asked);
    await load();
    if (failure) setSaid(failure.message);
  };
  return (
    <section class="card">
      <h2>Requests for the partner tier</h2>
      <form
        class="keys-form"
        onSubmit={(event) => {
          event.preventDefault();
          void load();
        }}
      >
        <label>
          Admin key
          <input
            type="password"
            class="mono"
            value={key}
            maxLength={80}
            autocomplete="off"
            onInput={(event) => setKey(event.currentTarget.value.trim())}
          />
        </label>
        <button type="submit">Show the requests</button>
      </form>
      <p class="failure" role="status">
        {format.text(said, 200)}
      </p>
      {requests?.length === 0 && <p class="empty">No request is pending.</p>}
      {requests?.map((one) => (
        <Review key={one.wallet} of={one} approve={approve} decline={decline} />
      ))}
    </section>
  );
}

interface ReviewProps {
  readonly of: Request;
  approve(wallet: string): void;
  decline(wallet: string, reason: string): void;
}

function Review({ of: { wallet, tier, contact, request }, approve, decline }: ReviewProps) {
  const [reason, setReason] = useState('');
  return (
    <article class="partner-request">
      <h3 class="mono">{wallet}</h3>
      <p>
        {`${format.time(request.requestedAt)}, ${tier} tier, `}
        <bdi>{format.text(contact, 200)}</bdi>
      </p>
      <p>
        <a href={request.creditUrl} rel="noopener noreferrer" target="_blank">
          <bdi>{format.text(request.creditUrl, 200)}</bdi>
        </a>
      </p>
      <div class="keys-buttons">
        <button type="button" onClick={() => approve(wallet)}>
          Approve
        </button>
        <label>
          Reason
          <input
            type="text"
            value={reason}
            maxLength={500}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </label>
        <button type="button" disabled={reason.trim() === ''} onClick={() => decline(wallet, reason)}>
          Decline
        </button>
      </div>
    </article>
  );
}
