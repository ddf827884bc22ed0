import { afterAll } from 'vitest'
import { startApi, type TestApi } from '../runner/api.ts'

/** An API in the sandbox whose worker decides submissions at once, until the tests of the file end. */
export async function startVerifying(settings: Record<string, string> = {}): Promise<TestApi> {
  const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', ...settings })
  const worker = await api.app.startWorker()
  afterAll(() => worker.stop())
  return api
}
