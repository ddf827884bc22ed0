import type { Config } from '../../config.ts'
import { type DatabaseLocation, locateDatabase } from '../../db/locate.ts'
import { migrate } from '../../db/migrate.ts'
import type { Logger } from '../../http/log.ts'
import { requireDataFolder } from './data-folder.ts'

/**
 * Locates the database, or starts the embedded one. Migrates it where no administrator does: in a process that runs every
 * role, and the embedded one.
 */
export async function prepareDatabase(
  config: Config,
  log: Logger,
  { runsAllRoles }: { runsAllRoles: boolean },
): Promise<DatabaseLocation> {
  const isOurs = runsAllRoles || !config.databaseUrl
  if (isOurs) await requireDataFolder(config.dataFolder)
  const location = await locateDatabase({ ...config, mayShare: !runsAllRoles, log: (message) => log.info(message) })
  try {
    const applied = isOurs ? await migrate(location.owner) : []
    if (applied.length > 0) log.info({ applied }, 'migrated the database schema')
    return location
  } catch (error) {
    await location.stop()
    throw error
  }
}
