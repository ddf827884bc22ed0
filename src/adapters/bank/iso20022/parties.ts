import type { BankCoordinates } from '../../../payment-accounts/payment-account.ts'
import type { AccountName, PostalAddress } from '../../../transactions/bank-files/formats.ts'
import { fitText } from '../text/charsets.ts'
import { type IsoService, isoServices } from './services.ts'
import { branch, leaf } from './xml-writer.ts'

/** The word of ISO 20022 for a mandatory field without a value. */
export const notProvided = 'NOTPROVIDED'

/** Writes a bank: by BIC, by its number in the clearing system of the service, or as not provided. */
export function agent(name: string, service: IsoService, coordinates: BankCoordinates, bankName?: string): string {
  const { clearingSystem } = isoServices[service]
  const member = memberId(coordinates)
  return branch(
    name,
    branch(
      'FinInstnId',
      leaf('BICFI', coordinates.bicSwift),
      clearingSystem && member
        ? branch('ClrSysMmbId', branch('ClrSysId', leaf('Cd', clearingSystem)), leaf('MmbId', member))
        : '',
      leaf('Nm', bankName && fitText(bankName, 'sepa', 140)),
      coordinates.bicSwift || member || bankName ? '' : branch('Othr', leaf('Id', notProvided)),
    ),
  )
}

/** The number of a bank in its clearing system. A Canadian one is a zero, the institution and the transit number. */
export function memberId(coordinates: BankCoordinates): string | undefined {
  const { routingNumber, ifscCode, institutionNumber, transitNumber } = coordinates
  if (routingNumber) return routingNumber
  if (ifscCode) return ifscCode
  return institutionNumber && transitNumber ? `0${institutionNumber}${transitNumber}` : undefined
}

/** Writes an account: its IBAN, its number, or the e-mail address that stands for it. */
export function account(name: string, coordinates: BankCoordinates, currency?: string): string {
  const { iban, accountNumber, interacEmail } = coordinates
  const identification = iban ? leaf('IBAN', iban) : branch('Othr', leaf('Id', accountNumber ?? notProvided))
  const proxy = interacEmail ? branch('Prxy', branch('Tp', leaf('Cd', 'EMAL')), leaf('Id', interacEmail)) : ''
  return branch(name, branch('Id', identification), leaf('Ccy', currency), proxy)
}

/** Writes an account that a message named. */
export function namedAccount(name: string, { iban, number, currency, bankId }: AccountName): string {
  const identification = iban ? leaf('IBAN', iban) : branch('Othr', leaf('Id', number ?? notProvided))
  const isBic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(bankId ?? '') && !/^\d+$/.test(bankId ?? '')
  const bank = isBic ? leaf('BICFI', bankId) : branch('ClrSysMmbId', leaf('MmbId', bankId))
  return branch(name, branch('Id', identification), leaf('Ccy', currency), branch('Svcr', branch('FinInstnId', bank)))
}

/** Writes a postal address in its structured form. Town and country are mandatory: without them it is left out. */
export function address(postal: PostalAddress | undefined): string {
  const { streetLine1, streetLine2, postalCode, city, stateRegionProvince, countryCode } = postal ?? {}
  if (!city || !/^[A-Z]{2}$/.test(countryCode ?? '')) return ''
  const street = [streetLine1, streetLine2].filter(Boolean).join(', ')
  return branch(
    'PstlAdr',
    leaf('StrtNm', fitText(street, 'sepa', 70)),
    leaf('PstCd', fitText(postalCode ?? '', 'sepa', 16)),
    leaf('TwnNm', fitText(city, 'sepa', 35)),
    leaf('CtrySubDvsn', fitText(stateRegionProvince ?? '', 'sepa', 35)),
    leaf('Ctry', countryCode),
  )
}
