import type { GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

/** Throws an Error for a batched resolver where nothing is called for many parents: only resolvers of fields are, except those of Mutation. */
export function checkBatches(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    const [member] = [...batchedMembers(type), ...batchedMembers(subgraphMembers(type))];
    if (member !== undefined) throw notOfField(`${type.name}.${'serialize' in type ? '' : '__'}${member}`);
    if (!isObjectTypeOfAnyCopy(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const path = `${type.name}.${field.name}`;
      const members = batchedMembers(field);
      if (members.includes('subscribe')) throw notOfField(`${path}.subscribe`);
      if (members.includes('resolve') && type === schema.getMutationType()) throw inSeries(type.name, path);
    }
  }
}

/** Does not use `instanceof`, because a bundle contains another copy of graphql. */
function isObjectTypeOfAnyCopy(type: GraphQLNamedType): type is GraphQLObjectType {
  return 'isTypeOf' in type;
}

/** The names of the members that are batched resolvers. */
function batchedMembers(owner: object): string[] {
  return Object.entries(owner).flatMap(([name, member]) => (typeof member === 'function' && 'isBatched' in member ? name : []));
}

/** The `__resolveReference` that @apollo/subgraph has added to the type. */
function subgraphMembers({ extensions }: GraphQLNamedType): object {
  return (extensions as { readonly apollo?: { readonly subgraph?: object } }).apollo?.subgraph ?? {};
}

function notOfField(path: string): Error {
  return new Error(`resolvers.${path} cannot be batched: only resolvers of fields are called for many parents.`);
}

/** The specification (section 6.2.2) runs these fields one after another. */
function inSeries(type: string, path: string): Error {
  return new Error(
    `resolvers.${path}: a field of ${type} cannot be batched, because these fields run in series. Fields of its result can.`,
  );
}
