/** RC4, which Node's OpenSSL no longer has. It keeps nothing secret: it only opens what everybody can open. */
export class RollingCipher {
  readonly #state = Uint8Array.from({ length: 256 }, (_, at) => at);
  #first = 0;
  #second = 0;
  /** Bytes that were made of the key so far. */
  #made = 0;

  constructor(key: Uint8Array) {
    let other = 0;
    for (let at = 0; at < 256; at++) {
      other = (other + (this.#state[at] ?? 0) + (key[at % key.length] ?? 0)) & 0xff;
      this.#swap(at, other);
    }
  }

  /** Bytes that stand as they are count too. */
  skipTo(offset: number): void {
    while (this.#made < offset) this.#next();
  }

  /** In place; encrypts and decrypts alike. */
  apply(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) bytes[at] = (bytes[at] ?? 0) ^ this.#next();
  }

  #next(): number {
    this.#made++;
    this.#first = (this.#first + 1) & 0xff;
    this.#second = (this.#second + (this.#state[this.#first] ?? 0)) & 0xff;
    this.#swap(this.#first, this.#second);
    const at = ((this.#state[this.#first] ?? 0) + (this.#state[this.#second] ?? 0)) & 0xff;
    return this.#state[at] ?? 0;
  }

  #swap(one: number, other: number): void {
    const kept = this.#state[one] ?? 0;
    this.#state[one] = this.#state[other] ?? 0;
    this.#state[other] = kept;
  }
}
