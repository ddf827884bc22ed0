import pg from 'pg'

/** The number of the type `timestamptz`. */
export const time: number = 1184
const parseTime: (text: string) => Date | number = pg.types.getTypeParser(time)

/**
 * Reads a time such as `2025-11-21 10:00:00.123456+00`, as PostgreSQL writes it in UTC, in half the time of the driver,
 * which also reads other zones, years before Christ and infinity.
 */
export function readTime(text: string): Date | number {
  const isUsual = text.length > 21 && text[4] === '-' && text.endsWith('+00')
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : parseTime(text)
}
