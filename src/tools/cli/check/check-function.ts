import { relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import type { Problem } from '../../checks/for-cli.ts';
import { placeOf } from '../../checks/for-cli.ts';
import { toCallable } from '../dev/call-function.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { CompileError, loadFunction } from '../project/loader.ts';
import { exportsFunction, isNetlify, noFunctionMessage } from '../project/no-function.ts';
import { recordServers } from '../project/observe-handlers.ts';
import { DevError } from '../project/problem.ts';
import { checkServer } from './check-server.ts';
import type { CheckedServer } from './check-server.ts';

/** The result of checking a file of the functions folder. */
export interface CheckedFunction extends CheckedServer {
  readonly notices: readonly string[];
  /** True when it exports something callable. */
  readonly isFunction: boolean;
}

/** Loads a function, and reports all problems of the function and its servers. Schema and options are taken from the first server. */
export async function checkFunction(source: FunctionSource, verbose = false): Promise<CheckedFunction> {
  const { name, file } = source;
  const servers = recordServers();
  const failures: unknown[] = [];
  const notices: string[] = [];
  let isFunction = true;
  const onRejection = (reason: unknown): void => void failures.push(reason);
  process.on('unhandledRejection', onRejection);
  try {
    const { exports, compiled } = await loadFunction(source);
    const hasCommonName = exportsFunction(exports, false);
    isFunction = hasCommonName || (servers.length > 0 && !isNetlify(process.cwd()) && exportsFunction(exports, true));
    const isUnseen = isFunction && compiled.isGraphQL && servers.length === 0;
    if (isUnseen) notices.push(notSeen);
    // Throws if these exports are not functions. `lambda` is for AWS alone.
    if (hasCommonName && typeof exports['lambda'] !== 'function') toCallable(name, exports);
    const advice = noFunctionMessage(name, Object.keys(exports));
    if (!isFunction && servers.length > 0) throw new Error(advice);
    if (!isFunction) notices.push(advice);
  } catch (error) {
    if (error instanceof CompileError) return { problems: error.problems, notices, isFunction: true };
    failures.push(error);
  }
  const checked = await Promise.all(servers.map((server) => checkServer(server, verbose)));
  // Node reports rejections that nothing handles after a turn.
  await setImmediate();
  process.off('unhandledRejection', onRejection);
  const problems = failures.map((error): Problem => ({ ...(placeOf(error) ?? { file }), message: messageWithCauses(error) }));
  return {
    ...checked[0],
    problems: [...problems, ...checked.flatMap((one) => one.problems)],
    notices: [...notices, ...checked.flatMap((one) => one.notices ?? [])],
    isFunction,
  };
}

const notSeen =
  'It did not call createHandler of graphql-functions when it was loaded, so its options and schema were not checked. ' +
  'Call it at the top level of the file: export default createHandler({ … }).';

/** Checks the function that a command names. Throws a DevError if the function has neither problems nor a schema. */
export async function checkGraphQLFunction(source: FunctionSource, directory: string): Promise<CheckedFunction> {
  const checked = await checkFunction(source);
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
