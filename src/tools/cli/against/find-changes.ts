import { findBreakingChanges, findDangerousChanges } from 'graphql';
import type { BreakingChange, DangerousChange, DocumentNode, GraphQLSchema } from 'graphql';

import { usedSchema } from './used-schema.ts';

/** An operation that clients send. */
export interface KnownOperation {
  /** How output names it: "Shelf (queries/shelf.graphql)". */
  readonly label: string;
  /** The operation with its fragments. */
  readonly document: DocumentNode;
}

/** A difference between two schemas that clients may notice. */
export interface Change {
  /** graphql-js's type of the change: FIELD_REMOVED. */
  readonly type: string;
  readonly message: string;
  /** `unused`: breaking by graphql-js's rules, but no known operation uses what has changed. */
  readonly level: 'breaking' | 'dangerous' | 'unused';
  /** The known operations that use what has changed. */
  readonly operations: readonly string[];
}

/**
 * The breaking and dangerous changes from an earlier schema to the current one, by graphql-js's rules. If any operations are known,
 * a change that none of them uses does not break clients.
 */
export function findChanges(earlier: GraphQLSchema, current: GraphQLSchema, known: readonly KnownOperation[]): Change[] {
  // In graphql 17, both are forms of findSchemaChanges, which graphql 16 does not have.
  const breaking = findBreakingChanges(earlier, current);
  const dangerous = findDangerousChanges(earlier, current);
  if (breaking.length + dangerous.length === 0) return [];
  const users = usersOfChanges(earlier, current, known);
  const operationsOf = (change: SchemaChange): readonly string[] => users.get(keyOf(change)) ?? [];
  return [
    ...breaking.map((change) => {
      const operations = operationsOf(change);
      return toChange(change, known.length === 0 || operations.length > 0 ? 'breaking' : 'unused', operations);
    }),
    ...dangerous.map((change) => toChange(change, 'dangerous', operationsOf(change))),
  ];
}

type SchemaChange = BreakingChange | DangerousChange;

function toChange({ type, description }: SchemaChange, level: Change['level'], operations: readonly string[]): Change {
  return { type, message: description, level, operations };
}

/**
 * The operations that use each change. The part of the earlier schema that an operation uses is compared with the current schema:
 * the changes found there are the ones that concern it. What the operation does not use appears as added, so only changes of the
 * whole schema count.
 */
function usersOfChanges(earlier: GraphQLSchema, current: GraphQLSchema, known: readonly KnownOperation[]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { label, document } of known) {
    const used = usedSchema(earlier, document);
    for (const change of [...findBreakingChanges(used, current), ...findDangerousChanges(used, current)]) {
      const labels = users.get(keyOf(change)) ?? [];
      users.set(keyOf(change), [...labels, label]);
    }
  }
  return users;
}

function keyOf({ type, description }: SchemaChange): string {
  return `${type} ${description}`;
}
