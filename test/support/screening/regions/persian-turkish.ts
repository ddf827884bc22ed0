import type { Random } from '../generated-list.ts'
import {
  coin,
  coinArabic,
  coinArabicGiven,
  compound,
  pickByCurve,
  pickRanked,
  pickSome,
  pool,
  type Region,
  type Word,
} from './pool.ts'
import { curves } from './published-shares.ts'

const persianGiven =
  pool(`Mohammad/Mohamad/Muhammad=محمد Ali=علی Hossein/Hussein/Hosein=حسین Mehdi/Mahdi=مهدی Reza=رضا Hassan/Hasan=حسن Ahmad/Ahmed=احمد
  Abbas=عباس Majid=مجید Hamid=حمید Saeed/Said=سعید Alireza/Ali_Reza=علیرضا Mohammad_Reza/Mohammadreza=محمدرضا Amir=امیر Ebrahim/Ibrahim=ابراهیم
  Mohsen/Mohsin=محسن Masoud/Masud=مسعود Mahmoud/Mahmud=محمود Gholamreza/Gholam_Reza=غلامرضا Davood/Davoud/Davud=داوود Behzad=بهزاد Farhad=فرهاد
  Mojtaba=مجتبی Morteza/Murtaza=مرتضی Mostafa/Mustafa=مصطفی Esmail/Ismail/Esmaeil=اسماعیل Qasem/Ghasem/Qassem=قاسم Javad/Jawad=جواد Bahram=بهرام
  Kamran=کامران Parviz=پرویز Siamak=سیامک Hormoz/Hormuz=هرمز Rostam/Rustam=رستم Iraj=ایرج Kazem/Kazim=کاظم Fereydoun/Fereidoon=فریدون Naser/Nasser=ناصر
  Akbar=اکبر Arash=آرش Babak=بابک Omid=امید Hadi=هادی Vahid/Wahid=وحید Ehsan=احسان Iman=ایمان Milad=میلاد Sina=سینا Pouya/Puya=پویا Rasoul/Rasul=رسول
  Asghar=اصغر Rahim=رحیم Karim=کریم Jalal=جلال Jamshid=جمشید Manouchehr/Manuchehr=منوچهر Khosrow/Khosro=خسرو Bijan=بیژن Shahram=شهرام Farshid=فرشید`)
const persianWomen =
  pool(`Fatemeh/Fatima=فاطمه Zahra=زهرا Maryam=مریم Leila=لیلا Masoumeh=معصومه Zeinab/Zaynab=زینب Narges=نرگس Sara=سارا Elham=الهام Nasrin=نسرین
  Shirin=شیرین Mahnaz=مهناز Parisa=پریسا Mina=مینا Niloufar=نیلوفر Azadeh=آزاده Somayeh=سمیه Tahereh=طاهره Marzieh=مرضیه Samira=سمیرا Akram=اکرم
  Farzaneh=فرزانه Mahsa=مهسا Nazanin=نازنین Shahla=شهلا Soraya=ثریا Mitra=میترا Roya=رویا Simin=سیمین Ladan=لادن`)
const persianCommon =
  pool(`Mohammadi=محمدی Hosseini/Hoseini=حسینی Ahmadi=احمدی Karimi=کریمی Rezaei/Rezaie=رضایی Moradi=مرادی Rahimi=رحیمی Jafari/Ja'fari=جعفری
  Ebrahimi=ابراهیمی Hashemi=هاشمی Mousavi/Musavi=موسوی Ghasemi/Qasemi=قاسمی Sadeghi/Sadeqi=صادقی Rostami=رستمی Shirazi=شیرازی Akbari=اکبری
  Salehi=صالحی Heidari/Heydari=حیدری Kazemi=کاظمی Najafi=نجفی Amini=امینی Tehrani=تهرانی Bagheri/Baqeri=باقری Soleimani/Suleimani=سلیمانی
  Abbasi=عباسی Alavi=علوی Asadi=اسدی Azizi=عزیزی Bahrami=بهرامی Eskandari=اسکندری Farahani=فراهانی Ghorbani/Qorbani=قربانی Habibi=حبیبی Hamidi=حمیدی
  Jalali=جلالی Kamali=کمالی Khosravi=خسروی Maleki=ملکی Mirzaei/Mirzaie=میرزایی Mohseni=محسنی Nazari=نظری Nouri/Nuri=نوری Omidi=امیدی Rafiei=رفیعی
  Rajabi=رجبی Ranjbar=رنجبر Sharifi=شریفی Shafiei=شفیعی Soltani=سلطانی Tavakoli=توکلی Yazdani=یزدانی Yousefi/Yusefi=یوسفی Zamani=زمانی Zarei/Zare'i=زارعی
  Gholami=غلامی Hatami=حاتمی Khalili=خلیلی Norouzi/Noruzi=نوروزی Safari=صفری Saberi=صابری Taheri=طاهری Vaziri=وزیری Ansari=انصاری Aslani=اصلانی
  Javadi=جوادی Mahmoudi/Mahmudi=محمودی Mansouri/Mansuri=منصوری Naderi=نادری Rashidi=رشیدی Razavi=رضوی Shabani=شعبانی Tabatabaei/Tabatabai=طباطبایی
  Torabi=ترابی Afshar=افشار Bakhtiari=بختیاری Ghaffari/Qaffari=غفاری Kiani=کیانی Lotfi=لطفی Fallah=فلاح Parsa=پارسا Mokhtari=مختاری Sohrabi=سهرابی`)
const persianHeads =
  pool(`Fakhri=فخری Nader=نادر Rouhi/Ruhi=روحی Shahriar=شهریار Mohseni=محسنی Taghi/Taqi=تقی Khazai=خزاعی Daneshvar=دانشور Golpay=گلپای
  Behrouz/Behruz=بهروز Zarin=زرین Farrokh=فرخ Mirza=میرزا Khosrow/Khosro=خسرو Ardeshir=اردشیر Sohrab=سهراب Bahman=بهمن Manouchehr/Manuchehr=منوچهر
  Salar=سالار Jahan=جهان Pasban=پاسبان Tavakol=توکل Eslami=اسلامی Vahid=وحید Sharif=شریف Abedin=عابدین Mansour=منصور Yazdan=یزدان`)
const persianTails = pool(`zadeh/zade=زاده pour/pur=پور nejad/nezhad=نژاد ian/yan=یان far=فر fard=فرد`)

const inventPersian = (random: Random): Word =>
  random.chance(0.2) ? compound(random, persianHeads, persianTails) : coinArabic(random)

function pickPersian(random: Random, isWoman: boolean): Word {
  return isWoman
    ? pickByCurve(random, persianWomen, curves.persianWomen, coinArabicGiven)
    : pickByCurve(random, persianGiven, curves.persianMen, coinArabicGiven)
}

export const persian: Region = {
  name: 'Persian',
  share: 10,
  make: (random, isWoman) => ({
    given: [pickPersian(random, isWoman)],
    middle: random.chance(0.15) ? [pickPersian(random, false)] : [],
    family: [
      pickByCurve(random, persianCommon, curves.persianFamily, inventPersian),
      ...(random.chance(0.12) ? [random.pick(persianCommon)] : []),
    ],
  }),
}

const turkishGiven =
  pool(`Mehmet Mustafa Ahmet Ali Hüseyin/Huseyin Hasan İbrahim/Ibrahim İsmail/Ismail Osman Yusuf Murat Ömer/Omer Ramazan Halil Süleyman/Suleyman
  Abdullah Mahmut Recep Salih Fatih Kadir Emre Hakan Adem Kemal Yaşar/Yasar Bekir Musa Metin Orhan Bayram Serkan Burak Cemal Cengiz Tayyip
  Erkan Volkan Onur Serdar Tolga Selim Hamza Yakup Davut Zeki Nihat Cihan Ferhat Levent Mert Kaan Eren Furkan Bülent/Bulent Ercan Sinan Taner`)
const turkishWomen = pool(`Fatma Ayşe/Ayse Emine Hatice Zeynep Elif Meryem Şerife/Serife Zehra Sultan Hanife Merve Esra
  Büşra/Busra Özlem/Ozlem Derya Gül/Gul Sevgi Hülya/Hulya Aysel Songül/Songul Filiz Sibel Pınar/Pinar Ebru Tuğba/Tugba Selin Gizem Yasemin Nuray Leyla`)
const turkishCommon =
  pool(`Yılmaz/Yilmaz Kaya Demir Şahin/Sahin Çelik/Celik Yıldız/Yildiz Yıldırım/Yildirim Öztürk/Ozturk Aydın/Aydin Özdemir/Ozdemir Arslan Doğan/Dogan
  Kılıç/Kilic Aslan Çetin/Cetin Kara Koç/Koc Kurt Özkan/Ozkan Şimşek/Simsek Polat Korkmaz Çakır/Cakir Erdoğan/Erdogan Yavuz Can Acar Aktaş/Aktas
  Güneş/Gunes Tekin Bulut Keskin Turan Gül/Gul Avcı/Avci Işık/Isik Kaplan Bozkurt Taş/Tas Şen/Sen Ünal/Unal Ateş/Ates Coşkun/Coskun Duman Erdem Güler/Guler
  Karaca Özer/Ozer Sarı/Sari Tuncer Uysal Yalçın/Yalcin Yüksel/Yuksel Akın/Akin Alkan Bayrak Demirci Durmaz Ekinci Gökçe/Gokce Koçak/Kocak Özcan/Ozcan
  Sezer Toprak Türk/Turk Uzun Aksoy Bilgin Çiftçi/Ciftci Eroğlu/Eroglu Güven/Guven Karakaya Kahraman Soylu Tan Türkmen/Turkmen Vural Yaman`)
const turkishHeads = pool(
  `Kara Ak Demir Taş/Tas Güneş/Gunes Yer Hacı/Haci Çoban/Coban Boz Kutlu Bal Tepe Altın/Altin Gök/Gok Sarı/Sari Koca Kale`,
)
const turkishTails = pool(
  `oğlu/oglu taş/tas kaya gül/gul dağ/dag soy er türk/turk kan bey çam/cam göz/goz baş/bas su han`,
)

export const turkish: Region = {
  name: 'Turkish',
  share: 3,
  make: (random, isWoman) => ({
    given: [pickRanked(random, isWoman ? turkishWomen : turkishGiven)],
    middle: random.chance(0.25) ? pickSome(random, turkishGiven, 1) : [],
    family: [
      random.chance(0.28)
        ? pickRanked(random, turkishCommon)
        : random.chance(0.25)
          ? compound(random, turkishHeads, turkishTails)
          : { latin: [coin(random, 2, ['oglu', 'er', 'maz', 'li', 'can'])] },
    ],
  }),
}
