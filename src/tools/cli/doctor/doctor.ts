import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

import type { DoctorArguments } from '../arguments.ts';
import { importEsbuild } from '../project/bundle.ts';
import { describeFailure } from '../check/describe-failure.ts';
import { DevError } from '../project/problem.ts';
import { diagnose, findResultProblem, wireForm } from './diagnosis.ts';
import { findFunctions, noSuchFunction, resolveFunctionsFolder } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { folderOf } from '../project/installed-packages.ts';
import { callStreamingHandler, createLambdaContext, isStreamingHandler } from '../../testing/index.ts';
import { BundleError, loadFunction } from '../project/load-function.ts';
import type { Terminal } from '../project/paint.ts';

/** Prints the source of an event, the request that it contains, and the function's response. Returns the exit code. */
export async function runDoctor(settings: DoctorArguments, directory: string, terminal: Terminal): Promise<number> {
  const event = await readEvent(resolve(directory, settings.event));
  const diagnosis = diagnose(event);
  say(terminal, 'Source', diagnosis.source);
  if (diagnosis.kind === 'problem') {
    say(terminal, 'Problem', diagnosis.problem);
    return 1;
  }
  say(terminal, 'Request', wireForm(diagnosis.request));
  for (const warning of findBlindInstrumentation(directory)) say(terminal, 'Tracing', warning);

  const source = await findFunction(settings, directory);
  if (source === undefined) {
    say(terminal, 'Answer', 'No functions folder found. Choose one with --functions <folder>.');
    return 0;
  }
  const { external } = settings;
  return callFunction({ source, external, event, from: diagnosis.source, file: relative(directory, source.file) }, terminal);
}

interface FunctionCall {
  readonly source: FunctionSource;
  readonly external: readonly string[];
  readonly event: unknown;
  /** The source of the event. */
  readonly from: string;
  /** The function's file, for messages. */
  readonly file: string;
}

async function callFunction({ source, external, event, from, file }: FunctionCall, terminal: Terminal): Promise<number> {
  terminal.error(`Bundling and calling ${file} …\n`);
  try {
    const { exports } = await loadFunction(await importEsbuild(), source, { plugins: [], external });
    const result = await callWithEvent(eventHandlerOf(source.name, exports), event, createLambdaContext(source.name));
    say(terminal, 'Answer', JSON.stringify(result, undefined, 2) ?? String(result));
    const body = readableBody(result);
    if (body !== undefined) say(terminal, 'Body', body);
    const problem = findResultProblem(from, event, result);
    if (problem !== undefined) say(terminal, 'Problem', problem.replace(/^The platform\b/, from));
    return problem !== undefined || isServerError(result) ? 1 : 0;
  } catch (error) {
    say(terminal, 'Answer', `None. ${file} failed:\n\n${error instanceof BundleError ? error.message : describeFailure(error)}`);
    return 1;
  }
}

type EventHandler = (event: unknown, context: object) => unknown;

/** For a streaming handler, the result is what a buffered one would return: head and body. */
async function callWithEvent(handler: EventHandler, event: unknown, context: object): Promise<unknown> {
  if (!isStreamingHandler(handler)) return handler(event, context);
  let result: unknown;
  const readHead = (head: unknown): Response => {
    result = head;
    return new Response();
  };
  const body = await (await callStreamingHandler({ handler, event, context, readHead })).text();
  return result === undefined ? JSON.parse(body) : { ...(result as object), body };
}

/** The handler, as on Lambda, where the name of the export is a setting: `handler`, else the default export. */
function eventHandlerOf(name: string, exports: Readonly<Record<string, unknown>>): EventHandler {
  const main = exports['handler'] ?? exports['default'];
  const handler = typeof main === 'object' && main !== null ? (main as Record<string, unknown>)['handler'] : main;
  if (typeof handler === 'function') return handler as EventHandler;
  throw new DevError(
    `Expected ${name} to export an event handler as handler or default; it exports ${Object.keys(exports).join(', ') || 'nothing'}.`,
  );
}

async function readEvent(path: string): Promise<unknown> {
  try {
    // Some editors begin a file with a byte order mark, which JSON does not allow.
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;
    throw new DevError(
      `Cannot read the event ${path}: ${reason}. Save an event as JSON, for example with console.log(JSON.stringify(event)).`,
      {
        cause: error,
      },
    );
  }
}

const reasons: Readonly<Record<string, string>> = { ENOENT: 'No such file', EISDIR: 'It is a folder' };

/** The named function, else `graphql`, else the first. Undefined when neither folder nor function was named and none exists. */
async function findFunction(settings: DoctorArguments, directory: string): Promise<FunctionSource | undefined> {
  const { functions: folder, function: name } = settings;
  const isNamed = folder !== undefined || name !== undefined;
  const chosen = await resolveFunctionsFolder(directory, folder).catch((error: unknown) => {
    if (isNamed) throw error;
  });
  if (chosen === undefined) return undefined;
  const path = chosen.folder;
  const { functions } = await findFunctions(path);
  const found = functions.find((one) => one.name === (name ?? 'graphql')) ?? (name === undefined ? functions[0] : undefined);
  if (found !== undefined || !isNamed) return found;
  throw noSuchFunction(name ?? 'graphql', functions, path);
}

/** The formatted JSON of the body, which is an escaped string in the printed result. */
function readableBody(result: unknown): string | undefined {
  const { body, isBase64Encoded } = (result ?? {}) as { body?: unknown; isBase64Encoded?: unknown };
  if (typeof body !== 'string') return undefined;
  try {
    return JSON.stringify(JSON.parse(isBase64Encoded === true ? Buffer.from(body, 'base64').toString() : body), undefined, 2);
  } catch {
    return undefined;
  }
}

function isServerError(result: unknown): boolean {
  const { statusCode } = (result ?? {}) as { statusCode?: unknown };
  return typeof statusCode === 'number' && statusCode >= 500;
}

function say(terminal: Terminal, what: string, text: string): void {
  terminal.log(`${what.padEnd(9)}${text.replaceAll('\n', `\n${' '.repeat(9)}`)}\n`);
}

/** Packages that patch functions of graphql-js. Compiled operations bypass them, and graphql 17 cannot be patched. */
const patching: Readonly<Record<string, string>> = {
  '@opentelemetry/instrumentation-graphql': 'use openTelemetry() of graphql-functions/opentelemetry instead',
  'dd-trace':
    'its plugin for graphql records nothing; use openTelemetry() of graphql-functions/opentelemetry, whose spans dd-trace collects',
};

/** Warns about installed packages that would trace nothing. */
function findBlindInstrumentation(directory: string): string[] {
  return Object.entries(patching)
    .filter(([name]) => folderOf(name, directory) !== undefined)
    .map(([name, advice]) => `${name} is installed. It patches functions of graphql-js that this server does not call: ${advice}.`);
}
