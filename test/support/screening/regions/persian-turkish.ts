import { coin, coinArabic, compound, pickRanked, pickSome, pool, type Region } from './pool.ts'

const persianGiven =
  pool(`Mohammad/Mohamad/Muhammad=محمد Ali=علی Hossein/Hussein/Hosein=حسین Mehdi/Mahdi=مهدی Reza=رضا Hassan/Hasan=حسن Ahmad/Ahmed=احمد
  Abbas=عباس Majid=مجید Hamid=حمید Saeed/Said=سعید Alireza/Ali_Reza=علیرضا Mohammad_Reza/Mohammadreza=محمدرضا Amir=امیر Ebrahim/Ibrahim=ابراهیم
  Mohsen/Mohsin=محسن Masoud/Masud=مسعود Mahmoud/Mahmud=محمود Gholamreza/Gholam_Reza=غلامرضا Davood/Davoud/Davud=داوود Behzad=بهزاد Farhad=فرهاد
  Mojtaba=مجتبی Morteza/Murtaza=مرتضی Mostafa/Mustafa=مصطفی Esmail/Ismail/Esmaeil=اسماعیل Qasem/Ghasem/Qassem=قاسم Javad/Jawad=جواد Bahram=بهرام
  Kamran=کامران Parviz=پرویز Siamak=سیامک Hormoz/Hormuz=هرمز Rostam/Rustam=رستم Iraj=ایرج Kazem/Kazim=کاظم Fereydoun/Fereidoon=فریدون Naser/Nasser=ناصر`)
const persianWomen = pool(
  `Fatemeh/Fatima=فاطمه Zahra=زهرا Maryam=مریم Leila=لیلا Nasrin=نسرین Shirin=شیرین Mahnaz=مهناز Parisa=پریسا`,
)
const persianCommon =
  pool(`Mohammadi=محمدی Hosseini/Hoseini=حسینی Ahmadi=احمدی Karimi=کریمی Rezaei/Rezaie=رضایی Moradi=مرادی Rahimi=رحیمی Jafari/Ja'fari=جعفری
  Ebrahimi=ابراهیمی Hashemi=هاشمی Mousavi/Musavi=موسوی Ghasemi/Qasemi=قاسمی Sadeghi/Sadeqi=صادقی Rostami=رستمی Shirazi=شیرازی Akbari=اکبری
  Salehi=صالحی Heidari/Heydari=حیدری Kazemi=کاظمی Najafi=نجفی Amini=امینی Tehrani=تهرانی Bagheri/Baqeri=باقری Soleimani/Suleimani=سلیمانی`)
const persianHeads =
  pool(`Fakhri=فخری Nader=نادر Rouhi/Ruhi=روحی Shahriar=شهریار Mohseni=محسنی Taghi/Taqi=تقی Khazai=خزاعی Daneshvar=دانشور Golpay=گلپای
  Behrouz/Behruz=بهروز Zarin=زرین Farrokh=فرخ Mirza=میرزا Khosrow/Khosro=خسرو Ardeshir=اردشیر Sohrab=سهراب Bahman=بهمن Manouchehr/Manuchehr=منوچهر
  Salar=سالار Jahan=جهان Pasban=پاسبان Tavakol=توکل Eslami=اسلامی Vahid=وحید Sharif=شریف Abedin=عابدین Mansour=منصور Yazdan=یزدان`)
const persianTails = pool(`zadeh/zade=زاده pour/pur=پور nejad/nezhad=نژاد ian/yan=یان far=فر fard=فرد`)

export const persian: Region = {
  name: 'Persian',
  share: 10,
  make: (random) => ({
    given: [pickRanked(random, random.chance(0.15) ? persianWomen : persianGiven)],
    middle: random.chance(0.15) ? pickSome(random, persianGiven, 1) : [],
    family: [
      random.chance(0.18)
        ? pickRanked(random, persianCommon)
        : random.chance(0.12)
          ? compound(random, persianHeads, persianTails)
          : coinArabic(random),
      ...(random.chance(0.12) ? [random.pick(persianCommon)] : []),
    ],
  }),
}

const turkishGiven =
  pool(`Mehmet Mustafa Ahmet Ali Hüseyin/Huseyin Hasan İbrahim/Ibrahim İsmail/Ismail Osman Yusuf Murat Ömer/Omer Ramazan Halil Süleyman/Suleyman
  Abdullah Mahmut Recep Salih Fatih Kadir Emre Hakan Adem Kemal Yaşar/Yasar Bekir Musa Metin Orhan Bayram Serkan Orhan Burak Cemal Cengiz Tayyip`)
const turkishWomen = pool(`Fatma Ayşe/Ayse Emine Hatice Zeynep Elif Meryem Şerife/Serife Zehra Sultan Hanife Merve`)
const turkishCommon =
  pool(`Yılmaz/Yilmaz Kaya Demir Şahin/Sahin Çelik/Celik Yıldız/Yildiz Yıldırım/Yildirim Öztürk/Ozturk Aydın/Aydin Özdemir/Ozdemir Arslan Doğan/Dogan
  Kılıç/Kilic Aslan Çetin/Cetin Kara Koç/Koc Kurt Özkan/Ozkan Şimşek/Simsek Polat Korkmaz Çakır/Cakir Erdoğan/Erdogan Yavuz Can Acar Aktaş/Aktas`)
const turkishHeads = pool(
  `Kara Ak Demir Taş/Tas Güneş/Gunes Yer Hacı/Haci Çoban/Coban Boz Kutlu Bal Tepe Altın/Altin Gök/Gok Sarı/Sari Koca Kale`,
)
const turkishTails = pool(
  `oğlu/oglu taş/tas kaya gül/gul dağ/dag soy er türk/turk kan bey çam/cam göz/goz baş/bas su han`,
)

export const turkish: Region = {
  name: 'Turkish',
  share: 3,
  make: (random) => ({
    given: [pickRanked(random, random.chance(0.15) ? turkishWomen : turkishGiven)],
    middle: random.chance(0.25) ? pickSome(random, turkishGiven, 1) : [],
    family: [
      random.chance(0.2)
        ? pickRanked(random, turkishCommon)
        : random.chance(0.25)
          ? compound(random, turkishHeads, turkishTails)
          : { latin: [coin(random, 2, ['oglu', 'er', 'maz', 'li', 'can'])] },
    ],
  }),
}
