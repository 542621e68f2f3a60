import type { GraphQLSchema } from 'graphql';

import { waitAtMost } from '../../../message/eventual.ts';
import type { HeaderMap } from '../../../message/header-map.ts';
import type { OperationOutcome } from '../../../operation/types.ts';
import type { OperationCall, RequestCall } from '../../../operation/plugin.ts';
import type { DecisionSettings } from '../decide.ts';
import { safeTotal } from '../dialects.ts';
import type { KnownDocument } from '../documents.ts';
import type { EdgeOptions } from '../options.ts';
import type { PurgePlatform } from './purge-client.ts';
import { purgeInBackground, Purger } from './purger.ts';
import { isWorker } from '../store/flights.ts';
import { changeTags, entityTag, tagsOfMutation } from '../tags.ts';

/** The answers that a purge removes. */
export interface PurgeRequest {
  /** Objects by type and id: all answers that show one, and lists of their type. */
  readonly entities?: readonly { readonly typename: string; readonly id: string | number }[] | undefined;
  /** Types: all answers with an object of one, and lists. */
  readonly types?: readonly string[] | undefined;
  /** Fields of Query: all answers that asked for one. */
  readonly fields?: readonly string[] | undefined;
  /** Tags, sent unchanged. */
  readonly tags?: readonly string[] | undefined;
}

/** The settings of {@link Purges}. */
export interface PurgesInput extends Pick<EdgeOptions, 'purge' | 'purgeBatchSize' | 'purgeInterval' | 'purgeAgainAfter'> {
  readonly settings: DecisionSettings;
  /** Purges the shared store. Undefined: there is none. */
  readonly purgeStore: ((tags: readonly string[]) => Promise<void>) | undefined;
}

/** Undefined: there is none. */
interface Purgers {
  readonly cdn: Purger | undefined;
  readonly store: Purger | undefined;
}

/** Milliseconds that the answer to a mutation waits for the shared store, so that its reader then reads the new state. */
const storeTime = 500;

/** Purges answers, in the CDN and in the shared store. */
export class Purges {
  /** Undefined until the server has started. */
  schema: GraphQLSchema | undefined;
  readonly #settings: DecisionSettings;
  readonly #newPurgers: () => Purgers;
  readonly #purgers: Purgers;
  readonly #told = new Set<string>();
  /** The field of answers from which the CDN takes tags. Undefined: it does not read answers. */
  readonly #answerField: string | undefined;
  /** The tags that the answer to a request takes along. */
  readonly #inAnswers = new WeakMap<RequestCall, string>();

  constructor({ settings, purgeStore, ...options }: PurgesInput) {
    const { purge, purgeBatchSize, purgeInterval: interval = 0.1, purgeAgainAfter: againAfter = 1 } = options;
    const client = typeof purge === 'function' ? { purge } : purge;
    const batchSize = purgeBatchSize ?? client?.batchSize;
    this.#settings = settings;
    this.#answerField = client?.answerField;
    if (this.#answerField !== undefined && againAfter === 0)
      throw new TypeError('Expected purgeAgainAfter of edge to be above 0 where answers purge: an answer that is lost purges nothing.');
    this.#newPurgers = () => ({
      cdn: client && new Purger({ ...client, batchSize, interval, againAfter, sleep, now }),
      // The store itself rejects answers that were begun before.
      store: purgeStore && new Purger({ purge: purgeStore, batchSize: Infinity, againAfter: 0, sleep, now }),
    });
    this.#purgers = this.#newPurgers();
  }

  get hasNone(): boolean {
    return this.#purgers.cdn === undefined && this.#purgers.store === undefined;
  }

  async purge({ entities = [], types = [], fields = [], tags = [] }: PurgeRequest, platform: PurgePlatform | undefined): Promise<void> {
    if (this.hasNone) throw new Error('Expected edge to have a purge option, or a store, to take answers back from. There is none.');
    const all = [
      ...entities.flatMap(({ typename, id }) => [
        entityTag(typename, String(id), this.#settings.salt),
        ...changeTags(this.schema, typename),
      ]),
      ...types.flatMap((typename) => [`t:${typename}`, ...changeTags(this.schema, typename)]),
      ...fields.map((name) => `q:${name}`),
      ...tags,
    ];
    this.#settings.log.add(all);
    const { cdn, store } = this.#purgersOfCall();
    await Promise.all([store?.purge(all), cdn?.purge(all, platform)]);
  }

  /** Purges after a mutation, even if it has errors: a field may have changed data before another field failed. */
  async after({ outcome, known, begun }: Mutation, call: OperationCall): Promise<void> {
    const { request, http } = call;
    const { invocation, logger } = http;
    const { operation, result, stream } = outcome;
    // Without data nothing was executed.
    if (this.hasNone || operation === undefined || result.data === undefined) return;
    try {
      const hints = known && this.#settings.hints.of({ known, operation, variables: request.variables });
      if (hints === undefined) throw new Error('Nothing is known of its document.');
      const { errors = [] } = result;
      // The later parts of a streamed answer are not known yet.
      const data = stream === undefined ? (result.data ?? null) : null;
      const answer = { schema: known!.schema, root: hints.selection, data, objects: outcome.objects, hasErrors: errors.length > 0 };
      const tags = tagsOfMutation(answer, this.#settings);
      if (outcome.objects?.failure !== undefined)
        logger.error(
          'entity of edge has failed for an object that a mutation has changed: all of its type is purged.',
          outcome.objects.failure,
        );
      if (tags.length === 0) {
        if (begun === this.#settings.log.now) this.#warn(Object.keys(result.data ?? {}).join(', '), logger);
        return;
      }
      this.#settings.log.add(tags);
      const { cdn, store } = this.#purgersOfCall();
      const isRepeat = stream === undefined && this.#takesAlong(tags, call);
      if (cdn !== undefined) invocation.waitUntil(purgeInBackground(cdn, tags, { logger, platform: invocation, isRepeat }));
      if (store === undefined) return;
      const purged = purgeInBackground(store, tags, { logger });
      invocation.waitUntil(purged);
      await waitAtMost(storeTime, purged);
    } catch (error) {
      logger.error('edge could not tell what the answer to a mutation has changed: nothing was purged.', error);
    }
  }

  /** True when the answer will take the tags to the CDN. One answer to a batch, or one that begins before the mutation has ended, does not. */
  #takesAlong(tags: readonly string[], { http, requestIsBatched }: OperationCall): boolean {
    if (this.#answerField === undefined || requestIsBatched) return false;
    const value = tags.join(' ');
    if (value.length > safeTotal) return false;
    this.#inAnswers.set(http, value);
    return true;
  }

  /** Writes the tags of a mutation into its answer. */
  writeInto(headers: HeaderMap, call: RequestCall): void {
    const value = this.#answerField === undefined ? undefined : this.#inAnswers.get(call);
    if (value !== undefined) headers.set(this.#answerField!, value);
  }

  /** Workers may end one call early: then another call must not wait for its work, which never ends. */
  #purgersOfCall(): Purgers {
    return isWorker ? this.#newPurgers() : this.#purgers;
  }

  /** Warns once for each mutation. */
  #warn(fields: string, logger: OperationCall['http']['logger']): void {
    if (this.#told.has(fields) || this.#told.size === 100) return;
    this.#told.add(fields);
    logger.warn(
      `The answer to the mutation ${fields} names no object, so no kept answer was taken back. Let it return what it changes, or call purge of edge in its resolver.`,
    );
  }
}

/** A mutation that has run. */
export interface Mutation {
  readonly outcome: OperationOutcome;
  readonly known: KnownDocument | undefined;
  /** The moment of the purge log at which it began. */
  readonly begun: number;
}

function now(): number {
  return performance.now();
}

/** Seconds. */
function sleep(time: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, time * 1_000);
  });
}
