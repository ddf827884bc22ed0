import Type from 'typebox'
import { exampleOrganization } from '../http/examples/organizations.ts'
import { oneOf, pageOf, requestBody, resource, Timestamp, Uuid } from '../http/wire.ts'
import {
  decidesReviews,
  type Environment,
  type Organization,
  type OrganizationLimits,
  type QuotaName,
  type Tier,
  tiers,
  type UsedQuotas,
} from './organization.ts'

const Branding = Type.Object(
  {
    displayName: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['Example Pay'] })),
    logoUrl: Type.Optional(
      Type.String({ format: 'uri', pattern: '^https://', maxLength: 500, examples: ['https://example.com/logo.png'] }),
    ),
    primaryColor: Type.Optional(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: 'The color of buttons and links. Its contrast with white must be at least 4.5:1',
        examples: ['#1a4fff'],
      }),
    ),
    supportEmail: Type.Optional(Type.String({ format: 'email', maxLength: 254, examples: ['help@example.com'] })),
  },
  { additionalProperties: false, description: 'How hosted forms look to your customers' },
)

const AllowedOrigins = Type.Array(
  Type.String({
    pattern: '^https?://[a-z0-9.-]+(:[0-9]{1,5})?$',
    maxLength: 300,
    examples: ['https://app.example.com'],
  }),
  { maxItems: 50, description: 'Web origins whose pages may show the hosted forms in a frame' },
)

const AllowedIps = Type.Array(Type.String({ maxLength: 64, examples: ['192.0.2.0/24'] }), {
  maxItems: 100,
  description:
    'Addresses and ranges from which the credentials of the organization may be used, beside the list of each key. ' +
    'Empty: from any address',
})

export const ChangeOrganizationBody = requestBody(
  'ChangeOrganization',
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Example Pay Ltd'] })),
    branding: Type.Optional(Branding),
    allowedOrigins: Type.Optional(AllowedOrigins),
    allowedIps: Type.Optional(AllowedIps),
  },
  { minProperties: 1, description: 'Omitted fields stay unchanged. branding is replaced as a whole' },
)

export const OrganizationAnswer = resource(
  'Organization',
  {
    organizationId: Uuid,
    parentOrganizationId: Type.Optional(Uuid),
    name: Type.String({ examples: [exampleOrganization.name] }),
    tier: oneOf(tiers),
    environment: oneOf(['sandbox', 'production']),
    branding: Branding,
    allowedOrigins: AllowedOrigins,
    allowedIps: AllowedIps,
    decidesReviews: Type.Boolean({
      description:
        'Whether your keys decide your reviews. In production the platform decides them, unless it allows you to',
    }),
    limits: Type.Object(
      {
        requestsPerMinute: Type.Optional(Type.Integer({ minimum: 0, examples: [600] })),
        guaranteedUSDAmountPerTransaction: Type.Optional(
          Type.String({ description: 'The largest guaranteed quote between currencies', examples: ['25000.00'] }),
        ),
        guaranteedUSDAmountPerOrganization: Type.Optional(
          Type.String({
            description: 'The largest sum of open guarantees between currencies',
            examples: ['500000.00'],
          }),
        ),
        guaranteeWindowSeconds: Type.Optional(
          Type.Integer({
            minimum: 300,
            description: 'How long a guarantee between currencies holds',
            examples: [3_600],
          }),
        ),
      },
      { description: 'The limits that apply: those of the organization, else of its tier and the deployment' },
    ),
    quotas: Type.Object(
      {
        fileBytes: quotaOf('fileBytes', 'Bytes of documents of customers. A request beyond it gets 409'),
        webhooks: quotaOf('webhooks', 'Webhooks. A further one gets 409'),
        webhookAttempts: quotaOf('webhookAttempts', 'Webhook attempts. Beyond it Svc deletes the oldest'),
        automationRules: quotaOf('automationRules', 'Automation rules. A further one gets 409'),
        sandboxInboxes: quotaOf('sandboxInboxes', 'Sandbox inboxes. A further one gets 409. Not in production'),
      },
      { description: 'What the organization uses, and what it can have' },
    ),
    createdAt: Timestamp,
  },
  exampleOrganization,
)

function quotaOf(name: QuotaName, description: string) {
  const { used, allowed } = exampleOrganization.quotas[name]
  return Type.Optional(
    Type.Object(
      {
        used: Type.Integer({ minimum: 0, examples: [used] }),
        allowed: Type.Integer({ minimum: 0, examples: [allowed] }),
      },
      { description },
    ),
  )
}

export const OrganizationPage = pageOf('OrganizationPage', 'organizations', OrganizationAnswer)

/** The limits of the deployment, for an organization that has none of its own. */
export type DefaultLimits = (tier: Tier) => Required<OrganizationLimits>

export type OrganizationView = ReturnType<typeof presentOrganization>

export function presentOrganization(
  organization: Organization,
  {
    environment,
    defaultLimits,
    quotas,
  }: { environment: Environment; defaultLimits: DefaultLimits; quotas: UsedQuotas },
) {
  // A suspended organization has no caller who could read it.
  const { parentOrganizationId, createdAt, suspendedAt: _, ...rest } = organization
  return {
    ...rest,
    limits: { ...defaultLimits(organization.tier), ...organization.limits },
    decidesReviews: decidesReviews(organization, environment),
    ...(parentOrganizationId === null ? {} : { parentOrganizationId }),
    environment,
    quotas,
    createdAt: createdAt.toISOString(),
  }
}
