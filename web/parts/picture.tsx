/**
 * A picture of the service's own making, in a box whose size does not depend on it: nothing moves when it comes. Loaded when
 * it is near the window; while it is not there, or where there is none, the box shows what is given as its content.
 */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** Where pictures are, relative to the document: works behind any path prefix. */
const base = new URL(`.${document.documentElement.dataset.mount ?? ''}/s1/`, document.baseURI).href;

/** Of a collection's logo in another width than it is named in. @param width one that is served: 32, 64, 128, 512 px */
export function logoPath(file: string | undefined, width: number): string | undefined {
  return file && `nft-collection/${file.replace(/_\d+\.webp$/, `_${width}.webp`)}`;
}

interface PictureProps {
  /** Below the host of images: `nft/<file>`; undefined: there is none. */
  readonly path: string | undefined;
  /** Of the box, px. */
  readonly side: number;
  /** What it shows; '': a name beside it says so. */
  readonly alt: string;
  readonly children?: ComponentChildren;
}

export function Picture({ path, side, alt, children }: PictureProps) {
  const [known, setKnown] = useState<{ readonly path: string; readonly isThere: boolean }>();
  const isThere = known?.path === path ? known?.isThere : undefined;
  return (
    <span class={isThere ? 'picture there' : 'picture'} style={{ '--side': `${side}px` }}>
      {!isThere && children}
      {path !== undefined && isThere !== false && (
        <img
          src={base + path}
          alt={alt}
          width={side}
          height={side}
          loading="lazy"
          decoding="async"
          onLoad={() => setKnown({ path, isThere: true })}
          onError={() => setKnown({ path, isThere: false })}
        />
      )}
    </span>
  );
}
