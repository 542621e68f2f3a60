import { HeaderMap } from '../../message/header-map.ts';
import type { HTTPResponse, StreamedResponse } from '../../message/http-messages.ts';
import type { GraphQLRequest, OperationOutcome } from '../../operation/types.ts';
import type {
  ExecutionWish,
  OperationCall,
  OperationExecution,
  RequestCall,
  ServerPlugin,
  ServerStartContext,
} from '../../operation/plugin.ts';
import { listObjects } from '../object-list.ts';
import { areDecisionsAsked, noteDecision } from '../reporting.ts';
import { assess, decideFor, fieldsOf, mayBePublic, no, reasonsInHints, toDecision } from './decide.ts';
import type { Decided, DecisionSettings, EdgeOperation, EdgeRequest } from './decide.ts';
import { dialects, publicFieldsOf } from './dialects.ts';
import { KnownDocuments } from './documents.ts';
import type { KnownDocument } from './documents.ts';
import { FieldWriter } from './headers.ts';
import type { HeaderSettings } from './headers.ts';
import { hostResponseOf, reasonInHost, varyWithHost, withdrawIfCookieComes } from './host-response.ts';
import { readingRules } from './options.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import { namingBy } from './contents.ts';
import { PurgeLog } from './purge/purger.ts';
import { Purges } from './purge/purges.ts';
import type { PurgePlatform } from './purge/purge-client.ts';
import type { PurgeRequest } from './purge/purges.ts';
import { offerCacheControl, ResolverHints } from './resolver-hints.ts';
import { PrivateQueries, StaticHints } from './static-hints.ts';
import { isWorker } from './store/flights.ts';
import { StoredAnswers } from './store/stored-answers.ts';
import { explainedHeaders, explainHeader, SharedEnv, watchedCall, watchOf } from './watched-request.ts';
import type { RequestWatch } from './watched-request.ts';

/** The extension, with the functions that resolvers and webhooks may call. */
export interface Edge extends ServerPlugin {
  /** Purges answers. Resolves when it is done; rejects when the CDN or the store has refused, or when there is neither `purge` nor `store`. `platform`: for `cloudflarePurge`. */
  purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void>;
}

/**
 * Lets a CDN, or a store of your own, keep public answers, and purges them when a mutation changes objects in them.
 * An answer is public only if the hints of all its fields say so, and nothing was read that could identify the user.
 *
 * @example
 * export default createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, plugins: [edge({ cdn: 'netlify' })] });
 */
export function edge(options: EdgeOptions): Edge {
  return new EdgePlugin(options);
}

/** A request with its response. */
interface Finished {
  /** Undefined: it was not watched. */
  readonly request: EdgeRequest | undefined;
  readonly response: HTTPResponse | StreamedResponse;
  /** True when the answer itself tells the decision. */
  readonly isReport?: boolean;
}

/** The key of a CDN is a URL, so it holds answers to GET only. */
const cdnMethods = ['GET'];

class EdgePlugin implements Edge {
  readonly position = 'first';
  /** Undefined without a store: then no work is needed around an operation, and hooks that only observe cost no promises. */
  readonly aroundOperation?: NonNullable<ServerPlugin['aroundOperation']>;
  readonly #options: EdgeOptions;
  readonly #settings: DecisionSettings & HeaderSettings;
  readonly #purges: Purges;
  readonly #stored: StoredAnswers | undefined;
  readonly #documents: KnownDocuments;
  /** Asks for the list of objects that tags name, in the store or in the CDN. Undefined: neither has tags. */
  readonly #listing: ExecutionWish | undefined;
  /** The moment of the purge log at which a mutation began. */
  readonly #begun = new WeakMap<GraphQLRequest, number>();
  /** Undefined with a store: it looks up its answers by the request that was watched. */
  readonly #private: PrivateQueries | undefined;
  readonly #env = new SharedEnv(isWorker);
  readonly #writer: FieldWriter;
  #hasServed = false;

  constructor(options: EdgeOptions) {
    const { salt, deploy, defaultMaxAge = 0, store, cdn } = options;
    const rules = readingRules(options);
    const entity = options.entity && namingBy(options.entity);
    const tags = { salt, deploy, entity };
    this.#options = options;
    this.#private = store === undefined ? new PrivateQueries() : undefined;
    this.#documents = new KnownDocuments(store !== undefined);
    this.#settings = { ...tags, options, rules, defaultMaxAge, hints: new StaticHints(defaultMaxAge), log: new PurgeLog() };
    this.#writer = new FieldWriter(this.#settings);
    this.#stored =
      store &&
      new StoredAnswers(store, {
        settings: this.#settings,
        deploy: deploy!,
        documents: this.#documents,
        staleWhileRevalidate: options.staleWhileRevalidate,
      });
    this.#listing =
      store !== undefined || (cdn !== undefined && dialects[cdn].tags !== undefined) ? { objects: listObjects(entity) } : undefined;
    const purgeStore = this.#stored && ((given: readonly string[]) => this.#stored!.purge(given));
    this.#purges = new Purges({ ...options, settings: this.#settings, purgeStore });
    if (this.#stored !== undefined) this.aroundOperation = (call, next) => this.#findOrRun(call, next);
  }

  async serverWillStart({ schema }: ServerStartContext): Promise<void> {
    // A failed start is tried again with another schema. After a successful start, another schema means another server.
    if (this.#hasServed && this.#purges.schema !== schema)
      throw new Error('Expected an edge of its own for each handler, got one that serves another handler already.');
    this.#purges.schema = schema;
    if (this.#stored !== undefined) this.#stored.schema = schema;
  }

  viewRequest(call: RequestCall): RequestCall {
    const isEnvShared = this.#env.isShared(call.invocation);
    // No CDN keeps the answer to another method, so the reads of such a request do not matter.
    if (this.#stored === undefined && call.request.method !== 'GET') return call;
    const { rules, log } = this.#settings;
    const isExplained = call.request.headers.has(explainHeader);
    if (!isExplained && this.#private?.reasonFor(call.request.queryString) !== undefined) return call;
    const ignoredHeaders = isExplained ? new Set([...rules.ignoredHeaders, ...explainedHeaders]) : rules.ignoredHeaders;
    const watch: EdgeRequest & RequestWatch = {
      edge: this,
      call,
      asked: call.request,
      readings: { personal: undefined, varies: false, hasAccept: false },
      rules: isExplained ? { ...rules, ignoredHeaders } : rules,
      begun: log.now,
      operations: [],
      isExplained,
      isEnvShared,
    };
    return watchedCall(call, watch);
  }

  /** Undefined: the request is not watched, or another edge watches it. */
  #requestOf(headers: HeaderMap | undefined): EdgeRequest | undefined {
    const watch = headers && (watchOf(headers) as (EdgeRequest & RequestWatch) | undefined);
    return watch?.edge === this ? watch : undefined;
  }

  /** The record of one operation of a request. */
  #operationOf({ operations }: EdgeRequest, asked: GraphQLRequest): EdgeOperation {
    for (const operation of operations) if (operation.request === asked) return operation;
    const operation: EdgeOperation = {
      request: asked,
      planned: undefined,
      outcome: undefined,
      resolverHints: undefined,
      lookup: undefined,
      ownFields: none,
    };
    operations.push(operation);
    return operation;
  }

  responseWillBeSent(call: RequestCall, response: HTTPResponse | StreamedResponse): void {
    const { onDecision } = this.#options;
    const { headers, method } = call.request;
    const request = this.#requestOf(headers);
    // The usual request that is not watched: neither is it public, nor does anybody ask why not.
    const decided =
      request === undefined && onDecision === undefined && !areDecisionsAsked() ? notWatched : this.#decide({ request, response }, call);
    // A flight that has shared no answer by now will not share one.
    if (this.#stored !== undefined) for (const { flight } of request?.operations ?? []) flight?.land(undefined);
    this.#writer.write(decided, { headers: response.headers, method });
    const host = decided.public && request !== undefined ? hostResponseOf(request.call) : undefined;
    if (host !== undefined && this.#options.cdn !== undefined) withdrawIfCookieComes(host, publicFieldsOf(dialects[this.#options.cdn]));
    this.#purges.writeInto(response.headers, call);
    noteDecision(call, decided);
    try {
      onDecision?.(toDecision(decided), call);
    } catch (error) {
      call.logger.error('onDecision of edge has failed.', error);
    }
  }

  async #findOrRun(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const request = this.#requestOf(call.http.request.headers);
    const operation = request && this.#operationOf(request, call.request);
    const found = operation && (await this.#stored!.find(operation, request!, call));
    if (found === undefined) return next();
    // With an answer from the store, no later hook of the operation is called.
    void this.operationDidEnd(call, found);
    return found;
  }

  executionWillStart(execution: OperationExecution): ExecutionWish | undefined {
    this.#hasServed = true;
    const { schema, http, operation, request: asked, contextValue } = execution;
    const request = http && this.#requestOf(http.headers);
    if (schema !== this.#purges.schema) {
      // The records of documents belong to the other schema.
      if (request !== undefined) request.readings.personal ??= 'the schema of another handler';
      return undefined;
    }
    const known = this.#documents.of(execution);
    if (known.mayHint || isShareable(contextValue)) this.#offerHints(contextValue, request && this.#operationOf(request, asked));
    if (operation.operation === 'mutation') {
      if (this.#purges.hasNone) return undefined;
      this.#begun.set(asked, this.#settings.log.now);
      return this.#listing;
    }
    if (request === undefined) return undefined;
    const hints = this.#settings.hints.of({ known, operation, variables: asked.variables });
    this.#operationOf(request, asked).planned = { operation, known, hints };
    if (this.#listing === undefined || hints?.selection.isFlat === true) return undefined;
    return known.mayHint || mayBePublic(hints) ? this.#listing : undefined;
  }

  operationDidEnd(call: OperationCall, outcome: OperationOutcome): Promise<void> | undefined {
    noteDecision(call.http, undefined);
    const request = this.#requestOf(call.http.request.headers);
    if (request !== undefined) {
      const operation = this.#operationOf(request, call.request);
      operation.outcome = outcome;
      if (operation.lookup !== undefined && !outcome.head.headers.isEmpty) operation.ownFields = [...outcome.head.headers];
      if (operation.resolverHints?.isEmpty === false) {
        const known = this.#knownOf(operation);
        if (known !== undefined) known.hasHinted = true;
      }
      if (outcome.result.extensions?.['explain'] !== undefined) this.#explain(outcome, call);
    }
    if (outcome.operation?.operation !== 'mutation' || this.#purges.hasNone) return undefined;
    const begun = this.#begun.get(call.request) ?? this.#settings.log.now;
    return this.#purges.after({ outcome, known: this.#documents.after(outcome, this.#purges.schema), begun }, call);
  }

  async purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void> {
    await this.#purges.purge(request, platform);
  }

  /** In development: the report has the decision for the same answer without a report. */
  #explain({ result }: OperationOutcome, { http }: OperationCall): void {
    const headers = new HeaderMap({ 'cache-control': 'private, no-store', vary: 'Accept' });
    const report = result.extensions!['explain'] as { sharing?: EdgeDecision };
    const request = this.#requestOf(http.request.headers);
    report.sharing = toDecision(this.#decide({ request, response: { status: 200, headers, body: '' }, isReport: true }, http));
  }

  /** The record of the document of an operation that has ended. */
  #knownOf({ planned, outcome }: EdgeOperation): KnownDocument | undefined {
    if (outcome === undefined) return undefined;
    return planned?.operation === outcome.operation ? planned?.known : this.#documents.after(outcome, this.#purges.schema);
  }

  /** An error here, for example from the user's `entity`, does not fail the request. */
  #decide(
    { request, response, isReport = false }: Finished,
    { request: { method, queryString }, invocation, logger }: RequestCall,
  ): Decided {
    try {
      if (request === undefined) return no(method === 'GET' ? this.#private?.reasonFor(queryString) : `the method is ${method}`);
      if (request.isExplained !== isReport) return no('a report was asked for');
      const [operation] = request.operations;
      const known = operation && this.#knownOf(operation);
      const answer = assess({ request, response, known }, this.#settings);
      if (typeof answer === 'string') {
        if (known?.mayHint === false && reasonsInHints.has(answer)) this.#private?.add(request.asked.queryString, answer);
        return no(answer);
      }
      const stored = this.#stored?.keep(answer, (work) => invocation.waitUntil(work));
      const { cdn } = this.#options;
      if (cdn === undefined) return stored!;
      const host = hostResponseOf(request.call);
      const reason = host && reasonInHost(host);
      if (reason !== undefined) return no(reason);
      const vary = varyWithHost(fieldsOf(response.headers).vary, host);
      return decideFor({ methods: cdnMethods, dialect: dialects[cdn], vary }, answer, this.#settings);
    } catch (error) {
      logger.error('edge could not decide whether an answer may be kept: it is private.', error);
      return no('the decision has failed');
    }
  }

  /** Resolvers find their operation by its context value. If two operations share one, neither answer is public. */
  #offerHints(contextValue: unknown, operation: EdgeOperation | undefined): void {
    if (typeof contextValue !== 'object' || contextValue === null) return;
    const hints = new ResolverHints();
    const others = offerCacheControl(contextValue, hints);
    // The elements of a batch have requests of their own, and their answers are never public.
    if (operation !== undefined) operation.resolverHints = hints;
    if (others === undefined) return;
    others.areMixedUp = true;
    hints.areMixedUp = true;
  }
}

const none: readonly never[] = [];
const notWatched = no();

/** An instance of a class may be the context of several operations; a plain object is copied for each. */
function isShareable(contextValue: unknown): boolean {
  return Object.getPrototypeOf(contextValue) !== Object.prototype;
}
