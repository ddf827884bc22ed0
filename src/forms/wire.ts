import Type from 'typebox'
import { issueCodes } from '../catalog/issues/verification-issues.ts'
import { ChangeCustomerBody } from '../customers/wire.ts'
import { compileSchema } from '../http/bodies/validate.ts'
import { oneOf, requestBody } from '../http/wire.ts'

/** Checks a submission with the schema of the API. */
export const inspectSubmission = compileSchema(ChangeCustomerBody)

const revision = Type.Integer({ minimum: 0, maximum: 2_147_483_647 })

export const readSaveDraft = compileSchema(
  requestBody('SaveDraft', {
    revision,
    moves: Type.Optional(revision),
    isLast: Type.Optional(Type.Boolean()),
    page: Type.Optional(Type.String({ maxLength: 100, pattern: '^[\\w-]*$' })),
    changes: Type.Array(
      Type.Object({ field: Type.String({ maxLength: 200 }), value: Type.Unknown() }, { additionalProperties: false }),
      { maxItems: 200 },
    ),
  }),
)

export const readSubmit = compileSchema(requestBody('SubmitDraft', { revision }))

export const readDecision = compileSchema(
  requestBody('DecideInSandbox', {
    outcome: oneOf(['APPROVE', 'NEEDS_INFO', 'REJECT']),
    issues: Type.Optional(Type.Array(oneOf(issueCodes), { maxItems: 20 })),
  }),
)
