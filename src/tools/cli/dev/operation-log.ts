import { AsyncLocalStorage } from 'node:async_hooks';

import type { GraphQLError } from 'graphql';

import type { Logger, OperationOutcome, OptionsSource, ServerOptions, ServerPlugin } from '../../../server/index.ts';
import { isForeign } from '../../../server/node/index.ts';
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
    // First, so that its record includes the work of the other plugins.
    return { logger: quietConsole, ...options, plugins: [operationLog, ...(options.plugins ?? [])] };
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
      errors: outcome.errors.map(textOf),
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
  const text = `${/^(?:GraphQL)?Error$/.test(name) ? '' : `${name}: `}${message}${url === undefined ? '' : ` (${String(url)})`}${place}`;
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
