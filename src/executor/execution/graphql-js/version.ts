import { versionInfo } from 'graphql';

/** True with graphql-js 17 or later, false with 16. */
export const isGraphQL17: boolean = versionInfo.major >= 17;

/** The function of a leaf type that converts results, which graphql 17 renamed. */
export const coerceOutput = (isGraphQL17 ? 'coerceOutputValue' : 'serialize') as 'coerceOutputValue';
