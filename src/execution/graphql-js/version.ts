import { versionInfo } from 'graphql';

/** True when graphql-js 17 (or later) is installed; otherwise 16. What the two do differently is decided by this one name. */
export const isGraphQL17: boolean = versionInfo.major >= 17;
