/** The traits of a collection, how frequent each is, and the NFTs that have those that are chosen, the rarest first. */
import { useState } from 'preact/hooks';
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { Account } from '../../parts/account.tsx';
import { FailureLine } from '../../parts/failure-line.tsx';
import { NftLink } from '../../parts/nft-link.tsx';
import { Table } from '../../parts/table.tsx';
import { replaceQuery } from '../../router.ts';

type Answer = Answers['GET /nft/collections/{slug}/traits'];
type Type = Answer['traits'][number];

const SHOWN = 50;

interface TraitsProps {
  readonly slug: string;
  /** `type:value` with commas between, as the route reads it. */
  readonly chosen: string;
}

export function Traits({ slug, chosen }: TraitsProps) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/traits', { slug });
  const keys = chosen.split(',').filter(Boolean);
  const types = value?.traits ?? [];
  return (
    <section class="card traits" aria-labelledby="traits">
      <h2 id="traits">Traits</h2>
      <FailureLine of={failure} />
      {value && types.length > 0 ? (
        <div class="columns">
          <Values answer={value} chosen={keys} />
          <Members slug={slug} chosen={keys} />
        </div>
      ) : (
        <p class="empty">{value ? 'No traits of its NFTs are known here.' : ''}</p>
      )}
    </section>
  );
}

/** The values of one type, each a switch. */
function Values({ answer, chosen }: { readonly answer: Answer; readonly chosen: readonly string[] }) {
  const { traits, known } = answer;
  const [name, choose] = useState('');
  const type = traits.find((one) => one.type === name) ?? (traits[0] as Type);
  return (
    <div>
      <div class="filters">
        <select
          aria-label="Type of trait"
          value={type.type}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {traits.map((one) => (
            <option value={one.type}>{format.text(one.type)}</option>
          ))}
        </select>
        <span class="quiet">{`of ${format.whole(known)} NFTs`}</span>
      </div>
      <Table
        label="Values"
        rows={type.values}
        keyOf={({ value }) => value}
        loading={false}
        empty="No NFT has one."
        columns={[
          {
            key: 'value',
            title: 'Value',
            cell: ({ value }) => <Switch trait={keyOf(type.type, value)} text={value} chosen={chosen} />,
          },
          { key: 'count', title: 'NFTs', number: true, cell: ({ count }) => format.whole(count) },
          {
            key: 'share',
            title: 'Share',
            number: true,
            cell: ({ count }) => format.percent((count / known) * 100, 2),
          },
        ]}
      />
    </div>
  );
}

interface SwitchProps {
  readonly trait: string;
  readonly text: string;
  readonly chosen: readonly string[];
}

function Switch({ trait, text, chosen }: SwitchProps) {
  const isOn = chosen.includes(trait);
  const next = isOn ? chosen.filter((one) => one !== trait) : [...chosen, trait];
  return (
    <button
      type="button"
      class="trait"
      aria-pressed={isOn}
      onClick={() => replaceQuery({ traits: next.join(',') })}
    >
      <bdi>{format.text(text)}</bdi>
    </button>
  );
}

function Members({ slug, chosen }: { readonly slug: string; readonly chosen: readonly string[] }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/nfts', {
    slug,
    sort: 'rarity-rare',
    limit: SHOWN,
    traits: chosen.join(','),
  });
  return (
    <div>
      <div class="filters">
        {chosen.length > 0 && (
          <button type="button" onClick={() => replaceQuery({ traits: '' })}>
            All NFTs
          </button>
        )}
        <span class="quiet" role="status">
          {value ? `${format.whole(value.total)} NFTs, the rarest first` : ''}
        </span>
      </div>
      <FailureLine of={failure} />
      <Table
        label="NFTs"
        rows={(value?.nfts ?? []) as unknown as Nft[]}
        keyOf={({ NFTokenID }) => NFTokenID}
        loading={value === undefined}
        empty="No NFT has these traits."
        columns={[
          {
            key: 'rank',
            title: 'Rarity',
            number: true,
            cell: ({ rarity_rank }) => (rarity_rank ? format.whole(rarity_rank) : format.NONE),
          },
          { key: 'nft', title: 'NFT', cell: ({ NFTokenID, name }) => <NftLink id={NFTokenID} name={name} /> },
          { key: 'price', title: 'Price', number: true, cell: ({ cost }) => format.price(cost?.amount) },
          {
            key: 'owner',
            title: 'Owner',
            wide: true,
            cell: ({ account }) => account && <Account address={account} />,
          },
        ]}
      />
    </div>
  );
}

type Nft = Answers['GET /nft/{nftId}'];

/** As the route reads it: what would end a type or value early is escaped. */
function keyOf(type: string, value: string): string {
  return `${type.replace(/[%,:]/g, encodeURIComponent)}:${value.replace(/[%,]/g, encodeURIComponent)}`;
}
