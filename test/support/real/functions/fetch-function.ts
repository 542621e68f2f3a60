import { createHandler } from 'graphql-functions';

import { probe } from './probe.ts';

// A function that has a `fetch` property, to find out which platforms treat it as an object with `fetch`.
export default createHandler(probe);
