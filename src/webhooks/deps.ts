import type { Audit } from '../db/audit/audit.ts'
import type { Database, Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { Pages } from '../lib/pages.ts'
import type { EndpointWorkerOptions } from './delivery/endpoint-worker.ts'
import type { ExampleOf } from './ports.ts'
import type { Maker } from './webhook.ts'

export type WebhookDeps = EndpointWorkerOptions & {
  database: Database
  pages: Pages
  audit: Audit
  exampleOf: ExampleOf
  /**
   * Finds the key of the caller, which answers for what it creates. Holds it until the database transaction ends, so that
   * a revocation finds what was created. Refuses a key that was revoked meanwhile.
   */
  holdKey(tx: Tx, caller: Caller): Promise<Omit<Maker, 'scopes'>>
  /** Hashes addresses for the audit log. */
  addressKey: Buffer
  /** How many webhooks an organization can have: each one multiplies the cost of every event. */
  mostWebhooks: number
  /** Whether an endpoint must answer a challenge before it receives events. */
  mustProve: boolean
}
