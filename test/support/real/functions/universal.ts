import { createHandler } from 'graphql-functions';

import { probe } from './probe.ts';

export const handler = createHandler(probe);
/** @alias */
export default handler;
