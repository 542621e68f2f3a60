import type { GraphQLSchema } from 'graphql';

import type { Seconds } from '../../../datasources/index.ts';
import { guardLogger, waitAtMost } from '../../../shared/index.ts';
import type { Milliseconds } from '../../../shared/index.ts';
import type { GraphQLRequest, Logger, ObjectListing, OperationCall, OperationOutcome, RequestCall } from '../../../server/index.ts';
import type { DecisionSettings } from '../decide.ts';
import type { KnownDocument } from '../documents.ts';
import { ObjectList } from '../object-list.ts';
import type { EdgeOptions } from '../options.ts';
import type { PurgePlatform } from './purge-client.ts';
import { Purger } from './purger.ts';
import type { Refusal } from './purger.ts';
import { changeTags, entityTag, tagsOfMutation, tagsOfTypes } from '../tags.ts';
import type { MutationAnswer } from '../tags.ts';

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
/** Milliseconds in which refused tags are sent again. On Workers, a call ends 30 seconds after its answer. */
const life = 27_000;
/**
 * The limits of a public answer where purges are repeated: a slower one may show the state before a mutation, and reach the CDN after the
 * repeat. A third of the time is left for its way to the CDN.
 */
const repeated: AnswerLimits = { milliseconds: (repeatAfter * 2_000) / 3, maxAge: Infinity };
/** Where nothing keeps the process alive for a repeat, answers from before a mutation stay for a minute at most. */
const notRepeated: AnswerLimits = { milliseconds: Infinity, maxAge: 60 };
const notPurged: AnswerLimits = { milliseconds: Infinity, maxAge: Infinity };

/** The limits of an answer that the CDN may keep. */
export interface AnswerLimits {
  /** How long it may take. */
  readonly milliseconds: Milliseconds;
  readonly maxAge: Seconds;
}

/** The call that purges. */
interface PurgingCall {
  readonly platform: PurgePlatform | undefined;
  readonly logger: Logger;
}

/** Purges answers, in the CDN and in the shared store. */
export class Purges {
  /** Undefined until the server has started. */
  schema: GraphQLSchema | undefined;
  readonly #settings: DecisionSettings;
  readonly #cdn: Purger | undefined;
  readonly #store: Purger | undefined;
  readonly #warned = new Set<string>();
  readonly #begun = new WeakMap<GraphQLRequest, BegunMutation>();
  /** Repeats of purges by hand. The next request to end keeps the process alive for them. */
  readonly #repeats = new Set<Promise<void>>();
  /** True if the platform freezes the process after its answer, as the last request has shown. */
  #isFrozen = false;
  #logger: Logger | undefined;

  constructor({ settings, purgeStore, purge }: PurgesInput) {
    this.#settings = settings;
    this.#cdn = purge && new Purger(typeof purge === 'function' ? { purge } : purge);
    this.#store = purgeStore && new Purger({ purge: purgeStore, batchSize: Infinity });
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
      ...tagsOfTypes(this.schema, types),
      ...fields.map((name) => `q:${name}`),
      ...tags,
    ];
    const purges = this.#start(all, { platform, logger: this.#logger ?? guardLogger(console) });
    for (const { work } of purges) this.#keepAlive(work, platform);
    for (const refusal of await Promise.all(purges.map(({ first }) => first))) if (refusal !== undefined) throw refusal.error;
  }

  /** Sends tags to the CDN and the store at once. `work` ends when nothing is left to be sent. */
  #start(tags: readonly string[], call: PurgingCall): { first: Promise<Refusal | undefined>; work: Promise<void> }[] {
    this.#settings.log.add(tags);
    return [this.#store, this.#cdn].flatMap((purger) => {
      if (purger === undefined || tags.length === 0) return [];
      const first = purger.purge(tags, call.platform);
      return { first, work: this.#repeat(purger, first, { tags, ...call }) };
    });
  }

  /** Repeats a purge in the CDN, and sends refused tags again, where something keeps the process alive. Logs the tags that are left. */
  async #repeat(
    purger: Purger,
    first: Promise<Refusal | undefined>,
    { tags, platform, logger }: PurgingCall & { readonly tags: readonly string[] },
  ): Promise<void> {
    const until = now() + life;
    const isRepeated = purger === this.#cdn && !this.#isFrozen;
    // The store itself rejects answers that were started before. It needs no repeat.
    let refusal = isRepeated ? await sleep(repeatAfter).then(() => purger.purge(tags, platform)) : await first;
    while (refusal !== undefined && !this.#isFrozen && now() + refusal.retryAfter * 1_000 <= until) {
      await sleep(refusal.retryAfter);
      refusal = await purger.purge([], platform);
    }
    const left = tags.filter((tag) => refusal?.tags.has(tag));
    if (left.length === 0) return;
    logger.error(
      `A purge was refused. Answers with these tags may be old until the next purge of this process, or until their lifetime ends: ${left.join(', ')}`,
      refusal!.error,
    );
  }

  /** The limits of the public answers of this process. */
  get answerLimits(): AnswerLimits {
    return this.#cdn === undefined ? notPurged : this.#isFrozen ? notRepeated : repeated;
  }

  /** Keeps the process alive: with the call whose platform is given, or else with the request that ends next. */
  #keepAlive(work: Promise<void>, platform: PurgePlatform | undefined): void {
    const { waitUntil } = (platform?.context ?? {}) as { waitUntil?: unknown };
    if (typeof waitUntil === 'function') return void waitUntil.call(platform!.context, work);
    this.#repeats.add(work);
    void work.then(() => this.#repeats.delete(work));
  }

  requestDidStart({ invocation, logger }: RequestCall): void {
    this.#isFrozen = invocation.waitsForWork === true;
    this.#logger = logger;
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
      const tags = this.#tagsOf(answer, logger);
      if (objects?.failure !== undefined)
        logger.error('entity of edge has failed for an object that a mutation has changed: all of its type is purged.', objects.failure);
      if (tags.length === 0) {
        if (purgeMoment === this.#settings.log.now) this.#warn(Object.keys(result.data ?? {}).join(', '), logger);
        return;
      }
      if (list !== undefined) list.onLate = () => warnOfLateChange(list, tags, logger);
      await this.#send(tags, http);
    } catch (error) {
      logger.error('edge could not determine what a mutation changed: nothing was purged.', error);
    }
  }

  /** A failure, for example of the getter of an object, must not keep answers from before the mutation. */
  #tagsOf(answer: MutationAnswer, logger: Logger): readonly string[] {
    try {
      return tagsOfMutation(answer, this.#settings);
    } catch (error) {
      logger.error('edge could not determine what a mutation changed: all types that it selects are purged.', error);
      return tagsOfTypes(answer.schema, answer.root.typesBelow());
    }
  }

  /** Resolves when the store is purged, or after a while. */
  async #send(tags: readonly string[], { invocation, logger }: RequestCall): Promise<void> {
    const purges = this.#start(tags, { platform: invocation, logger });
    for (const { work } of purges) invocation.waitUntil(work);
    if (this.#store !== undefined) await waitAtMost(storeTime, purges[0]!.first);
  }

  /** Keeps the process alive for repeats of purges by hand. */
  requestWillEnd({ invocation }: RequestCall): void {
    for (const work of this.#repeats) invocation.waitUntil(work);
    this.#repeats.clear();
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

/** A mutation that its resolver outlives is not purged again. */
function warnOfLateChange(list: Pick<ObjectList, 'onLate'>, tags: readonly string[], logger: Logger): void {
  list.onLate = undefined;
  logger.warn(`A mutation has ended after its answer. Answers with these tags may be old until their lifetime ends: ${tags.join(', ')}`);
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
