import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { ASTNode, DocumentNode, GraphQLInputType, NamedTypeNode } from 'graphql';

import { isRecord } from '../../../shared/index.ts';
import type { VisibleSchema } from './visible-schema.ts';

/** A part of a query that agents may not use, with the words by which the search finds what may have been meant. */
export interface Unknown {
  readonly message: string;
  readonly node: ASTNode;
  readonly words?: string | undefined;
}

/** Reports what agents may not use. False: nothing below is read. */
type Refuse = (message: string, node: ASTNode, words?: string) => false;

/** Finds everything in a query that agents may not use, in the same words whether it is hidden or does not exist. */
export function findUnknown(
  visible: VisibleSchema,
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
): readonly Unknown[] {
  const unknown: Unknown[] = [];
  const refuse: Refuse = (message, node, words) => {
    unknown.push({ message, node, words });
    return false;
  };
  readDocument(visible, document, refuse);
  // Types that are not known have no values.
  if (unknown.length > 0) return unknown;
  for (const definition of document.definitions)
    for (const { variable, type } of (definition.kind === Kind.OPERATION_DEFINITION && definition.variableDefinitions) || []) {
      const given = typeFromAST(visible.schema, type as NamedTypeNode) as GraphQLInputType | undefined;
      readValue(visible, given, variables[variable.name.value], (message) => refuse(message, variable));
    }
  return unknown;
}

function readDocument(visible: VisibleSchema, document: DocumentNode, refuse: Refuse): void {
  const info = new TypeInfo(visible.schema);
  let queries = 0;
  const visitor = visitWithTypeInfo(info, {
    OperationDefinition(node) {
      if (node.operation !== 'query') return refuse(`Expected a query, got a ${node.operation}.`, node);
      return ++queries === 1 ? undefined : refuse('Expected one query, got several.', node);
    },
    NamedType(node) {
      const { value } = node.name;
      return visible.hasType(value) ? undefined : refuse(`Unknown type "${value}".`, node, value);
    },
    Directive(node) {
      const { value } = node.name;
      return value === 'skip' || value === 'include' ? undefined : refuse(`Unknown directive "@${value}".`, node);
    },
    Field(node) {
      const type = info.getParentType();
      const { value } = node.name;
      if (!type || !visible.hasType(type.name)) return false;
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
      if (isEnumType(type) && !visible.has(type.getValue(node.value) ?? undefined)) refuse(notInEnum(node.value, type.name), node);
    },
  });
  visit(document, visitor);
}

function readValue(visible: VisibleSchema, given: GraphQLInputType | undefined, value: unknown, refuse: (message: string) => void): void {
  const type = getNullableType(given);
  const read = (of: unknown, part: unknown): void => readValue(visible, of as GraphQLInputType, part, refuse);
  if (value === undefined || value === null) return;
  if (isListType(type)) for (const item of Array.isArray(value) ? value : [value]) read(type.ofType, item);
  else if (isEnumType(type)) {
    const isKnown = typeof value === 'string' && visible.has(type.getValue(value) ?? undefined);
    if (!isKnown) refuse(notInEnum(value, type.name));
  } else if (isInputObjectType(type) && isRecord(value))
    for (const [name, part] of Object.entries(value)) {
      const field = Object.hasOwn(type.getFields(), name) ? type.getFields()[name] : undefined;
      if (visible.has(field)) read(field!.type, part);
      else refuse(notDefined(name, type.name));
    }
}

function notDefined(field: string, type: string): string {
  return `Field "${field}" is not defined by type "${type}".`;
}

function notInEnum(value: unknown, type: string): string {
  return `Value ${JSON.stringify(value)} does not exist in "${type}" enum.`;
}
