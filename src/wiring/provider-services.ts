import { createOutboundHttp } from '../adapters/outbound-http.ts'
import { createHttpProvider } from '../adapters/verification/http-provider.ts'
import type { CustomerService } from '../customers/service.ts'
import { createProviderService } from '../verification/provider/service.ts'
import type { VerificationService } from '../verification/service.ts'
import type { AppDeps, ServiceDeps } from './deps.ts'

type Parts = Pick<ServiceDeps, 'database' | 'metrics'> & {
  customers: CustomerService
  verification: VerificationService
}

/** There without a provider too: what one that was taken away still owes is left to people. */
export function createProviderServices({ config, log }: Pick<AppDeps, 'config' | 'log'>, parts: Parts) {
  const { database, metrics, customers, verification } = parts
  const { verificationProvider: settings } = config
  const http = settings && createOutboundHttp()
  const verificationProvider = createProviderService({
    ...{ database, customers, verification },
    provider: settings && http && createHttpProvider({ http, ...settings }),
    secrets: settings?.secrets ?? [],
    onTrouble: (reference, reason) => log.warn({ reference, reason }, 'the verification provider did not do its part'),
    onFailure: (error) => {
      metrics.countJobFailure('verification provider')
      log.error({ err: error }, 'a provider could not be asked about a submission and is asked again later')
    },
  })
  const count = (which: 'open' | 'late') => async () => (await verificationProvider.countOpen())?.[which] ?? Number.NaN
  metrics.watch('svc_provider_requests_open', 'Submissions that a provider owes an answer for', count('open'))
  metrics.watch('svc_provider_requests_late', 'Those of them that are older than ten minutes', count('late'))
  return { verificationProvider, closeProvider: async () => http?.close() }
}
