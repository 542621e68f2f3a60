import { requireOwn } from './own-package.ts';

/** `checkWhole` of check-schema.ts; its type is written here again, for an import would put the file into bundles. */
export type CheckWhole = (texts: readonly string[], resolvers: Readonly<Record<string, object>>) => void;

/**
 * Finds the checker of whole schemas, or says why it cannot. It is a development tool and adds nothing to a production
 * bundle. Next to a bundle it has a graphql of its own, which is why it takes text and resolvers, and returns nothing.
 */
export function findCheck(): CheckWhole | { readonly missing: string } {
  try {
    return (requireOwn('schema-check') as { checkWhole: CheckWhole }).checkWhole;
  } catch (error) {
    return { missing: String(error instanceof Error ? error.message.split('\n')[0] : error) };
  }
}
