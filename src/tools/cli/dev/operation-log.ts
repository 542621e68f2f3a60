import { followStream } from '../../../server/for-tools.ts';
import type { OperationCall, OperationOutcome, OptionsSource, ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { valueAt } from '../../../shared/index.ts';
import { recordings } from './request-recording.ts';
import type { OperationRecord } from './messages.ts';

/** Called with the options of a server. */
export interface OptionsListener {
  readonly given: (options: ServerOptions) => void;
  /** Called with options that were a promise or a function, when they are known. */
  readonly givenLater: (options: ServerOptions) => void;
}

/** Adds a plugin that reports every operation. Invalid options are passed through, so that createHandler reports them. */
export function withOperationLog(source: OptionsSource<ServerOptions>, listener: OptionsListener): OptionsSource<ServerOptions> {
  const take = (options: ServerOptions): ServerOptions => {
    listener.givenLater(options);
    return withPlugin(options, listener);
  };
  if (typeof source === 'function') return async () => take(await source());
  return source instanceof Promise ? source.then(take) : withPlugin(source, listener);
}

function withPlugin(options: ServerOptions, listener: OptionsListener): ServerOptions {
  if (typeof options !== 'object' || options === null || !Array.isArray(options.plugins ?? [])) return options;
  listener.given(options);
  const { context } = options;
  // First, so that its record includes the work of the other plugins.
  const logged = { ...options, plugins: [operationLog, ...(options.plugins ?? [])] };
  return typeof context === 'function' ? { ...logged, context: withHint(context) } : logged;
}

/** The same function. When it reads a property that only other servers pass to context(), the log lists the available ones. */
function withHint(context: NonNullable<ServerOptions['context']>): NonNullable<ServerOptions['context']> {
  return (argument) => {
    try {
      const value = context(argument);
      return value instanceof Promise ? value.catch(hintAndThrow) : value;
    } catch (error) {
      return hintAndThrow(error);
    }
  };
}

function hintAndThrow(error: unknown): never {
  if (error instanceof TypeError && /^Cannot (?:read|destructure) propert|is not a function/.test(error.message))
    recordings.getStore()?.errors.push(contextHint);
  throw error;
}

const contextHint =
  "context() failed. Its argument has request, response, event, context, env, waitUntil and signal. Read a header with request.headers.get('authorization').";

/** The calls of REST data sources by one operation. */
interface Calls {
  calls: number;
  /** Calls that a memo or a cache answered. */
  hits: number;
}

const callsOf = new WeakMap<OperationCall, Calls>();
const answeredHere: readonly unknown[] = ['memo', 'fresh', 'revalidated', 'stale'];

const operationLog: ServerPlugin = {
  position: 'first',
  onlyWatches: true,
  async aroundOperation(call, next) {
    const start = performance.now();
    // The recording is read here, because a subscription's stream ends in the asynchronous context of its reader.
    const recording = recordings.getStore();
    const calls: Calls = { calls: 0, hits: 0 };
    callsOf.set(call, calls);
    const outcome = await next();
    const toRecord = (): OperationRecord => toOperationRecord(performance.now() - start, calls, outcome);
    if (outcome.stream === undefined) {
      recording?.ended(toRecord());
      return outcome;
    }
    recording?.opened(toRecord());
    const onEnd = (): void => recording?.ended(toRecord());
    return { ...outcome, stream: followStream(outcome.stream, { onErrors: () => {}, onEnd }) };
  },
  dataSourceCallDidStart({ request, operation }) {
    const calls = callsOf.get(operation);
    if (calls === undefined) return undefined;
    calls.calls++;
    return {
      ended: () => {
        if (answeredHere.includes(request.outcome)) calls.hits++;
      },
    };
  },
  async invalidRequestWasReceived({ error }) {
    recordings.getStore()?.errors.push(messageOf(error));
  },
};

function toOperationRecord(milliseconds: number, { calls, hits }: Calls, outcome: OperationOutcome): OperationRecord {
  const { operation, errors } = outcome;
  return {
    operation: labelOf(operation),
    milliseconds: Math.round(milliseconds),
    calls,
    hits,
    errors: [...errors.map(messageOf), ...noticeOfLoss(outcome)],
  };
}

/** Reports a non-null field whose error made more than the field itself null. */
function noticeOfLoss({ errors, result, onError }: OperationOutcome): readonly string[] {
  if (result.data === undefined || onError === 'HALT') return [];
  for (const { path = [], message, originalError } of errors) {
    // The remedy is another value.
    if (isMismatch(originalError?.message ?? message)) continue;
    const nulled = path.findIndex((_, length) => valueAt(result.data, path.slice(0, length)) === null);
    if (nulled < 0) continue;
    const lost = nulled === 0 ? 'all of data' : path.slice(0, nulled).join('.');
    return [`${path.join('.')} is non-null ("!"), so its error made ${lost} null. With onError: "NULL", clients get the other fields.`];
  }
  return [];
}

function isMismatch(message: string): boolean {
  return /^(?:Cannot return null for non-nullable field|Expected Iterable, but did not find one) /.test(message);
}

function labelOf(operation: OperationOutcome['operation']): string | undefined {
  if (operation === undefined) return undefined;
  const fields = operation.selectionSet.selections.map((selection) => ('name' in selection ? selection.name.value : '…'));
  return `${operation.operation} ${operation.name?.value ?? `{ ${fields.join(' ')} }`}`;
}

/** The message of the thrown error, before graphql-js wraps it and masking hides it. */
function messageOf(error: {
  readonly message: string;
  readonly originalError?: unknown;
  readonly path?: readonly unknown[] | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}): string {
  const { originalError, path, extensions } = error;
  const { url } = (extensions?.['response'] ?? {}) as { readonly url?: unknown };
  const text = withRemedy(originalError instanceof Error ? originalError.message : error.message);
  // The message goes to clients, so it does not contain the URL.
  const message = typeof url === 'string' && url !== '' ? `${text} (${url})` : text;
  return path === undefined ? message : `${message} (at ${path.join('.')})`;
}

/** graphql-js's message for an unresolved abstract type only explains schemas built in code, and V8's does not know of promises. */
function withRemedy(message: string): string {
  const [, value] =
    /^(.+)\.(?:map|filter|find|flatMap|forEach|reduce|some|every|slice|sort|includes) is not a function$/.exec(message) ?? [];
  if (value !== undefined) return `${message}. Is ${value} a promise that is not awaited?`;
  const [, type] = /^Abstract type "(\w+)" must resolve to an Object type/.exec(message) ?? [];
  return type === undefined
    ? message
    : `${message} In resolvers, write ${type}: { __resolveType: (value) => 'Name' }, or return values with a __typename.`;
}
