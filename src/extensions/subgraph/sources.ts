import { parse } from 'graphql';
import type { ASTNode, DefinitionNode, DocumentNode, ScalarTypeDefinitionNode } from 'graphql';

import { definitionsIn, definitionsOf, describeIn, isParsed } from '../../executor/schema/index.ts';
import type { FoundDefinition } from '../../executor/schema/index.ts';

/** A definition or extension in the author's typeDefs. */
export interface Definition {
  readonly found: FoundDefinition;
  readonly source: string | DocumentNode;
  /** The name of the source in messages: `typeDefs`, or `typeDefs[1]`. */
  readonly sourceName: string;
}

/** All definitions, found without parsing where that is possible. */
export function findDefinitions(sources: readonly (string | DocumentNode)[]): Definition[] {
  const count = sources.length;
  return sources.flatMap((source, number) => {
    const found = typeof source === 'string' ? definitionsIn(source, { number, count, offset: 0 }) : definitionsOf(source);
    const sourceName = count > 1 ? `typeDefs[${number}]` : 'typeDefs';
    return found.map((one) => ({ found: one, source, sourceName }));
  });
}

/** Parses one definition. */
export function nodeOf({ found, source }: Definition): DefinitionNode {
  return isParsed(found.at) ? found.at : parse((source as string).slice(...found.at)).definitions[0]!;
}

/** True if the definition itself has the directive; its fields do not count. */
export function hasDirective({ found }: Definition, name: string): boolean {
  if (!found.directives.includes(name)) return false;
  const [{ directives = [] }] = parse(`scalar A ${found.directives}`).definitions as readonly [ScalarTypeDefinitionNode];
  return directives.some((directive) => directive.name.value === name);
}

/** An Error about a node of a definition that was parsed alone. Names its line. */
export function errorAt({ found, source, sourceName }: Definition, node: ASTNode, message: string): Error {
  if (node.loc === undefined || typeof source !== 'string') return new Error(message);
  const start = isParsed(found.at) ? 0 : found.at[0];
  return new Error(`${message}\n\n${describeIn(source, start + node.loc.start, sourceName)}`);
}
