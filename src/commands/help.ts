import { packageVersion } from './version.ts'

/** The text of `svc help`. */
export const help = `svc ${packageVersion()}

  svc dev                  run API, workers and signer on an embedded database (npm start)
  svc serve                run the API
  svc worker               run the background workers
  svc signer               run the only process with key material; it creates wallet addresses
  svc chains [--family f]  run the sandbox's EVM networks (evm) or SOLANA (solana) as JSON-RPC nodes on this machine
  svc reset [--yes]        delete the stopped sandbox of this data folder, for a fresh start; asks first unless --yes
  svc migrate              migrate the database schema
  svc keys create [name] [--organization id] [--scopes a:read,b:write|all] [--expires time|duration] [--ips address,range]
      [--reviewer]         create an API key, by default with every scope but api_keys:admin,
                           policies:write and approvals:write, and print it once; --reviewer marks one that
                           decides reviews and clears matches
  svc keys list [--organization id]
                           list the API keys of one organization or of all
  svc keys revoke id|- [--cascade]
                           revoke an API key, and with --cascade every key that it has led to; - reads the key itself
                           from the standard input
  svc keys rotate [--revoke-now]
                           sign new tokens with a new key within seconds; --revoke-now ends all tokens of earlier keys
  svc organizations create name [--parent id] [--tier BUILDER|STARTUP|ENTERPRISE]
                           create an organization and print its id
  svc organizations set id [--tier …] [--requests-per-minute n] [--guarantee-per-transaction usd]
      [--guarantee-per-organization usd] [--guarantee-window seconds] [--ips address,range|any]
      [--own-reviews yes|no]
                           set tier, limits and allowed addresses of an organization, and whether it decides its reviews
  svc organizations suspend|resume id --reason text
                           stop everything of an organization and its children but money in flight, or let it go on
  svc policies show id     print the policy of an organization, and the rules of the platform that bind it in addition
  svc policies set id --rules file --reason text
                           replace the rules of the platform for an organization; the file has a JSON list of them
  svc policies halt|resume id --reason text
                           let no payout of an organization start, or let them go on
  svc webhooks list --organization id
                           list the webhooks of an organization
  svc webhooks disable|allow id --reason text
                           send nothing more to a webhook of any organization, or let its keys enable it again
  svc customers revoke-link id --organization id --reason text
                           replace the verification link of a customer and close every form that it opened
  svc watchlist import [ofac-sdn|ofac-consolidated|un] place [--published yyyy-mm-dd] [--force]
                           import a published watch list, a folder or a file; --force accepts one that is half as long, or older
  svc watchlist show       print version, counts and age of each watch list, and what waits for a current one
  svc watchlist remove ofac-sdn|ofac-consolidated|un --reason text
                           take a watch list out of force
  svc custody init         create the seeds from which all keys are derived
  svc custody status       print the seeds in use, their last backup and the number of free addresses
  svc custody check        derive every stored address again and report differences
  svc custody export --i-understand
                           print the seeds as phrases; anyone who sees them can take all money
  svc custody import       put the phrases from standard input into use as seeds
  svc custody reserve EVM|SOLANA address
                           register our reserve, the only address outside Svc that the treasury sends to
  svc custody rotate-seals replace the sealing key, seal everything anew and retire the former key
  svc custody stop --reason text
                           stop all signatures of the signer at once
  svc custody resume       let the signer sign again
  svc verify               check every invariant of the stored data, and show how networks compare with the ledger
  svc verify --chains      compare every wallet, treasury and relayer with the ledger now, and keep the result
  svc verify --banks [--date yyyy-mm-dd]
                           compare every bank account with the ledger at the end of a day, and name each difference
  svc statements export account --date yyyy-mm-dd --format csv|camt053 [--output file]
                           write the ledger's own statement of a bank account for a day that has ended
  svc reconciliation explain account --own reference --entry reference [--entry …] --reason text
                           explain bookings of a bank, such as its fees, with a posting that an operator recorded
  svc reconciliation accept account --kind kind --reference reference --reason text
                           end the alarm about a difference with a bank, until its amount changes
  svc reconciliation withdraw account --own reference | --kind kind --reference reference --reason text
                           take back what was explained with a posting, or accepted
  svc audit export [--organization id] [--from moment] [--to moment] [--output file]
                           write the sealed audit log as JSON lines, and the head of each chain
  svc audit check [--anchors file | --export file]
                           check the audit log, and compare it with heads that were kept outside the database
  svc payouts resume --reason text [--force]
                           resume halted payouts
  svc payouts list --stuck | --contradicted
                           list payouts without an outcome for an hour, or with an outcome that the rail contradicts
  svc payouts settle id --outcome confirmed|refused --reference text --reason text [--yes]
                           record the outcome of a stuck payout; a refusal gives the money back and needs --yes
  svc payouts acknowledge id --reason text
                           end the alarm about a contradicted payout
  svc payouts reports      list reports of rails that match no payout, or that wait to be applied
  svc payouts reports apply rail report-id --payout id --reason text
                           let a report with a wrong reference count for a payout
  svc payouts reports resolve rail report-id --reason text
                           end the alarm about a report that matches no payout
  svc deposits list --organization id
                           list the deposits of an organization that wait for a decision, also of a suspended one
  svc deposits unattributed
                           list deposits that carry no reference to a customer
  svc deposits assign id --organization id --customer id --reason text
                           assign an unattributed deposit to a customer's organization, which decides about it
  svc deposits quarantined
                           list bank entries that came with the reference of another entry
  svc deposits accept id --reason text
                           record a quarantined entry as a deposit of its own
  svc deposits dismiss id --reason text
                           end the quarantine of an entry that is no money
  svc deposits reversed    list reversed deposits that customers owe
  svc deposits recover id --from wallet|returned-funds|bank --reason text
                           record that a customer gave a reversed deposit back
  svc deposits write-off id --reason text [--leave-returned-funds]
                           record that a customer will not give a reversed deposit back
  svc deposits recalls     list recalls: payments that banks want back, with those whose payment is not known
  svc deposits link-recall id --deposit id --reason text
                           link a recall with the deposit that it names, and with no other
  svc deposits accept-recall id --reason text
                           keep the money of a recall for the debit of the bank
  svc deposits reject-recall id --reason text
                           release the money of a recall
  svc networks show [network]
                           print how far each EVM network is scanned and what is wrong, or transfers that are no deposit
  svc networks resume network --reason text [--adopt]
                           scan a halted network again; --adopt takes its nodes' chain and reverses dropped deposits
  svc networks rescan network --from-block number --reason text
                           scan a network again from a block on
  svc networks rescan SOLANA [--account address] --reason text
                           read the transactions of all accounts again, or of one
  svc bank-files list      list the newest files that left for banks, or came from them
  svc bank-files show id   print what is known about a file
  svc bank-files quarantined
                           list files of banks that Svc cannot read, with the reason
  svc bank-files retry id --reason text
                           read a quarantined file again, after its cause was mended
  svc bank-files dismiss id --reason text
                           end the quarantine of a file that Svc need not read
  svc bank-files unmatched list entries of our accounts that match nothing of ours
  svc bank-files resolve id --reason text
                           end the alarm about an unmatched entry
  svc bank-files reverse id --deposit id [--amount number] --reason text
                           let an unmatched debit take back the deposit that it is about
  svc bank-files adopt-folders --reason text
                           use the folders of the banks as they are now, after a volume was replaced
  svc bank-files changes   list payments for which a bank asks for other coordinates
  svc bank-files confirm-change|refuse-change id --reason text
                           use the coordinates that the bank asks for, from the next payout on, or keep the account
  svc treasury accounts    list our own bank accounts and the rails they serve
  svc treasury open --account id --bank name --currency USD --rails ACH,WIRE
      [--holder name --coordinates name=value,… --dialect name=value,…]
                           open a bank account of ours for rails that no account serves; with a holder, for files
  svc treasury connect account --holder name --coordinates name=value,… --dialect name=value,…
                           connect an account that was opened without a holder with the files of its bank, once
  svc treasury show [--organization id] [--json]
                           print what we hold, owe and may use at each holding, and the open proposals
  svc treasury fund|withdraw --organization id --holding account|TREASURY --asset USD --amount 100.00 --reason text
                           record own money that was put into a bank account or treasury, or taken out of it
  svc treasury send --organization id --asset USDC/BASE --amount 100.00 --reason text
                           send tokens of our treasury to our reserve, as a payout
  svc treasury rebalance --organization id --from holding --to holding --asset USDC/BASE [--to-asset USDC/SOLANA]
      --amount 100.00 [--received 99.50] --reason text
                           record own money that was moved between holdings; the part that did not arrive is a cost
  svc treasury fee --organization id --holding account|TREASURY --asset USD --amount 5.00 --reason text [--refund]
                           record what a bank or network charged, or refunded
  svc treasury collect --organization id [--minimum 10]
                           owe our treasury the fees at customers’ addresses, and refused collections again
  svc treasury approve id  record a movement that another person proposed
  svc treasury refuse id --reason text
                           end a proposal
  svc version              print the version

Settings are environment variables; docs/operating.md lists them.`
