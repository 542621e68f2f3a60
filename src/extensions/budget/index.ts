export { budget } from './plugin.ts';
export type { BudgetOptions, Plan } from './options.ts';
