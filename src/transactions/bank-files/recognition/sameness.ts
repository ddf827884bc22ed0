/** Whether two tellings have the same identifier; null when one of them has none. */
export type Match = 'SAME' | 'OTHER' | null

/** The facts about a known entry, or a transaction of one, beside the one that is told now. */
export type Evidence = {
  isSameAmount: boolean
  isSameSource: boolean
  /** On one page of one file: a bank lists each booking there once. */
  isSameStatement: boolean
  /** The same statement id with the same reference or position of the entry, in another file. */
  isSameEntry: boolean
  isSamePosition: boolean
  isSameEntryReference: boolean
  isSameDay: boolean
  /** At most some holidays apart: a message of Saturday, a statement of Monday. */
  isNear: boolean
  /** Another message has told it, too. */
  isPaired: boolean
  /** Another entry of the statement that is read now has told it: a bank lists each booking there once. */
  isToldHere: boolean
  /** A return or reversal. Ids of the networks name the payment that it gives back, which it may do in parts. */
  isGivenBack: boolean
  /** Which of two tellings alone is marked as a return or reversal; null when both are, or none. */
  onlyMarked: 'KNOWN' | 'NEW' | null
  bankReference: Match
  uetr: Match
  transactionId: Match
  endToEndId: Match
  /** UETR, transaction id or clearing reference. */
  sharesNetworkId: boolean
  /** An id that the payer chose, with the same payer; or a reference of ours. */
  isNamed: boolean
  sharesTexts: boolean
  payer: Match
  text: Match
  /** The virtual account of a customer that the money was sent to. */
  virtualAccount: Match
}

/** NEW, a repetition of a known one, or in doubt: a person decides. `isStrong`: an identifier of the banks says so. */
export type Recognized<Known> = { is: 'NEW' } | { is: 'REPEATED' | 'DOUBTFUL'; known: Known; isStrong: boolean }

/**
 * Recognizes booked money among known ones. Identifiers of banks and networks come first, then place, ids and texts, which
 * pair a notification with a statement one for one. What is neither certainly the same nor another one is in doubt.
 */
export function recognizeAmong<Known extends Evidence>(known: readonly Known[]): Recognized<Known> {
  const judged = known.map((each) => ({ known: each, ...judge(each) }))
  for (const isStrong of [true, false]) {
    for (const is of ['REPEATED', 'DOUBTFUL'] as const) {
      const found = judged.find((each) => each.isStrong === isStrong && each.is === is)
      if (found) return { is, known: found.known, isStrong }
    }
  }
  return { is: 'NEW' }
}

type Judgement = { is: 'REPEATED' | 'DOUBTFUL' | 'OTHER'; isStrong: boolean }

export function judge(told: Evidence): Judgement {
  if (told.onlyMarked !== null) return { is: judgeMarked(told), isStrong: true }
  const agrees = told.bankReference === 'SAME' || (told.sharesNetworkId && !told.isGivenBack)
  return agrees ? { is: judgeStrong(told), isStrong: true } : { is: judgeWeak(told), isStrong: false }
}

/**
 * Judges two tellings of which one is marked as a return or reversal: marks are optional. The unmarked one repeats the
 * other if the bank's reference and the id of the payment agree; else a person decides, for it is no new money.
 */
function judgeMarked(told: Evidence): Judgement['is'] {
  const { isSameAmount, isSameStatement, onlyMarked, isNear } = told
  const isOneCount = isSameAmount || told.isSameDay || isOpenPair(told)
  const isSameId = told.uetr === 'SAME' || (told.bankReference === 'SAME' && isNear && isOneCount)
  if (!isSameId || (isSameStatement && !isSameAmount && told.uetr !== 'SAME')) return 'OTHER'
  const isSameReturn = told.bankReference === 'SAME' && told.endToEndId === 'SAME' && isSameAmount
  const mayRepeat = onlyMarked === 'KNOWN' && !isSameStatement && !told.isToldHere
  return mayRepeat && isSameReturn && (told.isSameDay || isOpenPair(told)) ? 'REPEATED' : 'DOUBTFUL'
}

/** True when both have an identifier of the same kind, and these differ. */
function differs({ bankReference, uetr, transactionId, isGivenBack }: Evidence): boolean {
  return bankReference === 'OTHER' || (!isGivenBack && (uetr === 'OTHER' || transactionId === 'OTHER'))
}

function judgeStrong(told: Evidence): Judgement['is'] {
  const { isSameAmount, isSameStatement, sharesNetworkId, isNear } = told
  const isContradicted = differs(told) || told.endToEndId === 'OTHER'
  if (isSameStatement) {
    // Entries of one batch may share a reference of the bank.
    const isOther = !sharesNetworkId && (!isSameAmount || isContradicted)
    return isOther ? 'OTHER' : 'DOUBTFUL'
  }
  if (!isSameAmount) {
    // Some banks count their references anew each day: another amount from another payer is another payment.
    const isOneCount = isNear && !isContradicted && (told.isSameDay || isOpenPair(told)) && !isUnlike(told)
    return told.uetr === 'SAME' || (isNear && told.transactionId === 'SAME') || isOneCount ? 'DOUBTFUL' : 'OTHER'
  }
  if (told.isToldHere) return 'DOUBTFUL'
  return isSameMoney(told, isContradicted) ? 'REPEATED' : 'DOUBTFUL'
}

function isSameMoney(told: Evidence, isContradicted: boolean): boolean {
  if (told.isGivenBack) return !isContradicted && (told.isSameDay || isOpenPair(told))
  if (isContradicted) return isOtherwiseReferenced(told)
  if (told.uetr === 'SAME') return true
  // Banks use their ids again after a time.
  if (told.transactionId === 'SAME') return told.isNear
  // Some banks count their references anew each day, or in each message.
  return (told.isSameDay || isOpenPair(told)) && !isUnlike(told)
}

/**
 * True for one UETR under two references of the bank, when a notification has the one and a statement the other. All
 * else must agree, and each telling pairs with one: networks give a UETR to one payment alone.
 */
function isOtherwiseReferenced(told: Evidence): boolean {
  const isUetrAlone = told.uetr === 'SAME' && told.transactionId !== 'OTHER' && told.endToEndId !== 'OTHER'
  return isUetrAlone && isOpenPair(told) && !isUnlike(told)
}

/**
 * True when payer and text tell two payments apart. The two kinds of message may write one of them differently; messages
 * of one kind write both alike.
 */
function isUnlike({ payer, text, isSameSource }: Evidence): boolean {
  if (isSameSource) return payer === 'OTHER' || text === 'OTHER'
  return payer !== 'SAME' && text !== 'SAME' && (payer === 'OTHER' || text === 'OTHER')
}

/** True for the other kind of message, about the same days, when none of that kind has told it yet. */
const isOpenPair = ({ isSameSource, isPaired, isNear }: Evidence) => !isSameSource && !isPaired && isNear

/** True for money to one virtual account, unless the payers tell two payments apart: it would be converted twice. */
const isSameReceiver = ({ virtualAccount, payer }: Evidence) => virtualAccount === 'SAME' && payer !== 'OTHER'

/**
 * True when a notification and a statement tell the same under two references of the bank: it may number the two kinds of
 * message separately, so that the references tell nothing. Messages may tell different details: on one day, it is enough
 * that none differs. A return is no new money: its reference names what it reverses.
 */
function isOtherwiseNumbered(told: Evidence): boolean {
  const { payer, text, endToEndId } = told
  const isOther = endToEndId === 'OTHER' || told.virtualAccount === 'OTHER' || differs({ ...told, bankReference: null })
  if (told.isGivenBack || !isOpenPair(told) || isOther) return false
  const isSamePayer = payer === 'SAME' && text !== 'OTHER'
  const isSameText = text === 'SAME' && payer !== 'OTHER'
  const isSameId = endToEndId === 'SAME' && !isUnlike(told)
  const isSameBooking = told.isSameDay && payer !== 'OTHER' && text !== 'OTHER'
  const isAlike = isSamePayer || isSameText || isSameBooking || isSameReceiver(told)
  return told.isNamed || told.sharesTexts || isSameId || isAlike
}

function judgeWeak(told: Evidence): Judgement['is'] {
  const { isSameStatement, isSameEntry, isSameDay, isNamed, sharesTexts, endToEndId } = told
  if (isSameStatement) return 'OTHER'
  if (!told.isSameAmount) return isSameEntry && isSameDay ? 'DOUBTFUL' : 'OTHER'
  if (differs(told)) return (isSameEntry && isSameDay) || isOtherwiseNumbered(told) ? 'DOUBTFUL' : 'OTHER'
  const isLike = isNamed || sharesTexts
  const isSamePlace = isSameEntry || told.isSamePosition
  if (isSamePlace && isSameDay && isLike && endToEndId !== 'OTHER') return 'REPEATED'
  if (isSameEntry && told.isNear) return 'DOUBTFUL'
  if (endToEndId === 'OTHER') return 'OTHER'
  // A statement that comes again may tell an entry in other words.
  if (told.isSamePosition && isSameDay) return 'DOUBTFUL'
  const isAlike = isLike || endToEndId === 'SAME'
  if (isOpenPair(told)) {
    if (isNamed || (sharesTexts && isSameDay)) return 'REPEATED'
    return isAlike || isSameDay || isSameReceiver(told) ? 'DOUBTFUL' : 'OTHER'
  }
  return told.isSameSource && isSameDay && (isAlike || told.isSameEntryReference) ? 'DOUBTFUL' : 'OTHER'
}
