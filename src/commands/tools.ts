import type { Config } from '../config.ts'
import { locateDatabase } from '../db/locate.ts'
import { migrate } from '../db/migrate.ts'
import type { Logger } from '../http/log.ts'
import type { Tier } from '../organizations/organization.ts'
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
export async function runKeysCreate(
  config: Config,
  log: Logger,
  print: Print,
  { name, organizationId }: { name: string; organizationId: string | undefined },
): Promise<number> {
  const { app, close } = await openApp(config, log, { isAlone: false })
  try {
    print((await app.credentials.createFullKey(name, organizationId)).apiKey)
    return 0
  } finally {
    await close()
  }
}

/** Checks every invariant and names each violation. Ends with 1 when there is one. */
export async function runVerify(config: Config, log: Logger, print: Print): Promise<number> {
  const { app, close } = await openApp(config, log, { isAlone: false })
  try {
    const { ok, checks } = await app.verify()
    for (const check of checks) {
      print(`${check.ok ? 'ok      ' : 'VIOLATED'}  ${check.name}`)
      for (const violation of check.violations) print(`            ${violation}`)
    }
    return ok ? 0 : 1
  } finally {
    await close()
  }
}

export type NewOrganization = { name: string; tier: Tier; parentOrganizationId: string | null }

/** Makes an organization, and prints its id. Its keys are made with `svc keys create --organization`. */
export async function runOrganizationsCreate(config: Config, log: Logger, print: Print, wanted: NewOrganization) {
  const { app, close } = await openApp(config, log, { isAlone: false })
  try {
    print((await app.organizations.create(wanted)).organizationId)
    return 0
  } finally {
    await close()
  }
}

/** Makes a new key for tokens that signs from now on. Tokens that are out stay good until they expire. */
export async function runKeysRotate(config: Config, log: Logger, print: Print): Promise<number> {
  const { app, close } = await openApp(config, log, { isAlone: false })
  try {
    await app.tokens.rotate()
    print('New tokens are signed with a new key. Older tokens end within 30 minutes.')
    return 0
  } finally {
    await close()
  }
}
