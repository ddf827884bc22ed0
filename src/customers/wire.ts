import Type, { type TSchema } from 'typebox'
import { codePattern, isCode } from '../catalog/coded-fields.ts'
import { isCountryCode } from '../catalog/countries.ts'
import { issueCodes } from '../catalog/issues/verification-issues.ts'
import { paymentMethodNames } from '../catalog/payment-methods.ts'
import { addFormat } from '../http/bodies/validate.ts'
import { exampleCorrection, exampleCustomer } from '../http/examples/customers.ts'
import { createdQuery } from '../http/filters.ts'
import { changedOwnData, externalIdQuery, newOwnData, shownOwnData } from '../http/own-data.ts'
import { type EventPayload, oneOf, pageOf, pageQuery, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import type { EventType } from '../lib/event-types.ts'
import { customerStatuses, customerTypes } from './customer.ts'
import { clearable } from './identity/clearable.ts'
import { KybBody, KycBody } from './identity/schema.ts'
import { SubmittedData } from './identity/shown-schema.ts'
import { longestPrefix, shortestPrefix } from './search.ts'

const phonePattern = /^\+[1-9]\d{6,14}$/
const languagePattern = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/

addFormat('country', isCountryCode, 'must be an ISO 3166-1 alpha-2 country code such as US', { pattern: '^[A-Z]{2}$' })
addFormat('phone', (text) => phonePattern.test(text), 'must be a phone number in E.164 form such as +14155550123', {
  pattern: phonePattern.source,
})
addFormat('code', isCode, 'must be a code of letters, digits and underscores, at most 64 long', {
  pattern: codePattern.source,
})
addFormat('language-tag', (text) => languagePattern.test(text), 'must be a language tag such as en-US', {
  pattern: languagePattern.source,
})
addFormat(
  'web-address',
  (text) => URL.canParse(text) && /^https?:/i.test(text),
  'must be a web address such as https://example.com',
  { format: 'uri' },
)

const IssueCode = Type.String({
  enum: [...issueCodes],
  description: 'A verification issue code; docs/verification.md tells the resolution of each',
  examples: ['DOCUMENT_EXPIRED'],
})

const Issue = resource('VerificationIssue', {
  code: IssueCode,
  message: Type.String({
    description: 'For the customer: what to correct',
    examples: ['The document has expired. Please upload one that is still valid.'],
  }),
  timestamp: Timestamp,
  field: Type.Optional(
    Type.String({
      description: 'The field to correct, as a path with the index of the person or document',
      examples: ['kycData.documents[0].expirationDate'],
    }),
  ),
})

const Due = resource('Requirement', {
  field: Type.String({ examples: ['kybData.associatedPersons[1].dateOfBirth'] }),
  code: { ...IssueCode, examples: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  message: Type.String({
    description: 'For the customer: what to give or correct',
    examples: ['Please provide the date of birth of person 2.'],
  }),
})

const Requirements = resource('Requirements', { due: Type.Array(Due) })

const OpenReview = resource('OpenReview', {
  openedAt: Timestamp,
  dueAt: { ...Timestamp, description: 'Three business days after openedAt' },
})

export const CustomerAnswer = resource(
  'Customer',
  {
    customerId: Uuid,
    customerStatus: oneOf(customerStatuses),
    customerType: oneOf(customerTypes),
    name: Type.String({ examples: ['Ada Example'] }),
    email: Type.String({ examples: ['ada@example.com'] }),
    verificationLink: Type.Optional(
      Type.String({
        description: 'The hosted verification form of this customer',
        examples: ['https://pay.example.com/forms/verify/AZnzonwefVWMG1oPax9KEQAAAAH'],
      }),
    ),
    createdAt: Timestamp,
    updatedAt: { ...Timestamp, description: 'The time of the last change of the status' },
    organizationId: Uuid,
    ...shownOwnData,
    availablePaymentMethods: Type.Optional(Type.Array({ ...oneOf(paymentMethodNames), examples: ['ACH'] })),
    verificationIssues: Type.Optional(
      Type.Array(Issue, { description: 'While UNDER_REVIEW, NEEDS_ADDITIONAL_INFORMATION or REJECTED' }),
    ),
    requirements: Type.Optional({
      ...Requirements,
      description: 'While CREATED or NEEDS_ADDITIONAL_INFORMATION: what the customer still has to give or correct',
    }),
    review: Type.Optional({
      ...OpenReview,
      description: 'While UNDER_REVIEW, if a person decides. An event tells when it opens, never why',
    }),
    verification: Type.Optional({
      ...SubmittedData,
      description: 'The submitted data with masked numbers and no images. Only with includeVerification=true',
    }),
  },
  exampleCustomer,
)

/** The payloads of this capability's events. */
export const customerEvents = {
  'customer.created': {
    schema: CustomerAnswer,
    example: exampleCustomer,
  },
  'customer.updated': {
    schema: CustomerAnswer,
    example: exampleCorrection,
  },
} satisfies Partial<Record<EventType, EventPayload>>

export const CustomerPage = pageOf('CustomerPage', 'customers', CustomerAnswer)

const email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] })
const businessName = Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Example Goods Inc'] }))
const orNull = <Field extends TSchema>(field: Field) => Type.Optional<Field>({ ...field, type: ['string', 'null'] })
const personName = (example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: [example] }))

export const CreateCustomerBody = requestBody(
  'CreateCustomer',
  {
    customerType: oneOf(customerTypes),
    email,
    firstName: personName('Ada'),
    lastName: personName('Example'),
    businessName,
    organizationId: Type.Optional({ ...Uuid, description: 'A child organization to create the customer for' }),
    kycData: Type.Optional(KycBody),
    kybData: Type.Optional(KybBody),
    ...newOwnData,
  },
  {
    removed: { kycLink: 'was removed; the answer has verificationLink' },
    examples: [{ customerType: 'INDIVIDUAL', email: 'ada@example.com', firstName: 'Ada', lastName: 'Example' }],
  },
)

export const ChangeCustomerBody = requestBody(
  'ChangeCustomer',
  {
    email: Type.Optional(email),
    firstName: orNull(personName('Ada')),
    lastName: orNull(personName('Example')),
    businessName: orNull(businessName),
    kycData: Type.Optional(clearable(KycBody)),
    kybData: Type.Optional(clearable(KybBody)),
    ...changedOwnData,
  },
  {
    description:
      'kycData for an individual, kybData for a business; any subset of their fields. null clears an optional field. ' +
      'Email, names, externalId and metadata alone leave the status.',
    removed: { kycLink: 'was removed; the answer has verificationLink' },
    examples: [{ kycData: { legalFirstName: 'Ada', legalLastName: 'Example', dateOfBirth: '1990-05-17' } }],
  },
)

export const ReasonBody = requestBody('Reason', {
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Stored sealed with the customer and shown to reviewers',
    examples: ['Asked to leave'],
  }),
})

export const CustomerQuery = Type.Object(
  {
    ...pageQuery,
    organizationId: Type.Optional({ ...Uuid, description: 'Only the customers of this organization' }),
    status: Type.Optional(oneOf(customerStatuses, 'Only customers in this status')),
    type: Type.Optional(oneOf(customerTypes, 'Only customers of this type')),
    email: Type.Optional(Type.String({ minLength: 1, maxLength: 254, description: 'Only customers with this email' })),
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 400, description: 'Only customers with this whole name' }),
    ),
    namePrefix: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: `Only customers whose name begins so; ${shortestPrefix} to ${longestPrefix} characters`,
        examples: ['Ada Ex'],
      }),
    ),
    ...externalIdQuery,
    ...createdQuery,
  },
  { additionalProperties: false },
)

export const ReadCustomerQuery = Type.Object(
  {
    includePaymentMethods: Type.Optional(Type.Boolean({ description: 'Adds availablePaymentMethods' })),
    includeVerification: Type.Optional(Type.Boolean({ description: 'Adds verification: the submitted data, masked' })),
  },
  { additionalProperties: false },
)
