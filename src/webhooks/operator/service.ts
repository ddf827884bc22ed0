import type { Audit } from '../../db/audit/audit.ts'
import type { Database, Tx } from '../../db/database.ts'
import { recordDisabled } from '../disable.ts'
import type { Webhook } from '../webhook.ts'
import * as store from './store.ts'

export type OperatorDeps = {
  database: Database
  audit: Audit
  /** Who acts on the command line. */
  actor: string
}

/** Operations of the operator on the command line, on the webhooks of every organization, a suspended one included. */
export function createOperatorOperations({ database, audit, actor }: OperatorDeps) {
  const find = async (tx: Tx, webhookId: string): Promise<Webhook> => {
    const found = await store.lockForOperator(tx, webhookId)
    if (!found) throw new Error(`There is no webhook ${webhookId}.`)
    return found
  }
  return {
    listOf: (organizationId: string): Promise<Webhook[]> => store.listForOperator(database, organizationId),

    /** Disables a webhook. No key of its organization can enable it until the operator allows it. */
    disable: (webhookId: string, reason: string): Promise<Webhook> =>
      database.inTx(async (tx) => {
        const found = await find(tx, webhookId)
        if (found.disabledReason === 'OPERATOR') throw new Error('The operator has disabled this webhook already.')
        const disabled = await store.disableForOperator(tx, found)
        await recordDisabled(tx, audit, disabled, { actor, details: { reason } })
        return disabled
      }),

    /** Lets the organization enable its webhook again. */
    allow: (webhookId: string, reason: string): Promise<Webhook> =>
      database.inTx(async (tx) => {
        const found = await find(tx, webhookId)
        if (found.disabledReason !== 'OPERATOR') throw new Error('The operator has not disabled this webhook.')
        await store.allowForOperator(tx, found)
        const { organizationId } = found
        const act = { actor, action: 'webhook.allowed', subjectId: found.webhookId, details: { reason } }
        await audit.append(tx, { organizationId, ...act })
        return found
      }),
  }
}

export type WebhookOperator = ReturnType<typeof createOperatorOperations>
