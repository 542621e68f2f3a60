/**
 * The options with which esbuild bundles functions for Lambda, Netlify and Node: those of the commands in every template, page and
 * configuration. Bundles that differ would work for some readers and fail for others.
 */
export const functionBundle = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // CommonJS packages call `require` for modules of Node, which ES modules do not have.
  banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
} as const;
