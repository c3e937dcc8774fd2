/** The faucet of the test network: an address gets XRP that is worth nothing, once a day. */
import { useState } from 'preact/hooks';
import { isAddress, NO_ADDRESS } from '../address.ts';
import * as format from '../format.ts';
import { type Answer, type Failure, post } from '../net/rest.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { FailureLine } from '../parts/failure-line.tsx';

export default function Faucet() {
  const { value: faucet, failure } = useAnswer('/faucet', {}, { follow: 5 });
  return (
    <section class="faucet">
      <h1>Faucet</h1>
      <p>
        XRP of the test network, to try things with. It is worth nothing, and the network may begin again at
        any time.
      </p>
      <FailureLine of={failure} />
      <Facts
        facts={[
          ['An address gets', faucet ? `${format.whole(faucet.defaultAmount)} XRP` : format.NONE],
          ['Again after', '24 hours'],
          ['The faucet has', faucet ? `${format.whole(Math.floor(faucet.balance))} XRP` : format.NONE],
          [
            'Its address',
            faucet ? (
              <Copyable text={faucet.address} what="the address of the faucet" class="mono hash" />
            ) : (
              format.NONE
            ),
          ],
        ]}
      />
      <Claim />
    </section>
  );
}

type Outcome = { readonly paid: Answer<'/faucet', 'POST'> } | { readonly failure: Failure };

function Claim() {
  const [typed, type] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const address = typed.trim();
  const isRefused = address !== '' && !isAddress(address);
  const claim = async (event: Event) => {
    event.preventDefault();
    if (address === '' || isRefused || isAsking) return;
    setAsking(true);
    const { value, failure } = await post('/faucet', { destination: address });
    setAsking(false);
    setOutcome(failure ? { failure } : { paid: value });
  };
  return (
    <form class="card faucet-form" onSubmit={claim}>
      <label>
        Address
        <input
          type="text"
          value={typed}
          maxLength={64}
          autocomplete="off"
          spellcheck={false}
          placeholder="r…"
          aria-invalid={isRefused}
          onInput={(event) => type(event.currentTarget.value)}
        />
      </label>
      <button type="submit" disabled={address === '' || isRefused || isAsking}>
        Pay this address
      </button>
      <div role="status">
        {isRefused && <p class="down">{NO_ADDRESS}.</p>}
        {outcome && <Told outcome={outcome} />}
      </div>
    </form>
  );
}

function Told({ outcome }: { readonly outcome: Outcome }) {
  if ('failure' in outcome) return <p class="failure">{outcome.failure.message}</p>;
  const { paid } = outcome;
  return (
    <>
      <p class="up">{`${format.whole(paid.amount)} XRP are on their way; they are there with the next ledger.`}</p>
      <p class="hash">
        Transaction <Copyable text={paid.hash} what="the hash of the transaction" class="mono hash" />
      </p>
      <Arrived address={paid.destination} />
    </>
  );
}

/** What the address has, as ledgers close. */
function Arrived({ address }: { readonly address: string }) {
  const { value } = useAnswer('/testnet/{address}', { address });
  if (!value?.activated) return null;
  return (
    <p>
      <bdi>{address}</bdi>
      {` has ${format.exact(String(value.balanceXRP))} XRP at ledger ${format.whole(value.ledgerIndex)}.`}
    </p>
  );
}
