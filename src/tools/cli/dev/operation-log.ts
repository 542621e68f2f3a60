import { AsyncLocalStorage } from 'node:async_hooks';

import type { GraphQLError } from 'graphql';

import type { Logger, OperationOutcome, OptionsSource, ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { isForeign } from '../../../server/node/index.ts';
import { valueAt } from '../../../shared/index.ts';
import type { OperationRecord } from './messages.ts';

/** The operations and errors of a request until it is reported. */
export class Recording {
  readonly errors: string[] = [];
  operations: readonly OperationRecord[] = [];
  /** Reports an operation that ends later. */
  reportLate: ((record: OperationRecord) => void) | undefined;

  /** A stream is noted when it begins, and again when it ends. */
  note(record: OperationRecord, begun?: OperationRecord): void {
    if (this.reportLate === undefined) this.operations = [...this.operations.filter((one) => one !== begun), record];
    else this.reportLate(record);
  }
}

/** The recording of the request that is being answered. */
export const recordings: AsyncLocalStorage<Recording> = new AsyncLocalStorage();

/** Adds a plugin that reports every operation. Invalid options are passed through, so that createHandler reports them. */
export function withOperationLog(
  source: OptionsSource<ServerOptions>,
  onOptions: (options: ServerOptions) => void,
): OptionsSource<ServerOptions> {
  const take = (options: ServerOptions): ServerOptions => {
    if (typeof options !== 'object' || options === null || !Array.isArray(options.plugins ?? [])) return options;
    onOptions(options);
    const { context, logger = quietConsole } = options;
    // First, so that its record includes the work of the other plugins.
    const logged = { ...options, logger, plugins: [operationLog, ...(options.plugins ?? [])] };
    return typeof context === 'function' ? { ...logged, context: withHint(context) } : logged;
  };
  if (typeof source === 'function') return async () => take(await source());
  return source instanceof Promise ? source.then(take) : take(source);
}

/** Leaves out the errors of operations, which follow the operation in the terminal. */
const quietConsole: Logger = {
  ...console,
  error(text, ...details) {
    if (!/^(?:Unexpected|Upstream) error /.test(text)) console.error(text, ...details);
  },
};

/** The same function. If it fails after it has read a property that only other servers pass to context(), the log lists the available ones. */
function withHint(context: NonNullable<ServerOptions['context']>): NonNullable<ServerOptions['context']> {
  return async (argument) => {
    const missing = new Set<string>();
    const get = (target: object, name: string): unknown => {
      if (!(name in target)) missing.add(name);
      return Reflect.get(target, name);
    };
    try {
      return await context(new Proxy(argument, { get: get as never }));
    } catch (error) {
      if (missing.size > 0) recordings.getStore()?.errors.push(contextHint([...missing].join(', ')));
      throw error;
    }
  };
}

function contextHint(names: string): string {
  return `context() read ${names}, but its argument has request, response, event, context, env, waitUntil and signal. Read a header with request.headers.get('authorization').`;
}

/** The fact of an operation that is called at the end of its stream. */
const onEnd = Symbol('end of stream');

const operationLog: ServerPlugin = {
  position: 'first',
  onlyWatches: true,
  async operation({ facts }, next) {
    const start = performance.now();
    // The recording is read here, because a subscription's stream ends in the asynchronous context of its reader.
    const recording = recordings.getStore();
    const outcome = await next();
    const toRecord = (): OperationRecord => ({
      operation: labelOf(outcome.operation),
      milliseconds: Math.round(performance.now() - start),
      errors: [...outcome.errors.map(textOf), ...noticeOfLoss(outcome)],
    });
    const record = toRecord();
    recording?.note(record);
    if (outcome.stream !== undefined) facts.set(onEnd, () => recording?.note(toRecord(), record));
    return outcome;
  },
  async payload({ facts }, next) {
    const payload = await next();
    if (payload === undefined) (facts.get(onEnd) as (() => void) | undefined)?.();
    return payload;
  },
  async invalidRequestWasReceived({ error }) {
    recordings.getStore()?.errors.push(textOf(error));
  },
};

/** Reports a non-null field whose error made more than the field itself null, if its resolver has thrown it. */
function noticeOfLoss({ errors, result, onError }: OperationOutcome): readonly string[] {
  if (result.data === undefined || onError === 'HALT') return [];
  for (const error of errors) {
    // The remedy for a value that does not match its type, or for a mistake in the code, is another value.
    const { path = [], originalError } = error;
    if (framesOf(error).length === 0 || /^(?:Type|Reference|Range|Syntax)Error$/.test(originalError?.name ?? '')) continue;
    const nulled = path.findIndex((_, length) => valueAt(result.data, path.slice(0, length)) === null);
    if (nulled < 0) continue;
    const lost = nulled === 0 ? 'all of data' : path.slice(0, nulled).join('.');
    return [`${path.join('.')} is non-null ("!"), so its error made ${lost} null. With onError: "NULL", clients get the other fields.`];
  }
  return [];
}

function labelOf(operation: OperationOutcome['operation']): string | undefined {
  if (operation === undefined) return undefined;
  const fields = operation.selectionSet.selections.map((selection) => ('name' in selection ? selection.name.value : '…'));
  return `${operation.operation} ${operation.name?.value ?? `{ ${fields.join(' ')} }`}`;
}

/** The message of an error, unmasked, and the lines of its stack and the causes, unless it was thrown for clients. */
function textOf(error: Error & Partial<GraphQLError>): string {
  const { originalError, path, extensions = {}, message } = error;
  const { name = 'Error', cause } = originalError ?? {};
  const { url } = (extensions['response'] ?? {}) as { readonly url?: unknown };
  const place = path === undefined ? '' : ` (at ${path.join('.')})`;
  // The message goes to clients, so it does not contain the URL.
  const text = `${/^(?:GraphQL)?Error$/.test(name) ? '' : `${name}: `}${withRemedy(message)}${url === undefined ? '' : ` (${String(url)})`}${place}`;
  if (extensions['code'] !== undefined) return text;
  return [text, ...framesOf(error), ...causesOf(cause)].join('\n');
}

/** The lines of an error's stack that are the user's code. An error has none if this package has found a wrong value. */
function framesOf({ stack = '' }: Error): string[] {
  return stack.split('\n').filter((line) => /^\s+at /.test(line) && !isForeign(line));
}

function causesOf(cause: unknown): string[] {
  return cause instanceof Error ? [`Caused by ${cause.name}: ${cause.message}`, ...framesOf(cause), ...causesOf(cause.cause)] : [];
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
