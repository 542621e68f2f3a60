import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import { counted } from '../../../shared/index.ts';
import type { BuildArtifact } from '../../../executor/schema/index.ts';
import type { BuildArguments } from '../arguments.ts';
import { artifactPlugin, readArtifact } from '../project/artifact-plugin.ts';
import { buildFileOf, makeBuild, readBuildDocuments } from '../project/build-sources.ts';
import { checkGraphQLFunction } from '../check/check-function.ts';
import { writeCodeCache } from './code-cache.ts';
import type { CodeCacheSettings } from './code-cache.ts';
import { DevError } from '../project/problem.ts';
import { findFunction } from '../project/functions-folder.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { checkFiles } from '../project/documents/known-documents.ts';
import { printProblems } from '../project/print-problems.ts';
import type { Problem } from '../project/problem.ts';
import { progress } from '../project/progress.ts';
import type { Terminal } from '../project/paint.ts';

/**
 * Checks a function, its schema and operations like `check`, and writes a build that saves cold starts this work. Returns
 * the exit code: with a problem it is 1 and nothing is written.
 */
export async function runBuild(settings: BuildArguments, directory: string, terminal: Terminal): Promise<number> {
  const source = await findFunction(directory, settings.functions, settings.function);
  const file = resolve(directory, settings.out ?? join(dirname(source.file), `${source.name}.build.json`));
  terminal.error(`Checking ${relative(directory, source.file)} …`);
  const outcome = await build(await withLastSettings(settings, file), { source, file }, directory);
  if (outcome.kind === 'problems') {
    printProblems(outcome.problems, directory, terminal);
    terminal.error(`\n${counted(outcome.problems.length, 'problem')}. Nothing was written.`);
    return 1;
  }
  const { artifact, isUsed } = outcome;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(artifact, undefined, 1)}\n`);
  terminal.log(summary(artifact, relative(directory, file)));
  if (!isUsed) terminal.log(instructions(source, file, artifact));
  if (settings.codeCache !== undefined)
    await buildCodeCache(
      { file: source.file, folder: settings.codeCache, flags: settings.nodeFlags, external: settings.external },
      directory,
      terminal,
    );
  return 0;
}

async function buildCodeCache(settings: CodeCacheSettings, directory: string, terminal: Terminal): Promise<void> {
  const { folder, flags } = settings;
  const packages = await writeCodeCache({ ...settings, folder: resolve(directory, folder) });
  terminal.log(
    `Wrote ${folder}: deploy it unchanged, with \`Handler: index.handler\` on Lambda. Its code cache works only with Node.js ${process.versions.node}.`,
  );
  if (packages.length > 0)
    terminal.log(
      `It contains packages that cannot be bundled: ${packages.map(({ name }) => name).join(', ')}. Native code in them is for ` +
        `${process.platform} on ${process.arch}: build on a system like that of the function.`,
    );
  if (process.versions.node.startsWith('22.') && flags.join() === '--expose-gc')
    terminal.log(
      "On Node.js 22 the heap sizes must match as well. On Lambda: --node-flags='--expose-gc --max-semi-space-size=… --max-old-space-size=…'.",
    );
}

/** Settings that are not given default to those of the last build. */
async function withLastSettings(settings: BuildArguments, file: string): Promise<BuildArguments> {
  const last = (await readArtifact(file))?.from;
  if (last === undefined) return settings;
  return {
    ...settings,
    schema: settings.schema.length > 0 ? settings.schema : last.schema,
    documents: settings.documents.length > 0 ? settings.documents : last.documents,
    descriptions: settings.descriptions || last.descriptions,
  };
}

type Outcome =
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }
  | { readonly kind: 'built'; readonly artifact: BuildArtifact; readonly isUsed: boolean };

async function build(
  settings: BuildArguments,
  { source, file }: { readonly source: FunctionSource; readonly file: string },
  directory: string,
): Promise<Outcome> {
  const { plugin } = artifactPlugin(directory, { file, schema: settings.schema });
  const { problems, schema, options } = await checkGraphQLFunction(source, directory, { plugins: [plugin], external: settings.external });
  if (problems.length > 0 || schema === undefined) return { kind: 'problems', problems };
  if (options?.schema !== undefined)
    throw new DevError(`${relative(directory, source.file)} passes a schema built in code, so there is nothing to build.`);
  const documents = await readBuildDocuments(settings.documents, directory);
  const wrong = checkFiles(schema, documents);
  if (wrong.length > 0) return { kind: 'problems', problems: wrong };
  const from = {
    schema: settings.schema,
    documents: settings.documents,
    // The supergraph of a subgraph has its descriptions.
    descriptions: settings.descriptions || options?.introspection === true || isSubgraph(schema),
  };
  progress.begin(relative(directory, file), 1);
  progress.step('indexing the definitions');
  const artifact = await makeBuild({ from, typeDefs: options?.typeDefs, schema, directory });
  progress.end();
  return { kind: 'built', artifact, isUsed: buildFileOf(options) === file };
}

/** True if `subgraph()` made the options of the function. */
function isSubgraph(schema: GraphQLSchema): boolean {
  return schema.getType('_Service') !== undefined;
}

function summary({ text, documents, from }: BuildArtifact, file: string): string {
  const described = from.descriptions ? '' : ', without descriptions (--descriptions keeps them)';
  return `Wrote ${file}: ${Math.ceil(text.length / 1000)} KB of schema${described}, ${counted(documents.length, 'document')}.`;
}

/** The code that the user must add: with `import`, or with `require` in a file without imports and exports. */
function instructions(source: FunctionSource, file: string, { from }: BuildArtifact): string {
  const path = relative(dirname(source.file), file).replaceAll('\\', '/');
  const artifact = `'${path.startsWith('.') ? path : `./${path}`}'`;
  const isModule = /\.m[jt]s$/.test(source.file) || /^\s*(?:import|export)\b/m.test(readFileSync(source.file, 'utf8'));
  const lines = isModule
    ? ["  import { readBuild } from 'graphql-functions/build';", `  import artifact from ${artifact} with { type: 'json' };`]
    : ["  const { readBuild } = require('graphql-functions/build');", `  const artifact = require(${artifact});`];
  return [
    `\n${basename(source.file)} does not use the build yet. Add:\n`,
    ...lines,
    `\n  createHandler({ build: readBuild(artifact), … })${from.schema.length > 0 ? ' instead of typeDefs' : ''}`,
  ].join('\n');
}
