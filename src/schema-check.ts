export { checkWhole } from './development/check-schema.ts';
