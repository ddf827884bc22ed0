import Type from 'typebox'
import { type Route, route } from '../../../http/route.ts'
import { oneOf, requestBody } from '../../../http/wire.ts'
import { DepositAnswer, DepositParams } from '../wire.ts'
import { recallDecisions } from './recall.ts'
import type { PreparedAnswer, RecallAnswer, RecallService } from './service.ts'

const AnswerRecallBody = requestBody(
  'AnswerRecall',
  {
    decision: oneOf(recallDecisions, 'ACCEPT: the bank takes the money back. REJECT: the deposit is released'),
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Stored encrypted with the customer, and shown to reviewers',
      examples: ['The customer agrees that it was paid twice'],
    }),
  },
  { examples: [{ decision: 'ACCEPT', reason: 'The customer agrees that it was paid twice' }] },
)

export function recallRoute(recalls: RecallService): Route {
  return route({
    method: 'POST',
    path: '/deposits/{depositId}/recall',
    access: 'reviews:write',
    tag: 'Bank files',
    params: DepositParams,
    summary: 'Answer the recall of a deposit',
    description:
      'Records what the operator answers the bank that wants a payment back. Until then nothing of the deposit leaves. ' +
      'ACCEPT keeps it so until the debit of the bank reverses the deposit. REJECT releases the deposit; a recall that was ' +
      'accepted, or whose code is FRAD, is rejected only by the operator of the deployment. Tell the bank in its own channel.',
    body: AnswerRecallBody,
    refusals: ['CONFLICT'],
    answer: { status: 200, description: 'The deposit', schema: DepositAnswer },
    handle: ({ caller, params: { depositId }, readBody, once }) =>
      once(
        (tx, prepared: PreparedAnswer) => recalls.answer(tx, caller, prepared),
        () => recalls.prepareAnswer(caller, depositId, () => readBody() as RecallAnswer),
      ),
  })
}
