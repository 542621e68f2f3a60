import { resolve } from 'node:path';

import type { Plugin } from 'esbuild';

/** Replaces the generated module of a documents folder, so that a function can be loaded before its documents are written. */
export function documentsStub(folder: string, directory: string): Plugin {
  const generated = resolve(directory, folder, 'index.ts');
  return {
    name: 'graphql-functions-documents',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const file = resolve(resolveDir, path);
        return file === generated || resolve(file, 'index.ts') === generated || `${file}.ts` === generated
          ? { path: generated, namespace: 'documents' }
          : undefined;
      });
      build.onLoad({ filter: /.*/, namespace: 'documents' }, () => ({ contents: 'export const documents = [];', loader: 'ts' }));
    },
  };
}
