import { expect, test } from 'vitest'
import { startApi, type TestApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { freePort, makeDataFolder, startServe, svc, urlOf } from '../../support/runner/process.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

const production = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db.example/svc?sslmode=verify-full',
  SVC_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://pay.example.com',
}
const provider = {
  SVC_VERIFICATION_PROVIDER_URL: 'https://identity.example.com',
  SVC_VERIFICATION_PROVIDER_SECRET: `whsec_${Buffer.alloc(32, 3).toString('base64')}`,
}
const accepting = await startApi({ ...production, SVC_ACCEPT_UNSCREENED: 'true' })
const withProvider = await startApi({ ...production, ...provider })

const signsOf = async (api: TestApi) => ({
  concerns: (await api.get('/readyz', { apiKey: null })).body.concerns,
  metric: await readMetric(api, 'svc_watch_list_not_current'),
})

test('production accepts the risk when a setting says so, and says that nothing is screened', async () => {
  expect(await signsOf(accepting)).toEqual({ concerns: [], metric: '0' })
  expect(accepting.logs.join('')).toMatch(
    /"level":"warn".*no watch list is imported: customers and payments are not screened/,
  )
})

test('a provider screens in place of a list', async () => {
  expect(await signsOf(withProvider)).toEqual({ concerns: [], metric: '0' })
})

test('a production process without a list says so at its start, and until a list is loaded', async () => {
  const database = await makeDatabase()
  const port = await freePort()
  const folder = await makeDataFolder()
  const settings = { ...production, DATABASE_URL: urlOf(database.owner), SVC_DATA_DIR: folder, PORT: String(port) }
  const { process } = await startServe({ ...settings, HOST: '127.0.0.1' })
  expect(process.output()).toMatch(
    /"level":"error".*"gap":"NO_LIST".*no watch list is imported: no customer is approved and nothing is paid out/,
  )
  const concerns = async () =>
    ((await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as { concerns: string[] }).concerns
  expect(await concerns()).toEqual(['WATCH_LIST_NOT_CURRENT'])
  const done = svc(['watchlist', 'import', await makeListFolder([sdnLine(1, 'EXEMPLAROVA, Ada')])], settings)
  expect(await done.exited, done.output()).toBe(0)
  await eventually(async () => expect(await concerns()).toEqual([]))
})
