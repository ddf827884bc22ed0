import { afterAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/db/embedded/embedded-postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { startApi } from '../../support/runner/api.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { packageFolder } from '../../support/runner/postgres-package.ts'

const { folder, remove } = await makeFolder()
let server = await startEmbeddedPostgres({ folder, packageFolder, log: () => {} })
const connection = { host: server.socketFolder, port: server.port, user: server.superuser, database: 'postgres' }
await migrate(connection)
const api = await startApi(
  {},
  { database: { owner: connection, app: { connection, role: 'svc_app' }, signer: { connection, role: 'svc_signer' } } },
)
const worker = await api.app.startWorker()
afterAll(async () => {
  await worker.stop()
  await server.stop()
  await remove()
})

const gaugesOfDatabase = [
  'svc_alert_lag_seconds',
  'svc_approvals_open',
  'svc_bank_changes_open',
  'svc_bank_entries_unmatched',
  'svc_bank_files_delayed',
  'svc_bank_files_disputed',
  'svc_bank_files_duplicate',
  'svc_bank_files_quarantined',
  'svc_bank_folders_unusable',
  'svc_bank_recalls_open',
  'svc_bank_recalls_unsettled',
  'svc_chain_accounts_unscanned',
  'svc_chains_behind',
  'svc_chains_halted',
  'svc_chains_not_compared',
  'svc_chains_not_final',
  'svc_check_age_seconds',
  'svc_checks_not_run',
  'svc_deposit_reversals_open',
  'svc_deposits_stuck',
  'svc_deposits_undecided',
  'svc_full_check_age_seconds',
  'svc_invariants_violated',
  'svc_keys_to_rewrap',
  'svc_payouts_contradicted',
  'svc_payouts_halted',
  'svc_payouts_unknown',
  'svc_payouts_unsealed',
  'svc_payouts_waiting',
  'svc_provider_requests_late',
  'svc_provider_requests_open',
  'svc_rail_reports_unmatched',
  'svc_reconciliation_aged',
  'svc_reconciliation_doubtful',
  'svc_refunds_stuck',
  'svc_refunds_undecided',
  'svc_relayer_coins_low',
  'svc_rules_lag_seconds',
  'svc_sightings_dust',
  'svc_sightings_quarantined',
  'svc_submissions_awaiting_list',
  'svc_transactions_stuck',
  'svc_treasury_low',
  'svc_wallet_addresses_free',
  'svc_watch_list_age_seconds',
  'svc_webhook_lag_seconds',
]

test('while the database is down callers get 503 with Retry-After, and then the service recovers', async () => {
  expect((await api.get('/organizations')).status).toBe(200)
  expect((await api.get('/readyz')).status).toBe(200)

  await server.stop()
  for (const path of ['/organizations', '/api-keys']) {
    const away = await api.get(path)
    expect(away.status).toBe(503)
    expect(away.body).toMatchObject({ error: 'SERVICE_UNAVAILABLE' })
    expect(away.headers.get('retry-after')).toBe('1')
  }
  expect((await api.get('/readyz')).status).toBe(503)
  expect((await api.get('/livez')).status).toBe(200)
  const metrics = await api.get('/metrics', { apiKey: null })
  expect(metrics.status).toBe(200)
  const unknown = [...String(metrics.body).matchAll(/^(svc_\w+) nan$/gim)].map(([, name]) => name)
  expect(unknown.sort()).toEqual(gaugesOfDatabase)

  server = await startEmbeddedPostgres({ folder, packageFolder, log: () => {} })
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  expect((await api.get('/organizations')).status).toBe(200)
})

test('requests during a database restart get answers, never an internal error', async () => {
  const statuses = new Set<number>()
  let restarting = true
  const callers = Array.from({ length: 8 }, async () => {
    while (restarting) statuses.add((await api.get('/organizations')).status)
  })
  await server.stop()
  server = await startEmbeddedPostgres({ folder, packageFolder, log: () => {} })
  await expect.poll(async () => (await api.get('/readyz')).status).toBe(200)
  restarting = false
  await Promise.all(callers)
  expect([...statuses].sort()).toEqual([200, 503])
})
