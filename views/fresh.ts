/** A value kept as long as the engine's version stays. */
export class Fresh<T> {
  readonly #make: () => T;
  #version = -1;
  #value: T | undefined;

  constructor(make: () => T) {
    this.#make = make;
  }

  at(version: number): T {
    if (this.#version !== version) {
      this.#value = this.#make();
      this.#version = version;
    }
    return this.#value as T;
  }
}

/** Values by key, all forgotten when the version grows; the oldest goes when there are too many. */
export class FreshMap<T> {
  readonly #limit: number;
  readonly #values = new Map<string, T>();
  #version = -1;

  constructor(limit: number) {
    this.#limit = limit;
  }

  at(version: number, key: string, make: () => T): T {
    if (this.#version !== version) {
      this.#values.clear();
      this.#version = version;
    }
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#values.size >= this.#limit) this.#values.delete(this.#values.keys().next().value as string);
    this.#values.set(key, made);
    return made;
  }
}
