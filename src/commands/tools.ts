import { checks } from '../app.ts'
import type { Config } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { locateDatabase } from '../db/locate.ts'
import { migrate } from '../db/migrate.ts'
import { verify } from '../db/verify.ts'
import type { Logger } from '../http/log.ts'
import { openApp } from './serve.ts'

type Print = (line: string) => void

/** Brings the schema up to date and ends. Run it before the new version's processes start. */
export async function runMigrate(config: Config, log: Logger, print: Print): Promise<number> {
  const location = await locateDatabase({ ...config, mayShare: true, log: (message) => log.info(message) })
  try {
    const applied = await migrate(location.owner)
    print(applied.length > 0 ? `Applied ${applied.join(', ')}` : 'The schema is up to date')
    return 0
  } finally {
    await location.stop()
  }
}

/** Prints a key with every scope, once: it is stored as a hash only. */
export async function runKeysCreate(config: Config, log: Logger, print: Print, name: string): Promise<number> {
  const { app, close } = await openApp(config, log, { isAlone: false })
  try {
    print((await app.organizations.createFullKey(name)).apiKey)
    return 0
  } finally {
    await close()
  }
}

/** Checks every invariant and names each violation. Ends with 1 when there is one. */
export async function runVerify(config: Config, log: Logger, print: Print): Promise<number> {
  const location = await locateDatabase({ ...config, mayShare: true, log: (message) => log.info(message) })
  const database = openDatabase(location.app)
  try {
    const { ok, checks: results } = await verify(database, checks)
    for (const result of results) {
      print(`${result.ok ? 'ok      ' : 'VIOLATED'}  ${result.name}`)
      for (const violation of result.violations) print(`            ${violation}`)
    }
    return ok ? 0 : 1
  } finally {
    await database.close()
    await location.stop()
  }
}
