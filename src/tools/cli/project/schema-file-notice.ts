import { relative } from 'node:path';

import { someSettings } from './deployment-settings.ts';
import type { BundledFile } from './no-function.ts';

/** A loader of esbuild, or this package's `build`, which has one. Scripts may mention schema files for other reasons. */
const loader = /\.(?:graphqls?|gql)['"]?\s*[=:]\s*['"]?text|graphql-tag\/loader|plugin-graphql|graphql-functions build/;
const anyMention = /\.[^\w/]{0,3}(?:graphqls?|gql)\b/;

/**
 * Advice for functions that import schema files. `dev` and `check` load them as text; a deployment's bundler needs a loader, or it
 * fails or keeps an import that Node cannot load. Undefined when no function imports one, or the project configures a loader.
 */
export async function schemaFileNotice(bundled: readonly BundledFile[], directory: string): Promise<string | undefined> {
  for (const { source, files } of bundled) {
    const file = files.find((name) => /\.(?:graphqls?|gql)$/.test(name));
    if (file === undefined) continue;
    if (await namesLoader(directory)) return undefined;
    const extension = file.slice(file.lastIndexOf('.'));
    return (
      `${relative(directory, source.file)} imports ${relative(directory, file)} as text. dev and check need no settings for this, but ` +
      `your deployment's bundler needs a loader: --loader:${extension}=text for esbuild, Loader: [${extension}=text] for SAM (docs/codegen.md).`
    );
  }
  return undefined;
}

function namesLoader(directory: string): Promise<boolean> {
  return someSettings(directory, (name, text) => (name === 'package.json' || name === 'netlify.toml' ? loader : anyMention).test(text));
}
