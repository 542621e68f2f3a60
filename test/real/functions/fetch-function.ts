import { createHandler } from 'graphql-functions';

import { probe } from './probe.ts';

// A function that has a `fetch` property: which platforms accept it as an object with one?
export default createHandler(probe);
