import type { Queryable } from './database.ts'

/** An address can name its own options, and so undo the role we ask for: nothing starts with more power than it needs. */
export async function requireRole(database: Queryable, role: string, setting: string): Promise<void> {
  const [me] = await database.query<{ name: string; powerful: boolean }>({
    text: `select rolname as name, rolsuper or rolbypassrls or rolcreaterole as powerful
             from pg_roles where rolname = current_user`,
  })
  if (me?.name === role && !me.powerful) return
  throw new Error(`Svc must run as the role ${role} without special powers, but runs as ${me?.name}. Check ${setting}.`)
}

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
