import { readFileSync } from 'node:fs';

import { assertOptions } from '../../server/for-tools.ts';
import type { ServerOptions } from '../../server/index.ts';
import { isRecord, messageOf } from '../../shared/index.ts';
import { findText } from './find-text.ts';
import { foreignOption } from './foreign-options.ts';
import { placeOfFunction } from './function-place.ts';
import { codeFrame, positionAt, problemText } from './problem.ts';
import type { Place, Problem } from './problem.ts';
import { findInSchema } from './schema-findings.ts';
import type { Finding } from './schema-findings.ts';
import { placeOf } from './user-code.ts';

/** A createHandler call that was refused. */
export interface Refused {
  readonly options: unknown;
  readonly error: unknown;
  /** The place of the call, if it is known. */
  readonly call: Place | undefined;
}

/** Finds the problems in refused options, of which createHandler names the first. */
export function findProblems({ options, error, call }: Refused): Problem[] {
  const { typeDefs, resolvers } = schemaParts(isRecord(options) ? options : {});
  const inSchema = typeDefs === undefined ? [] : findInSchema(typeDefs, resolvers);
  const found = [...wrongOptions(options), ...inSchema].map((finding) => placed(finding, resolvers, call));
  return found.length > 0 ? found : [{ ...call, message: messageOf(error) }];
}

/** Returns the schema texts and the resolvers, including those of plugins. Returns none if the option `schema` is set. */
function schemaParts({ typeDefs, resolvers, schema, plugins = [] }: ServerOptions): Pick<ServerOptions, 'typeDefs' | 'resolvers'> {
  if (schema !== undefined) return {};
  const parts = { ...(typeDefs !== undefined && { typeDefs }), ...(resolvers !== undefined && { resolvers }) };
  try {
    for (const plugin of plugins) Object.assign(parts, plugin.schemaWillBuild?.(parts, { nodeEnv: 'test' }));
  } catch {
    // This is the error of the refusal.
  }
  return parts;
}

/** Checks the options one by one, because the server stops at the first that is wrong. */
function wrongOptions(options: unknown): Finding[] {
  return Object.entries(isRecord(options) ? options : {}).flatMap(([name, value]) => {
    try {
      assertOptions({ [name]: value });
      return [];
    } catch (error) {
      return { message: foreignOption(name) ?? messageOf(error), option: name };
    }
  });
}

function placed({ message, sdl, resolver, option }: Finding, resolvers: unknown, call: Place | undefined): Problem {
  const place = sdl === undefined ? resolver && placeOfResolver(resolvers, resolver) : findText(sdl.text, sdl.offset);
  if (place !== undefined) return { ...place, message };
  // Schema text may be in no file.
  const frame = sdl === undefined ? '' : `\n\n${codeFrame(sdl.text, positionAt(sdl.text, sdl.offset))}`;
  return { ...placeOfOption(option ?? (resolver === undefined ? 'typeDefs' : 'resolvers'), call), message: `${message}${frame}` };
}

/** The line below the call of createHandler that begins with an option, else the call. */
export function placeOfOption(option: string, call: Place | undefined): Place | undefined {
  if (call === undefined || option === '') return call;
  const lines = readFileSync(call.file, 'utf8').split('\n');
  const isOption = (line: string): boolean => line.trimStart().startsWith(option) && /^\W/.test(line.trimStart().slice(option.length));
  const at = lines.findIndex((line, index) => index >= call.line && isOption(line));
  return at < 0 ? call : { file: call.file, line: at + 1, column: lines[at]!.indexOf(option) + 1 };
}

/** The place of the resolver with a path, such as Query.books, or of a function in it. */
export function placeOfResolver(resolvers: unknown, path: readonly string[]): Place | undefined {
  for (const map of [resolvers].flat(Number.POSITIVE_INFINITY)) {
    const found = path.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), map);
    for (const one of [found, ...(isRecord(found) ? Object.values(found) : [])]) {
      const place = typeof one === 'function' ? placeOfFunction(one as () => unknown) : undefined;
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

/** Every request tries to start the server again. */
const printed = new Set<string>();

/**
 * Makes the error that createHandler throws in development: it has all problems with file and line. Its stack shows only the call of
 * createHandler.
 */
export function explainRefusal(error: unknown, options: unknown, called?: Error): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const call = placeOf(called ?? new Error('called from'));
  Error.stackTraceLimit = stackTraceLimit;
  const problems = findProblems({ options, error, call });
  const text = problems.map((problem) => problemText(problem, process.cwd())).join('\n');
  // Logs and responses show the error of options that come later in one line.
  if (called !== undefined && !printed.has(text)) process.stderr.write(`${text}\n`);
  printed.add(text);
  const explained = new Error(called === undefined ? text : problems.map(({ message }) => message).join(' '));
  const frame = call === undefined ? '' : `\n    at ${call.file}:${call.line}:${call.column}`;
  return Object.defineProperty(explained, 'stack', { value: `${explained.message}${frame}` });
}
