import type { GraphQLSchema } from 'graphql';

import type { HeaderMap } from '../../message/header-map.ts';
import type { HTTPResponse, ResponseHead, StreamedResponse } from '../../message/http-messages.ts';
import type { OperationOutcome } from '../../operation/types.ts';
import type {
  GraphQLRequestContext,
  GraphQLRequestListener,
  OperationCall,
  RequestCall,
  ServerPlugin,
  ServerStartContext,
} from '../../operation/plugin.ts';
import { decide } from './decide.ts';
import type { DecisionSettings, EdgeOperation, EdgeRequest } from './decide.ts';
import { dialects } from './dialects.ts';
import { writeDecision } from './headers.ts';
import type { HeaderSettings } from './headers.ts';
import { readingRules } from './options.ts';
import type { EdgeDecision, EdgeOptions } from './options.ts';
import { PurgeLog, purgeInBackground, Purger } from './purge.ts';
import { offerCacheControl, ResolverHints } from './resolver-hints.ts';
import { StaticHints } from './static-hints.ts';
import { changeTags, entityById, entityTag, tagsOfMutation } from './tags.ts';
import { watchedCall } from './watched-request.ts';

/** Answers to be taken back. */
export interface PurgeRequest {
  /** Objects by type and id: what shows them, and lists of their type. */
  readonly entities?: readonly { readonly typename: string; readonly id: string | number }[] | undefined;
  /** Types: all answers with an object of one, and lists. */
  readonly types?: readonly string[] | undefined;
  /** Fields of Query: all answers that asked for one. */
  readonly fields?: readonly string[] | undefined;
  /** Tags as they are. */
  readonly tags?: readonly string[] | undefined;
}

/** The extension, with what resolvers, webhooks and other functions may call. */
export interface Edge extends ServerPlugin {
  /** Takes answers back. Resolves when the store has done so; rejects when it has refused, or there is no `purge` option. */
  purge(request: PurgeRequest): Promise<void>;
}

/**
 * Lets the store in front of the function keep public answers, and takes them back when a mutation changes what is in them.
 * An answer is public only where the hints of all its fields say so and nothing that tells who asks was read.
 *
 * @example
 * export default createHandler({ typeDefs: [cacheControlDefinitions, typeDefs], resolvers, plugins: [edge({ cdn: 'netlify' })] });
 */
export function edge(options: EdgeOptions): Edge {
  return new EdgePlugin(options);
}

class EdgePlugin implements Edge {
  readonly position = 'first';
  readonly #options: EdgeOptions;
  readonly #settings: DecisionSettings & HeaderSettings;
  readonly #purger: Purger | undefined;
  readonly #requests = new WeakMap<HeaderMap, EdgeRequest>();
  readonly #operations = new WeakMap<ResponseHead, EdgeOperation>();
  readonly #contexts = new WeakMap<object, EdgeOperation>();
  #schema: GraphQLSchema | undefined;

  constructor(options: EdgeOptions) {
    const { cdn, salt, deploy, entity = entityById, defaultMaxAge = 0, purgeBatchSize: batchSize = 30, purgeAgainAfter = 1 } = options;
    const rules = readingRules(options);
    const hints = new StaticHints(defaultMaxAge);
    const tags = { salt, deploy, entity };
    this.#options = options;
    this.#settings = { ...tags, options, rules, hints, defaultMaxAge, dialect: dialects[cdn], log: new PurgeLog() };
    this.#purger = options.purge && new Purger({ send: options.purge, batchSize, againAfter: purgeAgainAfter, sleep });
  }

  async serverWillStart({ schema }: ServerStartContext): Promise<void> {
    this.#schema = schema;
  }

  viewRequest(call: RequestCall): RequestCall {
    const readings = { personal: undefined, varies: false };
    const view = watchedCall(call, readings, this.#settings.rules);
    // By the headers: a plugin may make a view of this view, and hands on what it does not change.
    const request = { method: call.request.method, readings, begun: this.#settings.log.now, operations: [] };
    this.#requests.set(view.request.headers, request);
    return view;
  }

  async aroundRequest(call: RequestCall, next: () => Promise<HTTPResponse | StreamedResponse>): Promise<HTTPResponse | StreamedResponse> {
    const response = await next();
    const decision = this.#decide(response, call);
    writeDecision(decision, response.headers, { ...this.#settings, method: call.request.method });
    try {
      this.#options.onDecision?.(decision, call);
    } catch (error) {
      call.logger.error('onDecision of edge has failed.', error);
    }
    return response;
  }

  async aroundOperation(call: OperationCall, next: () => Promise<OperationOutcome>): Promise<OperationOutcome> {
    const operation: EdgeOperation = { request: call.request, outcome: undefined, chosen: undefined, resolverHints: new ResolverHints() };
    this.#operations.set(call.response, operation);
    this.#requests.get(call.http.request.headers)?.operations.push(operation);
    operation.outcome = await next();
    this.#purgeAfter(operation, call.http);
    return operation.outcome;
  }

  requestDidStart({ response, contextValue }: GraphQLRequestContext): GraphQLRequestListener | undefined {
    const operation = this.#operations.get(response.http);
    if (operation === undefined) return undefined;
    this.#assignContext(contextValue, operation);
    return {
      didResolveOperation: ({ schema, document }) => {
        operation.chosen = { schema, document };
        if (operation.resolverHints !== undefined) offerCacheControl({ schema, document, contextValue }, operation.resolverHints);
      },
    };
  }

  async purge({ entities = [], types = [], fields = [], tags = [] }: PurgeRequest): Promise<void> {
    const schema = this.#schema;
    await this.#purgeTags([
      ...entities.flatMap(({ typename, id }) => [entityTag(typename, String(id), this.#settings.salt), ...changeTags(schema, typename)]),
      ...types.flatMap((typename) => [`t:${typename}`, ...changeTags(schema, typename)]),
      ...fields.map((name) => `q:${name}`),
      ...tags,
    ]);
  }

  async #purgeTags(tags: readonly string[]): Promise<void> {
    if (this.#purger === undefined) throw new Error('Expected edge to have a purge option, which takes answers back. There is none.');
    this.#settings.log.add(tags);
    await this.#purger.purge(tags);
  }

  /** What fails, the user's `entity` for one, costs nobody the answer. */
  #decide(response: HTTPResponse | StreamedResponse, { request, logger }: RequestCall): EdgeDecision {
    try {
      return decide(this.#requests.get(request.headers), response, this.#settings);
    } catch (error) {
      logger.error('edge could not decide whether an answer may be kept: it is private.', error);
      return { public: false, reason: 'the decision has failed' };
    }
  }

  /** Also when there are errors: a field may have changed something before another has failed. */
  #purgeAfter({ outcome, chosen, request }: EdgeOperation, { invocation, logger }: RequestCall): void {
    const { operation, result } = outcome ?? {};
    if (this.#purger === undefined || chosen === undefined || operation?.operation !== 'mutation' || !result?.data) return;
    try {
      const hints = this.#settings.hints.of({ ...chosen, operation, variables: request.variables });
      const tags = hints && tagsOfMutation(chosen.schema, hints.selection, result.data, this.#settings);
      if (tags === undefined) throw new Error('It is too large. Call purge of edge in its resolver.');
      if (tags.length === 0) return;
      this.#settings.log.add(tags);
      invocation.waitUntil(purgeInBackground(this.#purger, tags, logger));
    } catch (error) {
      logger.error('edge could not tell what the answer to a mutation has changed: nothing was purged.', error);
    }
  }

  /** Resolvers know their operation by their context value. One that serves two tells neither apart: nothing of both is public then. */
  #assignContext(contextValue: unknown, operation: EdgeOperation): void {
    if (typeof contextValue !== 'object' || contextValue === null) return;
    const other = this.#contexts.get(contextValue);
    this.#contexts.set(contextValue, operation);
    if (other === undefined) return;
    other.resolverHints = undefined;
    operation.resolverHints = undefined;
  }
}

/** Seconds. */
function sleep(time: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, time * 1_000);
  });
}
