import type { Network } from '../catalog/currencies.ts'
import type { Config } from '../config.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database, DatabaseOptions } from '../db/database.ts'
import type { RevisionPoller } from '../db/revisions.ts'
import type { Vault } from '../encryption/data-keys.ts'
import type { MasterKeys } from '../encryption/master-keys.ts'
import type { Logger } from '../http/log.ts'
import type { HttpMetrics, Siblings } from '../http/metrics.ts'
import type { Route } from '../http/route.ts'
import type { Pages } from '../lib/pages.ts'
import type { ChainControl } from '../sandbox/chains/control.ts'

/** The settings and connections that a process starts with. */
export type AppOptions = {
  config: Config
  version: string
  masterKeys: { current: Buffer; previous: readonly Buffer[] }
  database: Pick<DatabaseOptions, 'connection' | 'role'>
  log: Logger
  checkAnswers?: boolean
  /** The API processes that share the port of this one. */
  siblings?: Siblings | undefined
  /** The levers of the sandbox's local chains, where this process has them. */
  localChains?: ChainControl | undefined
  /** Calls the listener when a local chain has changed. Without it, scanners poll them as they poll other nodes. */
  onChainNews?: ((listener: (network: Network) => void) => void) | undefined
  /** Routes that a benchmark adds for comparison. */
  moreRoutes?: readonly Route[]
  /** Called at each point where a process may die in the middle of its work; tests let it die there. */
  onPoint?: (point: string) => void
}

/**
 * The public address of this process, exact once it listens, and whether the process is stopping. `localKey` is the key of
 * dev.env, which the sandbox shows to a browser on the same machine.
 */
export type ProcessState = { baseUrl: string; isDraining: boolean; localKey?: string }

/** Everything that services, routes and jobs are built from. */
export type Deps = Required<
  Omit<AppOptions, 'database' | 'masterKeys' | 'siblings' | 'localChains' | 'onChainNews'>
> & {
  localChains: ChainControl | undefined
  onChainNews: AppOptions['onChainNews']
  database: Database
  /** The address and role of the database, for a service that opens its own connections. */
  connection: AppOptions['database']
  masterKeys: MasterKeys
  secret: Buffer
  revisions: RevisionPoller
  metrics: HttpMetrics
  processState: ProcessState
  pages: Pages
  audit: Audit
  auditKey: Buffer
  vault: Vault
  /** Returns a handler that counts and logs a failed item of a job. The job retries the item later. */
  onJobFailure(job: string, message: string): (error: unknown) => void
  /** Returns a handler that counts and logs a set that was rolled back. Its members are settled one by one. */
  onSetFailure(job: string): (error: unknown) => void
}
