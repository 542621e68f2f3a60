import type { Plugin } from 'esbuild';

/** The entries of this package that export createHandler. */
const entries = /^graphql-functions(?:\/(?:aws-lambda|netlify|fetch))?$/;

/** The module that replaces an entry. The entry itself is imported there as `real`. */
export interface Interception {
  readonly name: string;
  /** Source text: additional imports of the module. */
  readonly imports: string;
  /**
   * Source text: the body of the function that replaces `createHandler` or `createStreamingHandler`. It can use `options`, and
   * `assertAlone()`, which throws if there was a second argument.
   */
  readonly make: (maker: string) => string;
}

/**
 * Inserts a module between a function and the entry that it imports. The bundler does this, because a hook in the library would
 * be in every production bundle.
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

/** Entries and the source text of the modules that replace them. */
interface Replacement {
  readonly namespace: string;
  readonly filter: RegExp;
  readonly contentsFor: (entry: string) => string;
}

/** Replaces each entry with a module. Imports inside the module resolve to the real entry. */
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

/** Without this check, JavaScript would silently ignore options in a second argument. */
const assertNoSecond = `function assertNoSecond(maker, second) {
      if (typeof second !== 'object' || second === null) return;
      const names = Object.keys(second).join(', ');
      throw new TypeError('Expected ' + maker + ' to receive one object with all options, got a second one' +
        (names === '' ? '' : ' (' + names + ')') + '. Move its entries into the first.');
    }`;

/** The functions of an entry that create handlers. */
function makersOf(entry: string): readonly string[] {
  return entry.endsWith('/aws-lambda') ? ['createHandler', 'createStreamingHandler'] : ['createHandler'];
}
