import type { Seconds } from '../../cache/key-value-cache.ts';
import type { HeaderMap } from '../../message/header-map.ts';
import type { Decided } from './decide.ts';
import { dialects, lifetimeFields } from './dialects.ts';
import type { EdgeOptions } from './options.ts';
import { PreparedFields } from './prepared-fields.ts';
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
  readonly #ofEveryGet: PreparedFields | undefined;
  readonly #ofLifetimes = new Map<Seconds, PreparedFields>();
  readonly #ofOperations = new WeakMap<OperationHints, WholeFields>();

  constructor(settings: HeaderSettings) {
    this.#settings = settings;
    if (settings.options.cdn === 'netlify') this.#ofEveryGet = new PreparedFields({ 'netlify-vary': netlifyVary(settings.rules) });
  }

  write(decided: Decided, { headers, method }: { readonly headers: HeaderMap; readonly method: string }): void {
    const { cdn } = this.#settings.options;
    if (this.#ofEveryGet !== undefined && method === 'GET') this.#ofEveryGet.write(headers);
    if (!decided.public || cdn === undefined) return;
    const { tags } = dialects[cdn];
    if (tags === undefined || decided.tags === '') this.#lifetime(decided.maxAge).write(headers);
    else if (decided.hints.selection.isFlat) this.#whole(decided, tags.header).write(headers);
    else this.#lifetime(decided.maxAge).write(headers, { name: tags.header, value: decided.tags });
  }

  #lifetime(maxAge: Seconds): PreparedFields {
    const known = this.#ofLifetimes.get(maxAge);
    if (known !== undefined) return known;
    const prepared = this.#prepare(maxAge, {});
    if (this.#ofLifetimes.size < maxKnown) this.#ofLifetimes.set(maxAge, prepared);
    return prepared;
  }

  /** Of an operation without objects, all answers with the same lifetime have the same fields. */
  #whole({ hints, maxAge, tags }: Decided & { readonly public: true }, header: string): PreparedFields {
    const known = this.#ofOperations.get(hints);
    if (known?.maxAge === maxAge && known.tags === tags) return known.fields;
    const fields = this.#prepare(maxAge, { [header]: tags });
    this.#ofOperations.set(hints, { maxAge, tags, fields });
    return fields;
  }

  #prepare(maxAge: Seconds, more: Readonly<Record<string, string>>): PreparedFields {
    const { options, rules } = this.#settings;
    const { browserMaxAge = 0, staleWhileRevalidate, staleIfError, cdn } = options;
    const fields = lifetimeFields(dialects[cdn!], { maxAge, browserMaxAge, staleWhileRevalidate, staleIfError });
    return new PreparedFields({ ...Object.fromEntries(fields), ...more }, [...rules.varyHeaders]);
  }
}

interface WholeFields {
  readonly maxAge: Seconds;
  readonly tags: string;
  readonly fields: PreparedFields;
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
