import type { GraphQLSchema } from 'graphql';

import { isWorkerd } from '../../../datasources/index.ts';
import type { Seconds } from '../../../datasources/index.ts';
import { guardLogger, waitAtMost } from '../../../shared/index.ts';
import type { HeaderMap } from '../../../shared/index.ts';
import type { GraphQLRequest, Logger, ObjectListing, OperationCall, OperationOutcome, RequestCall } from '../../../server/index.ts';
import type { DecisionSettings } from '../decide.ts';
import { safeTotal } from '../dialects.ts';
import type { KnownDocument } from '../documents.ts';
import { ObjectList } from '../object-list.ts';
import type { EdgeOptions } from '../options.ts';
import type { PurgePlatform } from './purge-client.ts';
import { Purger } from './purger.ts';
import type { PurgeCall, Unpurged } from './purger.ts';
import { changeTags, entityTag, tagsOfMutation } from '../tags.ts';

/** The answers that a purge removes. */
export interface PurgeRequest {
  /** Objects by type and id: all answers that show one, and lists of their type. */
  readonly entities?: readonly { readonly typename: string; readonly id: string | number }[] | undefined;
  /** Types: all answers with an object of one, and lists. */
  readonly types?: readonly string[] | undefined;
  /** Fields of Query: all answers with one of them. */
  readonly fields?: readonly string[] | undefined;
  /** Tags, sent unchanged. */
  readonly tags?: readonly string[] | undefined;
}

/** The settings of {@link Purges}. */
export interface PurgesInput extends Pick<EdgeOptions, 'purge'> {
  readonly settings: DecisionSettings;
  /** Purges the shared store. Undefined: there is none. */
  readonly purgeStore: ((tags: readonly string[]) => Promise<void>) | undefined;
}

/** Milliseconds that the answer to a mutation waits for the shared store, so that its client then reads the new state. */
const storeTime = 500;

/** Seconds from a purge to its repeat: another process may have stored an answer that it read before the change. */
const repeatAfter: Seconds = 3;
/** The same where the answer waits for the repeat: it waits for a second at most, including the purge itself. */
const repeatInAnswer: Seconds = 0.6;
/** Milliseconds in which a purge is retried. */
const lifeOfProcess = 65_000;
/** The same where the answer waits for it. */
const lifeOfAnswer = 900;
/** The same on Workers, where a call ends 30 seconds after the answer. */
const lifeOfWorker = 27_000;
/** The same for the shared store. */
const lifeOfStore = 7_500;

/** Purges answers, in the CDN and in the shared store. */
export class Purges {
  /** Undefined until the server has started. */
  schema: GraphQLSchema | undefined;
  readonly #settings: DecisionSettings;
  readonly #isWorker = isWorkerd();
  readonly #cdn: Purger | undefined;
  readonly #store: Purger | undefined;
  readonly #warned = new Set<string>();
  /** The field of answers from which the CDN takes tags. Undefined: it does not read answers. */
  readonly #answerField: string | undefined;
  /** The tags that the answer to a request carries. */
  readonly #inAnswers = new WeakMap<RequestCall, string>();
  readonly #begun = new WeakMap<GraphQLRequest, BegunMutation>();
  /** Repeats of purges by hand. The next request to end keeps the process alive for them. */
  #repeats: Promise<void>[] = [];
  /** True if answers wait for background work. */
  #waits = false;
  #logger: Logger | undefined;

  constructor({ settings, purgeStore, purge }: PurgesInput) {
    const client = typeof purge === 'function' ? { purge } : purge;
    this.#settings = settings;
    this.#answerField = client?.answerField;
    this.#cdn = client && new Purger({ ...client, mergesCalls: !this.#isWorker, sleep, now });
    // The store itself rejects answers that were started before. It needs no repeat.
    this.#store = purgeStore && new Purger({ purge: purgeStore, batchSize: Infinity, interval: 0, sleep, now });
  }

  get hasNone(): boolean {
    return this.#cdn === undefined && this.#store === undefined;
  }

  async purge({ entities = [], types = [], fields = [], tags = [] }: PurgeRequest, platform: PurgePlatform | undefined): Promise<void> {
    if (this.hasNone) throw new Error('Expected edge to have the option purge or store to purge answers from, got neither.');
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
    const call = { platform, until: now() + lifeOfProcess };
    if (this.#cdn !== undefined && all.length > 0)
      this.#keepAlive(logUnpurged(this.#repeat(all, call), this.#logger ?? guardLogger(console)), platform);
    const purges = [this.#store?.purge(all, { until: now() + lifeOfStore }), this.#cdn?.purge(all, call)];
    for (const unpurged of await Promise.all(purges)) if (unpurged !== undefined) throw unpurged.error;
  }

  async #repeat(tags: readonly string[], call: PurgeCall): Promise<Unpurged | undefined> {
    await sleep(this.#repeatAfter);
    return this.#cdn!.purge(tags, call);
  }

  get #repeatAfter(): Seconds {
    return this.#waits ? repeatInAnswer : repeatAfter;
  }

  /**
   * Milliseconds that a public answer may take. A slower one may show the state before a mutation, and reach the CDN after the repeat of the
   * purge. A third of the time is left for the way to the CDN.
   */
  get longestRead(): number {
    return this.#cdn === undefined ? Infinity : (this.#repeatAfter * 2_000) / 3;
  }

  /** Keeps the process alive: with the call whose platform is given, or else with the request that ends next. */
  #keepAlive(work: Promise<void>, platform: PurgePlatform | undefined): void {
    const { waitUntil } = (platform?.context ?? {}) as { waitUntil?: unknown };
    if (typeof waitUntil === 'function') waitUntil.call(platform!.context, work);
    else if (!this.hasNone) this.#repeats.push(work);
  }

  requestDidStart({ invocation, logger }: RequestCall): void {
    this.#waits = invocation.waitsForWork === true;
    this.#logger = logger;
  }

  /** When a call that purges now ends. */
  #until(): number {
    return now() + (this.#waits ? lifeOfAnswer : this.#isWorker ? lifeOfWorker : lifeOfProcess);
  }

  /** Called before each mutation. Returns the listing of its objects. */
  mutationWillStart(request: GraphQLRequest, listing: ObjectListing | undefined): ObjectListing | undefined {
    const begun: BegunMutation = { purgeMoment: this.#settings.log.now, list: undefined };
    this.#begun.set(request, begun);
    return listing && { ...listing, begin: () => (begun.list = listing.begin()) };
  }

  /** Purges after a mutation, even if it has errors: a field may have changed data before another field failed. */
  async after({ outcome, known }: Mutation, call: OperationCall): Promise<void> {
    const { request, http } = call;
    const { purgeMoment = this.#settings.log.now, list: begun } = this.#begun.get(request) ?? {};
    const { logger } = http;
    const { operation, result, stream, objects, errors, executed } = outcome;
    // An answer that is too large has no data either, nor has one that a plugin has refused after the execution.
    const hasRun = executed === true || result.data !== undefined || objects !== undefined;
    if (this.hasNone || operation === undefined || !hasRun) return;
    try {
      const hints = known && this.#settings.hints.of({ known, operation, variables: request.variables });
      if (hints === undefined) throw new Error('The mutation has no parsed document.');
      // The later parts of a streamed answer are not known yet.
      const data = stream === undefined ? (result.data ?? null) : null;
      const listed = objects instanceof ObjectList ? objects : undefined;
      // Without its end, fields may still be called.
      const list = begun?.isComplete === true ? begun : listed;
      const answer = { schema: known!.schema, root: hints.selection, data, errors, objects, called: list?.called };
      const tags = tagsOfMutation(answer, this.#settings);
      if (objects?.failure !== undefined)
        logger.error('entity of edge has failed for an object that a mutation has changed: all of its type is purged.', objects.failure);
      if (tags.length === 0) {
        if (purgeMoment === this.#settings.log.now) this.#warn(Object.keys(result.data ?? {}).join(', '), logger);
        return;
      }
      if (list !== undefined) list.onLate = () => void this.#send(tags, http, false);
      await this.#send(tags, http, stream === undefined && this.#sendsTags(tags, call));
    } catch (error) {
      logger.error('edge could not determine what a mutation changed: nothing was purged.', error);
    }
  }

  /** Resolves when the store is purged, or after a while. */
  async #send(tags: readonly string[], { invocation, logger }: RequestCall, isPurgedByAnswer: boolean): Promise<void> {
    this.#settings.log.add(tags);
    const call = { platform: invocation, until: this.#until() };
    if (this.#cdn !== undefined) {
      if (!isPurgedByAnswer) invocation.waitUntil(logUnpurged(this.#cdn.purge(tags, call), logger));
      invocation.waitUntil(logUnpurged(this.#repeat(tags, call), logger));
    }
    if (this.#store === undefined) return;
    const purged = logUnpurged(this.#store.purge(tags, { until: Math.min(call.until, now() + lifeOfStore) }), logger);
    invocation.waitUntil(purged);
    await waitAtMost(storeTime, purged);
  }

  /** True when the answer sends the tags to the CDN. The answer to a batch, and one that starts before the mutation has ended, cannot. */
  #sendsTags(tags: readonly string[], { http, requestIsBatched }: OperationCall): boolean {
    if (this.#answerField === undefined || requestIsBatched) return false;
    const value = tags.join(' ');
    if (value.length > safeTotal) return false;
    this.#inAnswers.set(http, value);
    return true;
  }

  /** Writes the tags of a mutation into its answer, and keeps the process alive for repeats of purges by hand. */
  requestWillEnd(headers: HeaderMap, call: RequestCall): void {
    for (const work of this.#repeats.splice(0)) call.invocation.waitUntil(work);
    const value = this.#answerField === undefined ? undefined : this.#inAnswers.get(call);
    if (value !== undefined) headers.set(this.#answerField!, value);
  }

  /** Warns once for each mutation that purges nothing. */
  #warn(fields: string, logger: OperationCall['http']['logger']): void {
    if (this.#warned.has(fields) || this.#warned.size === 100) return;
    this.#warned.add(fields);
    logger.warn(
      `The answer to the mutation ${fields} names no object, so no answer was purged. Return the changed objects from it, or call purge of edge in its resolver.`,
    );
  }
}

/** A mutation that has run. */
export interface Mutation {
  readonly outcome: OperationOutcome;
  readonly known: KnownDocument | undefined;
}

/** A mutation in progress. */
interface BegunMutation {
  /** The moment of the purge log at which it began. */
  readonly purgeMoment: number;
  /** The list of its objects, also if a plugin has replaced its data. Undefined: graphql-js runs it, or another plugin lists them. */
  list: ReturnType<ObjectListing['begin']> | undefined;
}

/** Logs the tags that the call could not purge. */
async function logUnpurged(purge: Promise<Unpurged | undefined>, logger: Logger): Promise<void> {
  const unpurged = await purge;
  if (unpurged === undefined) return;
  const { tags, error } = unpurged;
  logger.error(
    `A purge was refused until its call ended. Answers with these tags may be old until their lifetime ends: ${tags.join(', ')}`,
    error,
  );
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
