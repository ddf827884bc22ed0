import type { Tx } from '../../../db/database.ts'
import { businessNow, firstOf } from '../../../db/workers/due.ts'
import type { Behaviour } from './behaviour.ts'

export type Delivery = {
  deliveryId: string
  contentHash: Buffer
  fileId: string | null
  status: 'ACCEPTED' | 'REJECTED'
  reason: string | null
  payments: number
}

/** Tells whether the bank has handled this delivery, and whether it accepted this content or name before. */
export async function findDelivery(
  tx: Tx,
  { deliveryId, contentHash, fileId }: Pick<Delivery, 'deliveryId' | 'contentHash' | 'fileId'>,
): Promise<{ isHandled: boolean; isDuplicate: boolean }> {
  // Deliveries are recorded one at a time, so that two copies never both count as the first.
  await tx.query({
    name: 'lock deliveries of sandbox bank',
    text: `select pg_advisory_xact_lock(hashtextextended('sandbox bank deliveries', 0))`,
  })
  const [found] = await tx.query<{ isHandled: boolean; isDuplicate: boolean }>({
    name: 'find delivery of sandbox bank',
    text: `select exists (select from svc.sandbox_bank_files where delivery_id = $1) as "isHandled",
                  exists (select from svc.sandbox_bank_files
                           where status = 'ACCEPTED' and (content_hash = $2 or file_id = $3)) as "isDuplicate"`,
    values: [deliveryId, contentHash, fileId],
  })
  return found ?? { isHandled: false, isDuplicate: false }
}

export async function insertDelivery(tx: Tx, delivery: Delivery): Promise<void> {
  const { deliveryId, contentHash, fileId, status, reason, payments } = delivery
  await tx.query({
    name: 'insert delivery of sandbox bank',
    text: `insert into svc.sandbox_bank_files (delivery_id, content_hash, file_id, status, reason, payments, received_at)
           values ($1, $2, $3, $4, $5, $6, svc.now())`,
    values: [deliveryId, contentHash, fileId, status, reason, payments],
  })
}

/** Finds the references that the bank has met in a file before. */
export async function findKnownReferences(tx: Tx, references: readonly string[]): Promise<Set<string>> {
  const found = await tx.query<{ reference: string }>({
    name: 'find known references of sandbox bank',
    text: 'select distinct reference from svc.sandbox_bank_payments where reference = any($1::text[])',
    values: [references],
  })
  return new Set(found.map(({ reference }) => reference))
}

export type NewPayment = {
  position: number
  reference: string
  amount: bigint
  behaviour: Behaviour
  status: 'PENDING' | 'REJECTED'
  settlesInSeconds: number
  sealedPayment: Buffer
}

/** Inserts the payments of a file. One that was expedited before it arrived is booked at once. */
export async function insertPayments(
  tx: Tx,
  { deliveryId, account }: { deliveryId: string; account: string },
  payments: readonly NewPayment[],
): Promise<void> {
  await tx.query({
    name: 'insert payments of sandbox bank',
    text: `insert into svc.sandbox_bank_payments (delivery_id, account, position, reference, amount, behaviour, status,
                  sealed_payment, due_at)
           select $1, $2, sent.position, sent.reference, sent.amount, sent.behaviour, sent.status, sent.sealed_payment,
                  case when sent.status = 'PENDING'
                       then svc.now() + case when exists (select from svc.sandbox_bank_expedited as expedited
                                                           where expedited.reference = sent.reference)
                                             then interval '0' else sent.seconds * interval '1 second' end end
             from unnest($3::integer[], $4::text[], $5::numeric[], $6::text[], $7::text[], $8::integer[], $9::bytea[])
                    as sent (position, reference, amount, behaviour, status, seconds, sealed_payment)`,
    values: [
      deliveryId,
      account,
      payments.map(({ position }) => position),
      payments.map(({ reference }) => reference),
      payments.map(({ amount }) => String(amount)),
      payments.map(({ behaviour }) => behaviour),
      payments.map(({ status }) => status),
      payments.map(({ settlesInSeconds }) => settlesInSeconds),
      payments.map(({ sealedPayment }) => sealedPayment),
    ],
  })
}

export type DuePayment = {
  deliveryId: string
  fileId: string
  position: number
  reference: string
  account: string
  amount: string
  behaviour: Behaviour
  status: 'PENDING' | 'BOOKED'
  returnCode: string | null
  sealedPayment: Buffer
}

export const duePayments = firstOf(`svc.sandbox_bank_payments where due_at <= ${businessNow} order by due_at`)

/** Takes the payments that are due, in the order of their files; another worker takes others. */
export function takeDuePayments(tx: Tx, limit: number): Promise<DuePayment[]> {
  return tx.query<DuePayment>({
    name: 'take due payments of sandbox bank',
    text: `select payment.delivery_id as "deliveryId", file.file_id as "fileId", payment.position, payment.reference,
                  payment.account, payment.amount::text as amount, payment.behaviour, payment.status,
                  payment.return_code as "returnCode", payment.sealed_payment as "sealedPayment"
             from svc.sandbox_bank_payments as payment
             join svc.sandbox_bank_files as file on file.delivery_id = payment.delivery_id
            where payment.due_at <= svc.now()
            order by payment.due_at, payment.delivery_id, payment.position limit $1
              for update of payment skip locked`,
    values: [limit],
  })
}

/** Moves payments to their next state. A booked one may be due for its return. */
export async function movePayments(
  tx: Tx,
  payments: readonly { deliveryId: string; position: number; returnsInSeconds: number | null }[],
  status: 'BOOKED' | 'RETURNED',
): Promise<void> {
  await tx.query({
    name: `move payments of sandbox bank to ${status}`,
    text: `update svc.sandbox_bank_payments as payment
              set status = $1, due_at = svc.now() + moved.seconds * interval '1 second'
             from unnest($2::uuid[], $3::integer[], $4::integer[]) as moved (delivery_id, position, seconds)
            where payment.delivery_id = moved.delivery_id and payment.position = moved.position`,
    values: [
      status,
      payments.map(({ deliveryId }) => deliveryId),
      payments.map(({ position }) => position),
      payments.map(({ returnsInSeconds }) => returnsInSeconds),
    ],
  })
}

/** Lets these payments be booked now. One that has not arrived yet is booked on arrival. */
export async function expeditePayments(tx: Tx, references: readonly string[]): Promise<void> {
  await tx.query({
    name: 'remember expedited payments of sandbox bank',
    text: `insert into svc.sandbox_bank_expedited (reference) select unnest($1::text[]) on conflict do nothing`,
    values: [references],
  })
  await tx.query({
    name: 'expedite payments of sandbox bank',
    text: `update svc.sandbox_bank_payments set due_at = svc.now()
            where reference = any($1::text[]) and status = 'PENDING'`,
    values: [references],
  })
}

/** Lets the bank return booked payments now, with a code; answers how many there were. */
export async function returnPayments(tx: Tx, references: readonly string[], code: string | null): Promise<number> {
  const returned = await tx.query({
    name: 'return payments of sandbox bank',
    text: `update svc.sandbox_bank_payments set due_at = svc.now(), return_code = $2
            where reference = any($1::text[]) and status = 'BOOKED' returning reference`,
    values: [references, code],
  })
  return returned.length
}

/** Finds the booked payments with these references. */
export function findBooked(tx: Tx, references: readonly string[]): Promise<DuePayment[]> {
  return tx.query<DuePayment>({
    name: 'find booked payments of sandbox bank',
    text: `select payment.delivery_id as "deliveryId", file.file_id as "fileId", payment.position, payment.reference,
                  payment.account, payment.amount::text as amount, payment.behaviour, payment.status,
                  payment.return_code as "returnCode", payment.sealed_payment as "sealedPayment"
             from svc.sandbox_bank_payments as payment
             join svc.sandbox_bank_files as file on file.delivery_id = payment.delivery_id
            where payment.reference = any($1::text[]) and payment.status = 'BOOKED'`,
    values: [references],
  })
}
