import { HeaderMap } from '../../message/header-map.ts';
import type { HTTPRequest, HTTPResponse, StreamedResponse } from '../../message/http-messages.ts';
import type { OperationOutcome } from '../../operation/types.ts';
import type {
  GraphQLRequestContext,
  GraphQLRequestListener,
  OperationCall,
  RequestCall,
  ServerPlugin,
  ServerStartContext,
} from '../../operation/plugin.ts';
import { noteDecision } from '../reporting.ts';
import { assess, decideFor, no } from './decide.ts';
import type { DecisionSettings, EdgeOperation, EdgeRequest } from './decide.ts';
import { dialects } from './dialects.ts';
import { KnownDocuments } from './documents.ts';
import { writeDecision } from './headers.ts';
import type { HeaderSettings } from './headers.ts';
import { readingRules } from './options.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import { PurgeLog } from './purge/purger.ts';
import { Purges } from './purge/purges.ts';
import type { PurgePlatform } from './purge/purge-client.ts';
import type { PurgeRequest } from './purge/purges.ts';
import { offerCacheControl, prepareResolvers, ResolverHints } from './resolver-hints.ts';
import { StaticHints } from './static-hints.ts';
import { StoredAnswers } from './store/stored-answers.ts';
import { entityById } from './tags.ts';
import { explainedHeaders, explainHeader, watchedCall, watchOf } from './watched-request.ts';
import type { RequestWatch } from './watched-request.ts';

/** The extension, with what resolvers, webhooks and other functions may call. */
export interface Edge extends ServerPlugin {
  /** Takes answers back. Resolves when it is done; rejects when the CDN or the store has refused, or when there is neither `purge` nor `store`. `platform`: for `cloudflarePurge`. */
  purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void>;
}

/**
 * Lets a CDN, or a store of your own, keep public answers, and takes them back when a mutation changes what is in them.
 * An answer is public only where the hints of all its fields say so and nothing that tells who asks was read.
 *
 * @example
 * export default createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, plugins: [edge({ cdn: 'netlify' })] });
 */
export function edge(options: EdgeOptions): Edge {
  return new EdgePlugin(options);
}

/** What the key of a CDN tells apart: a URL. */
const cdnMethods = ['GET'];

class EdgePlugin implements Edge {
  readonly position = 'first';
  readonly #options: EdgeOptions;
  readonly #settings: DecisionSettings & HeaderSettings;
  readonly #purges: Purges;
  readonly #stored: StoredAnswers | undefined;
  readonly #documents = new KnownDocuments();
  #hasServed = false;
  constructor(options: EdgeOptions) {
    const { salt, deploy, entity = entityById, defaultMaxAge = 0, store } = options;
    const rules = readingRules(options);
    const tags = { salt, deploy, entity };
    this.#options = options;
    this.#settings = { ...tags, options, rules, defaultMaxAge, hints: new StaticHints(defaultMaxAge), log: new PurgeLog() };
    this.#stored = store && new StoredAnswers(store, { settings: this.#settings, deploy: deploy!, documents: this.#documents });
    const purgeStore = this.#stored && ((given: readonly string[]) => this.#stored!.purge(given));
    this.#purges = new Purges({ ...options, settings: this.#settings, purgeStore });
  }

  async serverWillStart({ schema }: ServerStartContext): Promise<void> {
    // A start that has failed is tried again. After one that has not, this is another server.
    if (this.#hasServed && this.#purges.schema !== schema)
      throw new Error('Expected an edge of its own for each handler, got one that serves another handler already.');
    this.#purges.schema = schema;
    if (this.#stored !== undefined) this.#stored.schema = schema;
  }

  viewRequest(call: RequestCall): RequestCall {
    // No CDN keeps anything else: what is read of it makes no difference.
    if (this.#stored === undefined && call.request.method !== 'GET') return call;
    const { rules, log } = this.#settings;
    const isExplained = call.request.headers.has(explainHeader);
    const ignoredHeaders = isExplained ? new Set([...rules.ignoredHeaders, ...explainedHeaders]) : rules.ignoredHeaders;
    const watch: EdgeRequest & RequestWatch = {
      edge: this,
      asked: call.request,
      readings: { personal: undefined, varies: false, hasAccept: false },
      rules: isExplained ? { ...rules, ignoredHeaders } : rules,
      begun: log.now,
      operations: [],
      isExplained,
    };
    return watchedCall(call, watch);
  }

  /** Undefined: it is not watched, or by another edge. */
  #requestOf(headers: HeaderMap | undefined): EdgeRequest | undefined {
    const watch = headers && (watchOf(headers) as (EdgeRequest & RequestWatch) | undefined);
    return watch?.edge === this ? watch : undefined;
  }

  async aroundRequest(call: RequestCall, next: () => Promise<HTTPResponse | StreamedResponse>): Promise<HTTPResponse | StreamedResponse> {
    noteDecision(call, undefined);
    const response = await next();
    const decision = this.#decide(response, call);
    writeDecision(decision, { headers: response.headers, method: call.request.method }, this.#settings);
    noteDecision(call, decision);
    try {
      this.#options.onDecision?.(decision, call);
    } catch (error) {
      call.logger.error('onDecision of edge has failed.', error);
    }
    return response;
  }

  aroundOperation(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const request = this.#requestOf(call.http.request.headers);
    if (request === undefined && this.#purges.hasNone) return next();
    const operation: EdgeOperation = {
      request: call.request,
      outcome: undefined,
      resolverHints: undefined,
      lookup: undefined,
      ownFields: [],
    };
    request?.operations.push(operation);
    return this.#run(operation, call, async () => {
      const found = request && (await this.#stored?.find(operation, request, call.response));
      return found ?? next();
    });
  }

  async #run(operation: EdgeOperation, call: OperationCall, run: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const begun = this.#settings.log.now;
    const outcome = await run();
    operation.outcome = outcome;
    if (operation.lookup !== undefined && !outcome.head.headers.isEmpty) operation.ownFields = [...outcome.head.headers];
    if (operation.resolverHints?.isEmpty === false) this.#documents.noteHint(outcome.source);
    if (outcome.operation?.operation === 'mutation')
      await this.#purges.after({ outcome, known: this.#documents.read(outcome.source, this.#purges.schema), begun }, call);
    return outcome.result.extensions?.['explain'] === undefined ? outcome : this.#explained(outcome, call);
  }

  requestDidStart({ request, contextValue, schema: served }: GraphQLRequestContext): GraphQLRequestListener | undefined {
    this.#hasServed = true;
    const isOwn = served === this.#purges.schema;
    const watch = isOwn ? undefined : this.#requestOf(request.http?.headers);
    // What is known of documents is of the other's.
    if (watch !== undefined) watch.readings.personal ??= 'the schema of another handler';
    const known = isOwn ? this.#documents.get(request.query) : undefined;
    if (known !== undefined) {
      if (known.mayHint) this.#offerHints(contextValue, request.http);
      return undefined;
    }
    return {
      didResolveOperation: ({ source, schema, document }) => {
        const mayHint = prepareResolvers(schema, document);
        if (isOwn) this.#documents.add(source, { schema, document, mayHint, hasHinted: false });
        if (mayHint) this.#offerHints(contextValue, request.http);
      },
    };
  }

  async purge(request: PurgeRequest, platform?: PurgePlatform): Promise<void> {
    await this.#purges.purge(request, platform);
  }

  /** In development: a report says what would be decided of an answer that is no report. */
  #explained(outcome: OperationOutcome, { http }: OperationCall): OperationOutcome {
    const headers = new HeaderMap({ 'cache-control': 'private, no-store', vary: 'Accept' });
    const sharing = this.#decide({ status: 200, headers, body: '' }, http, true);
    const { extensions } = outcome.result;
    const explain = { ...(extensions!['explain'] as object), sharing };
    return { ...outcome, result: { ...outcome.result, extensions: { ...extensions, explain } } };
  }

  /** What fails, the user's `entity` for one, costs nobody the answer. */
  #decide(
    response: HTTPResponse | StreamedResponse,
    { request: { headers, method }, invocation, logger }: RequestCall,
    isReport = false,
  ): EdgeDecision {
    try {
      const request = this.#requestOf(headers);
      if (request === undefined && method !== 'GET') return no(`the method is ${method}`);
      const known = this.#documents.get(request?.operations[0]?.outcome?.source);
      if (request !== undefined && request.isExplained !== isReport) return no('a report was asked for');
      const answer = assess({ request, response, known }, this.#settings);
      if (typeof answer === 'string') return no(answer);
      const stored = this.#stored?.keep(answer, (work) => invocation.waitUntil(work));
      const { cdn } = this.#options;
      if (cdn === undefined) return stored!;
      return decideFor({ methods: cdnMethods, dialect: dialects[cdn], vary: response.headers.get('vary') }, answer, this.#settings);
    } catch (error) {
      logger.error('edge could not decide whether an answer may be kept: it is private.', error);
      return no('the decision has failed');
    }
  }

  /** Resolvers know their operation by their context value. One that serves two tells neither apart: nothing of both is public then. */
  #offerHints(contextValue: unknown, http: HTTPRequest | undefined): void {
    if (typeof contextValue !== 'object' || contextValue === null) return;
    const hints = new ResolverHints();
    const others = offerCacheControl(contextValue, hints);
    // Elements of a batch have requests of their own, and are never public.
    const [operation] = this.#requestOf(http?.headers)?.operations ?? [];
    if (operation !== undefined) operation.resolverHints = hints;
    if (others === undefined) return;
    others.areMixedUp = true;
    hints.areMixedUp = true;
  }
}
