import sharp from 'sharp'
import { openForTest, type TestDatabase } from '../runner/database.ts'

/** Unique texts for every field of personal data, and the search for them in the places where none belongs. */
const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
const jpeg = await sharp({ create: { width: 900, height: 700, channels: 3, background: '#777', noise } })
  .jpeg({ quality: 95 })
  .toBuffer()
const image = `data:image/jpeg;base64,${jpeg.toString('base64')}`
let count = 0
export const canariesUsed = () => count
export const canary = () => `Canary${String(++count).padStart(3, '0')}Quux`
const address = () => ({
  countryCode: 'US',
  streetLine1: canary(),
  streetLine2: canary(),
  city: canary(),
  stateRegionProvince: 'CA',
  postalCode: '94104',
})
const document = () => ({
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'US',
  documentIdNumber: canary(),
  description: canary(),
  frontIdImage: image,
})
const person = () => ({
  legalFirstName: canary(),
  legalMiddleName: canary(),
  legalLastName: canary(),
  dateOfBirth: '1971-03-09',
  phoneNumber: '+14159998877',
  address: address(),
  nationality: 'US',
  nationalIdIssuingCountry: 'US',
  nationalIdType: 'SSN',
  nationalIdNumber: canary(),
  documents: [document()],
})
export const kycData = () => ({ ...person(), mostRecentOccupation: canary(), accountPurposeOther: canary() })
export const kybData = () => ({
  businessInfo: {
    legalBusinessName: canary(),
    dbaName: canary(),
    businessDescription: canary(),
    website: `https://${canary()}.example.com`,
    otherLinks: [canary()],
  },
  businessRegisteredAddress: address(),
  businessRegistrationNumber: canary(),
  sourceOfFundsDescription: canary(),
  associatedPersons: [{ ...person(), email: `${canary()}@example.com`, title: canary() }],
  businessDocuments: [{ type: 'ARTICLES_OF_INCORPORATION', description: canary(), documentImage: image }],
})

export const findings = (text: string) => [...new Set(text.match(/canary\d{3,}quux|14159998877|1971-03-09/gi))]

/** Reads every table as the database's owner, bytes included, and returns where a canary appears. */
export async function searchTables(connection: TestDatabase['owner'], find = findings): Promise<string[]> {
  const owner = openForTest({ connection })
  const tables = await owner.query<{ name: string }>({
    text: `select table_name as name from information_schema.tables where table_schema = 'svc'`,
  })
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await owner.query<{ row: string }>({ text: `select t::text as row from svc.${name} as t` })
    // Bytes print as hexadecimal: decode and search them as well.
    const bytes = rows
      .flatMap(({ row }) => row.match(/\\\\x[0-9a-f]+/g) ?? [])
      .map((hex) => Buffer.from(hex.slice(3), 'hex').toString('latin1'))
    const texts = [...rows.map(({ row }) => row), ...bytes]
    found.push(...find(texts.join('\n')).map((text) => `${name}: ${text}`))
  }
  return found
}
