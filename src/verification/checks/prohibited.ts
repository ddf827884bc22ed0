import { closedCountries } from '../../catalog/payment-methods.ts'
import type { KybData } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsInformation, needsReview, type Submission } from '../submission.ts'

/**
 * Countries under an embargo of the United States as a whole (31 CFR parts 510, 515 and 560), named by the Financial
 * Action Task Force in its call for action of October 2025, or reached by no payment method of ours. A reviewer judges:
 * the person may have left such a country long ago.
 */
const countriesForReview: readonly string[] = ['CU', 'IR', 'KP', 'MM', ...Object.keys(closedCountries)]

/** Sends businesses and places that need more care than these checks can give to a reviewer. */
export function checkProhibited({ customerType, identity: { kycData, kybData } }: Submission): Finding[] {
  if (customerType === 'INDIVIDUAL') {
    return checkCountries({
      'kycData.nationality': kycData?.nationality,
      'kycData.address.countryCode': kycData?.address?.countryCode,
    })
  }
  const persons = (kybData?.associatedPersons ?? []).flatMap(({ nationality, address }, at) => [
    [`kybData.associatedPersons[${at}].nationality`, nationality] as const,
    [`kybData.associatedPersons[${at}].address.countryCode`, address?.countryCode] as const,
  ])
  return [
    ...checkActivities(kybData ?? {}),
    ...checkCountries({
      'kybData.businessInfo.registrationCountry': kybData?.businessInfo?.registrationCountry,
      'kybData.businessRegisteredAddress.countryCode': kybData?.businessRegisteredAddress?.countryCode,
      'kybData.businessOperatingAddress.countryCode': kybData?.businessOperatingAddress?.countryCode,
      ...Object.fromEntries(persons),
    }),
  ]
}

/** Asks the customer for a missing explanation; a reviewer reads a given one. */
function checkActivities(kybData: KybData): Finding[] {
  const { highRiskActivities = [], conductsMoneyServices = false, conductsMoneyServicesThroughSvc = false } = kybData
  const explained = (text: string | undefined, field: string, what: string) =>
    isBlank(text)
      ? needsInformation('API_DATA_REQUIREMENTS_NOT_MET', `kybData.${field}`)
      : needsReview('ADDITIONAL_WARNING', `kybData.${what}`)
  return [
    ...(kybData.operatesInProhibitedCountries
      ? [needsReview('ADDITIONAL_WARNING', 'kybData.operatesInProhibitedCountries')]
      : []),
    ...(highRiskActivities.length > 0
      ? [explained(kybData.highRiskActivitiesExplanation, 'highRiskActivitiesExplanation', 'highRiskActivities')]
      : []),
    ...(conductsMoneyServices
      ? [
          explained(
            kybData.conductsMoneyServicesDescription,
            'conductsMoneyServicesDescription',
            'conductsMoneyServices',
          ),
        ]
      : []),
    ...(conductsMoneyServicesThroughSvc && !conductsMoneyServices
      ? [needsInformation('INCONSISTENT_INFORMATION', 'kybData.conductsMoneyServicesThroughSvc')]
      : []),
  ]
}

function checkCountries(places: Readonly<Record<string, string | undefined>>): Finding[] {
  return Object.entries(places)
    .filter(([, country]) => countriesForReview.includes(country ?? ''))
    .map(([field]) => needsReview('ADDITIONAL_WARNING', field))
}
