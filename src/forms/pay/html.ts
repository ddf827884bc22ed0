import { isFiat, labelOf, scaleOf } from '../../catalog/currencies.ts'
import { formatAmount } from '../../lib/money.ts'
import type { Brand, Setting } from '../embedding/brand.ts'
import { escapeHtml, frame } from '../html.ts'
import type { Language } from '../texts/languages.ts'
import { formatCount, formatMoment, formatMoney } from './format.ts'
import { drawCode, type Instructions, paymentCodeOf } from './qr.ts'
import type { PayTexts } from './texts/en.ts'
import { payLocaleOf, payTextsOf } from './texts/texts.ts'
import { stateOf, stillDue, type Transfer } from './transfer.ts'

/** The parts of the page that change. The script replaces the content of each, so every part is always there. */
export type PayParts = { head: string; progress: string; transfer: string }

/** A language and its formats, such as `en` or `ar-u-nu-latn`. */
export type PayLocale = string

const h = escapeHtml

/** Renders what the payer sees now. The text depends on the state alone and not on the time, so equal states are equal. */
export function renderParts(transfer: Transfer, locale: PayLocale): PayParts {
  const texts = payTextsOf(locale)
  return {
    head: renderHead(transfer, locale, texts),
    progress: renderProgress(transfer, locale, texts),
    transfer: stateOf(transfer) === 'WAITING' ? renderInstructions(transfer, locale, texts) : '',
  }
}

function moneyOf({ asset }: Transfer, locale: PayLocale) {
  return (units: bigint | string) => formatMoney(locale, formatAmount(BigInt(units), scaleOf(asset)), asset)
}

function renderHead(transfer: Transfer, locale: PayLocale, texts: PayTexts): string {
  const state = stateOf(transfer)
  const [title, text] = texts.states[state]
  const { asset, expiresAt } = transfer
  const money = moneyOf(transfer, locale)(transfer.amount)
  const method = texts.methods[transfer.method]
  if (state === 'WAITING') {
    const heading = isFiat(asset) ? texts.pay(money, method) : texts.payOn(money, method)
    const until = `<time datetime="${expiresAt.toISOString()}">${h(formatMoment(locale, expiresAt))}</time>`
    return `<h1>${h(heading)}</h1><p class="lead">${h(title)}. ${h(text)}</p>
<p class="until">${h(texts.arriveBy)} ${until}</p>`
  }
  const payment = isFiat(asset) ? texts.paymentOf(money, method) : texts.paymentOn(money, method)
  const lines = [text, ...renderRefund(transfer, locale, texts), payment]
  return `<div class="status ${state === 'COMPLETED' ? 'active' : 'notice'}"><span class="mark" aria-hidden="true"></span>
<h1>${h(title)}</h1>${lines.map((line) => `<p class="lead">${h(line)}</p>`).join('')}</div>`
}

/** Tells what goes back: money that was too much for a payment that goes on, or all that was sent. */
function renderRefund(transfer: Transfer, locale: PayLocale, texts: PayTexts): string[] {
  const { status, refundStatus, refundAmount } = transfer
  if (refundStatus === null || refundAmount === null) return []
  const amount = moneyOf(transfer, locale)(refundAmount)
  const isWanted = !['FAILED', 'CANCELLED', 'EXPIRED'].includes(status)
  // A payer must not look for money in the bank account that stays with the company.
  const told = refundStatus === 'CREDITED' ? 'WAITING_FOR_OPERATOR' : refundStatus
  return [texts.refunds[told](isWanted ? texts.tooMuch(amount) : texts.sent(amount))]
}

function renderProgress(transfer: Transfer, locale: PayLocale, texts: PayTexts): string {
  const { amount, received, seen, confirmations, status } = transfer
  if (status !== 'AWAITING_TRANSFER') return ''
  const money = moneyOf(transfer, locale)
  const lines: string[] = []
  const isDue = stateOf(transfer) === 'WAITING'
  if (BigInt(received) > 0n) {
    const [arrived, total] = [money(received), money(amount)]
    lines.push(isDue ? texts.receivedPart(arrived, total, money(stillDue(transfer))) : texts.received(arrived, total))
  }
  if (BigInt(seen) > 0n) lines.push(texts.onItsWay(money(seen)))
  if (BigInt(seen) > 0n && confirmations !== null) lines.push(texts.confirmations(formatCount(locale, confirmations)))
  return lines.map((line) => `<p>${h(line)}</p>`).join('\n')
}

function renderInstructions(transfer: Transfer, locale: PayLocale, texts: PayTexts): string {
  const { transferCurrency, ...rest } = JSON.parse(transfer.instructions) as {
    transferCurrency?: { contractAddress?: string }
  }
  const instructions = rest as Instructions
  const { asset, method } = transfer
  const warnings = isFiat(asset)
    ? [texts.exactMessage, texts.ownName]
    : [texts.onlyToken(labelOf(asset), texts.methods[method]), texts.wholeAmount]
  const plain = formatAmount(stillDue(transfer), scaleOf(asset))
  const lines = Object.entries(texts.lines).flatMap(([name, label]) => {
    const value = { ...instructions, tokenContract: transferCurrency?.contractAddress }[name]
    if (name === 'amount') return [renderLine(texts, label, plain, moneyOf(transfer, locale)(stillDue(transfer)))]
    if (name === 'network') return isFiat(asset) ? [] : [renderLine(texts, label, texts.methods[method])]
    if (value === undefined) return []
    return [renderLine(texts, label, value, name === 'transferIban' ? inGroups(value) : value)]
  })
  return `<div class="note">${warnings.map((warning) => `<p>${h(warning)}</p>`).join('')}</div>
<h2>${h(texts.instructions)}</h2>
<dl class="lines">
${lines.join('\n')}
</dl>
${renderCode(transfer, instructions, texts)}`
}

/** Writes an IBAN in groups of four, as banks print it. */
function inGroups(iban: string): string {
  return iban.replaceAll(/.{4}(?=.)/g, '$& ')
}

function renderLine(texts: PayTexts, label: string, value: string, shown = value): string {
  const isLink = value.startsWith('https://')
  const text = isLink ? `<a href="${h(value)}" target="_blank" rel="noopener noreferrer">${h(shown)}</a>` : h(shown)
  return `<div><dt>${h(label)}</dt><dd><bdi class="value">${text}</bdi>
<button type="button" class="secondary copy" data-copy="${h(value)}" aria-label="${h(texts.copyLine(label))}" hidden>${h(texts.copy)}</button></dd></div>`
}

function renderCode(transfer: Transfer, instructions: Instructions, texts: PayTexts): string {
  const code = paymentCodeOf(transfer, instructions)
  if (!code) return ''
  const [title, text] = texts.codes[code.kind]
  const link = code.kind === 'wallet' ? `<p><a href="${h(code.text)}">${h(texts.openWallet)}</a></p>` : ''
  return `<section class="qr" aria-labelledby="qr-title">${drawCode(code.text, h(texts.codeLabel))}
<div><h2 id="qr-title">${h(title)}</h2><p>${h(text)}</p>${link}</div></section>`
}

export type PayPage = {
  nonce: string
  base: string
  style: string
  script: string | undefined
  language: Language
  /** The origin of the page that shows this one in a frame; empty without a frame. */
  parent: string
  setting: Setting
  isSandbox: boolean
  parts: PayParts
  /** Names the state of these parts, so that the stream sends only later ones. */
  id: string
  status: Transfer['status']
  secondsLeft: number | undefined
  /** The address of the stream; undefined when the transaction has ended. */
  stream: string | undefined
}

/** Renders the whole page. It is complete without a script, which only keeps it up to date and adds buttons. */
export function renderPayPage(page: PayPage): string {
  const { nonce, base, script, language, setting, parts, secondsLeft, stream } = page
  const texts = payTextsOf(payLocaleOf(language))
  const said = {
    copied: texts.copied,
    selected: texts.selected,
    timeLeft: texts.timeLeft,
    timeOver: texts.timeOver,
    live: texts.live,
    notLive: texts.notLive,
    stale: texts.stale,
    ended: texts.ended,
  }
  const data = {
    texts: JSON.stringify(said),
    id: page.id,
    status: page.status,
    ...(secondsLeft === undefined ? {} : { 'seconds-left': String(secondsLeft) }),
    ...(stream === undefined ? {} : { stream }),
  }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${h(value)}"`)
  const head = script && `<script type="module" nonce="${nonce}" src="${base}/assets/${script}"></script>`
  return frame(
    page,
    texts.title,
    head ?? '',
    `<div class="shell pay"${attributes.join('')}>
<header>
${page.isSandbox ? `<div class="banner"><p>${h(texts.sandbox)}</p></div>` : ''}
${renderBrand(setting.brand)}
</header>
<main class="card">
<div data-part="head">${parts.head}</div>
<p class="countdown" data-countdown hidden></p>
<div data-part="progress" class="progress" role="status">${parts.progress}</div>
<p class="note" role="alert" data-pause hidden></p>
<div data-part="transfer">${parts.transfer}</div>
<p class="buttons paper-less"><button type="button" class="secondary" data-print hidden>${h(texts.print)}</button>
${stream === undefined ? '' : `<noscript><a href="">${h(texts.checkAgain)}</a></noscript>`}</p>
<p class="quiet paper-less" role="status" data-connection></p>
<p class="sr" role="status" data-announce></p>
</main>
</div>`,
  )
}

/** Renders the organization's logo and name. A logo that cannot be loaded leaves the name alone. */
function renderBrand({ name, logo }: Brand): string {
  if (name === '' && logo === '') return ''
  return `<div class="top"><p class="brand">${logo && `<img class="logo" src="${h(logo)}" alt="">`}${h(name)}</p></div>`
}
