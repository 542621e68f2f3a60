import { print, type DocumentNode } from 'graphql';

/** The schema in the schema definition language: text, a parsed document, or a list of these. */
export type TypeDefs = string | DocumentNode | readonly TypeDefs[];

/** Every text in `typeDefs`, in order. Throws an error that says what to write when it is something else. */
export function textsOf(typeDefs: unknown): string[] {
  if (Array.isArray(typeDefs)) return typeDefs.flatMap(textsOf);
  if (isDocument(typeDefs)) return [print(typeDefs)];
  return [assertText(typeDefs)];
}

function isDocument(value: unknown): value is DocumentNode {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Document';
}

function assertText(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`typeDefs must be text, got ${typeof value}.`);
  return value;
}
