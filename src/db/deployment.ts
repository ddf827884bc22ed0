import type { Queryable } from './database.ts'

/** Refuses to start under another role: a database URL can carry options that override the role we set. */
export async function requireRole(database: Queryable, role: string, setting: string): Promise<void> {
  const [me] = await database.query<{ name: string; isPrivileged: boolean }>({
    text: `select rolname as name, rolsuper or rolbypassrls or rolcreaterole as "isPrivileged"
             from pg_roles where rolname = current_user`,
  })
  if (me?.name === role && !me.isPrivileged) return
  throw new Error(
    `Svc must run as the database role ${role} without special privileges, but runs as ${me?.name}. Check ${setting}.`,
  )
}

/** Records at the first start whether a database is for the sandbox or for production; later refuses the other one. */
export async function claimEnvironment(database: Queryable, environment: string): Promise<void> {
  await database.query({
    text: 'insert into svc.deployment (environment) values ($1) on conflict do nothing',
    values: [environment],
  })
  const [deployment] = await database.query<{ environment: string }>({ text: 'select environment from svc.deployment' })
  if (deployment?.environment === environment) return
  throw new Error(
    `This database belongs to a ${deployment?.environment} deployment and cannot be used for ${environment}. ` +
      'Set DATABASE_URL or SVC_ENVIRONMENT to match.',
  )
}
