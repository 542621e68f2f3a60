import { relative } from 'node:path';

import { importEsbuild } from '../project/bundle.ts';
import type { BundleSettings } from '../project/bundle.ts';
import { toCallable } from '../dev/call-function.ts';
import { checkServer } from './check-server.ts';
import type { CheckedServer } from './check-server.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { exportsFunction } from '../project/no-function.ts';
import type { BundledFile } from '../project/no-function.ts';
import { circleHint, hintFor } from '../project/load-hints.ts';
import { BundleError, loadFunction } from '../project/load-function.ts';
import type { UnbundledPackage } from '../project/unbundled-packages.ts';
import { bundleAdvice } from '../project/bundle-advice.ts';
import { missingFileNotice, renamedTypesNotice } from './deployment-notices.ts';
import { loadAlone } from './load-alone.ts';
import { DevError } from '../project/problem.ts';
import type { Problem } from '../project/problem.ts';
import { progress } from '../project/progress.ts';
import { recordServers } from '../project/recorded-servers.ts';
import type { RecordedServers } from '../project/recorded-servers.ts';
import { searchIn } from '../project/source-search.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** The result of checking a file of the functions folder. */
export interface CheckedFunction extends CheckedServer {
  readonly bundled: BundledFile;
  /** The packages that its bundle imports, because they cannot be bundled. */
  readonly unbundled: readonly UnbundledPackage[];
  /** True when it exports something callable. */
  readonly isFunction: boolean;
  /** The number of servers created while it was loaded. */
  readonly servers: number;
}

/** Loads a function and reports all problems of it and its servers. The schema and the options are those of its first server. */
export async function checkFunction(
  source: FunctionSource,
  directory: string,
  { recorded, ...settings }: { readonly recorded: RecordedServers } & BundleSettings,
): Promise<CheckedFunction> {
  const before = recorded.servers.length;
  const problems: Problem[] = [];
  const notices: string[] = [];
  progress.begin(relative(directory, source.file), 5);
  let circle: readonly string[] | undefined;
  let bundled: BundledFile = { source, exports: ['default'], files: [source.file], isGraphQL: false };
  let unbundled: readonly UnbundledPackage[] = [];
  let isMixed = false;
  try {
    progress.step('bundling');
    const loaded = await loadFunction(await importEsbuild(), source, settings);
    circle = loaded.circle;
    bundled = { source, exports: Object.keys(loaded.exports), files: loaded.files, isGraphQL: loaded.isGraphQL };
    ({ unbundled } = loaded);
    // Throws if these exports are not functions.
    if (exportsFunction(bundled.exports)) toCallable(source.name, loaded.exports);
    isMixed = loaded.isMixed;
    if (loaded.warnings !== '') notices.push(loaded.warnings);
  } catch (error) {
    progress.end();
    if (error instanceof BundleError) return { problems: error.problems, bundled, unbundled, isFunction: true, servers: 0 };
    const advice = bundleAdvice(error);
    if (advice === undefined) problems.push({ ...(toPlace(placeOf(error)) ?? { file: source.file }), message: messageWithCauses(error) });
    // The frames of such an error are often in code of the bundler, which has no place in the sources.
    else problems.push({ file: source.file, message: `${messageWithCauses(error)}\n${advice}` });
  }
  const search = searchIn({ files: bundled.files, directory });
  const servers = recorded.servers.slice(before);
  const checked = await Promise.all(servers.map((server) => checkServer(server, search)));
  const [first] = checked;
  // Code that throws here would throw there, too.
  const fails = problems.length > 0 || servers.some(({ refusal }) => refusal !== undefined);
  // Of text, a bundler keeps the names of types.
  const readsTypes = first?.options?.schema !== undefined;
  if (!fails && (isMixed || readsTypes)) {
    progress.step('loading the bundle alone');
    const alone = await loadAlone(source, settings, { directory, readsTypes });
    if (alone.kind === 'failed') {
      const place = toPlace(alone.place) ?? { file: source.file };
      problems.push({ ...place, message: `In a separate process, the bundle does not load: ${alone.message}` });
    } else if (alone.kind === 'missing file') notices.push(missingFileNotice(alone, source, directory));
    else if (first?.schema !== undefined) notices.push(...(await renamedTypesNotice(first.schema, alone.types, directory)));
  }
  progress.end();
  const inServers = checked.flatMap((one) => one.problems);
  const hint = circleHint(inServers.map(({ message }) => message).join('\n'), circle);
  if (hint !== undefined) inServers.push({ file: source.file, message: hint });
  return {
    ...first,
    problems: [...problems, ...inServers],
    notices: [...notices, ...checked.flatMap((one) => one.notices ?? [])],
    bundled,
    unbundled,
    isFunction: exportsFunction(bundled.exports),
    servers: checked.length,
  };
}

/** Checks the one function that a command is about. Throws a DevError if it has neither problems nor a schema. */
export async function checkGraphQLFunction(source: FunctionSource, directory: string, settings: BundleSettings): Promise<CheckedFunction> {
  const checked = await checkFunction(source, directory, { recorded: recordServers(), ...settings });
  if (checked.schema !== undefined || checked.problems.length > 0) return checked;
  throw new DevError(`${relative(directory, source.file)} is not a GraphQL function: it does not call createHandler.`);
}

/** The messages of an error and its causes. */
function messageWithCauses(error: unknown): string {
  const messages: string[] = [];
  for (let one = error; one !== undefined && messages.length < 5; one = one instanceof Error ? one.cause : undefined)
    messages.push(one instanceof Error ? one.message : String(one));
  return messages.join('\nCaused by: ') + hintFor(error);
}
