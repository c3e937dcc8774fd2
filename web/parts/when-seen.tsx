/** What is loaded only when it comes near the screen: a long page asks for what is looked at. Its room is kept until then. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface WhenSeenProps {
  /** Room that is kept, CSS pixels. */
  readonly height: number;
  children: () => ComponentChildren;
}

const NEAR = '300px';

export function WhenSeen({ height, children }: WhenSeenProps) {
  const [seen, setSeen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (seen || !box.current) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setSeen(true);
      },
      { rootMargin: NEAR },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [seen]);
  return (
    <div ref={box} class="when-seen" style={{ minHeight: `${height}px` }}>
      {seen && children()}
    </div>
  );
}
