import { lchown, rename, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { appRole, signerRole } from '../database.ts'
import { randomName } from './files.ts'
import type { ClusterPlace } from './place.ts'

/** The first version whose maps know the word `all` for every role. */
const versionWithAll = 16
const knownRoles = ['postgres', 'svc_owner', appRole, signerRole]

/**
 * Lets in the account that starts the server, and root, under every role; no other account. The operating system says
 * which account a connection comes from. When root starts the server, it runs under an account that other programs may
 * share: without this, each of them would be a superuser of the database.
 *
 * Written at each start: a cluster may be started by its owner one day, and by root the next.
 */
export async function writeAccess(place: ClusterPlace, majorVersion: string): Promise<void> {
  const accounts = new Set(['root', userInfo().username])
  const roles = Number(majorVersion) >= versionWithAll ? ['all'] : knownRoles
  const map = [...accounts].flatMap((account) => roles.map((role) => `svc ${quote(account)} ${role}`))
  const rules = ['all', 'replication'].map((database) => `local ${database} all peer map=svc`)
  await replaceFile(place, 'pg_ident.conf', map)
  await replaceFile(place, 'pg_hba.conf', rules)
}

function quote(account: string): string {
  return `"${account.replaceAll('"', '""')}"`
}

/** Replaces a file as a whole: the last one may belong to another account. */
async function replaceFile({ dataFolder, user }: ClusterPlace, name: string, lines: readonly string[]): Promise<void> {
  const unfinished = join(dataFolder, `${name}.${randomName()}`)
  await writeFile(unfinished, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  if (!user.isCurrentUser) await lchown(unfinished, user.uid, user.gid)
  await rename(unfinished, join(dataFolder, name))
}
