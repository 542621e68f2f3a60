import { isWorkerd } from '../../datasources/index.ts';
import { assertSynchronous, parseExactly } from '../../shared/index.ts';
import type { HTTPResponse, RightsRule, StreamedResponse } from '../../shared/index.ts';
import type {
  DataSourceCall,
  DataSourceCallListener,
  ExecutionOptions,
  OperationCall,
  OperationExecution,
  OperationOutcome,
  RequestCall,
  ServerPlugin,
  ServerStartContext,
} from '../../server/index.ts';
import { assess, decideFor, notShareable } from './decide.ts';
import type { EdgeOperation, EdgeRequest, Shareable } from './decide.ts';
import { dialects } from './dialects.ts';
import type { CDN } from './dialects.ts';
import { writeDecision } from './headers.ts';
import { reasonInHost, varyWithHost } from './host-response.ts';
import { MutationWatch } from './mutation-watch.ts';
import { readingRules } from './options.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import { Purges } from './purge.ts';
import type { PurgePlatform, PurgeRequest } from './purge.ts';
import { ResolverHints } from './resolver-hints.ts';
import { tagExtensionsOf } from './router-tags.ts';
import { SchemaHints } from './schema-hints.ts';
import type { OperationHints } from './schema-hints.ts';
import { AnswerStore } from './store/answer-store.ts';
import { StoredAnswers } from './store/stored-answers.ts';
import { tagsOfMutation, tagsOfType } from './tags.ts';
import { explainHeader, SharedEnv, watchedCall } from './watched-request.ts';
import type { ReadingRules } from './watched-request.ts';

/** The extension, with the functions that resolvers and webhooks may call. */
export interface Edge extends ServerPlugin {
  /**
   * Purges answers. Resolves after the purge, before its repeat. Rejects without `purge` and `store`, or if the CDN or the store refuses it;
   * its tags are then sent again with the next purge. `platform`: for `cloudflarePurge`.
   */
  purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void>;
}

/**
 * Lets a CDN, or your store, keep public answers, and purges them when a mutation changes objects in them.
 * An answer is public only if the hints of all its fields say so, and nothing was read that could identify the user.
 *
 * @example
 * export default createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, plugins: [edge({ cdn: 'netlify' })] });
 */
export function edge(options: EdgeOptions): Edge {
  return new EdgePlugin((options as EdgeOptions | undefined) ?? {});
}

type Response = HTTPResponse | StreamedResponse;

class EdgePlugin implements Edge {
  readonly position = 'first';
  readonly onlyWatches = true;
  readonly once = 'edge()';
  /** The methods whose answers the CDN keeps. */
  readonly #methods: readonly string[];
  readonly #options: EdgeOptions;
  readonly #rules: ReadingRules;
  readonly #hints: SchemaHints;
  readonly #purges: Purges;
  readonly #stored: StoredAnswers | undefined;
  readonly #isWorker = isWorkerd();
  readonly #env = new SharedEnv();
  /** The names of fields of mutations that have purged nothing: each is logged once. */
  readonly #warned = new Set<string>();
  /** Undefined until the server has started. */
  #server: ServerStartContext | undefined;

  constructor(options: EdgeOptions) {
    const { salt, defaultMaxAge = 0, store, cdn, purge } = options;
    this.#rules = readingRules(options);
    this.#options = options;
    this.#methods = (cdn !== undefined && dialects[cdn].methods) || ['GET'];
    this.#hints = new SchemaHints(defaultMaxAge);
    const answers = store && new AnswerStore(store);
    this.#purges = new Purges(purge, answers && ((tags) => answers.purge(tags)), salt);
    this.#stored = answers && new StoredAnswers(answers, options, () => this.#server!.trustedDocuments());
  }

  start(server: ServerStartContext): void {
    this.#server = server;
  }

  /** Passes a view inwards that records what is read of the request. */
  async request(call: RequestCall, next: (view: RequestCall) => Promise<Response>): Promise<Response> {
    const { method } = call.request;
    const request: EdgeRequest = {
      call,
      readings: { personal: undefined, varies: false, hasAccept: false },
      rules: this.#rules,
      purged: this.#purges.begin(call),
      startedAtMs: performance.now(),
      operations: [],
      isEnvShared: this.#isWorker && this.#env.isShared(call.invocation),
    };
    call.facts.set(ownFact, request);
    call.facts.set('edge', { reason: 'not known yet: list costLine before edge' });
    // If no store keeps the answer, reads of the request do not matter.
    const isKept = this.#stored !== undefined || this.#methods.includes(method);
    const response = await next(isKept ? watchedCall(call, request) : call);
    const decision = isKept ? this.#decide(request, response) : notShareable(`the method is ${method}`);
    writeDecision(decision, response.headers, method, this.#options, this.#rules);
    this.#purges.end(call, request.purged);
    call.facts.set('edge', decision);
    try {
      assertSynchronous(this.#options.onDecision?.({ ...decision }, call), 'onDecision of edge');
    } catch (error) {
      call.logger.error('onDecision of edge has failed.', error);
    }
    const { tagExtensions } = request;
    // After the decision: an answer that has become private has no tags.
    if (tagExtensions === undefined || typeof response.body !== 'string') return response;
    return { ...(response as HTTPResponse), body: withExtensions(response.body, tagExtensions) };
  }

  async operation(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const { request: given, requestIsBatched } = call;
    const request = call.call.facts.get(ownFact) as EdgeRequest | undefined;
    // A plugin listed before edge runs this operation itself; edge has not seen its request.
    if (request === undefined) return next();
    const operation: EdgeOperation = { request: given, requestIsBatched, facts: call.facts, freshUntil: Infinity, fields: [] };
    request.operations.push(operation);
    call.facts.set(ownFact, operation);
    const outcome = (await this.#stored?.find(operation, request, call.response)) ?? (await next());
    operation.outcome = outcome;
    if (operation.lookup !== undefined && !outcome.head.headers.isEmpty) operation.fields = [...outcome.head.headers];
    if (operation.lookup?.hit === undefined) this.#stored?.note(operation, this.#hintsOf(operation));
    return outcome;
  }

  sourceCall({ operation: { facts } }: DataSourceCall): DataSourceCallListener | undefined {
    const operation = facts.get(ownFact) as EdgeOperation | undefined;
    return operation && { used: ({ head }) => void (operation.freshUntil = Math.min(operation.freshUntil, head.freshUntil)) };
  }

  async execution(
    execution: OperationExecution,
    next: (options: ExecutionOptions) => Promise<OperationOutcome>,
  ): Promise<OperationOutcome> {
    const isMutation = execution.operation.operation === 'mutation' && !this.#purges.hasNone;
    const observer = new (isMutation ? MutationWatch : ResolverHints)(execution.schema, this.#hints);
    const operation = execution.facts.get(ownFact) as EdgeOperation | undefined;
    if (operation !== undefined) operation.resolverHints = observer;
    const outcome = await next({ observer });
    // The stored answer of a mutation that ran before has changed nothing.
    if (observer instanceof MutationWatch && outcome.executed !== false) await this.#purgeAfter(execution, outcome, observer);
    return outcome;
  }

  /** Purges after a mutation, even if it has errors: a field may have changed data before another field failed. */
  async #purgeAfter(
    { schema, document, operation, request: { variables }, call }: OperationExecution,
    outcome: OperationOutcome,
    watch: MutationWatch,
  ): Promise<void> {
    const { root } = this.#hints.of(schema, { document, operation }, variables)!;
    const called = this.#server!.observesResolvers ? watch.called : undefined;
    let tags: readonly string[];
    try {
      tags = tagsOfMutation(root, outcome, called, this.#options.salt);
    } catch (error) {
      // A failure, for example of the getter of an object, must not keep answers from before the mutation.
      call.logger.error('edge could not determine what a mutation changed: all types that it selects are purged.', error);
      tags = [...root.typesBelow()].flatMap(tagsOfType);
    }
    if (tags.length === 0) {
      const fields = root.fieldNames.filter((name) => !name.startsWith('__') && !this.#warned.has(name));
      const hasPurged = (call.facts.get(ownFact) as EdgeRequest | undefined)?.purged.size !== 0;
      if (hasPurged || fields.length === 0) return;
      for (const field of fields) this.#warned.add(field);
      call.logger.warn(
        `The answer to the mutation ${fields.join(', ')} names no object, so no answer was purged. Return the changed objects from it, or call purge of edge in its resolver.`,
      );
      return;
    }
    if (outcome.unfinished === true)
      call.logger.warn(
        `A mutation was answered before its end. If it changes more, answers with these tags may be old until their lifetime ends: ${tags.join(', ')}`,
      );
    await this.#purges.purgeAfterMutation(tags, call);
  }

  async purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void> {
    await this.#purges.purge(request, platform);
  }

  /** Returns undefined if no operation was chosen, or its document is unknown or belongs to another handler. */
  #hintsOf({ request: { variables }, outcome }: Pick<EdgeOperation, 'request' | 'outcome'>): OperationHints | undefined {
    const { document, operation } = outcome ?? {};
    if (document === undefined || operation === undefined) return undefined;
    return this.#hints.of(this.#server!.schema, { document, operation }, variables);
  }

  /** An error does not fail the request. */
  #decide(request: EdgeRequest, response: Response): EdgeDecision {
    const { call } = request;
    try {
      if (call.request.headers.has(explainHeader)) return notShareable('a report was requested');
      if (call.doorParameters === undefined) return notShareable(`the door ${call.door} does not say which requests are the same`);
      if (request.operations.some((operation) => this.#needsRights(operation))) return notShareable('it needs rights');
      // Each of these may make the answer private: resolvers, methods of objects, and functions that determine types.
      if (!this.#server!.observesResolvers) return notShareable('graphqlJSExecutor() gives functions no info.cacheControl for their hints');
      const answer = assess(request, response, (operation) => this.#hintsOf(operation));
      if (typeof answer === 'string') return notShareable(answer);
      const stored = this.#stored?.keep(answer);
      return this.#options.cdn === undefined ? stored! : this.#decideForCDN(this.#options.cdn, answer, response);
    } catch (error) {
      call.logger.error('edge could not decide whether an answer may be kept: it is private.', error);
      return notShareable('the decision has failed');
    }
  }

  /**
   * True if the operation may need rights. A stored answer needed none when it was stored. An operation that `authorization()` has not seen
   * may need any.
   */
  #needsRights({ facts, lookup }: EdgeOperation): boolean {
    if (lookup?.hit !== undefined) return false;
    const rules = facts.get('rights') as readonly RightsRule[] | undefined;
    return rules === undefined ? this.#server!.facts.get('rights') !== undefined : rules.length > 0;
  }

  #decideForCDN(cdn: CDN, answer: Shareable, response: Response): EdgeDecision {
    const { request, hints, data } = answer;
    const { call } = request;
    const reason = reasonInHost(call);
    if (reason !== undefined) return notShareable(reason);
    const { milliseconds, maxAge } = this.#purges.answerLimits;
    if (performance.now() - request.startedAtMs > milliseconds)
      return notShareable('it took so long that its data may have changed in the meantime');
    const dialect = dialects[cdn];
    if (dialect.keyHasAccept === false && !call.accepts('application/json'))
      return notShareable('the client does not accept application/json');
    const vary = varyWithHost(response.headers.get('vary'), call);
    const limited = { ...answer, maxAge: Math.min(answer.maxAge, maxAge) };
    const decision = decideFor({ methods: this.#methods, dialect, vary }, limited, this.#options);
    if (cdn !== 'apollo-router' || !decision.public) return decision;
    const extensions = tagExtensionsOf(hints.root, data, decision.tags, this.#options);
    if (extensions === undefined) return notShareable('its tags cannot be assigned to its entities');
    request.tagExtensions = extensions;
    return decision;
  }
}

/** The fact of a request, its {@link EdgeRequest}, and of an operation, its {@link EdgeOperation}. */
const ownFact = Symbol('edge');

/** Adds members to the extensions of an answer. Appends them to the text if the answer has no extensions. */
function withExtensions(body: string, added: object): string {
  if (!body.includes('"extensions":')) return `${body.slice(0, -1)},"extensions":${JSON.stringify(added)}}`;
  const answer = parseExactly(body) as { readonly extensions?: object };
  return JSON.stringify({ ...answer, extensions: { ...answer.extensions, ...added } });
}
