/** Over the lower edge of every page while the service does not show the present: how far it is, or what to do. */
import { useEffect } from 'preact/hooks';
import * as format from '../format.ts';
import { followServiceState, type Health, serviceState } from '../net/service-state.ts';

const STAGES: Readonly<Record<string, string>> = {
  opening: 'Opening the store',
  rebuilding: 'Rebuilding the store from its ledgers',
  restoring: 'Restoring the state',
  checking: 'Checking the store',
  migrating: 'Bringing the store to this version',
  snapshot: 'Reading the whole state from a node',
  'catching up': 'Catching up with the network',
  history: 'Making or reading history: what is shown is of the past, and moves on fast',
};

export function ServiceState() {
  useEffect(followServiceState, []);
  const state = serviceState.value;
  if (state.kind === 'present') return null;
  return (
    <section class="service-state" role="status" aria-label="State of the service">
      {state.kind === 'starting' || state.kind === 'history' ? (
        <Working stage={state.stage} share={state.share} secondsLeft={state.secondsLeft} />
      ) : (
        <WhatToDo kind={state.kind} health={state.health} />
      )}
    </section>
  );
}

interface WorkingProps {
  readonly stage: string;
  readonly share: number | undefined;
  readonly secondsLeft: number | undefined;
}

function Working({ stage, share, secondsLeft }: WorkingProps) {
  const words = STAGES[stage] ?? stage;
  const done = share === undefined ? '' : format.percent(share * 100, 0);
  const left = secondsLeft === undefined ? '' : `${format.duration(secondsLeft)} left`;
  return (
    <>
      <span>{words}</span>
      <progress aria-label={words} max={1} {...(share !== undefined && { value: share })} />
      <span class="number">{[done, left].filter(Boolean).join(', ')}</span>
    </>
  );
}

function WhatToDo({ kind, health }: { readonly kind: 'no node' | 'stale'; readonly health: Health }) {
  const { ledger } = health;
  const shown = ledger
    ? `What is shown is of ledger ${format.whole(ledger.index)}, closed ${format.duration(ledger.age_seconds)} ago.`
    : 'There is nothing to show yet.';
  return kind === 'no node' ? (
    <p>
      <strong>No node gives new ledgers.</strong> {shown} It goes on by itself when one does. Check that this
      machine is online and that <code>--source</code> names nodes that run: the log says what each of them
      answered.
    </p>
  ) : (
    <p>
      <strong>What is shown is not the present.</strong> {shown} The node answers, but is not at the newest
      ledger itself: wait, or name a further node in <code>--source</code>.
    </p>
  );
}
