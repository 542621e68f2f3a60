import { Kind } from 'graphql';
import type { BooleanValueNode, DirectiveNode, GraphQLSchema, OperationDefinitionNode, ValueNode } from 'graphql';

import { fragmentsOf } from '../../server/for-extensions.ts';
import { FieldHints } from './cache-hints/field-policy.ts';
import { newCachePolicy } from './cache-hints/policy.ts';
import type { CachePolicy } from './cache-hints/policy.ts';
import type { KnownDocument } from './documents.ts';
import { selectionOf } from './selection.ts';
import type { AnswerSelection } from './selection.ts';

/** The hints of an operation that are known before it runs. */
export interface OperationHints {
  readonly selection: AnswerSelection;
  /** The strictest of all hints of the schema that the operation may meet. */
  readonly policy: Readonly<Pick<CachePolicy, 'maxAge' | 'scope'>>;
}

/** The parts of an operation that its hints depend on. */
export interface HintedOperation {
  readonly known: Pick<KnownDocument, 'schema' | 'document'>;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/** Computes the hints of operations, once for each operation and each outcome of its `@skip` and `@include`. */
export class StaticHints {
  readonly fields: FieldHints;
  readonly #known = new WeakMap<OperationDefinitionNode, Map<string, OperationHints | undefined>>();

  constructor(defaultMaxAge: number) {
    this.fields = new FieldHints(defaultMaxAge);
  }

  /** Undefined: the schema has no root type for the operation. */
  of({ known, operation, variables }: HintedOperation): OperationHints | undefined {
    let outcomes = this.#known.get(operation);
    if (outcomes === undefined) this.#known.set(operation, (outcomes = new Map<string, OperationHints | undefined>()));
    const hasVariables = operation.variableDefinitions !== undefined && operation.variableDefinitions.length > 0;
    const conditions = hasVariables ? conditionsOf(operation, variables) : noConditions;
    const key = hasVariables ? keyOf(conditions) : '';
    if (outcomes.has(key)) return outcomes.get(key);
    const isIncluded = (directives: readonly DirectiveNode[] | undefined): boolean => included(directives, conditions);
    const select = (): AnswerSelection | undefined =>
      selectionOf({ schema: known.schema, fragments: fragmentsOf(known.document), isIncluded }, operation);
    const selection = select();
    // The policy uses a second selection, which is then dropped: it needs every possible type, and answers have few of them.
    const hints = selection && { selection, policy: this.#policyOf(known.schema, select()!) };
    if (outcomes.size < maxOutcomes) outcomes.set(key, hints);
    return hints;
  }

  #policyOf(schema: GraphQLSchema, root: AnswerSelection): CachePolicy {
    const overall = newCachePolicy();
    const visit = (selection: AnswerSelection, isRoot: boolean): void => {
      for (const type of selection.types)
        for (const { parent, field, below } of selection.fieldsFor(type)) {
          // The answer is private if the operation is too large to search.
          if (selection.isTooLarge) overall.restrict({ maxAge: 0 });
          // Fields of introspection have no hints.
          if (field.name.startsWith('__')) continue;
          this.fields.restrict(overall, this.fields.of({ schema, parent, field, isRoot }));
          // The policy cannot become stricter.
          if (overall.maxAge !== undefined && overall.maxAge <= 0) return;
          if (below !== undefined) visit(below, false);
        }
    };
    visit(root, true);
    return overall;
  }
}

/** The number of condition outcomes that are kept for one operation. */
const maxOutcomes = 16;

const noConditions: ReadonlyMap<string, boolean> = new Map();

/** The names of the conditions that are true. */
function keyOf(conditions: ReadonlyMap<string, boolean>): string {
  let key = '';
  for (const [name, value] of conditions) if (value) key += `${name},`;
  return key;
}

/** The variables of type Boolean with their defaults. Only these can determine a condition. */
function conditionsOf(
  { variableDefinitions = [] }: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> | undefined,
): ReadonlyMap<string, boolean> {
  const conditions = new Map<string, boolean>();
  for (const { variable, type, defaultValue } of variableDefinitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    if (named.kind !== Kind.NAMED_TYPE || named.name.value !== 'Boolean') continue;
    const name = variable.name.value;
    const given = variables !== undefined && Object.hasOwn(variables, name) ? variables[name] : undefined;
    conditions.set(name, given === undefined ? isTrue(defaultValue) : given === true);
  }
  return conditions;
}

function isTrue(value: ValueNode | undefined): boolean {
  return value?.kind === Kind.BOOLEAN && value.value;
}

function included(directives: readonly DirectiveNode[] = [], conditions: ReadonlyMap<string, boolean>): boolean {
  return directives.every(({ name, arguments: given = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return true;
    const value = given.find((argument) => argument.name.value === 'if')?.value;
    const holds = value?.kind === Kind.VARIABLE ? conditions.get(value.name.value) : (value as BooleanValueNode | undefined)?.value;
    return holds === undefined || holds === (name.value === 'include');
  });
}
