import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeApplicant, makeApplyingBusiness } from '../../support/customers/applicants.ts'
import { createCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { isBlocked, readReview } from '../../support/customers/reviews.ts'
import { startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeFolder } from '../../support/runner/folder.ts'
import { unXml } from '../../support/screening/un-list.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** Listed people under other names: their documents give them away. */
const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' })
const worker = await api.app.startWorker()
const { folder: unFolder, remove } = await makeFolder('svc un list ')
afterAll(async () => {
  await worker.stop()
  await remove()
})

const remarks = 'DOB 12 Mar 1961; Passport L7 654-321 (United States); National ID No. 219-09-9999 (United States);'
const sdn = [sdnLine(306, 'QUILLFEATHER, Bertram', 'individual', remarks)]
const foreign = sdnLine(307, 'THISTLEWOOD, Clara', 'individual', 'Passport P5550001 (Iran);')
const unknownCountry = sdnLine(308, 'BRANDYBUCK, Otto', 'individual', 'Passport P5550002;')
const business = sdnLine(309, 'ODD TRADING', '', 'Registration Number 55-12345678 (United States);')

async function importLists(...more: string[]) {
  await api.app.screening.importList(await makeListFolder([...sdn, foreign, unknownCountry, business, ...more]), {
    actor: 'test',
  })
}
await writeFile(
  path.join(unFolder, 'un.xml'),
  unXml([
    {
      reference: 'XXi.001',
      names: ['MARTA', 'OAKENSHIELD'],
      documents: [
        '<TYPE_OF_DOCUMENT>Passport</TYPE_OF_DOCUMENT><NUMBER>U 880 0001</NUMBER><ISSUING_COUNTRY>United States of America</ISSUING_COUNTRY>',
      ],
    },
  ]),
)

const withPassport = (documentIdNumber: string, changes: object = {}) => {
  const { documents, ...rest } = makeApplicant()
  return { ...rest, documents: documents.map((each) => ({ ...each, documentIdNumber })), ...changes }
}

const waitForReview = (customer: { customerId: string }) =>
  eventually(async () => {
    const review = await readReview(api, customer)
    expect(review).toMatchObject({ reviewStatus: 'OPEN' })
    return review
  })

test('the passport number of a listed person leaves the submission to a reviewer, under any name', async () => {
  await api.app.screening.importList(unFolder, { actor: 'test' })
  await importLists()
  await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(2))
  const customer = await createCustomer(api, { kycData: withPassport('l7654321') })
  const { findings, reason } = await waitForReview(customer)
  expect(reason).toBe('MANUAL_SUBMISSION')
  expect(findings).toMatchObject([
    {
      code: 'AML_MATCH',
      field: 'kycData.documents[0].documentIdNumber',
      watchList: {
        list: 'ofac-sdn',
        programs: ['SDGT'],
        entryNumber: '306',
        listedName: 'QUILLFEATHER, Bertram',
        strength: 'match',
        reasons: ['the document number and its country agree'],
      },
    },
  ])
  expect(JSON.stringify(await readReview(api, customer))).not.toMatch(/7654321/i)
})

test('national ids and the documents of associated persons are compared too, with every list', async () => {
  const listed = await createCustomer(api, { kycData: makeApplicant({ nationalIdNumber: '219099999' }) })
  expect((await waitForReview(listed)).findings).toContainEqual(
    expect.objectContaining({ code: 'AML_MATCH', field: 'kycData.nationalIdNumber' }),
  )
  const { associatedPersons = [], ...kybData } = makeApplyingBusiness()
  const [owner] = associatedPersons
  const people = [{ ...owner, documents: withPassport('U8800001').documents }]
  const firm = await createCustomer(api, {
    customerType: 'BUSINESS',
    businessName: 'Blue Kettle',
    kybData: { ...kybData, businessRegistrationNumber: '5512345678', associatedPersons: people },
  })
  const { findings } = await waitForReview(firm)
  expect(findings.filter(({ watchList }) => watchList).map(({ field, watchList }) => [field, watchList?.list])).toEqual(
    [
      ['kybData.businessRegistrationNumber', 'ofac-sdn'],
      ['kybData.associatedPersons[0].documents[0].documentIdNumber', 'un'],
    ],
  )
})

test('the same number of another country is no match, and of an unknown country is a possible one', async () => {
  const other = await createCustomer(api, { kycData: withPassport('P5550001') })
  await waitForStatus(api, other, 'ACTIVE')
  const doubtful = await createCustomer(api, { kycData: withPassport('P5550002') })
  expect((await waitForReview(doubtful)).findings).toMatchObject([
    { code: 'AML_WARNING', watchList: { entryNumber: '308', reasons: ['the document number agrees'] } },
  ])
})

test('a new list with the number of a served customer blocks the customer', async () => {
  const customer = await createCustomer(api, { kycData: withPassport('K1112223') })
  await waitForStatus(api, customer, 'ACTIVE')
  await importLists(sdnLine(310, 'BRACEGIRDLE, Lotho', 'individual', 'Passport K-111-2223 (United States);'))
  await eventually(async () => expect(await isBlocked(api, customer)).toBe(true))
})
