import { verificationIssues } from '../catalog/issues/verification-issues.ts'
import { statusesOpenToData } from '../customers/customer.ts'
import type { Page } from '../http/pages/page.ts'
import { Refusal } from '../lib/refusal.ts'
import { formCatalog } from './choices.ts'
import { type FormHost, readJson } from './hosting/routes.ts'
import type { FormService } from './service.ts'
import { readDecision, readSaveDraft, readSubmit } from './wire.ts'

export type FormRoutesOptions = { host: FormHost; forms: FormService; sessionKey: Buffer; isSandbox: boolean }

const mostFileBytes = 11 * 1024 * 1024

/** The hosted verification form. */
export function formPages({ host, forms, sessionKey, isSandbox }: FormRoutesOptions): Page[] {
  const { pages, operation } = host.serve({
    path: 'verify',
    apiPath: 'api',
    cookie: 'svc_form',
    sessionKey,
    script: 'app.js',
    title: (texts) => texts.title,
    sessionEnded: (texts) => texts.sessionEnded,
    exchange: forms.exchange,
    open: forms.open,
    showsNothing: ({ customer }) => !statusesOpenToData.includes(customer.status),
  })
  return [
    ...pages,
    operation('GET', 'catalog', async () =>
      isSandbox ? { ...formCatalog, issueCodes: codesByCategory } : formCatalog,
    ),
    operation('GET', 'state', ({ opened }) => forms.readState(opened)),
    operation('GET', 'status', ({ opened }) => forms.readStatus(opened), { isPoll: true }),
    operation('POST', 'leave', async () => ({}), { endsSession: true }),
    operation('GET', 'link', async ({ opened }) => ({ link: forms.linkOf(opened) })),
    operation('PATCH', 'draft', ({ opened }, body) => forms.save(opened, readJson(readSaveDraft, body)), {
      maxBytes: 500_000,
    }),
    operation(
      'POST',
      'files',
      ({ opened, request: { query, headers } }, bytes) => {
        const mediaType = headers['content-type'] ?? ''
        if (!/^(?:image\/(?:jpeg|png)|application\/pdf)$/.test(mediaType)) {
          throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'Send a JPG, PNG or PDF file')
        }
        const { field = '', moves = '0' } = query
        return forms.addFile(opened, { field, moves: Number(moves), mediaType, bytes })
      },
      { maxBytes: mostFileBytes, isUpload: true },
    ),
    operation('POST', 'submission', ({ opened }, body) => forms.submit(opened, readJson(readSubmit, body).revision)),
    ...(isSandbox
      ? [
          operation('POST', 'sandbox/decision', ({ opened }, body) =>
            forms.decide(opened, readJson(readDecision, body)),
          ),
        ]
      : []),
  ]
}

/** The issues that the ribbon of the sandbox can ask for. */
const codesByCategory = Object.fromEntries(
  [...Map.groupBy(verificationIssues, ({ category }) => category)].map(([category, issues]) => [
    category,
    issues.map(({ code }) => code),
  ]),
)
