import { versionInfo } from 'graphql';

/** True when graphql-js 17 (or later) is installed; otherwise 16. What the two do differently is decided by this one name. */
export const isGraphQL17: boolean = versionInfo.major >= 17;

/** graphql 17 renamed the function that a leaf type converts results with; the types it comes with know the new name. */
export const coerceOutput = (isGraphQL17 ? 'coerceOutputValue' : 'serialize') as 'coerceOutputValue';
