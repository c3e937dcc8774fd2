/** What the node says of the network beside its ledgers: its validators, its amendments, what a transaction costs now. */
import { xrpOfDrops } from '../../../explain/decimal.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { usePosted } from '../../net/use-posted.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';

interface Amendment {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly supported?: boolean;
  /** Set while it is voted on and has a majority: when it got it, seconds of the Ripple epoch. */
  readonly majority?: number;
}

/** Of `server_info`; nodes leave out what they do not tell. */
interface Info {
  readonly validation_quorum?: number;
  readonly last_close?: { readonly proposers?: number };
  readonly validator_list?: { readonly count?: number };
  readonly amendment_blocked?: boolean;
  readonly server_state?: string;
  readonly build_version?: string;
}

export function Rules() {
  const info = usePosted('/rpc', { method: 'server_info', params: {} });
  const features = usePosted('/rpc', { method: 'feature', params: {} });
  const fee = useAnswer('/submit/fee', {}, { follow: 5 });
  const failures = new Set([info, features, fee].map(({ failure }) => failure?.message));
  const said = (info.value?.result as { info?: Info } | undefined)?.info;
  const found = (features.value?.result as { features?: Record<string, Amendment> } | undefined)?.features;
  return (
    <section class="card rules" aria-labelledby="rules">
      <h2 id="rules">Validators, amendments, fees</h2>
      {[...failures].map((message) => message && <p class="failure">{message}</p>)}
      <Facts facts={[...factsOf(said), ...feesOf(fee.value)]} />
      {found && <Amendments features={found} />}
    </section>
  );
}

const count = (value: number | undefined) => (value === undefined ? format.NONE : format.whole(value));

function factsOf(info: Info | undefined): readonly Fact[] {
  return [
    ['Validators trusted by the node', count(info?.validator_list?.count)],
    ['Validations that a ledger needs', count(info?.validation_quorum)],
    ['Proposers of the last ledger', count(info?.last_close?.proposers)],
    [
      'Node',
      info ? format.text(`${info.build_version ?? ''} ${info.server_state ?? ''}`.trim()) : format.NONE,
    ],
  ];
}

interface Fees {
  readonly open_ledger_fee: string;
  readonly median_fee: string;
  readonly current_queue_size: number;
}

function feesOf(fees: Fees | undefined): readonly Fact[] {
  const xrp = (drops: string | undefined) =>
    drops === undefined ? format.NONE : `${format.exact(xrpOfDrops(drops))} XRP`;
  return [
    ['To be in the next ledger', xrp(fees?.open_ledger_fee)],
    ['Median fee of the last ledger', xrp(fees?.median_fee)],
    ['Transactions that wait', count(fees?.current_queue_size)],
  ];
}

function Amendments({ features }: { readonly features: Readonly<Record<string, Amendment>> }) {
  const rows = Object.entries(features)
    .map(([id, amendment]) => ({ id, ...amendment, name: amendment.name ?? id }))
    .toSorted((a, b) => a.name.localeCompare(b.name));
  const enabled = rows.filter((row) => row.enabled);
  const others = rows.filter((row) => !row.enabled);
  return (
    <>
      <List title={`${enabled.length} amendments are enabled`} rows={enabled} />
      {others.length > 0 && <List title={`${others.length} are not`} rows={others} />}
    </>
  );
}

interface Row extends Amendment {
  readonly id: string;
  readonly name: string;
}

function List({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  return (
    <details>
      <summary>{title}</summary>
      <ul class="amendments">
        {rows.map(({ id, name, enabled, supported, majority }) => (
          <li key={id} title={id}>
            <bdi>{format.text(name)}</bdi>
            {!enabled && majority !== undefined && <span class="quiet"> has a majority</span>}
            {!enabled && supported === false && <span class="quiet"> not known to the node</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
