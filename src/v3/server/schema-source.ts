import type { GraphQLSchema } from 'graphql';

import { messageOf } from '../../shared/index.ts';
import type { ApolloConfig, GraphQLExecutor, GraphQLSchemaContext, Logger } from '../types.ts';
import type { GatewayInterface } from './config.ts';

/** Provides the schema: a fixed one, or that of a gateway, which may change. */
export class SchemaSource {
  /** Set when the gateway runs operations itself. */
  executor: GraphQLExecutor<any> | undefined = undefined;
  readonly #gateway: GatewayInterface | undefined;
  readonly #apollo: ApolloConfig;
  readonly #logger: Logger;
  readonly #followers: ((context: GraphQLSchemaContext) => void)[] = [];
  #current: GraphQLSchemaContext | undefined;
  #unsubscribe: (() => void) | undefined = undefined;
  #isStopped = false;

  constructor(source: {
    schema?: GraphQLSchema | undefined;
    gateway?: GatewayInterface | undefined;
    apollo: ApolloConfig;
    logger: Logger;
  }) {
    this.#gateway = source.gateway;
    this.#apollo = source.apollo;
    this.#logger = source.logger;
    this.#current = source.schema && { apiSchema: source.schema };
  }

  /** The current schema. Throws before a gateway has loaded one. */
  get schema(): GraphQLSchema {
    if (this.#current === undefined) throw new Error('The gateway has not loaded its schema yet.');
    return this.#current.apiSchema;
  }

  /** Loads the schema of a gateway. */
  async start(): Promise<GraphQLSchemaContext> {
    const gateway = this.#gateway;
    if (gateway !== undefined) {
      if (gateway.onSchemaLoadOrUpdate) this.#unsubscribe = gateway.onSchemaLoadOrUpdate((context) => this.#change(context));
      else if (gateway.onSchemaChange) this.#unsubscribe = gateway.onSchemaChange((apiSchema) => this.#change({ apiSchema }));
      else throw new Error("Unexpectedly couldn't find onSchemaChange or onSchemaLoadOrUpdate on gateway");
      const { schema, executor } = await gateway.load({ apollo: this.#apollo });
      this.#current ??= { apiSchema: schema };
      this.executor = executor ?? undefined;
    }
    return this.#current!;
  }

  /** Calls back with the current schema and each later one. Throws when the first call does. */
  follow(follower: (context: GraphQLSchemaContext) => void): void {
    if (this.#gateway !== undefined && this.#gateway.onSchemaLoadOrUpdate === undefined) {
      throw new Error(
        `One of your plugins uses the 'schemaDidLoadOrUpdate' hook, but your gateway version is too old to support this hook. Please update your version of @apollo/gateway to at least 0.35.0.`,
      );
    }
    try {
      follower(this.#current!);
    } catch (error) {
      throw new Error(`An error was thrown from an 'onSchemaLoadOrUpdate' listener: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#followers.push(follower);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    await this.#gateway?.stop?.();
  }

  #change(context: GraphQLSchemaContext): void {
    if (this.#isStopped) return;
    this.#current = context;
    for (const follower of this.#followers) {
      try {
        follower(context);
      } catch (error) {
        this.#logger.error("An error was thrown from an 'onSchemaLoadOrUpdate' listener");
        this.#logger.error(error);
      }
    }
  }
}
