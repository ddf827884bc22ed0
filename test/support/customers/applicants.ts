import sharp from 'sharp'
import { makeKybData, makeKycData, withoutImages } from './identities.ts'

const noise = { type: 'gaussian' as const, mean: 128, sigma: 40 }
const picture = await sharp({ create: { width: 450, height: 350, channels: 3, background: '#888', noise } })
  .jpeg({ quality: 95 })
  .toBuffer()
const image = `data:image/jpeg;base64,${picture.toString('base64')}`
let count = 0

/** An applicant whom the checks approve, with a unique name, passport and number. */
export function makeApplicant(changes: object = {}) {
  count += 1
  const digits = String(count).padStart(4, '0')
  const passport = {
    type: 'GOVERNMENT_ID',
    subtype: 'PASSPORT',
    countryCode: 'US',
    documentIdNumber: `P000${digits}`,
    issuanceDate: '2021-03-01',
    expirationDate: '2031-02-28',
    frontIdImage: image,
  }
  const nationalIdNumber = `21${count % 10}-45-${digits}`
  return { ...withoutImages(makeKycData({ nationalIdNumber })), documents: [passport], ...changes }
}

/** The same for a business with one owner. */
export function makeApplyingBusiness(changes: object = {}) {
  const { documents, nationalIdNumber } = makeApplicant()
  const kybData = withoutImages(makeKybData({ businessRegistrationNumber: `C9${String(count).padStart(6, '0')}` }))
  const associatedPersons = (kybData.associatedPersons ?? []).map((each) => ({ ...each, documents, nationalIdNumber }))
  const businessDocuments = [{ type: 'ARTICLES_OF_INCORPORATION', documentImage: image }]
  return { ...kybData, associatedPersons, businessDocuments, ...changes }
}
