import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import type { DatabaseOptions } from '../../../src/db/database.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { createLogger } from '../../../src/http/log.ts'
import { rescreenJob } from '../../../src/reviews/jobs.ts'
import { createRescreenService } from '../../../src/reviews/rescreen.ts'

/** A worker of its own that compares customers slowly and prints the name of each, so that it can be killed midway. */
const { database, leaseMs, masterKey } = JSON.parse(process.argv[2] ?? '') as {
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  leaseMs: number
  masterKey: string
}
const masterKeys = { current: Buffer.from(masterKey, 'hex'), previous: [] }
const config = readConfig({ PORT: '0', SVC_SANDBOX_BANK: 'memory' }, process.cwd())
const app = await buildApp({
  config,
  version: 'test',
  log: createLogger('error', process.stderr),
  masterKeys,
  database,
})
const rescreening = createRescreenService({
  ...app,
  watchList: {
    currentVersion: async () => 1,
    screenAddresses: async () => [],
    screenDocuments: async () => [],
    screen: async (parties) => {
      for (const { name } of parties) process.stdout.write(`${name}\n`)
      await sleep(5)
      return []
    },
  },
  onFailure: (error) => process.stderr.write(`${error}\n`),
})
startWorker([rescreenJob(rescreening, leaseMs)], { onError: (_job, error) => process.stderr.write(`${error}\n`) })
process.stdout.write('running\n')
