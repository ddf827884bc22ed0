import { uploadFile } from '../files/upload.ts'
import { documentPath, listAt, readText } from '../model/paths.ts'
import type { FormStore } from '../model/store.ts'
import { nameOf } from '../texts/words.ts'

const address = {
  countryCode: 'US',
  streetLine1: '548 Market Street',
  city: 'San Francisco',
  stateRegionProvince: 'CA',
  postalCode: '94104',
}

const person = {
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  dateOfBirth: '1990-05-17',
  nationality: 'US',
}

const business = {
  'businessInfo.registrationCountry': 'US',
  'businessInfo.legalBusinessName': 'Example Goods Inc',
  'businessInfo.businessType': 'C_CORPORATION',
  'businessInfo.businessIndustries': 'retail',
  'businessInfo.businessDescription': 'Sells household goods online',
  'businessInfo.website': 'https://example.com',
  'businessInfo.formationDate': '2018-06-01',
  businessRegistrationNumber: 'C1234567',
  sourceOfFunds: 'SALE_OF_GOODS_AND_SERVICES',
  accountPurpose: 'SUPPLIERS',
  expectedMonthlyVolumeUsd: 'BETWEEN_10000_99999',
  estimatedAnnualRevenueUsd: 'BETWEEN_100000_999999',
  conductsMoneyServices: false,
  operatesInProhibitedCountries: false,
}

/** Fills the whole form with data that the sandbox approves. A name that is there stays. */
export async function fillWithSamples(store: FormStore): Promise<void> {
  const set = (path: string, answers: object) => {
    for (const [name, value] of Object.entries(answers)) {
      const field = `${path}.${name}`
      if (!/Name$/.test(name) || readText(store.state.values, field) === '') store.set(field, value)
    }
  }
  if (store.state.customerType === 'BUSINESS') {
    set('kybData', business)
    set('kybData.businessRegisteredAddress', address)
    const first = 'kybData.associatedPersons[0]'
    if (listAt(store.state.values, 'kybData.associatedPersons').length === 0) store.set(first, {})
    set(first, {
      ...person,
      email: 'owner@example.com',
      title: 'Director',
      ownershipPercentage: 100,
      isControlPerson: true,
      isSigner: true,
    })
    set(`${first}.address`, address)
    if (listAt(store.state.values, 'kybData.businessDocuments').length === 0)
      store.set('kybData.businessDocuments[0]', {})
    set('kybData.businessDocuments[0]', { type: 'ARTICLES_OF_INCORPORATION' })
    await addPassport(store, first)
    await addFile(store, 'kybData.businessDocuments[0].documentImage', 'ARTICLES OF INCORPORATION')
    return
  }
  set('kycData', { ...person, phoneNumber: '+14155550123', employmentStatus: 'EMPLOYED', sourceOfFunds: 'SALARY' })
  set('kycData', {
    accountPurpose: 'PERSONAL_EXPENSES',
    expectedMonthlyPaymentsUsd: 'UNDER_10K',
    isIntermediary: false,
  })
  set('kycData.address', address)
  await addPassport(store, 'kycData')
}

const passport = {
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'US',
  documentIdNumber: 'X1234567',
  issuanceDate: '2024-05-01',
  expirationDate: '2034-04-30',
}

/** Answers by the last name of a field. */
const corrections: Record<string, unknown> = {
  ...passport,
  ...address,
  ...person,
  nationalIdIssuingCountry: 'US',
  nationalIdType: 'SSN',
  nationalIdNumber: '123-45-6788',
  phoneNumber: '+14155550123',
  legalBusinessName: 'Example Goods Inc',
  businessRegistrationNumber: 'C1234567',
}

/** Fills in what the issues have opened, with new pictures. */
export async function fillCorrections(store: FormStore): Promise<void> {
  const fields = [...new Set((store.state.corrections ?? []).flatMap(({ opens }) => opens))]
  for (const field of fields) {
    const name = nameOf(field)
    const isProof = fields.includes(field.replace(/\w+$/, 'proofOfAddressImage'))
    const recently = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10)
    const answers = isProof ? { subtype: 'UTILITY_BILL', issuanceDate: recently } : corrections
    const answer = (answers as Record<string, unknown>)[name]
    if (name.endsWith('Image')) await addFile(store, field, 'DOCUMENT')
    else if (answer !== undefined) store.set(field, answer)
  }
  await store.flush()
}

async function addPassport(store: FormStore, owner: string): Promise<void> {
  const path = documentPath(store.state.values, owner, 'GOVERNMENT_ID')
  for (const [name, value] of Object.entries(passport)) store.set(`${path}.${name}`, value)
  await addFile(store, `${path}.frontIdImage`, 'PASSPORT')
}

async function addFile(store: FormStore, path: string, title: string): Promise<void> {
  await store.flush()
  store.accept(await uploadFile({ field: path, moves: store.state.moves }, await drawSample(title), () => {}))
}

/** Draws a picture with enough detail for the smallest size of a file. */
function drawSample(title: string): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = 900
  canvas.height = 600
  const context = canvas.getContext('2d')
  if (!context) throw new Error('this browser cannot draw')
  const pixels = context.createImageData(canvas.width, canvas.height)
  const noise = new Uint8Array(65_536)
  for (let at = 0; at < pixels.data.length; at += 4) {
    if ((at / 4) % noise.length === 0) crypto.getRandomValues(noise)
    const grain = (noise[(at / 4) % noise.length] ?? 0) / 5
    pixels.data.set([205 + grain, 215 + grain, 225 + grain / 2, 255], at)
  }
  context.putImageData(pixels, 0, 0)
  context.fillStyle = '#123a6b'
  context.font = 'bold 44px sans-serif'
  context.fillText(`SAMPLE ${title}`, 60, 120)
  context.font = '30px sans-serif'
  context.fillText('EXAMPLE, ADA', 60, 200)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('this browser cannot draw'))), 'image/jpeg', 0.95)
  })
}
