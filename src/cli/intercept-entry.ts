import type { Plugin } from 'esbuild';

/** Which of our entries have a createHandler that functions import. */
const entries = /^graphql-functions(?:\/(?:aws-lambda|netlify|fetch))?$/;

/** The names under which an entry makes handlers. */
export function makersOf(entry: string): readonly string[] {
  return entry.endsWith('/aws-lambda') ? ['createHandler', 'createStreamingHandler'] : ['createHandler'];
}

/**
 * Puts a module of ours between a function and the entry that it imports. By the bundler, and not by a hook in the
 * library: that would be in every production bundle. The module may import the entry itself.
 */
export function interceptEntry(name: string, contentsFor: (entry: string) => string): Plugin {
  const namespace = `graphql-functions-${name}`;
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
