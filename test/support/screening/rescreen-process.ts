import { once } from 'node:events'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import type { DatabaseOptions } from '../../../src/db/database.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { createLogger } from '../../../src/http/log.ts'
import { rescreenJob } from '../../../src/reviews/jobs.ts'
import { createRescreenService } from '../../../src/reviews/rescreen.ts'

/** A worker of its own that prints the name of each customer, and pauses after some until it reads a line. */
const { database, leaseMs, masterKey, pauseAfter } = JSON.parse(process.argv[2] ?? '') as {
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  leaseMs: number
  masterKey: string
  pauseAfter: number
}
let compared = 0
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
      compared += 1
      if (compared === pauseAfter) await once(process.stdin, 'data')
      return []
    },
  },
  onFailure: (error) => process.stderr.write(`${error}\n`),
})
startWorker([rescreenJob(rescreening, leaseMs)], { onError: (_job, error) => process.stderr.write(`${error}\n`) })
process.stdout.write('running\n')
