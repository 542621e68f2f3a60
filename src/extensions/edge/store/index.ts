// Answers that the function keeps in a store shared by its processes. The rest of edge imports only these.
export { StoredAnswers } from './stored-answers.ts';
