// The process of the functions: imports all of them, and answers every request.

import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';

import type { CreateFromOptions } from '../../../server/for-tools.ts';
import type { OptionsSource, ServerOptions } from '../../../server/index.ts';
import { withUserFrames } from '../../../server/node/index.ts';
import { describeFailure, describeLoadFailure, describeOptions } from '../check/describe-failure.ts';
import { csrfNotices } from '../project/csrf-notice.ts';
import { importFunction } from '../project/loader.ts';
import { exportsFunction, helperNotice, isHelper, noFunctionMessage } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { observeHandlers } from '../project/observe-handlers.ts';
import { placeOf } from '../project/user-code.ts';
import { answerRequest } from './answer-request.ts';
import type { ServedFunction } from './answer-request.ts';
import { toCallable } from './call-function.ts';
import type { FunctionToLoad, ProcessData, ProcessMessage, RefusedOptions } from './messages.ts';
import { withOperationLog } from './operation-log.ts';

/** Options that resolved asynchronously, by the name of their function. Undefined after they have been checked: the server tries to start again with every request. */
const later = new Map<string, { readonly options: ServerOptions; readonly place: string | undefined } | undefined>();

// As in functions on Netlify.
Object.assign(globalThis, { Netlify: { env: variables() } });
// Logged errors show only the user's stack frames.
Object.assign(console, withUserFrames({ ...console }));
process.once('disconnect', () => process.exit());
process.on('uncaughtException', (error) => process.send?.({ kind: 'crash', message: describeFailure(error) }, () => process.exit(1)));
process.once('message', (data: ProcessData) => void start(data));

/** `Netlify.env`. */
function variables(): object {
  const { env } = process;
  return {
    get: (name: string) => env[name],
    has: (name: string) => name in env,
    set: (name: string, value: string) => void (env[name] = value),
    delete: (name: string) => void delete env[name],
    toObject: () => ({ ...env }),
  };
}

async function start(data: ProcessData): Promise<void> {
  const files = data.functions.flatMap(({ name, file, compiled }) =>
    compiled.kind === 'code' ? { ...compiled, source: { name, file } } : [],
  );
  const functions: ServedFunction[] = [];
  for (const source of data.functions) functions.push(await load(source, files, data));
  const onFailure = (name: string): Promise<void> => reportOptionProblems(name, files, data);
  createServer((request, response) => void answerRequest({ ...data, functions, send, onFailure }, request, response)).listen(
    data.socket,
    () => {
      send({
        kind: 'loaded',
        functions: functions.map(({ name, isGraphQL, problem, notice }) => ({ name, isGraphQL, problem, notice })),
      });
      // At its end, this process is killed.
      flushCompileCache();
    },
  );
}

/** Imports a function, or says why that is not possible. */
async function load(
  { name, compiled }: FunctionToLoad,
  all: readonly BundledFile[],
  { directory, platform }: ProcessData,
): Promise<ServedFunction> {
  const served = { name, isGraphQL: false, problem: undefined, notice: undefined, paths: [], callable: undefined };
  if (compiled.kind === 'problem') return { ...served, problem: compiled.message };
  const { files, isGraphQL } = compiled;
  const refusals: RefusedOptions[] = [];
  const notices: string[] = [];
  observeHandlers((create, options) => createLogged(create, options, { name, refusals, notices }));
  try {
    const exports = await importFunction(compiled);
    const names = Object.keys(exports);
    if (!exportsFunction(names)) {
      const file = all.find(({ source }) => source.name === name)!;
      return isHelper(file, all)
        ? { ...served, notice: helperNotice(file, all, directory) }
        : { ...served, problem: noFunctionMessage(name, names) };
    }
    const callable = toCallable(name, exports, platform);
    const { path = [] } = (exports['config'] ?? {}) as { readonly path?: string | readonly string[] };
    for (const message of notices) send({ kind: 'warning', message });
    return { ...served, isGraphQL, callable, paths: platform.platform === 'netlify' ? [path].flat() : [] };
  } catch (error) {
    return { ...served, isGraphQL, problem: await describeLoadFailure(error, refusals, { files, directory }) };
  }
}

interface Created {
  readonly name: string;
  readonly refusals: RefusedOptions[];
  readonly notices: string[];
}

/** Creates a handler that logs its operations. Keeps the options and the error of one that cannot be created. */
function createLogged<T>(create: CreateFromOptions<T>, source: OptionsSource<ServerOptions>, { name, refusals, notices }: Created): T {
  // The stack of this error contains the user's call. Source maps make reading it slow, so it is read only when the place is needed.
  const call = new Error('called from');
  try {
    return create(
      withOperationLog(source, {
        given: (options) => void notices.push(...csrfNotices(name, options)),
        givenLater(options) {
          for (const message of csrfNotices(name, options)) send({ kind: 'warning', message });
          if (!later.has(name)) later.set(name, { options, place: placeOf(call) });
        },
      }),
    );
  } catch (refusal) {
    refusals.push({ source, refusal, place: placeOf(refusal) ?? placeOf(call) });
    throw refusal;
  }
}

/** The server may have failed to start: its message names only the first mistake, and no line. */
async function reportOptionProblems(name: string, all: readonly BundledFile[], { directory }: ProcessData): Promise<void> {
  const refused = later.get(name);
  if (refused === undefined) return;
  later.set(name, undefined);
  const { files } = all.find(({ source }) => source.name === name)!;
  const message = await describeOptions(refused.options, refused.place, { files, directory });
  if (message !== '') send({ kind: 'failed', name, message });
}

function send(message: ProcessMessage): void {
  process.send?.(message);
}
