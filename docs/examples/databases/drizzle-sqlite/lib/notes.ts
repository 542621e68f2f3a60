import { and, eq, inArray } from 'drizzle-orm';
import { DataSource, groupByKey } from 'graphql-functions';

import { comments, createTables, database, notes } from './tables.ts';

createTables();

type Note = typeof notes.$inferSelect;
type Comment = typeof comments.$inferSelect;

export class Notes extends DataSource<{ user: string }> {
  mine(): Promise<Note[]> {
    return database.select().from(notes).where(eq(notes.owner, this.context.user));
  }

  /** The comments of each note, in the order of the ids. */
  async commentsOf(ids: readonly number[]): Promise<Comment[][]> {
    const rows = await database
      .select()
      .from(comments)
      .where(inArray(comments.note, [...ids]))
      .orderBy(comments.id);
    return groupByKey(ids, rows, 'note');
  }

  async add(text: string): Promise<Note> {
    const [note] = await database.insert(notes).values({ owner: this.context.user, text }).returning();
    if (note === undefined) throw new Error('The database returned no row for the note it has stored.');
    return note;
  }

  /** Removes only notes of this user. The data source enforces this rule, so every resolver follows it. */
  async remove(id: number): Promise<boolean> {
    const removed = await database
      .delete(notes)
      .where(and(eq(notes.id, id), eq(notes.owner, this.context.user)))
      .returning();
    return removed.length > 0;
  }
}
