import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createHttpProvider } from '../adapters/verification/http-provider.ts'
import type { CustomerService } from '../customers/service.ts'
import { createProviderService } from '../verification/provider/service.ts'
import type { VerificationService } from '../verification/service.ts'
import type { Deps } from './deps.ts'

type Needed = { customers: CustomerService; verification: VerificationService }

/** Runs without a configured provider too: it leaves the open requests of a removed provider to reviewers. */
export function createProviderServices(deps: Deps, { customers, verification }: Needed) {
  const { config, log, database, metrics } = deps
  const { verificationProvider: settings } = config
  const http = settings && createOutboundHttp()
  const verificationProvider = createProviderService({
    database,
    customers,
    verification,
    provider: settings && http && createHttpProvider({ http, ...settings }),
    secrets: settings?.secrets ?? [],
    onProblem: (reference, reason) =>
      log.warn({ reference, reason }, 'the verification provider failed or gave an unusable answer'),
    onFailure: deps.onJobFailure('verification provider', 'a provider request failed and is retried later'),
  })
  const count = (which: 'open' | 'late') => async () => (await verificationProvider.countOpen())?.[which] ?? Number.NaN
  metrics.addGauge('svc_provider_requests_open', 'Submissions that wait for the answer of a provider', count('open'))
  metrics.addGauge('svc_provider_requests_late', 'Open provider requests older than ten minutes', count('late'))
  return { verificationProvider, closeProvider: async () => http?.close() }
}
