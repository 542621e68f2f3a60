/** The options of Express's `res.cookie`. */
export interface CookieOptions {
  /** Milliseconds, as in Express. */
  readonly maxAge?: number | undefined;
  readonly expires?: Date | undefined;
  readonly domain?: string;
  /** Default: "/". */
  readonly path?: string;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: boolean | 'lax' | 'strict' | 'none';
  readonly partitioned?: boolean;
  readonly priority?: 'low' | 'medium' | 'high';
  readonly signed?: boolean;
  /** Default: encodeURIComponent. */
  readonly encode?: (value: string) => string;
}

/** One `set-cookie` line. Throws a TypeError for characters that would end the value or an attribute. */
export function serializeCookie(name: string, value: unknown, options: CookieOptions = {}): string {
  if (options.signed) throw new Error('res.cookie cannot sign: there is no cookie-parser. Sign the value yourself.');
  const { encode = encodeURIComponent, path = '/', maxAge, expires, domain, sameSite, priority } = options;
  const text = encode(typeof value === 'object' && value !== null ? `j:${JSON.stringify(value)}` : String(value));
  assertToken('name', name, /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/);
  assertToken('value', text, /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e\x80-\xff]*$/);
  if (domain !== undefined) assertToken('domain', domain, /^[.\-0-9A-Za-z]+$/);
  assertToken('path', path, /^[\x20-\x3a\x3c-\x7e]*$/);
  const end = maxAge === undefined ? expires : (expires ?? new Date(Date.now() + maxAge));
  return [
    `${name}=${text}`,
    maxAge !== undefined && `Max-Age=${Math.floor(maxAge / 1000)}`,
    domain !== undefined && `Domain=${domain}`,
    `Path=${path}`,
    end !== undefined && `Expires=${end.toUTCString()}`,
    options.httpOnly === true && 'HttpOnly',
    options.secure === true && 'Secure',
    options.partitioned === true && 'Partitioned',
    priority !== undefined && `Priority=${capital(priority)}`,
    sameSite !== undefined && sameSite !== false && `SameSite=${capital(sameSite === true ? 'strict' : sameSite)}`,
  ]
    .filter((part) => part !== false)
    .join('; ');
}

function assertToken(part: string, text: string, allowed: RegExp): void {
  if (!allowed.test(text)) throw new TypeError(`The ${part} of a cookie has a character that HTTP does not allow.`);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
