import type { Tx } from '../../../db/database.ts'
import { zonedTime } from '../../../lib/calendar.ts'
import type { FileHeader } from '../formats.ts'
import { type FileNumber, lockNumbers, type UsedNumber } from './file-store.ts'
import { isLastHour, startOfHour } from './schedule.ts'

const modifiers = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

/** After so many files of a day, payments are collected: an account and service has one file an hour. */
const freeOfHaste = 12

/** The last numbers of a day are kept for the hour before the bank closes. */
const reserved = 4

/**
 * Chooses the number of a NACHA file, once per day and destination; undefined for another format. Without the bank's
 * hours, as in the sandbox, the numbers begin again when they are used up.
 */
export async function chooseNumber(
  tx: Tx,
  header: FileHeader,
  keepsHours: boolean,
): Promise<FileNumber | undefined | 'NONE_LEFT'> {
  const { service, account, createdAt } = header
  if (service !== 'ACH' && service !== 'ACH_SAME_DAY') return undefined
  const destination = account.dialect.nacha?.immediateDestination ?? ''
  const { day } = zonedTime(createdAt, 'America/New_York')
  const used = await lockNumbers(tx, destination, day)
  const isUsed = (modifier: string, round: number) =>
    used.some((each) => each.modifier === modifier && each.round === round)
  if (keepsHours && mustWait(header, used)) return 'NONE_LEFT'
  for (let round = 0; round === 0 || !keepsHours; round += 1) {
    const modifier = modifiers.find((each) => !isUsed(each, round))
    if (modifier) return { destination, day, modifier, round }
  }
  return 'NONE_LEFT'
}

/** True while the payments of a file must wait for more, so that the numbers last until the bank closes. */
function mustWait({ service, account, createdAt }: FileHeader, used: readonly UsedNumber[]): boolean {
  if (used.length < freeOfHaste) return false
  const hour = startOfHour(createdAt)
  const hasFile = used.some(
    (each) => each.bankAccountId === account.bankAccountId && each.service === service && each.createdAt >= hour,
  )
  return hasFile || (used.length >= modifiers.length - reserved && !isLastHour(service, createdAt))
}
