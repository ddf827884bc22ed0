import type { Config } from '../config.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, DatabaseOptions } from '../db/database.ts'
import type { RevisionWatch } from '../db/revisions.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { MasterKeys } from '../encryption/master-keys.ts'
import type { Logger } from '../http/log.ts'
import type { HttpMetrics } from '../http/metrics.ts'
import type { Route } from '../http/route.ts'
import type { Pages } from '../lib/pages.ts'

export type AppDeps = {
  config: Config
  version: string
  masterKeys: { current: Buffer; previous: readonly Buffer[] }
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  log: Logger
  checkAnswers?: boolean
  /** Served beside the others, for a benchmark to compare with. */
  moreRoutes?: readonly Route[]
  /** Told at each point where a process may die in the middle of its work; tests let it die there. */
  onPoint?: (point: string) => void
}

/** Where this process is reached, known for certain once it listens, and whether it still wants to be. */
export type Address = { baseUrl: string; isDraining: boolean }

export type ServiceDeps = {
  database: Database
  masterKeys: MasterKeys
  secret: Buffer
  watch: RevisionWatch
  metrics: HttpMetrics
  address: Address
}

export type CustomerDeps = ServiceDeps & { pages: Pages; audit: Audit; vault: Vault }
