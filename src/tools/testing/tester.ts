import { print } from 'graphql';
import type { ErrorBehavior, OptionsPromise, ServerOptions } from '../../server/index.ts';
import type { DocumentNode, GraphQLFormattedError } from 'graphql';

import { Starter, createClose, fetchAPI, lambdaAdapters, netlifyV1, serve, streaming } from '../../server/for-tools.ts';
import type { UntypedHandler } from '../../server/for-tools.ts';
import { describe, didYouMean } from '../../shared/index.ts';
import { createVerifier } from '../verify/index.ts';
import type { RequestFields } from './event-request.ts';
import { readResults } from './results.ts';
import { createEvent, readResult } from './platforms.ts';
import type { PlatformName } from './platforms.ts';
import { callStreamingHandler, isStreamingHandler } from './response-stream.ts';
import { readWranglerSettings, resolveWorkerModules, workerEnvironment } from './workers.ts';

// For `node --import graphql-functions/testing --test`, in a worker's project.
if (readWranglerSettings(globalThis.process?.cwd?.() ?? '.') !== undefined) resolveWorkerModules(process.cwd());

/** A document with the types of its result and variables, as code generators write it: a `DocumentNode` or a string. */
export interface TypedDocument<TData, TVariables> {
  readonly __apiType?: ((variables: TVariables) => TData) | undefined;
}

/** A trusted document by its id. */
export interface DocumentReference {
  readonly documentId: string;
}

/** The parts of a request in addition to the document and its variables. */
export interface RunOptions {
  /** The operation to run. Default: the only one of the document. */
  readonly operationName?: string | undefined;
  /** Extensions of the request, `persistedQuery` for example. Default: none. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** The effect of an error on the response (parameter `onError` of the request). Default: not sent. */
  readonly onError?: ErrorBehavior | undefined;
  /** Header fields to send in addition to the content type. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: "POST". */
  readonly method?: 'POST' | 'GET' | 'QUERY' | undefined;
}

/** The result of an operation, or of one event of a subscription. */
export interface SubscriptionResult<TData> {
  /** Absent when nothing was executed. */
  readonly data?: TData | null;
  /** Absent when there is none. */
  readonly errors?: readonly GraphQLFormattedError[];
  /** The additions of plugins. */
  // Any: plugins define its content.
  readonly extensions?: Readonly<Record<string, any>>;
}

/** The response to an operation, as a client sees it. */
export interface TestResult<TData> extends SubscriptionResult<TData> {
  /** The HTTP status. */
  readonly status: number;
  /** The header fields of the response. */
  readonly headers: Headers;
}

/** Sends operations and requests through the whole server, in this process and without a socket. */
export interface Tester {
  /**
   * Runs one operation: its text, a document, or the id of a trusted document, `run({ documentId })`. Types come from a typed document or
   * from type arguments: `run<{ hello: string }>('{ hello }')`.
   */
  // Any: as with JSON.parse, the result type of an untyped document is unknown.
  run<TData = any, TVariables = Readonly<Record<string, unknown>>>(
    document: string | DocumentNode | TypedDocument<TData, TVariables> | DocumentReference,
    variables?: TVariables,
    options?: RunOptions,
  ): Promise<TestResult<TData>>;
  /**
   * Runs a subscription. It begins when the first result is requested, and ends by itself or when the reader stops. Only for
   * platforms that support streams; rejects if the response is not a stream.
   *
   * @example
   * ```ts
   * for await (const { data } of subscribe('subscription { newBook { title } }')) console.log(data.newBook.title);
   * ```
   */
  subscribe<TData = any, TVariables = Readonly<Record<string, unknown>>>(
    document: string | DocumentNode | TypedDocument<TData, TVariables> | DocumentReference,
    variables?: TVariables,
    options?: Omit<RunOptions, 'method'>,
  ): AsyncGenerator<SubscriptionResult<TData>, void>;
  /** Sends any HTTP request. Resolves after the work passed to `waitUntil` is done, too. */
  send(request: RequestFields): Promise<Response>;
  /**
   * Closes the handler, or the server of the options: waits up to 10 s for its calls, then calls `serverWillStop` of the plugins, so that
   * they close connections that would keep the test process alive. Never starts the server. Rejects for a function that wraps a handler.
   */
  close(): Promise<void>;
}

/** How a {@link Tester} sends requests. */
export interface TesterSettings {
  /** The platform whose events carry the requests. Default: "fetch". */
  readonly platform?: PlatformName | undefined;
  /** The second argument of the handler, which `context` receives. Default: an empty object. */
  readonly context?: Readonly<Record<string, unknown>> | undefined;
  /**
   * If true, each query runs a second time, in graphql-js. If the results differ, the query fails, and the message has both. `context`, data sources and
   * resolvers of queries run again. Only for options; for handlers, set the environment variable GRAPHQL_FUNCTIONS_VERIFY to 1 before they
   * are created. Default: false
   */
  readonly verify?: boolean | undefined;
}

/** A handler of any entry point, or a function that wraps one. */
export type AnyHandler = ((event: any, context?: any) => Promise<any>) | ((event: any, responseStream: any, context?: any) => Promise<any>);

/**
 * Tests a server from its options, or through an existing handler with all of its settings. With options, NODE_ENV is always
 * "test": the whole schema is built and checked, and errors are not masked.
 *
 * @example
 * ```ts
 * const { run } = createTester({ typeDefs, resolvers });
 * const { data } = await run<{ hello: string }>('{ hello }');
 * assert.equal(data?.hello, 'Hello!');
 * ```
 */
export function createTester(handler: AnyHandler, settings?: TesterSettings): Tester;
export function createTester<TContext extends object = object, TDataSources extends object = object>(
  // Any: the options of each entry point refer to its platform's event types.
  options: ServerOptions<TContext, TDataSources, any, any> | OptionsPromise<ServerOptions<TContext, TDataSources, any, any>>,
  settings?: TesterSettings,
): Tester;
export function createTester(server: unknown, settings: TesterSettings = {}): Tester {
  assertSettings(settings);
  const { platform = 'fetch', context = {}, verify = false } = settings;
  if (verify && isHandler(server))
    throw new TypeError(
      'Expected options for createTester with verify. For a handler, set GRAPHQL_FUNCTIONS_VERIFY=1 before it is created.',
    );
  const { call, close } = isHandler(server) ? callHandler(server, platform) : serveOptions(server as ServerOptions, verify);
  const send: Tester['send'] = async (request) => {
    const work: Promise<unknown>[] = [];
    const waitUntil = (one: Promise<unknown>): void => void work.push(one);
    const result = await call(createEvent(platform, request), { waitUntil, ...context });
    // Work may pass more work to `waitUntil` before it ends.
    while (work.length > 0) await Promise.all(work.splice(0));
    return isStreamingHandler(server) ? (result as Response) : readResult(platform, result);
  };
  return {
    send,
    close,
    async *subscribe(document, variables, runOptions) {
      const headers = { accept: 'text/event-stream', ...runOptions?.headers };
      const response = await send(toRequest(sourceOf(document), variables, { ...runOptions, headers }));
      if (/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')) {
        yield* readResults(response) as AsyncGenerator<SubscriptionResult<any>, void>;
        return;
      }
      throw new Error(`Expected a stream of events, got status ${response.status} and ${(await response.text()).slice(0, 500)}`);
    },
    run: async (document, variables, runOptions) => toResult(await send(toRequest(sourceOf(document), variables, runOptions))),
  };
}

function assertSettings(settings: object): void {
  const known = ['platform', 'context', 'verify'];
  const unknown = Object.keys(settings).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`Unknown setting "${unknown}" of createTester.${didYouMean(unknown, known)} Known: ${known.join(', ')}.`);
}

/** A server to test. */
interface Tested {
  readonly call: (event: unknown, context: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function callHandler(handler: AnyHandler, platform: PlatformName): Tested {
  const own = handler as Partial<Pick<UntypedHandler, 'fetch' | 'close'>>;
  const close = async (): Promise<void> => {
    if (own.close === undefined) throw new TypeError('The function has no close: it wraps a handler. Call close of that handler.');
    await own.close();
  };
  // A handler of options that need a worker's bindings gets stand-ins for them.
  if (platform === 'fetch' && own.fetch !== undefined && readWranglerSettings(process.cwd()) !== undefined)
    return { call: (event, context) => own.fetch!(event as Request, workerEnvironment(process.cwd()), context), close };
  if (!isStreamingHandler(handler)) return { call: handler, close };
  return {
    call: (event, context) => callStreamingHandler({ handler, event, context, readHead: (head) => readResult(platform, head) }),
    close,
  };
}

function isHandler(server: unknown): server is AnyHandler {
  return typeof server === 'function';
}

/** Like createHandler, but without the warning about several handlers for one schema, which is normal in tests. */
function serveOptions(options: ServerOptions | Promise<ServerOptions>, verify: boolean): Tested {
  const starter = new Starter(options instanceof Promise ? options.then(asTest) : asTest(options), 'test');
  if (verify) {
    const explain = createVerifier();
    const start = starter.server.bind(starter);
    starter.server = async (call) => {
      const server = await start(call);
      return { ...server, http: { ...server.http, explain } };
    };
  }
  const serving = { adapters: [fetchAPI, ...lambdaAdapters, netlifyV1], streaming, starter };
  return { call: (event, context) => serve(serving, { event, context, env: undefined }), close: createClose(starter) };
}

function asTest(options: ServerOptions): ServerOptions {
  return { nodeEnv: 'test', ...options };
}

/** The parameter of the request that names the document. */
type DocumentSource = { readonly query: string } | DocumentReference;

function sourceOf(document: unknown): DocumentSource {
  if (typeof document === 'string') return { query: document };
  if (typeof document !== 'object' || document === null)
    throw new TypeError(`Expected the text of an operation, a parsed document or { documentId }, got ${describe(document)}.`);
  const { kind, documentId } = document as { kind?: unknown; documentId?: unknown };
  if (typeof documentId === 'string') return { documentId };
  return { query: kind === 'Document' ? print(document as DocumentNode) : String(document) };
}

function toRequest(source: DocumentSource, variables: unknown, options: RunOptions = {}): RequestFields {
  const { operationName, extensions, onError, headers, method = 'POST' } = options;
  const fields = { ...source, variables, operationName, extensions, onError };
  if (method !== 'GET') return { method, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(fields) };
  const parameters = Object.entries(fields).filter(([, value]) => value !== undefined);
  return {
    method,
    // CSRF prevention requires this header for GET.
    headers: { 'graphql-require-preflight': '1', ...headers },
    query: Object.fromEntries(parameters.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])),
  };
}

async function toResult<TData>(response: Response): Promise<TestResult<TData>> {
  const text = await response.text();
  try {
    const result = JSON.parse(text) as Pick<TestResult<TData>, 'data' | 'errors' | 'extensions'>;
    return { ...result, status: response.status, headers: response.headers };
  } catch (cause) {
    throw new Error(`Expected a JSON response, got status ${response.status} and ${text === '' ? 'no body' : text.slice(0, 200)}`, {
      cause,
    });
  }
}
