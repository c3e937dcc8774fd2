/**
 * Icons of the population's tokens, as its node serves them: `/icon.png` of each domain with an xrp-ledger.toml, which names
 * it, and those that the metadata of MPTs names. Made when asked for from the seed and the name alone.
 */
import { MPT_ICONS_HOST } from './catalogue/tokens.ts';
import type { ServedFile } from './nft-files.ts';
import { type Colour, picture } from './picture.ts';
import { RandomStream } from './random.ts';
import type { TomlFiles } from './toml.ts';
import { ICON_PATH } from './toml.ts';

const BACKGROUNDS: readonly Colour[] = [
  [31, 111, 235],
  [46, 125, 50],
  [183, 28, 28],
  [106, 27, 154],
  [230, 81, 0],
  [0, 105, 120],
];
const BODIES: readonly Colour[] = [
  [255, 255, 255],
  [255, 236, 179],
  [200, 230, 255],
];
const EYES: Colour = [30, 34, 48];
const MPT_ICON = /^\/[A-Za-z0-9]{1,20}\.png$/;

export class TokenIcons {
  readonly #seed: string;
  readonly #files: TomlFiles;

  constructor(seed: string, files: TomlFiles) {
    this.#seed = seed;
    this.#files = files;
  }

  /** undefined: the host has no such file. @param host in lower case, without its port */
  of(host: string, path: string): ServedFile | undefined {
    const isIcon = host === MPT_ICONS_HOST ? MPT_ICON.test(path) : path === ICON_PATH && this.#files.of(host);
    if (!isIcon) return undefined;
    const random = new RandomStream(`${this.#seed}/icon/${host}${path}`);
    const body = picture({
      background: BACKGROUNDS[random.below(BACKGROUNDS.length)]!,
      body: BODIES[random.below(BODIES.length)]!,
      eyes: EYES,
      size: 0.3,
      stripes: random.below(4),
      hasHat: false,
      pattern: Array.from({ length: 25 }, () => random.chance(0.3)),
    });
    return { type: 'image/png', body };
  }
}
