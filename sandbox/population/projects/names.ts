/** Names of projects: a name of two words, and a ticker of three letters or of the joined words. Each is given once. */
import { RandomStream } from '../random.ts';

const FIRST =
  'Amber Arctic Atlas Birch Bronze Cedar Cobalt Copper Coral Crimson Desert Ember Falcon Forest Ginger Granite Harbor Hazel Indigo Ivory Jade Juniper Lunar Maple Marble Meadow Mint Nimbus Ocean Olive Onyx Orbit Pearl Pepper Prairie Quartz River Saffron Silver Solar Summit Thunder Timber Topaz Tundra Velvet Violet Walnut Willow Zephyr'.split(
    ' ',
  );

interface Kind {
  /** Second word of the name. */
  readonly word: string;
  /** `asset_class` of XLS-26 and XLS-89. */
  readonly assetClass: 'memes' | 'defi' | 'gaming' | 'rwa' | 'wrapped' | 'other';
  /** What it says about itself. */
  readonly about: string;
}

const KINDS: readonly Kind[] = [
  { word: 'Cat', assetClass: 'memes', about: 'A cat on the XRP Ledger' },
  { word: 'Dog', assetClass: 'memes', about: 'A good dog with a liquidity pool' },
  { word: 'Frog', assetClass: 'memes', about: 'It jumps when it wants' },
  { word: 'Bear', assetClass: 'memes', about: 'A bear for every market' },
  { word: 'Goat', assetClass: 'memes', about: 'A goat that climbs' },
  { word: 'Coin', assetClass: 'memes', about: 'A coin of its community' },
  { word: 'Swap', assetClass: 'defi', about: 'Governance token of an exchange' },
  { word: 'Yield', assetClass: 'defi', about: 'Shares of a liquidity strategy' },
  { word: 'Lend', assetClass: 'defi', about: 'Token of a lending market' },
  { word: 'Quest', assetClass: 'gaming', about: 'Currency of a game' },
  { word: 'Arena', assetClass: 'gaming', about: 'Prizes of a tournament' },
  { word: 'Land', assetClass: 'rwa', about: 'Shares of real estate' },
  { word: 'Bond', assetClass: 'rwa', about: 'A bond, paid out in XRP' },
  { word: 'Bridge', assetClass: 'wrapped', about: 'A token of another chain' },
  { word: 'Club', assetClass: 'other', about: 'Membership of a club' },
  { word: 'Pay', assetClass: 'other', about: 'Points of a payment service' },
];

/** `asset_subclass` of those of class `rwa`. */
export const SUBCLASSES: Readonly<Record<string, string>> = { Land: 'real_estate', Bond: 'private_credit' };

/** Codes that stand for something else: of the other tokens, of fiat currencies and metals. */
const RESERVED = new Set(
  'XRP USD EUR JPY CNY GBP CHF CAD AUD BTC ETH XAU XAG COR VLT GLD LUX ARC CAT ZEN HYP RUG MEM'.split(' '),
);
const CONSONANTS = 'BCDFGKLMNPRSTVZ';
const VOWELS = 'AEIOU';
/** One in so many has a code of three letters, as long as there are any left. */
const SHORT_EVERY = 3;
const TRIES = 20;

export interface ProjectName extends Kind {
  /** `Amber Cat` */
  readonly name: string;
  /** `AmberCat`, `ABR`: the currency's name. */
  readonly ticker: string;
}

/** Gives names, each of them once, the same ones for the same seed. */
export class Names {
  readonly #random: RandomStream;
  readonly #given = new Set<string>();

  constructor(seed: string) {
    this.#random = new RandomStream(`${seed}/project names`);
  }

  next(): ProjectName {
    const random = this.#random;
    const first = random.pick(FIRST);
    const kind = random.pick(KINDS);
    const joined = first + kind.word;
    const short = random.below(SHORT_EVERY) === 0 ? this.#short() : undefined;
    let name = `${first} ${kind.word}`;
    for (let n = 2; this.#given.has(name); n++) name = `${first} ${kind.word} ${n}`;
    this.#given.add(name);
    const ticker = short ?? joined + name.slice(first.length + kind.word.length + 2);
    return { ...kind, name, ticker };
  }

  #short(): string | undefined {
    const random = this.#random;
    for (let i = 0; i < TRIES; i++) {
      const code = random.pick([...CONSONANTS]) + random.pick([...VOWELS]) + random.pick([...CONSONANTS]);
      if (RESERVED.has(code) || this.#given.has(code)) continue;
      this.#given.add(code);
      return code;
    }
    return undefined;
  }
}
