import type { Tx } from '../../../db/database.ts'
import { zonedTime } from '../../../lib/calendar.ts'
import type { FileHeader } from '../formats.ts'
import { type FileNumber, lockNumbers } from './file-store.ts'
import { isCollectingTime } from './schedule.ts'

const modifiers = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

/** After so many files of a day, payments are collected for an hour each: the rest lasts for the hours of the bank. */
const freeOfHaste = 20

/**
 * Chooses the number of a NACHA file, once per day and destination; undefined for another format. Without the bank's
 * hours, as in the sandbox, the numbers begin again when they are used up.
 */
export async function chooseNumber(
  tx: Tx,
  { service, account, createdAt }: FileHeader,
  keepsHours: boolean,
): Promise<FileNumber | undefined | 'NONE_LEFT'> {
  if (service !== 'ACH' && service !== 'ACH_SAME_DAY') return undefined
  const destination = account.dialect.nacha?.immediateDestination ?? ''
  const { day } = zonedTime(createdAt, 'America/New_York')
  const used = await lockNumbers(tx, destination, day)
  const isUsed = (modifier: string, round: number) =>
    used.some((each) => each.modifier === modifier && each.round === round)
  if (keepsHours && used.length >= freeOfHaste && !isCollectingTime(createdAt)) return 'NONE_LEFT'
  for (let round = 0; round === 0 || !keepsHours; round += 1) {
    const modifier = modifiers.find((each) => !isUsed(each, round))
    if (modifier) return { destination, day, modifier, round }
  }
  return 'NONE_LEFT'
}
