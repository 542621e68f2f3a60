import { getNullableType, GraphQLError, isListType, Kind, visit } from 'graphql';
import type { ASTVisitor, DirectiveNode, ValidationContext, ValidationRule, ValueNode } from 'graphql';

import { deferDirective, planners, streamDirective, isGraphQL17, isIncrementalDirective } from '../../../../executor/index.ts';
import { assertEntries } from '../../../../shared/index.ts';
import type { Expectation } from '../../../../shared/index.ts';
import { deliverInParts } from '../../../operation/delivery/incremental.ts';
import type { StreamFormat } from './payload-chunks.ts';
import type { PartsDelivery } from '../../../operation/operation.ts';
import { maxNameLength } from '../../../operation/limits/nesting.ts';

/** The value of the option `incrementalDelivery`, from `incrementalDelivery()` of `graphql-functions/incremental`. */
export interface IncrementalDelivery extends PartsDelivery {
  readonly multipart: StreamFormat;
}

const opening = '\r\n---';

/**
 * The boundary is a single dash, as in the incremental delivery RFC of GraphQL over HTTP: no line of JSON text begins with three. Each part
 * ends with the boundary of the next one, because clients use a part only when they see the next boundary.
 */
const multipart: StreamFormat = {
  type: 'multipart/mixed; boundary="-"',
  opening,
  part: (json) => `\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${json}${opening}`,
  closing: '--\r\n',
};

/** How answers are divided into parts. */
export interface IncrementalDeliveryOptions {
  /**
   * The most parts of an answer: fragments with `@defer`, counted for each object, and lists with `@stream`, whatever their items. In an
   * object or a list that would exceed the limit nothing is deferred or streamed: it is complete at once. Each hundred characters of a path
   * count as one more. Default: 1,000
   */
  readonly maxParts?: number;
}

const expectations: Readonly<Record<keyof IncrementalDeliveryOptions, Expectation>> = {
  maxParts: { words: '0 or more', holds: (value) => typeof value === 'number' && value >= 0 },
};

/**
 * The value of the option `incrementalDelivery`: answers `@defer` and `@stream` in several parts.
 *
 * A value to import and not a boolean, because of its size (scripts/size.ts). Other bundles contain none of it.
 *
 * @example
 * ```ts
 * import { incrementalDelivery } from 'graphql-functions/incremental';
 *
 * export default createHandler({ typeDefs, resolvers, incrementalDelivery: incrementalDelivery() });
 * ```
 */
export function incrementalDelivery(options: IncrementalDeliveryOptions = {}): IncrementalDelivery {
  assertEntries('', options, expectations, 'incrementalDelivery');
  const { maxParts = 1_000 } = options;
  return {
    directives: [deferDirective, streamDirective],
    validationRules: incrementalRules,
    partsOf: (format) => ({ planner: planners[format], maxParts }),
    execute: deliverInParts,
    multipart,
  };
}

/** Limits the length of labels, because each part repeats its label: one of 100 KB in a list made an answer of 50 MB. */
const labelLength: ValidationRule = (context) => ({
  Directive(node) {
    const label = labelOf(node);
    if (label?.kind !== Kind.STRING || label.value.length <= maxNameLength) return;
    const length = `at most ${maxNameLength} characters, got one of ${label.value.length}`;
    context.reportError(new GraphQLError(`Expected labels of @${node.name.value} of ${length}.`, { nodes: node }));
  },
});

/** A client tells parts apart by their labels. (graphql 17: DeferStreamDirectiveLabel) */
const uniqueLabels: ValidationRule = (context) => {
  const labels = new Map<string, DirectiveNode>();
  return {
    Directive(node) {
      const label = labelOf(node);
      if (label === undefined || label.kind === Kind.NULL) return;
      if (label.kind !== Kind.STRING) {
        context.reportError(new GraphQLError(`Expected the label of @${node.name.value} to be a string literal.`, { nodes: node }));
        return;
      }
      const other = labels.get(label.value);
      if (other === undefined) labels.set(label.value, node);
      else context.reportError(new GraphQLError(`Expected unique labels, got "${label.value}" twice.`, { nodes: [other, node] }));
    },
  };
};

/** The fields of a mutation run one after another, and an event has one answer. (graphql 17: DeferStreamDirectiveOnRootField) */
const notAtRoots: ValidationRule = (context) => ({
  Directive(node) {
    const [schema, parent] = [context.getSchema(), context.getParentType()];
    if (!parent || !isIncrementalDirective(node.name.value)) return;
    if (parent === schema.getMutationType() || parent === schema.getSubscriptionType())
      report(context, node, `cannot be used on the root fields of ${parent.name}`);
  },
});

/** Not in subscriptions, unless a condition may turn the directives off. (graphql 17: DeferStreamDirectiveOnValidOperations) */
const notInSubscriptions: ValidationRule = (context) => ({
  OperationDefinition(operation) {
    if (operation.operation !== 'subscription') return;
    const visitor: ASTVisitor = {
      enter: (node) => ('directives' in node && node.directives?.some(mayExclude) === true ? false : undefined),
      Directive(node) {
        if (isIncrementalDirective(node.name.value) && !mayBe(false, argumentOf(node, 'if')))
          report(context, node, 'cannot be used in a subscription');
      },
    };
    for (const definition of [operation, ...context.getRecursivelyReferencedFragments(operation)]) visit(definition, visitor);
  },
});

/** Only list fields can be streamed. (graphql 17: StreamDirectiveOnListField) */
const onlyListsAreStreamed: ValidationRule = (context) => ({
  Directive(node) {
    const field = context.getFieldDef();
    if (node.name.value !== 'stream' || !field || isListType(getNullableType(field.type))) return;
    report(context, node, `can only be used on lists, and ${context.getParentType()!.name}.${field.name} is none`);
  },
});

/** Added to the specified rules. Only graphql 17 has the rules about these directives. */
const incrementalRules: readonly ValidationRule[] = isGraphQL17
  ? [labelLength]
  : [labelLength, uniqueLabels, notAtRoots, notInSubscriptions, onlyListsAreStreamed];

function mayExclude(directive: DirectiveNode): boolean {
  const { value: name } = directive.name;
  return (name === 'skip' || name === 'include') && mayBe(name === 'skip', argumentOf(directive, 'if'));
}

/** True if a condition can have this value. */
function mayBe(expected: boolean, value: ValueNode | undefined): boolean {
  return value?.kind === Kind.VARIABLE || (value?.kind === Kind.BOOLEAN && value.value === expected);
}

function labelOf(node: DirectiveNode): ValueNode | undefined {
  return isIncrementalDirective(node.name.value) ? argumentOf(node, 'label') : undefined;
}

function argumentOf({ arguments: given }: DirectiveNode, name: string): ValueNode | undefined {
  return given?.find((argument) => argument.name.value === name)?.value;
}

function report(context: ValidationContext, directive: DirectiveNode, problem: string): void {
  context.reportError(new GraphQLError(`@${directive.name.value} ${problem}.`, { nodes: directive }));
}
