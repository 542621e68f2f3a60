import { messageOf } from '../../shared/index.ts';
import { NotReadyError } from '../errors/apollo-error.ts';
import type { ApolloServerPlugin, GraphQLServerListener, GraphQLServiceContext, LandingPage, Logger, InternalPlugin } from '../types.ts';
import { ApolloServerPluginCacheControl } from '../plugins/cache-control.ts';
import { ApolloServerPluginUsageReporting } from '../plugins/withdrawn.ts';
import type { Config } from './config.ts';

type Phase = 'initialized' | 'starting' | 'failed to start' | 'started' | 'draining' | 'stopping' | 'stopped';

/** Why a server cannot take requests. */
const notReady: Partial<Record<Phase, string>> = {
  initialized: 'You need to call `server.start()` before using your Apollo Server.',
  'failed to start': 'This data graph is missing a valid configuration. More details may be available in the server logs.',
  stopping: 'Cannot execute GraphQL operations while the server is stopping.',
  stopped: 'Cannot execute GraphQL operations after the server has stopped.',
};

/** Starts and stops a server, each once. */
export class Lifecycle {
  phase: Phase = 'initialized';
  landingPage: LandingPage | undefined = undefined;
  readonly #plugins: readonly ApolloServerPlugin<any>[];
  readonly #service: GraphQLServiceContext;
  #listeners: readonly GraphQLServerListener[] = [];
  #starting: Promise<void> | undefined = undefined;
  #stopping: Promise<void> | undefined = undefined;
  #failure: unknown = undefined;

  constructor(plugins: readonly ApolloServerPlugin<any>[], service: GraphQLServiceContext) {
    this.#plugins = plugins;
    this.#service = service;
  }

  /** Calls the plugins' hooks. Rejects when one of them does. */
  start(): Promise<void> {
    if (this.phase !== 'initialized') return Promise.reject(new Error(`called start() with surprising state ${this.phase}`));
    this.phase = 'starting';
    this.#starting = this.#run();
    // `ready` reports the failure to each request.
    this.#starting.catch(() => {});
    return this.#starting;
  }

  async #run(): Promise<void> {
    try {
      const started = await Promise.all(this.#plugins.map(async (plugin) => plugin.serverWillStart?.(this.#service)));
      this.#listeners = started.filter((listener) => typeof listener === 'object' && listener !== null);
      for (const { schemaDidLoadOrUpdate } of this.#listeners) schemaDidLoadOrUpdate?.({ apiSchema: this.#service.schema });
      this.landingPage = await renderPage(this.#listeners);
      this.phase = 'started';
    } catch (error) {
      this.phase = 'failed to start';
      this.#failure = error;
      throw error;
    }
  }

  /** Resolves when the server can take requests; rejects with an error that clients may see. */
  async ready(): Promise<void> {
    if (this.phase === 'starting') await this.#starting?.catch(() => {});
    if (this.phase === 'failed to start') logStartupError(this.#service.logger, this.#failure);
    const reason = notReady[this.phase];
    if (reason !== undefined) throw new NotReadyError(reason);
  }

  /** Drains, and calls the plugins' hooks. */
  stop(): Promise<void> {
    if (this.phase === 'started') {
      this.phase = 'draining';
      this.#stopping = this.#end();
    }
    return (
      this.#stopping ??
      Promise.reject(new Error('apolloServer.stop() should only be called after `await apolloServer.start()` has succeeded'))
    );
  }

  async #end(): Promise<void> {
    await Promise.all(this.#listeners.map(async ({ drainServer }) => drainServer?.()));
    this.phase = 'stopping';
    try {
      await Promise.all(this.#listeners.map(async ({ serverWillStop }) => serverWillStop?.()));
    } finally {
      this.phase = 'stopped';
    }
  }
}

/** Renders the page of the plugin that has a page. */
async function renderPage(listeners: readonly GraphQLServerListener[]): Promise<LandingPage | undefined> {
  const [page, ...others] = listeners.filter(({ renderLandingPage }) => renderLandingPage !== undefined);
  if (others.length > 0) throw new Error('Only one plugin can implement renderLandingPage.');
  return page?.renderLandingPage?.();
}

/** Logs a start that failed. */
export function logStartupError(logger: Logger, error: unknown): void {
  const reason = messageOf(error) || String(error);
  logger.error(`An error occurred during Apollo Server startup. All GraphQL requests will now fail. The startup error was: ${reason}`);
}

/** The user's plugins, with functions called, and those that the server adds. */
export function installPlugins({ plugins = [], apollo }: Config): ApolloServerPlugin<any>[] {
  const installed = plugins.map((plugin) => (typeof plugin === 'function' ? plugin() : plugin));
  installed.forEach(assertCallable);
  if (!hasInternalPlugin(installed, 'CacheControl')) installed.push(ApolloServerPluginCacheControl());
  const key = apollo?.key ?? globalThis.process?.env?.['APOLLO_KEY'];
  if (!hasInternalPlugin(installed, 'UsageReporting') && key) installed.push(ApolloServerPluginUsageReporting());
  return installed;
}

/** Hooks of plugins for createHandler that the servers of version 3 do not call. */
const otherHooks = [
  'request',
  'operation',
  'document',
  'admit',
  'execution',
  'payload',
  'sourceCall',
  'encode',
  'schemaWillBuild',
  'start',
  'doors',
];

/** Throws for a plugin that would do nothing here, or only a part of its work, such as idempotency() and edge(). */
function assertCallable(plugin: object, position: number): void {
  const hook = otherHooks.find((name) => typeof (plugin as Readonly<Record<string, unknown>>)[name] === 'function');
  if (hook !== undefined)
    throw new TypeError(
      `plugins[${position}] has the hook ${hook}, which the servers of version 3 do not call. Use this plugin with createHandler of graphql-functions: see docs/migration.md, "From version 3 to createHandler".`,
    );
}

/** True when one of the plugins has this id. */
function hasInternalPlugin(plugins: readonly object[], id: string): boolean {
  return plugins.some((plugin) => (plugin as Partial<InternalPlugin>).__internal_plugin_id__?.() === id);
}
