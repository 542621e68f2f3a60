import type { BuildOptions } from 'esbuild';

/**
 * The options with which esbuild bundles functions for Lambda, Netlify and Node: those of `dev` and `check`, and of the
 * commands in every template, page and configuration, which test/docs/bundle-options.test.ts compares with them. Bundles that differ
 * would work on the developer's machine and fail in the deployment.
 */
export const functionBundle: FunctionBundle = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // CommonJS packages call `require` for modules of Node, which ES modules do not have.
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
};

interface FunctionBundle extends Pick<BuildOptions, 'bundle' | 'platform'> {
  readonly format: 'esm';
  readonly target: string;
  readonly banner: { readonly js: string };
}

/** Loaders for schema files. The bundler of a deployment needs the same loaders (docs/codegen.md). */
export const schemaLoaders: NonNullable<BuildOptions['loader']> = { '.graphql': 'text', '.graphqls': 'text', '.gql': 'text' };
