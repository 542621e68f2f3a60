/** The header fields of a response, as far as they are read. The web's `Headers` are ones. */
export interface OriginHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  getSetCookie(): string[];
  /** All fields at once, where they are an object already; of several Set-Cookie the last. */
  readonly record?: Readonly<Record<string, string>>;
}

/** The body of a response, as far as it is read. A web stream is one. */
export interface OriginBody {
  getReader(): OriginReader;
  cancel(reason?: unknown): Promise<void>;
  /** True when nothing of it is still on its way. */
  readonly isComplete?: boolean;
}

/** A piece of a body; without a value at its end. */
export interface Piece {
  readonly value?: Uint8Array | undefined;
}

/** Reads a body piece by piece. */
export interface OriginReader {
  read(): Promise<Piece>;
  cancel(reason?: unknown): Promise<void>;
}

/** A response of the origin, as far as it is used: the web's `Response`, or a lighter one that Node's dispatcher has brought. */
export interface OriginResponse {
  readonly url: string;
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly redirected: boolean;
  readonly bodyUsed: boolean;
  readonly headers: OriginHeaders;
  readonly body: OriginBody | null;
}

/** Header fields as a dispatcher hands them over: names and values in turn, as bytes, or as text from a mock. */
export class RawHeaders implements OriginHeaders {
  readonly record: Record<string, string> = {};
  readonly #cookies: string[] = [];

  constructor(raw: readonly (Uint8Array | string | readonly (Uint8Array | string)[])[]) {
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = toLatin1(raw[at] as Uint8Array).toLowerCase();
      const value = raw[at + 1]!;
      if (Array.isArray(value)) for (const each of value as (Uint8Array | string)[]) this.#add(name, toLatin1(each));
      else this.#add(name, toLatin1(value as Uint8Array));
    }
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    return Object.hasOwn(this.record, key) ? this.record[key]! : null;
  }

  getSetCookie(): string[] {
    return [...this.#cookies];
  }

  *[Symbol.iterator](): Iterator<[string, string]> {
    for (const name in this.record) if (name !== 'set-cookie') yield [name, this.record[name]!];
    for (const cookie of this.#cookies) yield ['set-cookie', cookie];
  }

  #add(name: string, value: string): void {
    if (name === 'set-cookie') {
      this.#cookies.push(value);
      this.record[name] = value;
      return;
    }
    // Assigned, this name would be the prototype. Nothing asks for it.
    if (name === '__proto__') return;
    this.record[name] = Object.hasOwn(this.record, name) ? `${this.record[name]}, ${value}` : value;
  }
}

/** A dispatcher's bytes are Buffers; a text stays as it is. */
function toLatin1(bytes: Uint8Array | string): string {
  return (bytes as Buffer).toString('latin1');
}
