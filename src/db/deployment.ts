import type { Queryable } from './database.ts'

/** Writes down, once and for ever, which kind of deployment a database belongs to; refuses the other kind. */
export async function claimEnvironment(database: Queryable, environment: string): Promise<void> {
  await database.query({
    text: 'insert into svc.deployment (environment) values ($1) on conflict do nothing',
    values: [environment],
  })
  const [row] = await database.query<{ environment: string }>({ text: 'select environment from svc.deployment' })
  if (row?.environment === environment) return
  throw new Error(`This database belongs to a ${row?.environment} deployment; it cannot serve as ${environment}.`)
}
