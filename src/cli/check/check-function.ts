import type { Plugin } from 'esbuild';

import { importEsbuild } from '../project/bundle.ts';
import { toCallable } from '../dev/call-function.ts';
import { checkServer } from './check-server.ts';
import type { CheckedServer } from './check-server.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { BundleError, loadFunction } from '../project/load-function.ts';
import type { Problem } from '../project/problem.ts';
import type { RecordedServers } from '../project/recorded-servers.ts';
import { searchIn } from '../project/source-search.ts';
import { placeOf, toPlace } from '../project/user-code.ts';

/** Loads a function, and says all that is wrong with it and its servers; the schema and the options are its first server's. */
export async function checkFunction(
  source: FunctionSource,
  recorded: RecordedServers,
  directory: string,
  plugins: readonly Plugin[],
): Promise<CheckedServer> {
  const before = recorded.servers.length;
  const problems: Problem[] = [];
  let files: readonly string[] = [source.file];
  try {
    const loaded = await loadFunction(await importEsbuild(), source, [recorded.plugin, ...plugins]);
    files = loaded.files;
    // Throws for a module that exports no function.
    toCallable(source.name, loaded.exports);
  } catch (error) {
    if (error instanceof BundleError) return { problems: error.problems };
    const place = toPlace(placeOf(error)) ?? { file: source.file };
    problems.push({ ...place, message: error instanceof Error ? error.message : String(error) });
  }
  const search = searchIn({ files, directory });
  const checked = await Promise.all(recorded.servers.slice(before).map((server) => checkServer(server, search)));
  return { ...checked[0], problems: [...problems, ...checked.flatMap((one) => one.problems)] };
}
