import { relative } from 'node:path';

import type { GraphQLSchema } from 'graphql';

import { someSettings } from '../project/deployment-settings.ts';
import type { FunctionSource } from '../project/functions-folder.ts';
import { toPlace } from '../project/user-code.ts';

/** A file that a function reads while it loads, relative to the project, and the "file:line:column" of the call. */
interface MissingFile {
  readonly missing: string;
  readonly place: string | undefined;
}

/** Advice for a function that reads a file of the project, which a bundle does not contain. */
export function missingFileNotice({ missing, place }: MissingFile, source: FunctionSource, directory: string): string {
  const { file, line } = toPlace(place) ?? { file: source.file };
  return (
    `${relative(directory, file)}${line === undefined ? '' : `:${line}`} reads ${missing} while the function loads. A bundle does not contain ` +
    'this file: import it instead, or deploy it with the bundle (docs/deploy.md).'
  );
}

/**
 * Advice for a schema that is built in code and names types after classes: minifiers shorten the names of classes. Empty if the deployed
 * schema has the same types, or if the project keeps names.
 */
export async function renamedTypesNotice(schema: GraphQLSchema, deployed: readonly string[], directory: string): Promise<string[]> {
  const names = Object.keys(schema.getTypeMap());
  const lost = names.filter((name) => !deployed.includes(name));
  const made = deployed.filter((name) => !names.includes(name));
  if (lost.length === 0 || made.length === 0 || (await someSettings(directory, keepsNames))) return [];
  return [
    `The schema names types after classes, which bundlers rename when they minify: the deployed schema has ${made.slice(0, 3).join(', ')} ` +
      `instead of ${lost.slice(0, 3).join(', ')}. Add --keep-names to the command of esbuild (docs/deploy.md).`,
  ];
}

/** Wrangler keeps names by default. */
function keepsNames(name: string, text: string): boolean {
  return name.startsWith('wrangler.') || /\bkeep[-_]?names\b/i.test(text);
}
