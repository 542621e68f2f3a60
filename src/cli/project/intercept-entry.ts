import type { Plugin } from 'esbuild';

/** The entries of this package that have a createHandler for functions. */
const entries = /^graphql-functions(?:\/(?:aws-lambda|netlify|fetch))?$/;

/** The module that replaces an entry for a function. In it, the entry itself is called `real`. */
export interface Interception {
  readonly name: string;
  /** Source text: the imports of the functions below, beside the entry. */
  readonly imports: string;
  /**
   * Source text: the body of the function that replaces `createHandler` or its like. It gets the `options`, and `assertAlone()`,
   * which throws when it was called with a second argument.
   */
  readonly make: (maker: string) => string;
}

/**
 * Puts a module of ours between a function and the entry that it imports. The bundler does that, because a hook in the library
 * would be in every production bundle. The module may import the entry itself.
 */
export function interceptEntry({ name, imports, make }: Interception): Plugin {
  const namespace = `graphql-functions-${name}`;
  const contentsFor = (entry: string): string => `import * as real from '${entry}';
    ${imports}
    export * from '${entry}';
    ${makersOf(entry)
      .map(
        (maker) =>
          `export function ${maker}(options, second) { const assertAlone = () => assertNoSecond('${maker}', second); ${make(maker)} }`,
      )
      .join('\n')}
    ${assertNoSecond}`;
  return replaceEntries({ namespace, filter: entries, contentsFor });
}

/** Entries that a function imports, and the source text of the modules that stand in for them. */
interface Replacement {
  readonly namespace: string;
  readonly filter: RegExp;
  readonly contentsFor: (entry: string) => string;
}

/** Puts a module in the place of each entry. What the module imports itself is the entry. */
export function replaceEntries({ namespace, filter, contentsFor }: Replacement): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter }, ({ path, namespace: from, resolveDir }) =>
        from === namespace ? undefined : { path, namespace, pluginData: resolveDir },
      );
      build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
        resolveDir: pluginData as string,
        contents: contentsFor(path),
      }));
    },
  };
}

/** JavaScript passes on what nobody reads: the options of a second argument would be without effect, and nothing would say so. */
const assertNoSecond = `function assertNoSecond(maker, second) {
      if (typeof second !== 'object' || second === null) return;
      const names = Object.keys(second).join(', ');
      throw new TypeError('Expected ' + maker + ' to get one object with all options, got a second one' +
        (names === '' ? '' : ' (' + names + ')') + '. Write its entries into the first.');
    }`;

/** The names of the functions of an entry that make handlers. */
function makersOf(entry: string): readonly string[] {
  return entry.endsWith('/aws-lambda') ? ['createHandler', 'createStreamingHandler'] : ['createHandler'];
}
