import type { TestApi } from '../runner/api.ts'

/** The settings of a production deployment, with the test's own database, that works without a watch list. */
export const productionSettings = {
  SVC_ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://svc@db.example/svc?sslmode=verify-full',
  SVC_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
  SVC_PUBLIC_URL: 'https://pay.example.com',
  SVC_ACCEPT_UNSCREENED: 'true',
}

/** Calls as a proxy forwards them: production answers nothing over plain http. */
export function behindProxy(api: TestApi): TestApi {
  const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
  const call: TestApi['call'] = (method, path, options) =>
    api.call(method, path, { ...options, headers: { ...options?.headers, ...secure } })
  return {
    ...api,
    call,
    get: (path, options) => call('GET', path, options) as never,
    post: (path, body, options) => call('POST', path, { ...options, body }) as never,
  }
}
