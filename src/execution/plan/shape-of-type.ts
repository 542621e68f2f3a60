import { isAbstractType, isLeafType, isListType, isNonNullType } from 'graphql';
import type { GraphQLOutputType } from 'graphql';

import { AbstractShape } from '../complete/abstract-types.ts';
import { leafShapeOf } from '../complete/leaf.ts';
import { ListShape } from '../complete/lists.ts';
import { ObjectShape } from '../complete/objects.ts';
import type { Shape } from './planned-field.ts';

/** How values of this type are completed. */
export function shapeOf(type: GraphQLOutputType): Shape {
  return isNonNullType(type) ? shapeOfNullable(type.ofType, true) : shapeOfNullable(type, false);
}

function shapeOfNullable(type: GraphQLOutputType, nonNull: boolean): Shape {
  if (isListType(type)) return new ListShape(shapeOf(type.ofType), nonNull);
  if (isLeafType(type)) return leafShapeOf(type, nonNull);
  if (isAbstractType(type)) return new AbstractShape(type, nonNull);
  if (isNonNullType(type)) throw new TypeError('Expected a nullable type inside of a non-null one.');
  return new ObjectShape(type, nonNull);
}
