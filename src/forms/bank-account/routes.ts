import type { Page } from '../../http/pages/page.ts'
import { type FormHost, parseJson } from '../hosting/routes.ts'
import { bankCatalog } from './catalog.ts'
import type { BankFormService } from './service.ts'

export type BankFormOptions = { host: FormHost; forms: BankFormService; sessionKey: Buffer }

/** The hosted form of a PENDING bank account. */
export function bankFormPages({ host, forms, sessionKey }: BankFormOptions): Page[] {
  const { pages, operation } = host.serve({
    path: 'bank-account',
    apiPath: 'api/bank-account',
    cookie: 'svc_bank_form',
    sessionKey,
    script: 'bank.js',
    title: (texts) => texts.bank.title,
    sessionEnded: (texts) => texts.bank.sessionEnded,
    exchange: forms.exchange,
    open: forms.open,
    showsNothing: forms.showsNothing,
  })
  return [
    ...pages,
    operation('GET', 'catalog', async () => bankCatalog),
    operation('GET', 'state', ({ opened }) => forms.readState(opened)),
    operation('GET', 'status', ({ opened }) => forms.readStatus(opened), { isPoll: true }),
    operation('POST', 'leave', async () => ({}), { endsSession: true }),
    operation('POST', 'check', ({ opened }, body) => forms.check(opened, parseJson(body))),
    operation('POST', 'account', ({ opened }, body) => forms.save(opened, parseJson(body))),
  ]
}
