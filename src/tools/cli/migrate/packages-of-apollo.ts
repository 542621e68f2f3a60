import type { Manifests } from './manifests.ts';
import { nodesIn } from './references.ts';
import type { Rewritten, Edit } from './rewrite.ts';
import { applyEdits } from './rewrite.ts';
import type { SourceFile } from './source-files.ts';
import { isBelow } from './versions.ts';

// Packages that Apollo's servers installed, or whose versions for graphql 16 have another interface.

/** The package that the options `mocks` and `mockEntireSchema` need, if the file sets one. */
export function modulesOfMocks({ program }: SourceFile): string[] {
  const isSet = nodesIn(program, 'Property').some(
    ({ computed, key, value }) => !computed && /^mocks$|^mockEntireSchema$/.test(key.name) && value.value !== false,
  );
  return isSet ? ['@graphql-tools/mock'] : [];
}

const responseCache = 'apollo-server-plugin-response-cache';

/** True when a file's project has a version whose module is the plugin itself. */
export function hasOldResponseCache(manifests: Manifests, file: string): boolean {
  return isBelow(manifests.rangeOf(responseCache, file), { major: 3, minor: 0 });
}

/** Writes `require('…').default`, where later versions export the plugin. */
export function requireDefaultOfResponseCache({ text, program }: SourceFile): Rewritten {
  const calls = nodesIn(program, 'CallExpression').filter(
    ({ callee, arguments: args }) => callee.name === 'require' && args[0]?.value === responseCache,
  );
  const read = new Set(
    nodesIn(program, 'MemberExpression')
      .filter(({ property }) => property.name === 'default')
      .map(({ object }) => object),
  );
  const destructured = new Set(
    nodesIn(program, 'VariableDeclarator')
      .filter(({ id }) => id.type === 'ObjectPattern')
      .map(({ init }) => init),
  );
  const edits: Edit[] = calls
    .filter((call) => !read.has(call) && !destructured.has(call))
    .map(({ end }) => ({ start: end, end, text: '.default' }));
  return { text: applyEdits(text, edits), findings: [], modules: [] };
}
