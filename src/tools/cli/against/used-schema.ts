import {
  buildASTSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  parse,
  printSchema,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { DefinitionNode, DocumentNode, GraphQLSchema, GraphQLType, NameNode, TypeNode } from 'graphql';

/**
 * The part of a schema that an operation uses: the types it names or receives, the fields and arguments it selects, and the values
 * it sends. With a variable, a client may send every field and value of the variable's type.
 */
export function usedSchema(schema: GraphQLSchema, operation: DocumentNode): GraphQLSchema {
  const used = usedCoordinates(schema, operation);
  const definitions = parse(printSchema(schema), { noLocation: true }).definitions.flatMap((definition) => usedPart(definition, used));
  return buildASTSchema({ kind: Kind.DOCUMENT, definitions }, { assumeValid: true, assumeValidSDL: true });
}

/** The schema coordinates of everything that an operation uses: Type, Type.field, Type.field(argument:), Enum.VALUE, `@directive`. */
function usedCoordinates(schema: GraphQLSchema, operation: DocumentNode): ReadonlySet<string> {
  const used = new Set<string>();
  const types = new TypeInfo(schema);
  const addType = (type: GraphQLType | null | undefined): void => {
    if (type) used.add(getNamedType(type).name);
  };
  const addVariable = (node: TypeNode): void => {
    const type = node.kind === Kind.NAMED_TYPE ? typeFromAST(schema, node) : undefined;
    if (node.kind !== Kind.NAMED_TYPE) addVariable(node.type);
    else if (type) addInput(type, used);
  };
  visit(
    operation,
    visitWithTypeInfo(types, {
      VariableDefinition: ({ type }) => addVariable(type),
      FragmentDefinition: ({ typeCondition }) => void used.add(typeCondition.name.value),
      InlineFragment: ({ typeCondition }) => void (typeCondition && used.add(typeCondition.name.value)),
      Field({ name }) {
        addType(types.getParentType());
        addType(types.getType());
        used.add(`${types.getParentType()?.name}.${name.value}`);
      },
      Directive: ({ name }) => void used.add(`@${name.value}`),
      Argument({ name }) {
        const directive = types.getDirective();
        const owner = directive ? `@${directive.name}` : `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
        used.add(`${owner}(${name.value}:)`);
        addType(types.getInputType());
      },
      ObjectField({ name }) {
        const parent = types.getParentInputType();
        if (parent) used.add(`${getNamedType(parent).name}.${name.value}`);
        addType(types.getInputType());
      },
      EnumValue({ value }) {
        const type = types.getInputType();
        if (type) used.add(`${getNamedType(type).name}.${value}`);
      },
    }),
  );
  return used;
}

/** Adds everything that a value of this type may contain. */
function addInput(given: GraphQLType, used: Set<string>): void {
  const type = getNamedType(given);
  if (isEnumType(type)) for (const { name } of type.getValues()) used.add(`${type.name}.${name}`);
  if (!isInputObjectType(type)) return void used.add(type.name);
  for (const { name, type: fieldType } of Object.values(type.getFields())) {
    const coordinate = `${type.name}.${name}`;
    if (used.has(coordinate)) continue;
    used.add(coordinate);
    addInput(fieldType, used);
  }
  return void used.add(type.name);
}

interface Named {
  readonly name: NameNode;
}

/** The used part of a definition, or nothing. */
function usedPart(definition: DefinitionNode, used: ReadonlySet<string>): DefinitionNode[] {
  const name = 'name' in definition ? (definition.name?.value ?? '') : '';
  const coordinate = definition.kind === Kind.DIRECTIVE_DEFINITION ? `@${name}` : name;
  if (!used.has(coordinate)) return [];
  const inOwner = <T extends Named>(members: readonly T[] = [], toMember = (member: string): string => `${coordinate}.${member}`): T[] =>
    members.filter((member) => used.has(toMember(member.name.value)));
  const isUsedType = (type: Named): boolean => used.has(type.name.value);
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const fields = inOwner(definition.fields).map((field) => ({
        ...field,
        arguments: inOwner(field.arguments, (argument) => `${coordinate}.${field.name.value}(${argument}:)`),
      }));
      return [{ ...definition, fields, interfaces: (definition.interfaces ?? []).filter(isUsedType) }];
    }
    case Kind.UNION_TYPE_DEFINITION:
      return [{ ...definition, types: (definition.types ?? []).filter(isUsedType) }];
    case Kind.ENUM_TYPE_DEFINITION:
      return [{ ...definition, values: inOwner(definition.values) }];
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [{ ...definition, fields: inOwner(definition.fields) }];
    case Kind.DIRECTIVE_DEFINITION:
      return [{ ...definition, arguments: inOwner(definition.arguments, (argument) => `${coordinate}(${argument}:)`) }];
    default:
      return [definition];
  }
}
