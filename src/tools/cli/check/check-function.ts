import { relative } from 'node:path';

import type { Plugin } from 'esbuild';

import { toCallable } from '../dev/call-function.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { CompileError, loadFunction } from '../project/loader.ts';
import { exportsFunction } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { DevError } from '../project/problem.ts';
import type { Problem } from '../project/problem.ts';
import { recordServers } from '../project/recorded-servers.ts';
import type { RecordedServers } from '../project/recorded-servers.ts';
import { searchIn } from '../project/source-search.ts';
import { placeOf, toPlace } from '../project/user-code.ts';
import { checkServer } from './check-server.ts';
import type { CheckedServer } from './check-server.ts';

/** The result of checking a file of the functions folder. */
export interface CheckedFunction extends CheckedServer {
  readonly bundled: BundledFile;
  /** True when it exports something callable. */
  readonly isFunction: boolean;
  /** The number of servers created while it was loaded. */
  readonly servers: number;
}

/** Loads a function and reports all problems of it and its servers. The schema and the options are those of its first server. */
export async function checkFunction(
  source: FunctionSource,
  directory: string,
  { recorded, plugins }: { readonly recorded: RecordedServers; readonly plugins?: readonly Plugin[] | undefined },
): Promise<CheckedFunction> {
  const before = recorded.servers.length;
  const problems: Problem[] = [];
  const notices: string[] = [];
  let bundled: BundledFile = { source, exports: ['default'], files: [source.file], isGraphQL: false };
  try {
    const { exports, compiled } = await loadFunction(source, plugins);
    bundled = { ...compiled, source, exports: Object.keys(exports) };
    // Throws if these exports are not functions. `lambda` is for AWS alone.
    if (exportsFunction(bundled.exports) && typeof exports['lambda'] !== 'function') toCallable(source.name, exports);
    if (compiled.warnings !== '') notices.push(compiled.warnings);
  } catch (error) {
    if (error instanceof CompileError) return { problems: error.problems, bundled, isFunction: true, servers: 0 };
    problems.push({ ...(toPlace(placeOf(error)) ?? { file: source.file }), message: messageWithCauses(error) });
  }
  const search = searchIn({ files: bundled.files, directory });
  const servers = recorded.servers.slice(before);
  const checked = await Promise.all(servers.map((server) => checkServer(server, search)));
  return {
    ...checked[0],
    problems: [...problems, ...checked.flatMap((one) => one.problems)],
    notices: [...notices, ...checked.flatMap((one) => one.notices ?? [])],
    bundled,
    isFunction: exportsFunction(bundled.exports),
    servers: checked.length,
  };
}

/** Checks the one function that a command is about. Throws a DevError if it has neither problems nor a schema. */
export async function checkGraphQLFunction(
  source: FunctionSource,
  directory: string,
  plugins?: readonly Plugin[],
): Promise<CheckedFunction> {
  const checked = await checkFunction(source, directory, { recorded: recordServers(), plugins });
  if (checked.schema !== undefined || checked.problems.length > 0) return checked;
  throw new DevError(`${relative(directory, source.file)} is not a GraphQL function: it does not call createHandler.`);
}

/** The messages of an error and its causes. */
function messageWithCauses(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one !== undefined && messages.length < 5; one = one instanceof Error ? one.cause : undefined)
    messages.push(one instanceof Error ? one.message : String(one));
  return messages.join('\nCaused by: ');
}
