import type { Plugin } from 'esbuild';

/** Which of our entries have a createHandler that functions import. */
const entries = /^graphql-functions(?:\/(?:aws-lambda|netlify|fetch))?$/;

/** The module that stands between a function and an entry. The entry itself is `real` in it. */
export interface Interception {
  readonly name: string;
  /** Source text: what the functions below need beside the entry. */
  readonly imports: string;
  /** Source text: the body of the function that stands in for a maker of handlers, given its `options`. */
  readonly make: (maker: string) => string;
}

/**
 * Puts a module of ours between a function and the entry that it imports. By the bundler, and not by a hook in the
 * library: that would be in every production bundle. The module may import the entry itself.
 */
export function interceptEntry({ name, imports, make }: Interception): Plugin {
  const namespace = `graphql-functions-${name}`;
  const contentsFor = (entry: string): string => `import * as real from '${entry}';
    ${imports}
    export * from '${entry}';
    ${makersOf(entry)
      .map((maker) => `export function ${maker}(options) { ${make(maker)} }`)
      .join('\n')}`;
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: entries }, ({ path, namespace: from, resolveDir }) =>
        from === namespace ? undefined : { path, namespace, pluginData: resolveDir },
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
        resolveDir: pluginData as string,
        contents: contentsFor(path),
      }));
    },
  };
}

/** The names under which an entry makes handlers. */
function makersOf(entry: string): readonly string[] {
  return entry.endsWith('/aws-lambda') ? ['createHandler', 'createStreamingHandler'] : ['createHandler'];
}
