import type { Queryable } from '../../../db/database.ts'

/** Reads the id of the folders; the first process chooses it. */
export async function readFolders(
  database: Queryable,
  newFolderId: string,
): Promise<{ folderId: string; isMarked: boolean }> {
  const read = async () => {
    const [found] = await database.query<{ folderId: string; isMarked: boolean }>({
      name: 'read bank folders',
      text: 'select folder_id as "folderId", marked_at is not null as "isMarked" from svc.bank_folders',
    })
    return found
  }
  const known = await read()
  if (known) return known
  await database.query({
    name: 'insert bank folders',
    text: 'insert into svc.bank_folders (folder_id) values ($1) on conflict do nothing',
    values: [newFolderId],
  })
  const inserted = await read()
  if (!inserted) throw new Error('the bank folders have no id')
  return inserted
}

export async function recordMarked(database: Queryable): Promise<void> {
  await database.query({
    name: 'record marked bank folders',
    text: 'update svc.bank_folders set marked_at = svc.now() where marked_at is null',
  })
}

/** Records why this worker cannot use the folders. */
export async function recordProblem(database: Queryable, problem: string): Promise<void> {
  await database.query({
    name: 'record problem of bank folders',
    text: 'update svc.bank_folders set problem = $1, problem_at = clock_timestamp()',
    values: [problem],
  })
}

/** Records that this worker can use the folders. False while the word of another worker stays, for some seconds. */
export async function endProblem(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ isEnded: boolean }>({
    name: 'end problem of bank folders',
    text: `with ended as (
             update svc.bank_folders set problem = null, problem_at = null
              where problem_at < clock_timestamp() - interval '5 seconds' returning folder_id
           )
           select exists (select from ended)
               or not exists (select from svc.bank_folders where problem_at is not null) as "isEnded"`,
  })
  return row?.isEnded ?? false
}

/** Tells which of these staged files belong to a recorded file. */
export async function findRecorded(database: Queryable, stagingNames: readonly string[]): Promise<string[]> {
  const recorded = await database.query<{ stagingName: string }>({
    name: 'find recorded staged files',
    text: 'select staging_name as "stagingName" from svc.bank_files where staging_name = any($1)',
    values: [stagingNames],
  })
  return recorded.map(({ stagingName }) => stagingName)
}
