/** What is typed, once that rests: questions are asked of this. */
import { useEffect, useState } from 'preact/hooks';

/** @param value of members that JSON keeps @param ms typing goes on faster than this */
export function useRested<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(JSON.parse(key)), ms);
    return () => clearTimeout(timer);
  }, [key, ms]);
  return rested;
}
