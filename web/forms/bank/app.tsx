import '../styles/styles.ts'
import { useLayoutEffect, useState } from 'preact/hooks'
import { FieldContext } from '../fields/context.ts'
import { isOver } from '../model/api.ts'
import { labelOf } from '../model/labels.ts'
import { tellParent } from '../model/parent.ts'
import { ClosingNotice } from '../pages/closing-notice.tsx'
import { LoadFailed } from '../pages/layout.tsx'
import { startForm } from '../start.tsx'
import { textAt, texts } from '../texts/words.ts'
import { bankApi } from './api.ts'
import { CheckPage } from './check-page.tsx'
import { BankContext, useBank } from './context.ts'
import { DetailsPage } from './details-page.tsx'
import { Answers, Frame, Status } from './frame.tsx'
import { chosenRail, countryPath, railPath } from './model.ts'
import { BankRibbon } from './ribbon.tsx'
import { BankStore } from './store.ts'

/** The page of the address, so that the browser's buttons go back and forward. */
function usePage(): [page: string, go: (page: string) => void] {
  const pageOf = () => location.hash.replace(/^#\//, '')
  const [page, setPage] = useState(pageOf())
  useLayoutEffect(() => {
    const follow = () => setPage(pageOf())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const go = (next: string) => {
    location.hash = `#/${next}`
  }
  return [page, go]
}

function Pages() {
  const store = useBank()
  const [page, go] = usePage()
  const { about, values } = store
  if (store.isEnded) return <EndedPage />
  if (about.status === 'SAVED') return <SavedPage />
  if (about.status !== 'OPEN') {
    const [title = '', text = ''] = about.status === 'WAITING' ? texts.bank.waiting : texts.bank.closed
    return <Status kind={about.status === 'WAITING' ? 'waiting' : 'closed'} title={title} text={text} />
  }
  // A page that was loaded anew has no answers to check.
  const hasAnswers = chosenRail({ state: about, values }) !== undefined
  if (page === 'check' && hasAnswers) return <CheckPage onBack={() => go('')} />
  return <DetailsPage onDone={() => go('check')} />
}

/** The account as everybody sees it from now on: with a masked number. */
function SavedPage() {
  const { about, isSavedElsewhere } = useBank()
  const { account } = about
  const [title = '', text = ''] = isSavedElsewhere ? texts.bank.savedOther : texts.bank.saved
  return (
    <Status kind="active" title={title} text={text}>
      {account && (
        <Answers
          pairs={[
            [texts.bank.mask, account.mask],
            [labelOf(railPath), textAt(texts.bank.rails, account.rail) ?? account.rail],
            [labelOf('externalBankAccount.bankName'), account.bankName],
            [texts.bank.ownerTitle, account.ownerName],
          ]}
        />
      )}
    </Status>
  )
}

function EndedPage() {
  const { isLeaving, about } = useBank()
  const ended = about.status === 'SAVED' ? texts.bank.endedSaved : texts.bank.ended
  return (
    <Frame title={isLeaving ? texts.leaving : texts.sessionEnded} hint={isLeaving ? '' : ended} of="ended">
      <div role="alert">{isLeaving && <p class="problem">{texts.bank.leaveFailed}</p>}</div>
    </Frame>
  )
}

function App() {
  const store = useBank()
  return (
    <>
      {store.about.isSandbox && <BankRibbon />}
      <div class="shell">
        {['OPEN', 'WAITING'].includes(store.about.status) && (
          <ClosingNotice session={store} last={texts.bank.closingForGood} />
        )}
        <Pages />
        {!store.isEnded && (
          <footer class="leave">
            <button type="button" class="link" onClick={() => void store.leave()}>
              {texts.leave}
            </button>
          </footer>
        )}
      </div>
    </>
  )
}

const root = document.getElementById('app')
if (root) {
  void startForm(root, {
    read: () => Promise.all([bankApi.readCatalog(), bankApi.readState()]),
    open: ([known, about]) => {
      const isReached = ([code]: [string, string]) =>
        store.about.rails?.some(({ countries }) => countries.includes(code))
      // A form that waited learns its rails when it opens.
      const choices = {
        get [countryPath]() {
          return known.countries.filter(isReached)
        },
      }
      const catalog = { ...known, choices }
      const store = new BankStore(about, catalog)
      tellParent(store, () => store.about.status)
      return () => (
        <BankContext.Provider value={{ store }}>
          <FieldContext.Provider value={{ store, catalog }}>
            <App />
          </FieldContext.Provider>
        </BankContext.Provider>
      )
    },
    fail: (error) => {
      const { brand, title, ended } = texts.bank
      return <LoadFailed isEnded={isOver(error)} ended={ended} about={brand} form={title} />
    },
  })
}
