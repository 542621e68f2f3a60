import type { Seconds } from '../../cache/key-value-cache.ts';
import { addVary, HeaderMap } from '../../message/header-map.ts';
import type { Decided } from './decide.ts';
import { dialects, lifetimeFields } from './dialects.ts';
import type { EdgeOptions } from './options.ts';
import type { OperationHints } from './static-hints.ts';
import type { ReadingRules } from './watched-request.ts';

/** The settings that the header fields of an answer depend on, beside the decision. */
export interface HeaderSettings {
  readonly options: EdgeOptions;
  readonly rules: ReadingRules;
}

/** Writes the decision into the header fields of an answer. A private answer has them already. */
export class FieldWriter {
  readonly #settings: HeaderSettings;
  /** One URL must always have the same Netlify-Vary, refusals too: Netlify makes its key from the answer that it has. */
  readonly #ofEveryGet: HeaderMap | undefined;
  readonly #ofLifetimes = new Map<Seconds, HeaderMap>();
  readonly #ofOperations = new WeakMap<OperationHints, WholeFields>();

  constructor(settings: HeaderSettings) {
    this.#settings = settings;
    if (settings.options.cdn === 'netlify') this.#ofEveryGet = HeaderMap.prepared({ 'netlify-vary': netlifyVary(settings.rules) });
  }

  write(decided: Decided, { headers, method }: { readonly headers: HeaderMap; readonly method: string }): void {
    const { options, rules } = this.#settings;
    if (this.#ofEveryGet !== undefined && method === 'GET') headers.assign(this.#ofEveryGet);
    if (!decided.public || options.cdn === undefined) return;
    const { tags } = dialects[options.cdn];
    const isWhole = tags === undefined || decided.tags === '' || decided.hints.selection.isFlat;
    headers.assign(isWhole ? this.#whole(decided, tags?.header) : this.#lifetime(decided.maxAge));
    // Letters, digits and the characters of the tags themselves: see tags.ts.
    if (!isWhole) headers.setChecked(tags.header, decided.tags);
    for (const name of rules.varyHeaders) addVary(headers, name);
  }

  #lifetime(maxAge: Seconds): HeaderMap {
    const known = this.#ofLifetimes.get(maxAge);
    if (known !== undefined) return known;
    const { browserMaxAge = 0, staleWhileRevalidate, staleIfError, cdn } = this.#settings.options;
    const fields = lifetimeFields(dialects[cdn!], { maxAge, browserMaxAge, staleWhileRevalidate, staleIfError });
    const prepared = HeaderMap.prepared(Object.fromEntries(fields));
    if (this.#ofLifetimes.size < maxKnown) this.#ofLifetimes.set(maxAge, prepared);
    return prepared;
  }

  /** Of an operation without objects, all answers with the same lifetime have the same fields. */
  #whole({ hints, maxAge, tags }: Decided & { readonly public: true }, header: string | undefined): HeaderMap {
    if (header === undefined || tags === '') return this.#lifetime(maxAge);
    const known = this.#ofOperations.get(hints);
    if (known?.maxAge === maxAge && known.tags === tags) return known.fields;
    const fields = HeaderMap.prepared({ ...this.#lifetime(maxAge).toRecord(), [header]: tags });
    this.#ofOperations.set(hints, { maxAge, tags, fields });
    return fields;
  }
}

interface WholeFields {
  readonly maxAge: Seconds;
  readonly tags: string;
  readonly fields: HeaderMap;
}

/** Lifetimes whose header values are remembered: a schema has few. Answers out of a store add many, as their lifetimes run down. */
const maxKnown = 100;

/**
 * Names no query parameters, so the whole query string stays in the key as it is. With a list of parameters, one that is sent
 * twice could be in the key with one of its values and be run with the other.
 */
function netlifyVary({ varyHeaders }: ReadingRules): string {
  return `header=${['accept', ...varyHeaders].join('|')}`;
}
