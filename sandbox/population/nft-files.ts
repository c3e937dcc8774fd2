/**
 * Metadata (XLS-24d) and pictures of the NFTs that the population mints, as its node serves them: `/ipfs/<root>/<name>` of
 * the gateway, and the site that fake airdrops link to. Names end in `.example`, which no name server resolves (RFC 2606).
 *
 * Made when asked for from the seed and the name alone; nothing of them is kept. Values of attributes are unequally frequent:
 * each is half as likely as the one before it, so that every collection has common and rare ones.
 */
import { type Colour, picture } from './picture.ts';
import { RandomStream } from './random.ts';

export interface ServedFile {
  readonly type: 'application/json' | 'image/png';
  readonly body: string | Uint8Array;
}

interface Series {
  /** Of an item, by its number. */
  readonly title: string;
  readonly collection: string;
  readonly about: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

const COLOURS: Readonly<Record<string, Colour>> = {
  Sand: [222, 203, 164],
  Sky: [140, 190, 230],
  Moss: [120, 150, 96],
  Coral: [236, 128, 108],
  Slate: [92, 104, 120],
  Violet: [142, 104, 190],
  Gold: [224, 178, 60],
  Ink: [30, 34, 48],
};
const NAMES = Object.keys(COLOURS);

/** By the root of their URIs. */
const SERIES: Readonly<Record<string, Series>> = {
  'blue-chip': {
    title: 'Creature',
    collection: 'Studio Creatures',
    about: 'A creature of the studio, drawn once.',
    attributes: {
      Background: NAMES,
      Body: ['Sky', 'Moss', 'Coral', 'Sand', 'Violet', 'Gold'],
      Eyes: ['Ink', 'Slate', 'Gold', 'Violet'],
      Hat: ['None', 'Flat'],
      Stripes: ['None', 'Wide', 'Narrow'],
      Size: ['Medium', 'Small', 'Large'],
    },
  },
  drop: {
    title: 'Ticket',
    collection: 'The Drop',
    about: 'One of a hundred, minted within an hour.',
    attributes: {
      Tier: ['Common', 'Rare', 'Legendary'],
      Background: ['Slate', 'Violet', 'Gold'],
      Body: ['Sand', 'Coral', 'Sky'],
    },
  },
  rare: {
    title: 'Relic',
    collection: 'Relics',
    about: 'There is only one.',
    attributes: { Background: ['Ink'], Body: ['Gold'] },
  },
  single: {
    title: 'Single',
    collection: 'Singles',
    about: 'Sold once, by way of a marketplace.',
    attributes: { Background: ['Sky'], Body: ['Coral'] },
  },
};
const GATEWAY = 'ipfs.example';
const PHISHING = 'free-xrp.example';
const SIZES: Readonly<Record<string, number>> = { Small: 0.24, Medium: 0.3, Large: 0.36 };
const STRIPES: Readonly<Record<string, number>> = { Wide: 2, Narrow: 4 };
const ITEM = /^\/ipfs\/([a-z-]{1,32})\/((?:special-)?[1-9][0-9]{0,3}|0)\.(json|png)$/;
const VOUCHER = /^\/voucher\/([0-9]{1,3})(\.png)?$/;

export class NftFiles {
  readonly #seed: string;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** undefined: the host has no such file. @param host in lower case, without its port */
  of(host: string, path: string): ServedFile | undefined {
    if (host === PHISHING) return this.#voucher(path);
    if (host !== GATEWAY) return undefined;
    const [, root = '', item = '', extension] = ITEM.exec(path) ?? [];
    const series = Object.hasOwn(SERIES, root) ? SERIES[root] : this.#unnamed(path);
    if (!series || item === '') return series && this.#metadata(series, 'only', undefined);
    const attributes = this.#attributes(series, `${root}/${item}`);
    if (extension === 'png') return this.#picture(`${root}/${item}`, attributes);
    return this.#metadata(series, item, `ipfs://${root}/${item}.png`, attributes);
  }

  /** Content without a name in it: two NFTs of the catalogue, whose URI changes, have no picture. */
  #unnamed(path: string): Series | undefined {
    const [, title] = /^\/ipfs\/(first|second)$/.exec(path) ?? [];
    return title === undefined
      ? undefined
      : { title, collection: 'Changing', about: `The ${title} of two.`, attributes: {} };
  }

  /** It shows a picture of a known collection, and its name. */
  #voucher(path: string): ServedFile | undefined {
    const [, n, isPicture] = VOUCHER.exec(path) ?? [];
    if (n === undefined) return undefined;
    const shown = `drop/${Number(n) % 10}`;
    const attributes = this.#attributes(SERIES.drop!, shown);
    if (isPicture) return this.#picture(shown, attributes);
    return json({
      schema: SCHEMA,
      nftType: 'art.v0',
      name: `Voucher ${n}: claim your XRP at ${PHISHING}`,
      description: `Connect your wallet at https://${PHISHING} to claim.`,
      image: `https://${PHISHING}/voucher/${n}.png`,
      collection: { name: SERIES.drop!.collection, family: 'Vouchers' },
      attributes: [],
    });
  }

  #attributes({ attributes }: Series, item: string): Readonly<Record<string, string>> {
    const random = new RandomStream(`${this.#seed}/nft/${item}`);
    return Object.fromEntries(
      Object.entries(attributes).map(([type, values]) => [type, values[place(values.length, random)]!]),
    );
  }

  #metadata(
    { title, collection, about }: Series,
    item: string,
    image: string | undefined,
    attributes: Readonly<Record<string, string>> = {},
  ): ServedFile {
    return json({
      schema: SCHEMA,
      nftType: 'art.v0',
      name: item === 'only' ? title : `${title} #${item}`,
      description: about,
      ...(image !== undefined && { image }),
      collection: { name: collection, family: 'Embedded network' },
      attributes: Object.entries(attributes).map(([trait_type, value]) => ({ trait_type, value })),
    });
  }

  #picture(item: string, attributes: Readonly<Record<string, string>>): ServedFile {
    const random = new RandomStream(`${this.#seed}/picture/${item}`);
    const colour = (type: string, other: string) => COLOURS[attributes[type] ?? other]!;
    const body = picture({
      background: colour('Background', 'Slate'),
      body: colour('Body', 'Sand'),
      eyes: colour('Eyes', 'Ink'),
      size: SIZES[attributes.Size ?? 'Medium']!,
      stripes: STRIPES[attributes.Stripes ?? ''] ?? 0,
      hasHat: attributes.Hat === 'Flat',
      pattern: Array.from({ length: 25 }, () => random.chance(0.4)),
    });
    return { type: 'image/png', body };
  }
}

/** That of XLS-24d. */
const SCHEMA = 'ipfs://QmNpi8rcXEkohca8iXu7zysKKSJYqCvBJn3xJwga8jXqWU';

const json = (value: object): ServedFile => ({ type: 'application/json', body: JSON.stringify(value) });

/** Half of all get 0, half of the others 1, and so on. */
function place(count: number, random: RandomStream): number {
  let at = 0;
  while (at < count - 1 && !random.chance(0.5)) at++;
  return at;
}
