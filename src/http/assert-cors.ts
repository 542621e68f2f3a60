import { isHeaderField } from '../message/header-map.ts';
import { matches } from './cors.ts';
import type { CORSOptions } from './cors.ts';

/** Throws for options that would not do what they seem to say: a misspelt `origin` would let everybody in. */
export function assertCORS(cors: object): void {
  for (const [name, value] of Object.entries(cors) as [string, unknown][]) {
    const expected = Object.hasOwn(expectations, name) ? expectations[name as keyof CORSOptions] : undefined;
    if (expected === undefined)
      throw new TypeError(`Unknown option "cors.${name}". Known options: ${Object.keys(expectations).join(', ')}.`);
    if (value !== undefined && !expected.holds(value)) throw new TypeError(`Expected cors.${name} to be ${expected.words}.`);
  }
  assertCredentials(cors as CORSOptions);
}

function assertCredentials({ credentials, origin = '*' }: CORSOptions): void {
  if (credentials !== true) return;
  if (origin === '*') {
    throw new TypeError(
      'cors.credentials needs cors.origin to name who may read answers, for example "https://example.com": browsers refuse credentials with "*".',
    );
  }
  if (typeof origin === 'function') return;
  if (matches(origin, 'null')) {
    throw new TypeError(
      'cors.origin must not let in "null" together with cors.credentials: every page can call itself so, from a sandboxed frame, and would read what the user may see.',
    );
  }
  const letIn = anybody.find((one) => matches(origin, one));
  if (letIn !== undefined) {
    throw new TypeError(
      `cors.origin must not let in everybody together with cors.credentials, but its pattern lets in ${letIn}. Write the whole origin, for example /^https:\\/\\/[a-z]+\\.example\\.com$/.`,
    );
  }
}

/** Origins that nobody names (RFC 2606): a pattern that lets them in lets in everybody. */
const anybody = ['https://a.invalid', 'http://a.invalid', 'https://a.invalid:8443'];

interface Expectation {
  readonly words: string;
  readonly holds: (value: unknown) => boolean;
}

const namesOfFields: Expectation = {
  words: 'a text, or a list of texts, of characters that HTTP allows',
  holds: (value) => (Array.isArray(value) ? value : [value]).every((one) => isHeaderField('name', one)),
};
const count: Expectation = {
  words: 'a whole number that is not negative',
  holds: (value) => Number.isInteger(value) && (value as number) >= 0,
};

const expectations: Readonly<Record<keyof CORSOptions, Expectation>> = {
  origin: {
    words:
      '"*", an origin like "https://example.com", a pattern, a list of these, or a function of the origin that returns true or false ' +
      '(it gets no callback). To let everybody in without credentials, leave it out',
    holds: (value) => value === '*' || isOrigin(value) || isListOfOrigins(value) || (typeof value === 'function' && value.length < 2),
  },
  methods: namesOfFields,
  allowedHeaders: namesOfFields,
  exposedHeaders: namesOfFields,
  credentials: { words: 'true or false', holds: (value) => typeof value === 'boolean' },
  maxAge: { words: `${count.words}, in seconds`, holds: count.holds },
  optionsSuccessStatus: {
    words: 'a status from 200 to 299',
    holds: (value) => count.holds(value) && (value as number) >= 200 && (value as number) < 300,
  },
};

function isListOfOrigins(value: unknown): boolean {
  return Array.isArray(value) && value.every(isOrigin);
}

/** What browsers send: scheme, host and port, without a path or a slash at the end. Anything else would never match. */
function isOrigin(value: unknown): boolean {
  return value instanceof RegExp || (typeof value === 'string' && (value === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/\s*]+$/.test(value)));
}
