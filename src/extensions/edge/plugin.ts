import { isWorkerd } from '../../datasources/index.ts';
import { parseExactly } from '../../shared/index.ts';
import type { HeaderMap, HTTPResponse, StreamedResponse } from '../../shared/index.ts';
import { areDecisionsRequested, recordDecision } from '../../server/for-extensions.ts';
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
import { listObjects } from './object-list.ts';
import { assess, decideFor, mayBePublic, notShareable, operationOf } from './decide.ts';
import type { DecisionSettings, EdgeRequest } from './decide.ts';
import { dialects, publicFieldsOf } from './dialects.ts';
import { KnownDocuments } from './documents.ts';
import type { KnownDocument } from './documents.ts';
import { acceptsJSON, writeDecision } from './headers.ts';
import type { HeaderSettings } from './headers.ts';
import { hostResponseOf, reasonInHost, varyWithHost, withdrawIfCookieComes } from './host-response.ts';
import { readingRules } from './options.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import { namingBy } from './contents.ts';
import { PurgeLog } from './purge/purge-log.ts';
import { Purges } from './purge/purges.ts';
import type { PurgePlatform } from './purge/purge-client.ts';
import type { PurgeRequest } from './purge/purges.ts';
import { ResolverHints } from './resolver-hints.ts';
import { tagExtensionsOf } from './router-tags.ts';
import type { TagExtensions } from './router-tags.ts';
import { StaticHints } from './static-hints.ts';
import { StoredAnswers } from './store/stored-answers.ts';
import { explainHeader, SharedEnv, watchedCall, watchOf } from './watched-request.ts';
import type { RequestWatch } from './watched-request.ts';

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

/** A request with its response. */
interface Finished {
  /** Undefined if the request was not watched. */
  readonly request: EdgeRequest | undefined;
  readonly response: HTTPResponse | StreamedResponse;
}

const defaultMethods = ['GET'];

class EdgePlugin implements Edge {
  readonly position = 'first';
  readonly onlyWatches = true;
  /** Hooks that exist only with a store, because hooks that only observe need no promises. */
  readonly aroundOperation?: NonNullable<ServerPlugin['aroundOperation']>;
  /** For a router only, which reads tags in answers. */
  readonly aroundRequest?: NonNullable<ServerPlugin['aroundRequest']>;
  readonly #tagExtensions = new WeakMap<EdgeRequest, TagExtensions>();
  /** The methods whose answers the CDN keeps. */
  readonly #methods: readonly string[];
  readonly #options: EdgeOptions;
  readonly #settings: DecisionSettings & HeaderSettings;
  readonly #purges: Purges;
  readonly #stored: StoredAnswers | undefined;
  readonly #documents: KnownDocuments;
  /** Requests the list of objects for tags, in the store or in the CDN. Undefined: neither has tags. */
  readonly #listing: ExecutionOptions['objects'];
  readonly #env = new SharedEnv(isWorkerd());
  #hasServed = false;

  constructor(options: EdgeOptions) {
    const { salt, deploy, defaultMaxAge = 0, store, cdn } = options;
    const rules = readingRules(options);
    const entity = options.entity && namingBy(options.entity);
    const tags = { salt, deploy, entity };
    this.#options = options;
    this.#methods = (cdn !== undefined && dialects[cdn].methods) || defaultMethods;
    this.#documents = new KnownDocuments(store !== undefined);
    this.#settings = { ...tags, options, rules, hints: new StaticHints(defaultMaxAge), log: new PurgeLog() };
    this.#stored =
      store &&
      new StoredAnswers(store, {
        settings: this.#settings,
        deploy: deploy!,
        documents: this.#documents,
      });
    this.#listing = store !== undefined || (cdn !== undefined && dialects[cdn].tags !== undefined) ? listObjects(entity) : undefined;
    const purgeStore = this.#stored && ((given: readonly string[]) => this.#stored!.purge(given));
    this.#purges = new Purges({ ...options, settings: this.#settings, purgeStore });
    if (this.#stored !== undefined) this.aroundOperation = (call, next) => this.#findOrRun(call, next);
    if (cdn === 'apollo-router') this.aroundRequest = async (call, next) => this.#withTags(call, await next());
  }

  async serverWillStart({ schema }: ServerStartContext): Promise<void> {
    // A failed start may be retried with another schema. After a successful start, another schema means another server.
    if (this.#hasServed && this.#purges.schema !== schema)
      throw new Error('Expected a separate edge for each handler, got one that already serves another handler.');
    this.#purges.schema = schema;
    if (this.#stored !== undefined) this.#stored.schema = schema;
  }

  viewRequest(call: RequestCall): RequestCall {
    this.#purges.requestDidStart(call);
    const isEnvShared = this.#env.isShared(call.invocation);
    // The CDN does not keep the answer to other methods, so reads of such a request do not matter.
    if (this.#stored === undefined && !this.#methods.includes(call.request.method)) return call;
    const { rules, log } = this.#settings;
    const watch: EdgeRequest & RequestWatch = {
      edge: this,
      call,
      original: call.request,
      readings: { personal: undefined, varies: false, hasAccept: false },
      rules,
      purgeMoment: log.now,
      startedAtMs: performance.now(),
      operations: [],
      isBatch: false,
      isExplained: call.request.headers.has(explainHeader),
      isEnvShared,
    };
    return watchedCall(call, watch);
  }

  /** Undefined: the request is not watched, or another edge watches it. */
  #requestOf(headers: HeaderMap | undefined): EdgeRequest | undefined {
    const watch = headers && (watchOf(headers) as (EdgeRequest & RequestWatch) | undefined);
    return watch?.edge === this ? watch : undefined;
  }

  responseWillBeSent(call: RequestCall, response: HTTPResponse | StreamedResponse): void {
    const { onDecision } = this.#options;
    const { headers, method } = call.request;
    const request = this.#requestOf(headers);
    // The usual unwatched request: its answer is private, and no listener needs the reason.
    const decision =
      request === undefined && onDecision === undefined && !areDecisionsRequested()
        ? notWatched
        : this.#decide({ request, response }, call);
    writeDecision(decision, { headers: response.headers, method }, this.#settings);
    const host = decision.public && request !== undefined ? hostResponseOf(request.call) : undefined;
    if (host !== undefined && this.#options.cdn !== undefined) withdrawIfCookieComes(host, publicFieldsOf(dialects[this.#options.cdn]));
    this.#purges.requestWillEnd(call);
    recordDecision(call, decision);
    try {
      onDecision?.({ ...decision }, call);
    } catch (error) {
      call.logger.error('onDecision of edge has failed.', error);
    }
  }

  /** Adds its tags to a public answer, after the decision: an answer that has become private has none. */
  #withTags({ request: { headers } }: RequestCall, response: HTTPResponse | StreamedResponse): HTTPResponse | StreamedResponse {
    const request = this.#requestOf(headers);
    const tags = request && this.#tagExtensions.get(request);
    if (tags === undefined || typeof response.body !== 'string') return response;
    return { ...(response as HTTPResponse), body: withExtensions(response.body, tags) };
  }

  async #findOrRun(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const request = this.#requestOf(call.http.request.headers);
    const operation = request && operationOf(request, call.request);
    const found = operation && (await this.#stored!.find(operation, request!, call));
    if (found === undefined) return next();
    // With an answer from the store, no later hook of the operation is called.
    void this.operationDidEnd(call, found);
    return found;
  }

  dataSourceCallDidStart({ operation: { http, request } }: DataSourceCall): DataSourceCallListener | undefined {
    const edgeRequest = this.#requestOf(http.request.headers);
    if (edgeRequest === undefined) return undefined;
    const operation = operationOf(edgeRequest, request);
    return { used: ({ head }) => void (operation.freshUntil = Math.min(operation.freshUntil, head.freshUntil)) };
  }

  executionWillStart(execution: OperationExecution): ExecutionOptions | undefined {
    this.#hasServed = true;
    const { schema, http, operation, request: graphQLRequest, batchIndex } = execution;
    const request = http && this.#requestOf(http.headers);
    if (request !== undefined && batchIndex !== undefined) request.isBatch = true;
    if (schema !== this.#purges.schema) {
      // The records of documents belong to the other schema.
      if (request !== undefined) request.readings.personal ??= 'the schema of another handler';
      return undefined;
    }
    const observer = new ResolverHints(schema, this.#settings.hints.fields);
    const known = this.#documents.of(execution);
    if (operation.operation === 'mutation') {
      if (this.#purges.hasNone) return { observer };
      return { observer, objects: this.#purges.mutationWillStart(graphQLRequest, this.#listing) };
    }
    if (request === undefined) return { observer };
    const hints = this.#settings.hints.of({ known, operation, variables: graphQLRequest.variables });
    const edgeOperation = operationOf(request, graphQLRequest);
    edgeOperation.planned = { operation, hints };
    edgeOperation.resolverHints = observer;
    if (this.#listing === undefined || hints?.selection.isFlat === true) return { observer };
    return known.mayHint || mayBePublic(hints) ? { observer, objects: this.#listing } : { observer };
  }

  operationDidEnd(call: OperationCall, outcome: OperationOutcome): Promise<void> | undefined {
    recordDecision(call.http, undefined);
    const request = this.#requestOf(call.http.request.headers);
    if (request !== undefined) {
      const operation = operationOf(request, call.request);
      operation.outcome = outcome;
      if (operation.lookup !== undefined && !outcome.head.headers.isEmpty) operation.fields = [...outcome.head.headers];
      if (operation.resolverHints?.isEmpty === false) {
        const known = this.#knownOf(outcome);
        if (known !== undefined) known.hasHinted = true;
      }
    }
    // The stored answer of a mutation that ran before has changed nothing.
    const hasRun = outcome.operation?.operation === 'mutation' && outcome.executed !== false;
    if (!hasRun || this.#purges.hasNone) return undefined;
    return this.#purges.after({ outcome, known: this.#knownOf(outcome) }, call);
  }

  async purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void> {
    await this.#purges.purge(request, platform);
  }

  /** The record of the document of an operation that has ended. */
  #knownOf(outcome: OperationOutcome | undefined): KnownDocument | undefined {
    const { operation, document, source } = outcome ?? {};
    const { schema } = this.#purges;
    return operation && document && schema && this.#documents.of({ schema, document, operation, source });
  }

  /** An error, for example in the user's `entity`, does not fail the request. */
  #decide({ request, response }: Finished, { request: { method }, invocation, logger }: RequestCall): EdgeDecision {
    try {
      if (request === undefined) return notShareable(this.#methods.includes(method) ? undefined : `the method is ${method}`);
      if (request.isExplained) return notShareable('a report was requested');
      const [operation] = request.operations;
      const known = this.#knownOf(operation?.outcome);
      const answer = assess({ request, response, known }, this.#settings);
      if (typeof answer === 'string') return notShareable(answer);
      const stored = this.#stored?.keep(answer, (work) => invocation.waitUntil(work));
      const { cdn } = this.#options;
      if (cdn === undefined) return stored!;
      const host = hostResponseOf(request.call);
      const reason = host && reasonInHost(host);
      if (reason !== undefined) return notShareable(reason);
      const { milliseconds, maxAge } = this.#purges.answerLimits;
      if (performance.now() - request.startedAtMs > milliseconds)
        return notShareable('it took so long that its data may have changed in the meantime');
      const vary = varyWithHost(response.headers.get('vary'), host);
      const dialect = dialects[cdn];
      if (!dialect.keyHasAccept && !acceptsJSON(request.original.headers))
        return notShareable('the client does not accept application/json');
      const limited = { ...answer, maxAge: Math.min(answer.maxAge, maxAge) };
      const decision = decideFor({ methods: this.#methods, dialect, vary }, limited, this.#settings);
      if (cdn !== 'apollo-router' || !decision.public) return decision;
      const extensions = tagExtensionsOf(answer, decision.tags, this.#settings);
      if (extensions === undefined) return notShareable('its tags cannot be assigned to its entities');
      this.#tagExtensions.set(request, extensions);
      return decision;
    } catch (error) {
      logger.error('edge could not decide whether an answer may be kept: it is private.', error);
      return notShareable('the decision has failed');
    }
  }
}

/** Adds to the extensions of an answer, whose text stays as it is if it has none. */
function withExtensions(body: string, added: object): string {
  if (!body.includes('"extensions":')) return `${body.slice(0, -1)},"extensions":${JSON.stringify(added)}}`;
  const answer = parseExactly(body) as { readonly extensions?: object };
  return JSON.stringify({ ...answer, extensions: { ...answer.extensions, ...added } });
}

const notWatched = notShareable();
