import { expect, test } from 'vitest'
import {
  type Customer,
  createCustomer,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { altLine, makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

const api = await startVerifying()

const lists = [
  sdnLine(41, 'VOROSHKIN, Igor Ivanovich', 'individual', 'DOB 12 Mar 1961'),
  sdnLine(42, 'ROSKALNEFT OIL COMPANY', ''),
]

async function importLists() {
  await api.app.screening.importList(await makeListFolder(lists, [altLine(41, 'VARASHKIN, Ihar')]), { actor: 'test' })
  await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(1))
}

type Submission = { state: string; findings: { code: string; field?: string; watchList?: object }[] }

/** The findings that a reviewer gets; waits until the checks have run. */
function findSubmission({ customerId }: Customer): Promise<Submission> {
  const database = openForTest({ connection: api.database.owner })
  return eventually(async () => {
    const [found] = await database.query<Submission>({
      text: `select state, findings from svc.submissions where customer_id = $1 order by submission desc limit 1`,
      values: [customerId],
    })
    expect(found?.state).toMatch(/MANUAL|DECIDED/)
    return found!
  })
}

const igor = { legalFirstName: 'Игорь', legalLastName: 'Ворошкин', dateOfBirth: '1961-03-12' }

test('without an imported list no customer waits for a reviewer', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: igor })
  await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  const { findings } = await findSubmission(customer)
  expect(findings.filter(({ code }) => code.startsWith('AML'))).toEqual([])
})

test('a watch-list match waits for a reviewer, who sees the reason; the customer does not', async () => {
  await importLists()
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: igor })
  const { state, findings } = await findSubmission(customer)
  expect(state).toBe('MANUAL')
  const [hit] = findings.filter(({ code }) => code.startsWith('AML'))
  expect(hit).toEqual({
    code: 'AML_MATCH',
    field: 'kycData.legalLastName',
    leadsTo: 'review',
    watchList: {
      list: 'ofac-sdn',
      listVersion: 1,
      programs: ['SDGT'],
      entryNumber: '41',
      listedName: 'VOROSHKIN, Igor Ivanovich',
      score: expect.any(Number),
      strength: 'match',
      reasons: ['written in another script', 'part of the listed name is missing', 'the birth date agrees'],
    },
  })
  expect(JSON.stringify(findings)).not.toMatch(/Ворошкин|Игорь|1961/)
  const seen = await readCustomer(api, customer)
  expect(seen).toMatchObject({ customerStatus: 'UNDER_REVIEW', verificationIssues: [] })
  expect(api.logs.join('')).not.toMatch(/Ворошкин|VOROSHKIN/)
})

test('a business is screened by its name and by its people', async () => {
  const customer = await createCustomer(api, { customerType: 'BUSINESS', businessName: 'Blue Kettle' })
  await patchCustomer(api, customer, {
    kybData: {
      businessInfo: { legalBusinessName: 'Blue Kettle Ltd', dbaName: 'Roskalneft' },
      associatedPersons: [
        { legalFirstName: 'Ada', legalLastName: 'Example' },
        { legalFirstName: 'Igor', legalMiddleName: 'Ivanovich', legalLastName: 'Voroshkin' },
      ],
    },
  })
  const { state, findings } = await findSubmission(customer)
  expect(state).toBe('MANUAL')
  expect(findings.filter(({ code }) => code.startsWith('AML')).map(({ code, field }) => [code, field])).toEqual([
    ['AML_WARNING', 'kybData.businessInfo.dbaName'],
    ['AML_MATCH', 'kybData.associatedPersons[1].legalLastName'],
  ])
})

test('a listed person declared as a business waits for a reviewer', async () => {
  const customer = await createCustomer(api, { customerType: 'BUSINESS', businessName: 'Blue Kettle' })
  await patchCustomer(api, customer, { kybData: { businessInfo: { legalBusinessName: 'Igor Voroshkin LLC' } } })
  const { state, findings } = await findSubmission(customer)
  expect(state).toBe('MANUAL')
  const hits = findings.filter(({ code }) => code.startsWith('AML'))
  expect(hits.map(({ code, field }) => [code, field])).toEqual([
    ['AML_WARNING', 'kybData.businessInfo.legalBusinessName'],
  ])
})

test('the name given on creation is screened too', async () => {
  const customer = await createCustomer(api, { firstName: 'Ihar', lastName: 'Varashkin' })
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } })
  const { findings } = await findSubmission(customer)
  expect(findings).toContainEqual(expect.objectContaining({ code: 'AML_MATCH', field: 'name' }))
})

test('a name in a script that cannot be screened needs a reviewer', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'สมชาย', legalLastName: 'ใจดี' } })
  const { state, findings } = await findSubmission(customer)
  expect(state).toBe('MANUAL')
  const reasons = ['the name cannot be compared with the list as a whole']
  expect(findings).toContainEqual({
    code: 'AML_WARNING',
    field: 'kycData.legalLastName',
    leadsTo: 'review',
    watchList: { strength: 'possible', listVersion: 1, reasons },
  })
})

test('a common name is no match, and metrics show the age of the list', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Igor', legalLastName: 'Ivanov' } })
  await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  expect(await readMetric(api, 'svc_watch_list_age_seconds')).toMatch(/^\d/)
})
