import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ASTNode, DocumentNode, FragmentDefinitionNode, GraphQLInputType, InlineFragmentNode, NamedTypeNode } from 'graphql';

import { isRecord } from '../../../shared/index.ts';
import type { VisibleSchema } from './visible-schema.ts';

/** Gets the message of an error, and the words by which the search finds what may have been meant. */
export type Report = (message: string, node: ASTNode, words?: string) => void;

/** Reports everything in a document that agents may not use, in the same words whether it is hidden or does not exist. */
export function reportUnknown(visible: VisibleSchema, document: DocumentNode, report: Report): void {
  const info = new TypeInfo(visible.schema);
  let queries = 0;
  /** Nothing below what is refused is read. */
  const refuse = (...given: Parameters<Report>): false => {
    report(...given);
    return false;
  };
  const named = (node: NamedTypeNode): false | undefined => {
    const { value } = node.name;
    return visible.hasType(value) ? undefined : refuse(`Unknown type "${value}".`, node, value);
  };
  const condition = ({ typeCondition }: InlineFragmentNode | FragmentDefinitionNode): false | undefined =>
    typeCondition && named(typeCondition);
  const visitor = visitWithTypeInfo(info, {
    OperationDefinition(node) {
      if (node.operation !== 'query') return refuse(`Expected a query, got a ${node.operation}.`, node);
      return ++queries === 1 ? undefined : refuse('Expected one query, got several.', node);
    },
    VariableDefinition({ type }) {
      let inner = type;
      while (inner.kind !== Kind.NAMED_TYPE) inner = inner.type;
      return named(inner);
    },
    InlineFragment: condition,
    FragmentDefinition: condition,
    Directive(node) {
      const { value } = node.name;
      return value === 'skip' || value === 'include' ? undefined : refuse(`Unknown directive "@${value}".`, node);
    },
    Field(node) {
      const type = info.getParentType();
      const { value } = node.name;
      if (!type) return false;
      const message = `Cannot query field "${value}" on type "${type.name}".`;
      return visible.hasField(type, value) ? undefined : refuse(message, node, `${value} ${type.name}`);
    },
    Argument(node) {
      if (info.getDirective() || visible.has(info.getArgument() ?? undefined)) return undefined;
      const place = `${info.getParentType()!.name}.${info.getFieldDef()!.name}`;
      return refuse(`Unknown argument "${node.name.value}" on field "${place}".`, node);
    },
    ObjectField(node) {
      const type = getNamedType(info.getParentInputType());
      const { value } = node.name;
      if (!isInputObjectType(type) || visible.has(type.getFields()[value])) return undefined;
      return refuse(notDefined(value, type.name), node);
    },
    EnumValue(node) {
      const type = getNamedType(info.getInputType());
      if (isEnumType(type) && !visible.has(type.getValue(node.value) ?? undefined)) report(notInEnum(node.value, type.name), node);
    },
  });
  visit(document, visitor);
}

/** Reports everything in the variables of a query that agents may not use. The document has no unknown types. */
export function reportUnknownVariables(
  visible: VisibleSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  for (const definition of document.definitions)
    for (const { variable, type } of ('variableDefinitions' in definition && definition.variableDefinitions) || []) {
      const read = (of: GraphQLInputType | undefined, value: unknown): void => {
        if (value === undefined || value === null) return;
        if (isNonNullType(of)) read(of.ofType as GraphQLInputType, value);
        else if (isListType(of)) for (const item of Array.isArray(value) ? value : [value]) read(of.ofType as GraphQLInputType, item);
        else if (isEnumType(of)) {
          const isKnown = typeof value === 'string' && visible.has(of.getValue(value) ?? undefined);
          if (!isKnown) report(notInEnum(value, of.name), variable);
        } else if (isInputObjectType(of) && isRecord(value))
          for (const [name, part] of Object.entries(value)) {
            const field = Object.hasOwn(of.getFields(), name) ? of.getFields()[name] : undefined;
            if (visible.has(field)) read(field!.type, part);
            else report(notDefined(name, of.name), variable);
          }
      };
      read(typeFromAST(visible.schema, type as NamedTypeNode) as GraphQLInputType | undefined, variables[variable.name.value]);
    }
}

function notDefined(field: string, type: string): string {
  return `Field "${field}" is not defined by type "${type}".`;
}

function notInEnum(value: unknown, type: string): string {
  return `Value ${JSON.stringify(value)} does not exist in "${type}" enum.`;
}
