import type { GraphQLNamedType, GraphQLObjectType, GraphQLSchema } from 'graphql';

import type { CheckWhole } from '../../executor/schema/index.ts';

/**
 * Throws an Error for a batched resolver where nothing is called for many parents: only resolvers of fields are, except those of Mutation.
 * Returns the fields with a batched resolver of another copy of this package, which is called for each parent.
 */
export function checkBatches(schema: GraphQLSchema, isOwn: Parameters<CheckWhole>[1]['isBatched']): readonly string[] {
  const foreign: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    const [member] = [...batchedMembers(type), ...batchedMembers(subgraphMembers(type))];
    if (member !== undefined) throw notOfField(`${type.name}.${'serialize' in type ? '' : '__'}${member}`);
    if (!isObjectTypeOfAnyCopy(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const path = `${type.name}.${field.name}`;
      const members = batchedMembers(field);
      if (members.includes('subscribe')) throw notOfField(`${path}.subscribe`);
      if (!members.includes('resolve')) continue;
      if (type === schema.getMutationType()) throw inSeries(type.name, path);
      const resolve = field.resolve as NonNullable<typeof field.resolve>;
      // A batched resolver of any copy binds to itself, and a wrapper does not.
      if (!isOwn(resolve as never) && resolve.bind(undefined) === resolve) foreign.push(path);
    }
  }
  return foreign;
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
